// What a view is given, and what views share: states without a figure, and text that is typed.

import { ApiError, setKey, type ModelInfo, type Token } from "./api";
import { debounce, field, fill, h } from "./dom";
import * as state from "./state";

export interface Context {
  models: ModelInfo[];
  model: ModelInfo | undefined;  // the chosen one
  signal: AbortSignal;           // aborted when the view is left
}

export interface View {
  name: string;   // in the address
  title: string;  // in the navigation
  show: (main: HTMLElement, context: Context) => void;
}

export const heading = (title: string, lead: string): HTMLElement =>
  h("div", {}, h("h1", {}, title), h("p", { class: "lead" }, lead));

export const empty = (...children: (Node | string)[]): HTMLElement => h("p", { class: "empty" }, ...children);

export function problem(error: unknown): HTMLElement {
  const box = h("div", { class: "problem", role: "alert" }, error instanceof Error ? error.message : String(error));
  if (error instanceof ApiError && error.status === 401) {
    const input = h("input", { type: "password", autocomplete: "off" });
    box.append(h("form", { class: "controls", onsubmit: (event: Event) => {
      event.preventDefault();
      setKey(input.value);
      location.reload();
    } }, field("API key", input), h("button", { class: "main" }, "Use this key")));
  }
  return box;
}

export const isAbort = (error: unknown): boolean => error instanceof DOMException && error.name === "AbortError";

// Runs requests of a view one after the other: a new one cancels the one before, and an error is shown
// in the place of the result.
export class Latest {
  private controller?: AbortController;

  constructor(private readonly place: HTMLElement, private readonly outer: AbortSignal) {
    outer.addEventListener("abort", () => this.controller?.abort());
  }

  cancel(): void { this.controller?.abort(); }

  async run(action: (signal: AbortSignal) => Promise<void>): Promise<void> {
    this.controller?.abort();
    const controller = this.controller = new AbortController();
    this.place.classList.add("busy");
    this.place.setAttribute("aria-busy", "true");
    try {
      if (!this.outer.aborted) await action(controller.signal);
    } catch (error) {
      if (!isAbort(error) && !controller.signal.aborted) fill(this.place, problem(error));
    } finally {
      if (this.controller === controller) {
        this.place.classList.remove("busy");
        this.place.removeAttribute("aria-busy");
      }
    }
  }
}

// A field for text that is kept in the address and told when the typing pauses.
export function textField(name: string, key: string, otherwise: string, changed: () => void, placeholder = ""): HTMLElement {
  const area = h("textarea", { rows: 1, value: state.value(key, otherwise), placeholder, spellcheck: "false", autocapitalize: "off" });
  const later = debounce(changed);
  area.addEventListener("input", () => {
    state.remember({ [key]: area.value });
    later();
  });
  return field(name, area, { class: "field wide" });
}

// Said where a model read only a part of a long text.
export function cutNote(model: ModelInfo, text: string, read: Token[]): HTMLElement | null {
  const length = read.reduce((sum, token) => sum + token.text.length, 0);
  if (read.length + 2 < (model.context ?? Infinity) || length >= text.trim().length) return null;
  return h("p", { class: "note cut" }, `The text is longer than what the model sees at once: it read ${read.length} tokens of it.`);
}

// A text that a model can do something with: of its own data, if its run has one.
export function exampleFor(model: ModelInfo): string {
  if (model.example) return model.example.source;
  if (model.task === "lm") return "Once upon a time there was a little girl";
  if (model.task === "translate") return "the small red car";
  return "a small red car drives through the old town";
}
