// Generate: a model writes, and tells about every token.

import { stream, type AttentionLayer, type BeamStep, type Token, type WrittenToken } from "./api";
import { BeamTree } from "./beam_tree";
import { choice, field, fill, h, slider } from "./dom";
import { exact, percent, shown } from "./numbers";
import * as state from "./state";
import { alternativesTable, Written } from "./written";
import { exampleFor, heading, isAbort, problem, textField, type Context, type View } from "./view";

type Event =
  | { type: "prompt"; tokens: Token[]; attention?: AttentionLayer }
  | ({ type: "token" } & WrittenToken)
  | ({ type: "beam" } & BeamStep)
  | { type: "done"; text: string; ending: string; log_probability: number; others?: { text: string; log_probability: number; score: number }[]; score?: number }
  | { type: "error"; error: { message: string } };

export const generate: View = { name: "generate", title: "Generate", show };

const endings: Record<string, string> = { limit: "reached the limit of tokens", end: "the model ended it", stop: "a stop string came", canceled: "stopped" };

function show(main: HTMLElement, { model: chosen, signal }: Context): void {
  const model = chosen!;
  const title = heading("Generate", "The model writes token by token. Orange tokens surprised it; point at one for what else it could have been.");
  if (!model.can.includes("generate") && !model.can.includes("translate")) {
    fill(main, title, h("p", { class: "empty" }, `${model.id} does not write texts: it was trained to ${model.task}. Choose a language model or a translator.`));
    return;
  }
  let controller: AbortController | undefined;
  signal.addEventListener("abort", () => controller?.abort());
  const status = h("p", { class: "note status", role: "status" });
  const result = h("div", {});
  const detail = h("section", { class: "card", "aria-live": "polite" });
  let prompt: Token[] = [];
  let isPointed = false;
  const written = new Written(token => { isPointed = true; explain(token); });
  const go = h("button", { class: "main", type: "submit" }, "Write");
  const stop = h("button", { type: "button", disabled: true, onclick: () => controller?.abort() }, "Stop");

  // Follows the writing until somebody points at a token.
  function explain(token: WrittenToken): void {
    const keys = token.attention ? token.attention.keys === "source" ? prompt : [...prompt, ...written.tokens] : [];
    const order = (token.attention?.weights ?? []).map((w, i) => [w, i] as const).filter(([w]) => w > 0).sort((a, b) => b[0] - a[0]).slice(0, 8);
    fill(detail, h("h2", {}, h("mark", {}, shown(token)), ` ${percent(token.probability)}`),
      h("h3", {}, "What it could have been"), alternativesTable(token),
      order.length ? h("h3", { class: "gap" }, `Where it looked: ${token.attention!.layer}, mean of heads`) : null,
      order.length ? h("table", { class: "weights" }, h("tbody", {}, ...order.map(([w, i]) => h("tr", {}, h("td", { class: "place" }, i),
        h("th", { scope: "row" }, keys[i] ? shown(keys[i]!) : ""), h("td", { class: "bar" }, h("span", { style: `width:${100 * w}%` })), h("td", { class: "number" }, exact(w)))))) : null);
  }

  async function write(): Promise<void> {
    controller?.abort();
    const mine = controller = new AbortController();
    const beam = state.number("beam", 1);
    const tree = beam > 1 ? new BeamTree() : undefined;
    go.disabled = true;
    stop.disabled = false;
    status.textContent = "The model reads …";
    isPointed = false;
    detail.setAttribute("aria-live", "off");  // until it is done, or every token would be read out
    fill(detail, h("h2", {}, "Probabilities"));
    const answers = h("div", {});
    written.start([]);
    fill(result, tree ? h("section", { class: "card" }, h("h2", {}, "Beam search"), tree.element, answers)
      : h("div", { class: "columns" }, h("section", { class: "card" }, h("h2", {}, "Text"), written.element,
        h("p", { class: "note gap" }, "Point at a token, or move to it with Tab and the arrow keys.")), detail));
    const began = performance.now();
    let count = 0;
    try {
      for await (const event of stream<Event>("/api/generate", request(beam), mine.signal)) {
        if (event.type === "prompt") { prompt = event.tokens; if (model.task === "lm") written.start(prompt); }
        if (event.type === "token") { written.add(event); ++count; if (!isPointed) explain(event); }
        if (event.type === "beam") { tree?.add(event); ++count; }
        if (event.type === "error") throw new Error(event.error.message);
        if (event.type === "done") {
          tree?.finish(event.score);
          if (tree) fill(answers, h("ol", {}, ...[event, ...event.others ?? []].map(one => h("li", {}, one.text || "(nothing)", h("span", { class: "note" }, ` log-probability ${exact(one.log_probability)}`)))));
          status.textContent = `Done: ${endings[event.ending] ?? event.ending}. Log-probability ${exact(event.log_probability)}.`;
        } else status.textContent = `${count} ${tree ? "steps" : "tokens"}, ${(1000 * count / (performance.now() - began)).toFixed(0)} per second`;
      }
    } catch (error) {
      if (isAbort(error) || mine.signal.aborted) status.textContent = "Stopped.";
      else { status.textContent = ""; fill(result, problem(error)); }
    } finally {
      go.disabled = false;
      stop.disabled = true;
      detail.setAttribute("aria-live", "polite");
    }
  }

  function request(beam: number): Record<string, unknown> {
    const common = { model: model.id, prompt: state.value("text", exampleFor(model)), max_tokens: state.number("tokens", 60), stream: true };
    if (beam > 1) return { ...common, beam, n_best: beam };
    return { ...common, temperature: state.number("temperature", model.task === "lm" ? 0.8 : 0), top_p: state.number("top_p", 0.95), seed: state.number("seed", 1), alternatives: 8,
      attention: model.attention_layers.length ? {} : undefined };
  }

  const seed = h("input", { type: "number", min: 0, step: 1, value: state.number("seed", 1) });
  seed.addEventListener("input", () => state.remember({ seed: seed.value }));
  const form = h("form", { onsubmit: (event: SubmitEvent) => { event.preventDefault(); void write(); } },
    h("div", { class: "controls" }, textField(model.task === "lm" ? "Prompt" : "Text to answer", "text", exampleFor(model), () => undefined)),
    h("div", { class: "controls" },
      slider("Temperature", { min: 0, max: 2, step: 0.05, value: state.number("temperature", model.task === "lm" ? 0.8 : 0) }, v => state.remember({ temperature: v })),
      slider("Top p", { min: 0.05, max: 1, step: 0.05, value: state.number("top_p", 0.95) }, v => state.remember({ top_p: v })),
      slider("Tokens", { min: 1, max: 256, step: 1, value: state.number("tokens", 60), digits: 0 }, v => state.remember({ tokens: v })),
      field("Seed", seed),
      field("Search", choice([["1", "one text"], ["2", "beam of 2"], ["4", "beam of 4"], ["8", "beam of 8"]], String(state.number("beam", model.task === "lm" ? 1 : 1)), v => state.remember({ beam: v }))),
      go, stop), status);
  fill(main, title, form, result);
  if (state.value("text")) void write();
  else fill(result, h("p", { class: "empty" }, "Press Write: the text appears here as the model writes it."));
}
