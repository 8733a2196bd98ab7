// Every figure can be saved as SVG.

import { h } from "./dom";
import { palette } from "./colors";

const copied = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray",
  "font-size", "font-weight", "font-family", "text-anchor", "dominant-baseline", "opacity", "paint-order"];

// A copy of a figure of the page that needs no style sheet.
export function standalone(svg: SVGSVGElement): SVGSVGElement {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const from = svg.querySelectorAll("*"), to = copy.querySelectorAll("*");
  from.forEach((element, i) => {
    const style = getComputedStyle(element);
    for (const name of copied) {
      const value = style.getPropertyValue(name);
      if (value) (to[i] as SVGElement).setAttribute(name, value);
    }
    to[i]!.removeAttribute("class");
  });
  const { width, height } = svg.getBoundingClientRect();
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", String(Math.round(width)));
  copy.setAttribute("height", String(Math.round(height)));
  copy.setAttribute("style", `background:${palette().paper}`);
  return copy;
}

export function save(name: string, svg: SVGSVGElement): void {
  const text = new XMLSerializer().serializeToString(svg);
  const url = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  h("a", { href: url, download: `${name}.svg` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

export function saveButton(name: string, figure: () => SVGSVGElement): HTMLButtonElement {
  return h("button", { class: "quiet save", type: "button", title: "Save this figure as SVG",
    "aria-label": `Save the figure ${name} as SVG`, onclick: () => save(name, figure()) }, "SVG ↓");
}
