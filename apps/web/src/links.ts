// Attention as lines between two columns of tokens: the queries, which look, and the keys, which are
// looked at. The tokens are buttons, for keyboards and screen readers; the lines are on a canvas as
// high as the window of the list, whatever the number of tokens.

import type { Token } from "./api";
import { h, s } from "./dom";
import { shown, short } from "./numbers";
import { palette } from "./colors";
import { CanvasPen, SvgPen, type Pen } from "./pen";
import type { Weights } from "./weights";

export interface Focus { side: "query" | "key"; index: number }

const kMostLines = 6000;  // drawn when no token is in focus: the strongest
const kWeakest = 0.02;

export class Links {
  readonly element: HTMLElement;
  private readonly canvas = h("canvas", { "aria-hidden": "true" });
  private readonly middle = h("div", { class: "lines" }, this.canvas);
  private readonly scroller: HTMLElement;
  private readonly buttons: Record<Focus["side"], HTMLButtonElement[]>;
  private readonly rowHeight: number;
  private weights?: Weights;
  private strongest: [i: number, j: number, w: number][] = [];
  private hovered?: Focus;
  private waiting = 0;
  private readonly looks = new Map<HTMLButtonElement, string>();  // so that only what changes is touched
  fixed?: Focus;

  constructor(private readonly queries: Token[], private readonly keys: Token[], headings: [string, string],
              private readonly changed: (focus: Focus | undefined) => void) {
    const count = Math.max(queries.length, keys.length);
    this.rowHeight = count <= 48 ? 26 : count <= 160 ? 22 : 19;
    this.buttons = { query: this.column("query", queries), key: this.column("key", keys) };
    const list = (side: Focus["side"], label: string): HTMLElement =>
      h("div", { class: `tokens ${side}`, role: "group", "aria-label": label }, ...this.buttons[side]);
    this.scroller = h("div", { class: "links", style: `--row:${this.rowHeight}px` },
      list("query", headings[0]), this.middle, list("key", headings[1]));
    this.element = h("div", {},
      h("div", { class: "links-head", "aria-hidden": "true" }, h("span", {}, headings[0]), h("span", {}, headings[1])), this.scroller);
    this.scroller.addEventListener("scroll", () => this.later(), { passive: true });
    this.scroller.addEventListener("mouseleave", () => this.hover(undefined));
  }

  get focus(): Focus | undefined { return this.hovered ?? this.fixed; }

  show(weights: Weights): void {
    this.weights = weights;
    const all: [number, number, number][] = [];
    for (let i = 0; i < weights.rows; ++i) {
      for (let j = 0; j < weights.keys; ++j) {
        const w = weights.at(i, j);
        if (w >= kWeakest) all.push([i, j, w]);
      }
    }
    all.sort((a, b) => a[2] - b[2]);
    this.strongest = all.slice(-kMostLines);
    this.refresh();
  }

  fix(focus: Focus | undefined): void {
    this.fixed = focus;
    this.refresh();
  }

  private column(side: Focus["side"], tokens: Token[]): HTMLButtonElement[] {
    return tokens.map((token, index) => h("button", {
      type: "button", class: "token", tabindex: index === 0 ? 0 : -1, "aria-pressed": "false", title: `${index}: ${token.token}`,
      onmouseenter: () => this.hover({ side, index }),
      onfocus: () => this.hover({ side, index }),
      onblur: () => this.hover(undefined),
      onclick: () => this.toggle({ side, index }),
      onkeydown: (event: KeyboardEvent) => this.move(event, side, index),
    }, h("span", {}, shown(token))));
  }

  private move(event: KeyboardEvent, side: Focus["side"], index: number): void {
    const other = side === "query" ? "key" : "query";
    const targets: Record<string, HTMLButtonElement | undefined> = {
      ArrowDown: this.buttons[side][index + 1],
      ArrowUp: this.buttons[side][index - 1],
      Home: this.buttons[side][0],
      End: this.buttons[side][this.buttons[side].length - 1],
      ArrowLeft: side === "key" ? this.buttons[other][Math.min(index, this.buttons[other].length - 1)] : undefined,
      ArrowRight: side === "query" ? this.buttons[other][Math.min(index, this.buttons[other].length - 1)] : undefined,
    };
    if (event.key === "Escape") this.toggle(undefined);
    const target = targets[event.key];
    if (!target) return;
    event.preventDefault();
    for (const button of this.buttons[side]) button.tabIndex = -1;
    target.tabIndex = 0;
    target.focus();
  }

  private toggle(focus: Focus | undefined): void {
    const isSame = focus && this.fixed?.side === focus.side && this.fixed.index === focus.index;
    this.fixed = isSame ? undefined : focus;
    this.refresh();
    this.changed(this.focus);
  }

  private hover(focus: Focus | undefined): void {
    this.hovered = focus;
    this.refresh();
    this.changed(this.focus);
  }

  private refresh(): void {
    const focus = this.focus;
    const weights = this.weights;
    const other: Focus["side"] = focus?.side === "query" ? "key" : "query";
    const values = !focus || !weights ? [] : focus.side === "query" ? weights.row(focus.index) : weights.column(focus.index);
    for (const side of ["query", "key"] as const) {
      this.buttons[side].forEach((button, index) => {
        const isFixed = this.fixed?.side === side && this.fixed.index === index;
        const isActive = focus?.side === side && focus.index === index;
        const w = focus && side === other ? values[index] ?? 0 : 0;
        const looks = `${isFixed} ${isActive} ${w >= 0.005 ? short(w) : ""}`;
        if (this.looks.get(button) === looks) return;
        this.looks.set(button, looks);
        button.classList.toggle("active", isActive);
        button.setAttribute("aria-pressed", String(isFixed));
        button.style.setProperty("--w", `${Math.round(w * 100)}%`);
        if (w >= 0.005) button.dataset.w = short(w);
        else delete button.dataset.w;
      });
    }
    this.later();
  }

  private later(): void {
    this.waiting ||= requestAnimationFrame(() => { this.waiting = 0; this.draw(); });
  }

  draw(): void {
    const height = this.scroller.clientHeight, width = this.middle.clientWidth;
    if (!width || !height) return;
    this.lines(new CanvasPen(this.canvas, width, height), 0, width, -this.scroller.scrollTop, height);
  }

  // The lines between x1 and x2; rows that lie outside of 0 to `height` are left out.
  private lines(pen: Pen, x1: number, x2: number, top: number, height: number): void {
    const colors = palette();
    const y = (index: number): number => top + (index + 0.5) * this.rowHeight;
    const isVisible = (index: number): boolean => y(index) > -this.rowHeight && y(index) < height + this.rowHeight;
    const focus = this.focus;
    const line = (i: number, j: number, w: number, strength: number): void => {
      if (isVisible(i) || isVisible(j)) pen.link(x1, y(i), x2, y(j), colors.accent, Math.min(1, strength + 0.03), 0.6 + 3 * w);
    };
    if (!focus || !this.weights) {
      for (const [i, j, w] of this.strongest) line(i, j, w, 0.7 * w);
      return;
    }
    // One token: its strongest line is clear, however small its weight.
    const isQuery = focus.side === "query";
    const values = isQuery ? this.weights.row(focus.index) : this.weights.column(focus.index);
    const largest = Math.max(...values, 1e-9);
    values.forEach((w, other) => {
      if (w > 1e-4) line(isQuery ? focus.index : other, isQuery ? other : focus.index, w, 0.85 * w / largest);
    });
  }

  svg(): SVGSVGElement {
    const colors = palette();
    const height = Math.max(this.queries.length, this.keys.length) * this.rowHeight;
    const pen = new SvgPen(560, height + 16, colors.paper);
    pen.svg.append(s("title", {}, "Attention weights"));
    this.lines(pen, 170, 390, 8, Infinity);
    const y = (i: number): number => 8 + (i + 0.5) * this.rowHeight;
    this.queries.forEach((t, i) => pen.text(162, y(i), shown(t), { color: colors.ink, size: 13, align: "right" }));
    this.keys.forEach((t, i) => pen.text(398, y(i), shown(t), { color: colors.ink, size: 13 }));
    return pen.svg;
  }
}
