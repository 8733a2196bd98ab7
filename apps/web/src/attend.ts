// Attend: where a model looks, for a text that is typed here.

import { post, type AttentionAnswer, type ModelInfo } from "./api";
import { AttendPanel } from "./attend_panel";
import { fill, h } from "./dom";
import { exact } from "./numbers";
import * as state from "./state";
import { AttentionSet } from "./weights";
import { cutNote, empty, exampleFor, heading, Latest, textField, type Context, type View } from "./view";

const kMostAtOnce = 1_000_000;  // weights; more than that are asked for layer by layer

interface Translation { text: string; log_probability: number; score: number; ending: string; others?: Translation[] }

function fitsAtOnce(model: ModelInfo, text: string): boolean {
  const tokens = 4 + text.length / (model.vocabulary < 400 ? 1 : 3);
  const heads = model.attention_layers.reduce((sum, layer) => sum + layer.heads, 0);
  return heads * tokens * tokens <= kMostAtOnce;
}

export const attend: View = { name: "attend", title: "Attend", show };

function show(main: HTMLElement, { model: chosen, signal }: Context): void {
  const model = chosen!;
  const writes = model.task === "translate" || model.task === "summarize";
  const result = h("div", {});
  const others = h("div", {});
  const latest = new Latest(result, signal), latestOthers = new Latest(others, signal);
  const panel = new AttendPanel(signal, () => void load());
  const text = (): string => state.value("text", exampleFor(model));

  const load = (): Promise<void> => latest.run(async aborted => {
    if (text().trim() === "") {
      fill(result, empty("Type a text above: the model reads it and shows where each token looks."));
      return;
    }
    const layer = state.value("layer") || undefined;
    const answer = await post<AttentionAnswer>("/api/attention", {
      model: model.id, text: text(), target: writes ? state.value("target") || undefined : undefined,
      layer: fitsAtOnce(model, text()) ? "all" : layer, head: "all",
    }, aborted);
    const isWritten = writes && !state.value("target");
    fill(result, cutNote(model, text(), answer.source.length ? answer.source : answer.target), isWritten ? h("p", { class: "sentence second" }, `The model writes: ${answer.text || "(nothing)"}`) : null,
      isWritten && text() === model.example?.source && model.example.target ? h("p", { class: "note expected" }, `In its data: ${model.example.target}`) : null, panel.element);
    panel.show(new AttentionSet(answer));
  });

  const loadOthers = (): Promise<void> => latestOthers.run(async aborted => {
    fill(others);
    if (!writes || !model.can.includes("translate") || text().trim() === "") return;
    const { translations } = await post<{ translations: Translation[] }>("/api/translate", { model: model.id, text: text(), beam: 4, n_best: 4 }, aborted);
    const best = translations[0];
    if (!best) return;
    const all = [best, ...best.others ?? []];
    fill(others, h("details", { class: "card n-best" }, h("summary", {}, `The ${all.length} best by beam search`),
      h("ol", {}, ...all.map(one => h("li", {}, h("button", { class: "quiet", type: "button", "aria-label": `Look at: ${one.text}`, onclick: () => {
        state.remember({ target: one.text });
        target.querySelector("textarea")!.value = one.text;
        void load();
      } }, one.text || "(nothing)"), h("span", { class: "note" }, ` log-probability ${exact(one.log_probability)}`))))));
  });

  const target = textField("Its answer", "target", "", () => void load(), "what the model writes");
  const source = textField(writes ? "Text to answer" : "Text", "text", exampleFor(model), () => { void load(); void loadOthers(); });
  fill(main, heading("Attend", "Every token looks at others; the lines are the model’s own attention weights."),
    h("div", { class: "controls" }, source, writes ? target : null), others, result);
  void load();
  void loadOthers();
}
