// Every head of every layer that is at hand as a small map; a click chooses it.

import { h } from "./dom";
import { pixels } from "./heat";
import type { AttentionLayer } from "./api";
import type { AttentionSet } from "./weights";

const kSize = 64;

function map(set: AttentionSet, layer: AttentionLayer, head: number): HTMLCanvasElement {
  const ratio = Math.min(2, window.devicePixelRatio || 1);
  const canvas = h("canvas", { "data-map": true, width: kSize * ratio, height: kSize * ratio, "aria-hidden": "true" });
  const draw = (): void => {
    const weights = set.weights(layer, head)!;
    const context = canvas.getContext("2d")!;
    context.imageSmoothingEnabled = weights.keys > canvas.width;
    context.clearRect(0, 0, canvas.width, canvas.height);
    if (!weights.rows || !weights.keys) return;
    context.drawImage(pixels({ name: "", rows: weights.rows, columns: weights.keys, at: (i, j) => weights.at(i, j), isWeights: true }),
      0, 0, canvas.width, canvas.height);
  };
  // Many maps of many tokens take their time: each is drawn when it is first seen.
  let isSeen = false;
  canvas.addEventListener("redraw", () => { if (isSeen) draw(); });
  const observer = new IntersectionObserver(entries => {
    if (!entries.some(e => e.isIntersecting)) return;
    isSeen = true;
    observer.disconnect();
    draw();
  }, { rootMargin: "1500px" });
  observer.observe(canvas);
  return canvas;
}

export function smallMaps(set: AttentionSet, chosen: AttentionLayer, head: number, pick: (layer: string, head: number) => void): HTMLElement {
  return h("div", { class: "small-maps" }, ...set.present().map(layer =>
    h("div", { class: "maps-row", role: "group", "aria-label": layer.name }, h("h3", {}, layer.name),
      h("div", { class: "maps" }, ...set.heads(layer).map(n => h("button", {
        type: "button", class: "small-map", "aria-label": `${layer.name}, head ${n}`, title: `${layer.name}, head ${n}`,
        "aria-pressed": String(layer.name === chosen.name && n === head), onclick: () => pick(layer.name, n),
      }, map(set, layer, n), h("span", { "aria-hidden": "true" }, n)))))));
}
