// What a scale does to softmax, and why scores are divided by sqrt(d).

import { post } from "../api";
import { chartFigure, type Point } from "../chart";
import { debounce, drawn, field, fill, h, slider } from "../dom";
import { exact } from "../numbers";
import * as state from "../state";
import { empty, Latest } from "../view";
import type { Topic } from "./learn";

interface ScalePoint { scale: number; weights: number[]; largest: number; entropy: number; gradient_norm: number }
interface VariancePoint { width: number; variance: number; scaled_variance: number }

export const scaled: Topic = { name: "scaled", title: "Scaled softmax", show };

const scales = [0.0625, 0.125, 0.25, 0.5, 1, 2, 4, 8, 16];

function show(place: HTMLElement, signal: AbortSignal): void {
  const result = h("div", {}), variances = h("div", {});
  const latest = new Latest(result, signal), latestVariance = new Latest(variances, signal);
  const scores = (): number[] => state.value("scores", "0.3 1.1 -0.4 0.8 0.0").split(/[\s,]+/).filter(part => part !== "").map(Number).filter(Number.isFinite).slice(0, 32);

  const load = (): Promise<void> => latest.run(async aborted => {
    const scale = state.number("scale", 1);
    if (!scores().length) {
      fill(result, empty("Type some numbers above: they are the scores."));
      return;
    }
    const { points } = await post<{ points: ScalePoint[] }>("/api/learn/scaled-softmax", { scores: scores(), scales: [...scales, scale] }, aborted);
    const now = points[points.length - 1]!;
    const curve = (pick: (p: ScalePoint) => number): Point[] => points.slice(0, -1).map(p => [p.scale, pick(p)]);
    const chart = chartFigure({ name: "softmax-scale", xLabel: "scale c", yLabel: "softmax(c s)", isLogX: true, height: 230,
      series: [{ name: "largest weight", points: curve(p => p.largest) }, { name: "norm of the gradient", points: curve(p => p.gradient_norm), color: "second", kind: "dashed" }] });
    const card = h("section", { class: "card" }, h("h2", {}, "Large scores leave no gradient"), chart.element);
    drawn(card, signal, chart.draw);
    fill(result, h("div", { class: "columns even" },
      h("section", { class: "card" }, h("h2", {}, `softmax(${exact(scale)} s)`), h("table", { class: "weights" }, h("tbody", {}, ...now.weights.map((w, i) => h("tr", {},
        h("th", { scope: "row" }, `s = ${exact(scores()[i])}`), h("td", { class: "bar" }, h("span", { style: `width:${100 * w}%` })), h("td", { class: "number" }, exact(w)))))),
        h("p", { class: "note" }, `Entropy ${exact(now.entropy)} nats; norm of the gradient ${exact(now.gradient_norm)}.`)), card));
  });
  const loadVariance = (): Promise<void> => latestVariance.run(async aborted => {
    const { points } = await post<{ points: VariancePoint[] }>("/api/learn/score-variance", { widths: [2, 4, 8, 16, 32, 64, 128, 256], samples: 1000 }, aborted);
    const chart = chartFigure({ name: "score-variance", xLabel: "width d", yLabel: "variance", isLogX: true, isLogY: true, height: 230,
      series: [{ name: "q · k", points: points.map(p => [p.width, p.variance]), color: "second" }, { name: "q · k / √d", points: points.map(p => [p.width, p.scaled_variance]) }] });
    const card = h("section", { class: "card" }, h("h2", {}, "Why scores are divided by √d"),
      h("p", { class: "note" }, "1000 pairs of vectors of independent numbers with variance 1: the variance of q · k is d, that of q · k / √d stays 1."), chart.element);
    drawn(card, signal, chart.draw);
    fill(variances, card);
  });
  const soon = debounce(() => void load(), 80);
  const input = h("input", { type: "text", value: state.value("scores", "0.3 1.1 -0.4 0.8 0.0") });
  input.addEventListener("input", () => { state.remember({ scores: input.value }); soon(); });
  fill(place, h("div", { class: "controls" }, field("Scores s", input, { class: "field wide" }),
    slider("Scale c", { min: 0.05, max: 16, step: 0.05, value: state.number("scale", 1) }, v => { state.remember({ scale: v }); soon(); })), result, variances);
  void load();
  void loadVariance();
}
