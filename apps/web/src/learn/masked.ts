// Masked softmax: rows of scores of which only the first few count.

import { post } from "../api";
import { debounce, drawn, fill, h, slider } from "../dom";
import { heatFigure } from "../heat";
import { exact } from "../numbers";
import * as state from "../state";
import { Latest } from "../view";
import type { Topic } from "./learn";
import { numberTable } from "./numbers_table";

interface Answer { weights: number[][]; by_constant: number[][] }

const usual = [[0.5, 1.2, -0.3, 2.0], [1.0, 1.0, 1.0, 1.0], [3.0, 0.2, 0.1, -2.0]], usualLengths = [2, 3, 4];

function parse(text: string): number[][] {
  const rows = text.split("_").map(row => row.split("~").map(Number));
  return rows.length === 3 && rows.every(row => row.length === 4 && row.every(Number.isFinite)) ? rows : structuredClone(usual);
}

export const masked: Topic = { name: "masked", title: "Masked softmax", show };

function show(place: HTMLElement, signal: AbortSignal): void {
  const scores = parse(state.value("scores"));
  const lengths = usualLengths.map((n, i) => {
    const given = Number((state.value("lengths") || usualLengths.join()).split(",")[i]);
    return Number.isInteger(given) && given >= 0 && given <= 4 ? given : n;
  });
  const result = h("div", {});
  const latest = new Latest(result, signal);
  const figures = h("div", { class: "columns even" });
  const load = (): Promise<void> => latest.run(async aborted => {
    const answer = await post<Answer>("/api/learn/masked-softmax", { scores, lengths }, aborted);
    const labels = lengths.map((n, i) => `row ${i}: ${n} valid`);
    const draw = (name: string, title: string, values: number[][], text: string): HTMLElement => {
      const figure = heatFigure({ name, rows: values.length, columns: values[0]!.length, isWeights: true, at: (i, j) => values[i]![j]!, rowLabels: labels,
        columnLabels: values[0]!.map((_, j) => `key ${j}`), describe: (i, j) => `row ${i}, key ${j}: ${exact(values[i]![j])}` });
      const card = h("section", { class: "card" }, h("h2", {}, title), h("p", { class: "note" }, text), figure.element);
      drawn(card, signal, figure.draw);
      return card;
    };
    fill(figures, draw("masked-softmax", "Masked with −∞", answer.weights, "A row without a valid key gives 0 everywhere."),
      draw("masked-by-constant", "Masked with a large negative constant", answer.by_constant, "A row without a valid key becomes an ordinary softmax over keys that should not count."));
    fill(result, figures);
  });
  const soon = debounce(() => { state.remember({ lengths: lengths.join(","), scores: scores.map(row => row.join("~")).join("_") }); void load(); }, 80);
  fill(place, h("p", {}, h("span", { class: "formula" }, "a_ij = exp(s_ij) / sum_{l < n_i} exp(s_il) for j < n_i, else 0")),
    h("div", { class: "controls" }, ...lengths.map((n, i) => slider(`Valid keys of row ${i}`, { min: 0, max: 4, step: 1, value: n, digits: 0 }, v => { lengths[i] = v; soon(); }))),
    h("section", { class: "card" }, numberTable({ caption: "Scores", columns: scores[0]!.map((_, j) => `key ${j}`), rows: scores.map((_, i) => `row ${i}`), values: scores,
      change: (i, j, v) => { scores[i]![j] = v; soon(); } })), result);
  void load();
}
