// Text as it is written: every token coloured by its probability, its alternatives when it is pointed at.

import type { Token, TokenProbability, WrittenToken } from "./api";
import { fill, h } from "./dom";
import { percent, shown } from "./numbers";

// Words that read well in running text: blanks stay blanks, a line break breaks the line.
function running(token: Token): string {
  return token.text !== "" ? token.text : /^<.*>$/.test(token.token) ? token.token : "";
}

// A surprising token is orange, a sure one is plain: nothing is lost without colours, the number is told.
function shade(probability: number): string {
  return `--p:${Math.round(100 * (1 - Math.sqrt(probability)))}%`;
}

export function alternativesTable(token: WrittenToken): HTMLElement {
  const all: TokenProbability[] = [...token.alternatives ?? []];
  if (!all.some(a => a.id === token.id)) all.push(token);
  return h("table", { class: "weights" }, h("tbody", {}, ...all.map(a => h("tr", { class: a.id === token.id ? "chosen" : "" },
    h("th", { scope: "row" }, shown(a), a.id === token.id ? " ✓" : ""), h("td", { class: "bar" }, h("span", { style: `width:${100 * a.probability}%` })),
    h("td", { class: "number" }, percent(a.probability))))));
}

export class Written {
  readonly element = h("div", { class: "written", role: "group", "aria-label": "Text written by the model" });
  readonly tokens: WrittenToken[] = [];
  private readonly buttons: HTMLButtonElement[] = [];

  constructor(private readonly looked: (token: WrittenToken) => void) {}

  start(prompt: Token[]): void {
    this.tokens.length = this.buttons.length = 0;
    fill(this.element, h("span", { class: "prompt" }, prompt.map(t => /^<.*>$/.test(t.token) ? "" : t.text).join("")));
  }

  add(token: WrittenToken): void {
    const index = this.tokens.push(token) - 1;
    const look = (): void => {
      this.buttons.forEach((b, i) => b.classList.toggle("active", i === index));
      this.looked(token);
    };
    const button = h("button", { type: "button", class: "piece", style: shade(token.probability), tabindex: index === 0 ? 0 : -1,
      "aria-label": `${shown(token)}, ${percent(token.probability)}`, onmouseenter: look, onfocus: look,
      onkeydown: (event: KeyboardEvent) => {
        const next = this.buttons[index + ({ ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key] ?? NaN)];
        if (!next) return;
        event.preventDefault();
        next.focus();
      } }, running(token));
    this.buttons.push(button);
    this.element.append(button);
  }
}
