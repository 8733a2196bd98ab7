// Kernel regression: attention whose keys are x, whose values are y, and whose scores are a kernel.

import { drag } from "d3-drag";
import { select } from "d3-selection";
import { post } from "../api";
import { chartFigure, type Frame, type Point } from "../chart";
import { choice, debounce, drawn, field, fill, h, s, slider } from "../dom";
import { exact } from "../numbers";
import * as state from "../state";
import { Latest } from "../view";
import type { Topic } from "./learn";

interface Answer { width: number; prediction: (number | null)[]; weights?: number[][]; error?: number }

const kernels = ["gaussian", "boxcar", "triangular", "epanechnikov", "constant"] as const;
const formulas: Record<string, string> = {
  gaussian: "k(u) = exp(-u^2 / 2)", boxcar: "k(u) = 1 if |u| <= 1, else 0", triangular: "k(u) = max(0, 1 - |u|)",
  epanechnikov: "k(u) = max(0, 1 - u^2)", constant: "k(u) = 1",
};
const kPoints = 121;
const usual: Point[] = [[0.3, 0.9], [0.7, 1.9], [1.0, 2.2], [1.4, 2.9], [1.8, 3.0], [2.1, 3.4], [2.6, 3.1], [3.0, 3.4], [3.4, 3.0], [3.7, 2.6], [4.1, 3.1], [4.6, 3.9]];

function parse(text: string): Point[] {
  const points = text.split("_").map(p => p.split("~").map(Number) as Point).filter(p => p.length === 2 && p.every(Number.isFinite));
  return points.length ? points : usual;
}

export const regression: Topic = { name: "regression", title: "Kernel regression", show };

function show(place: HTMLElement, signal: AbortSignal): void {
  const points = parse(state.value("points")).map(p => [...p] as Point);
  const grid = Array.from({ length: kPoints }, (_, i) => 5 * i / (kPoints - 1));
  let looked = state.number("at", 2.5);
  let answer: Answer | undefined, atLooked: Answer | undefined;
  const readout = h("div", { "aria-live": "polite" });
  const status = h("div", {});
  const latest = new Latest(status, signal);

  const figure = chartFigure(chart(), marks);
  function chart(): Parameters<typeof figure.change>[0] {
    const curve = (answer?.prediction ?? []).map((y, i) => [grid[i]!, y ?? NaN] as Point);
    return { name: "kernel-regression", xLabel: "x (keys); the dashed line is the query", yLabel: "y (values)", height: 340, x: [0, 5], y: [0, 5],
      series: [{ name: "prediction", points: curve }] };
  }

  function marks(frame: Frame): void {
    const x = frame.x(looked);
    frame.svg.append(s("line", { class: "second dashed", x1: x, x2: x, y1: frame.y(0), y2: frame.y(5) }));
    const weights = atLooked?.weights?.[0] ?? [];
    points.forEach((p, i) => {
      const w = weights[i] ?? 0;
      const dot = s("circle", { class: "observation", cx: frame.x(p[0]), cy: frame.y(p[1]), r: 5 + 16 * Math.sqrt(w), tabindex: 0, role: "slider",
        "aria-label": `Observation ${i}: x ${p[0].toFixed(2)}, y ${p[1].toFixed(2)}, weight ${exact(w)}. Arrow keys move it.`, "aria-valuenow": p[1].toFixed(2),
        "fill-opacity": 0.25 + 0.7 * w });
      dot.append(s("title", {}, `x ${p[0].toFixed(2)}, y ${p[1].toFixed(2)}, weight ${exact(w)}`));
      dot.addEventListener("keydown", event => {
        const step = ({ ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1] } as Record<string, Point>)[event.key];
        if (!step) return;
        event.preventDefault();
        move(i, p[0] + step[0], p[1] + step[1]);
        requestAnimationFrame(() => (frame.svg.querySelectorAll<SVGElement>(".observation")[i])?.focus());
      });
      frame.svg.append(dot);
      select(dot).call(drag<SVGCircleElement, unknown>().on("drag", () => {
        const [mx, my] = pointer(frame);
        move(i, mx, my);
      }) as never);
    });
    frame.svg.addEventListener("pointermove", note);
    frame.svg.onclick = event => {
      if ((event.target as Element).classList.contains("observation")) return;
      note(event);
      look(frame.x.invert(last[0]));
    };
  }

  let last: Point = [0, 0];
  function note(event: MouseEvent): void {
    const box = figure.frame!.svg.getBoundingClientRect();
    last = [event.clientX - box.left, event.clientY - box.top];
  }
  signal.addEventListener("abort", () => window.removeEventListener("pointermove", track));
  const track = (event: PointerEvent): void => { if (figure.frame) note(event); };
  window.addEventListener("pointermove", track);
  const pointer = (frame: Frame): Point => [frame.x.invert(last[0]), frame.y.invert(last[1])];

  const clamp = (v: number): number => Math.max(0, Math.min(5, v));
  function move(i: number, x: number, y: number): void {
    points[i] = [Math.round(clamp(x) * 100) / 100, Math.round(clamp(y) * 100) / 100];
    state.remember({ points: points.map(p => p.join("~")).join("_") });
    figure.draw();
    soon();
  }
  function look(x: number): void {
    looked = Math.round(clamp(x) * 100) / 100;
    showQuery(looked);
    state.remember({ at: looked });
    soon();
  }

  const load = (): Promise<void> => latest.run(async aborted => {
    const kernel = state.value("kernel", "gaussian");
    const x = points.map(p => p[0]), y = points.map(p => p[1]);
    const request = { x, y, kernel, width: state.number("width", 0.4) };
    [answer, atLooked] = await Promise.all([
      post<Answer>("/api/regress", { ...request, query: grid, weights: false }, aborted),
      post<Answer>("/api/regress", { ...request, query: [looked] }, aborted)]);
    fill(status);
    figure.change(chart());
    const value = atLooked.prediction[0];
    fill(readout, h("p", { class: "formula-line" }, ...["f(q) = sum_i k((q - x_i) / w) y_i / sum_j k((q - x_j) / w)", formulas[kernel] ?? ""].map(text => h("span", { class: "formula" }, text))),
      h("p", {}, `f(${looked.toFixed(2)}) = ${value === null || value === undefined ? "undefined: no observation is in reach" : exact(value)}`,
        answer.error === undefined || answer.error === null ? "" : `; mean squared error when each observation is left out: ${exact(answer.error)}`));
  });
  const soon = debounce(() => void load(), 30);

  const querySlider = slider("Query q", { min: 0, max: 5, step: 0.01, value: looked }, look);
  function showQuery(x: number): void {
    querySlider.querySelector("input")!.value = String(x);
    querySlider.querySelector("output")!.textContent = x.toFixed(2);
  }
  const card = h("section", { class: "card" }, figure.element, readout, status);
  fill(place, h("p", {}, "Drag an observation, or click elsewhere to move the query. The circles show how much each observation weighs for the query."),
    h("div", { class: "controls" },
      field("Kernel", choice(kernels.map(k => [k, k]), state.value("kernel", "gaussian"), v => { state.remember({ kernel: v }); soon(); })),
      slider("Bandwidth w", { min: 0.05, max: 2, step: 0.05, value: state.number("width", 0.4) }, v => { state.remember({ width: v }); soon(); }),
      querySlider), card);
  drawn(card, signal, figure.draw);
  void load();
}
