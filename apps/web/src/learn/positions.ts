// Codes of positions, and how similar they are.

import { post } from "../api";
import { choice, debounce, drawn, field, fill, h, slider } from "../dom";
import { heatFigure } from "../heat";
import { exact } from "../numbers";
import * as state from "../state";
import { Latest } from "../view";
import type { Topic } from "./learn";

interface Answer { similarity: number[][]; codes?: number[][]; criteria: { distinct?: boolean; nearest_is_most_similar?: number; monotone_to?: number } }

const formulas: Record<string, string[]> = {
  sinusoidal: ["p_t,2k = sin(t / 10000^(2k/C))", "p_t,2k+1 = cos(t / 10000^(2k/C))", "p_s . p_t = sum_k cos((s - t) / 10000^(2k/C))"],
  gaussian: ["p_s . p_t = exp(-(s - t)^2 / 100)"], linear: ["p_t = t", "p_s . p_t = s t"],
};

export const positions: Topic = { name: "positions", title: "Positions", show };

function show(place: HTMLElement, signal: AbortSignal): void {
  const result = h("div", {}), formula = h("p", { class: "formula-line" });
  const latest = new Latest(result, signal);
  const load = (): Promise<void> => latest.run(async aborted => {
    const answer = await post<Answer>("/api/learn/positions", { code: state.value("code", "sinusoidal"), positions: state.number("positions", 48), width: state.number("width", 32) }, aborted);
    const card = (name: string, title: string, values: number[][], text: string, across: string): HTMLElement => {
      const figure = heatFigure({ name, rows: values.length, columns: values[0]?.length ?? 0, isSigned: true, mostHeight: 380, at: (i, j) => values[i]![j]!,
        describe: (i, j) => `position ${i}, ${across} ${j}: ${exact(values[i]![j])}` });
      const element = h("section", { class: "card" }, h("h2", {}, title), h("p", { class: "note" }, text), figure.element);
      drawn(element, signal, figure.draw);
      return element;
    };
    fill(formula, ...(formulas[state.value("code", "sinusoidal")] ?? []).map(text => h("span", { class: "formula" }, text)));
    const { distinct, nearest_is_most_similar: nearest, monotone_to: monotone } = answer.criteria;
    fill(result, h("div", { class: "columns even" },
      answer.codes?.length ? card("position-codes", "Codes", answer.codes, "One row per position.", "number") : null,
      card("position-similarity", "Similarity", answer.similarity, "How alike the codes of two positions are.", "position")),
      h("p", { class: "note" }, `${distinct ? "All codes are distinct" : "Some codes are equal"}; ${nearest ?? "?"} of ${answer.similarity.length} positions are most similar to themselves; similarity falls with the distance up to ${monotone ?? "?"} positions.`));
  });
  const soon = debounce(() => void load(), 80);
  fill(place, formula,
    h("div", { class: "controls" },
      field("Code", choice([["sinusoidal", "sinusoids"], ["gaussian", "Gaussian"], ["linear", "a line"]], state.value("code", "sinusoidal"), v => { state.remember({ code: v }); soon(); })),
      slider("Positions", { min: 4, max: 128, step: 4, value: state.number("positions", 48), digits: 0 }, v => { state.remember({ positions: v }); soon(); }),
      slider("Width C", { min: 4, max: 128, step: 4, value: state.number("width", 32), digits: 0 }, v => { state.remember({ width: v }); soon(); })), result);
  void load();
}
