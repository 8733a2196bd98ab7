// Small helpers to build HTML and SVG. Text goes in as text nodes, never as markup.

type Child = Node | string | number | null | undefined | false;
type Attributes = Record<string, unknown>;

function apply(element: Element, attributes: Attributes, children: Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value as EventListener);
    else if (name === "value") (element as HTMLInputElement).value = String(value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
}

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  const { value, ...others } = attributes;
  apply(element, others, children);
  if (value !== undefined) (element as unknown as HTMLInputElement).value = String(value);
  return element;
}

export function s<K extends keyof SVGElementTagNameMap>(
  tag: K, attributes: Attributes = {}, ...children: Child[]): SVGElementTagNameMap[K] {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  apply(element, attributes, children);
  return element;
}

export function fill(element: Element, ...children: Child[]): void {
  element.replaceChildren();
  apply(element, {}, children);
}

let names = 0;
export const freshId = (): string => `n${++names}`;

// A control with its visible name.
export function field(name: string, control: HTMLElement, attributes: Attributes = {}): HTMLElement {
  control.id ||= freshId();
  return h("div", { class: "field", ...attributes }, h("label", { for: control.id }, name), control);
}

// What may be wider than the window; the keyboard can move it.
export const scroller = (name: string, ...children: Child[]): HTMLElement =>
  h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": name }, ...children);

export function choice(options: [value: string, name: string][], value: string,
                       change: (value: string) => void): HTMLSelectElement {
  const select = h("select", {}, ...options.map(([v, name]) => h("option", { value: v }, name)));
  select.value = options.some(([v]) => v === value) ? value : options[0]?.[0] ?? "";
  select.addEventListener("change", () => change(select.value));
  return select;
}

export interface SliderOptions { min: number; max: number; step: number; value: number; digits?: number }

// A slider that shows its value.
export function slider(name: string, o: SliderOptions, change: (value: number) => void): HTMLElement {
  const shown = h("output", {}, o.value.toFixed(o.digits ?? 2));
  const input = h("input", { type: "range", min: o.min, max: o.max, step: o.step, value: o.value });
  input.addEventListener("input", () => {
    shown.textContent = Number(input.value).toFixed(o.digits ?? 2);
    change(Number(input.value));
  });
  const element = field(name, input);
  element.append(shown);
  element.classList.add("slider");
  return element;
}

// Calls `action` once the caller has been quiet for some milliseconds.
export function debounce(action: () => void, milliseconds = 350): () => void {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = window.setTimeout(action, milliseconds);
  };
}

// Calls `draw` now and whenever the width of the element or the colour scheme changes.
export function drawn(element: Element, signal: AbortSignal, draw: () => void): void {
  let width = -1;
  const observer = new ResizeObserver(() => {
    if (element.clientWidth === width) return;
    width = element.clientWidth;
    if (width > 0) draw();
  });
  observer.observe(element);
  signal.addEventListener("abort", () => observer.disconnect());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw, { signal });
}
