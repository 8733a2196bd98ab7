// Train: how a run goes, from its log, and the attention of a probe sentence as it learns.

import { ApiError, get, type LogLine, type RunInfo } from "./api";
import { chartFigure, type Chart, type ChartFigure, type Point } from "./chart";
import { choice, drawn, field, fill, h } from "./dom";
import { exact, grouped } from "./numbers";
import { ProbeFigure } from "./probe";
import * as state from "./state";
import { heading, isAbort, problem, type Context, type View } from "./view";

const kMostPoints = 800;  // of a line; more are averaged in groups

export const train: View = { name: "train", title: "Train", show };

// Means of groups, so that a long run is drawn quickly.
function thinned(points: Point[]): Point[] {
  const size = Math.ceil(points.length / kMostPoints);
  if (size <= 1) return points;
  return Array.from({ length: Math.ceil(points.length / size) }, (_, g) => {
    const group = points.slice(g * size, (g + 1) * size);
    return [group[group.length - 1]![0], group.reduce((sum, p) => sum + p[1], 0) / group.length] as Point;
  });
}

function speeds(lines: LogLine[]): Point[] {
  const points: Point[] = [];
  const steps = lines.filter(l => l.loss !== undefined && l.seconds !== undefined && l.tokens !== undefined);
  for (let i = 1; i < steps.length; ++i) {
    const a = steps[i - 1]!, b = steps[i]!;
    const seconds = b.seconds! - a.seconds!;
    if (seconds > 0 && b.step > a.step) points.push([b.step, (b.tokens! * (b.step - a.step)) / seconds]);
  }
  return points;
}

function charts(lines: LogLine[]): Chart[] {
  const of = (pick: (l: LogLine) => number | undefined): Point[] => lines.flatMap(l => { const v = pick(l); return v === undefined || v === null ? [] : [[l.step, v] as Point]; });
  return [
    { name: "loss", xLabel: "step", yLabel: "loss", height: 260, series: [{ name: "training", points: thinned(of(l => l.loss)) },
      { name: "validation", points: of(l => l.valid?.loss), color: "second" }] },
    { name: "learning-rate", xLabel: "step", yLabel: "learning rate", series: [{ name: "", points: thinned(of(l => l.lr)) }] },
    { name: "gradient-norm", xLabel: "step", yLabel: "gradient norm", series: [{ name: "", points: thinned(of(l => l.norm)) }] },
    { name: "speed", xLabel: "step", yLabel: "tokens / s (estimate)", series: [{ name: "", points: thinned(speeds(lines)) }] },
  ];
}

// A question that is asked again until the view is left.
async function forever(signal: AbortSignal, ask: () => Promise<number>): Promise<void> {
  while (!signal.aborted) {
    const wait = await ask();
    await new Promise(resolve => { setTimeout(resolve, wait); signal.addEventListener("abort", resolve, { once: true }); });
  }
}

function show(main: HTMLElement, { signal }: Context): void {
  const place = h("div", {});
  fill(main, heading("Train", "The log of a training run, live while it trains."), place);
  void begin(place, signal);
}

async function begin(place: HTMLElement, signal: AbortSignal): Promise<void> {
  try {
    const { runs } = await get<{ runs: RunInfo[] }>("/api/runs", signal);
    const sorted = [...runs].sort((a, b) => Number(b.live) - Number(a.live) || (b.modified ?? 0) - (a.modified ?? 0));
    const run = sorted.find(r => r.id === state.value("run")) ?? sorted[0];
    if (!run) {  // perhaps a training is still reading its data
      setTimeout(() => { if (!signal.aborted) void begin(place, signal); }, 3000);
      fill(place, h("p", { class: "empty" }, "No training run to show. Start the server with ", h("code", {}, "heed serve --runs DIR"), ", or train with ", h("code", {}, "heed train ... --view 8080"), "."));
      return;
    }
    follow(place, sorted, run, signal);
  } catch (error) {
    if (!isAbort(error)) fill(place, problem(error));
  }
}

function follow(place: HTMLElement, runs: RunInfo[], run: RunInfo, outer: AbortSignal): void {
  const leave = new AbortController(), signal = leave.signal;
  outer.addEventListener("abort", () => leave.abort());
  const lines: LogLine[] = [];
  const summary = h("p", { class: "note", role: "status" }), samples = h("div", {}), trouble = h("div", {});
  const figures: ChartFigure[] = charts(lines).map(c => chartFigure(c));
  const probe = new ProbeFigure(signal);
  const cards = figures.map((f, i) => h("section", { class: i === 0 ? "card wide-card" : "card" }, f.element));
  fill(place,
    h("div", { class: "controls" }, field("Run", choice(runs.map(r => [r.id, `${r.id}${r.live ? " (live)" : ""}`]), run.id, id => {
      state.remember({ run: id, step: undefined });
      leave.abort();
      follow(place, runs, runs.find(r => r.id === id)!, outer);
    })), summary), trouble, h("div", { class: "charts" }, ...cards), samples, probe.element);
  figures.forEach((f, i) => drawn(cards[i]!, signal, f.draw));

  let after = 0;
  void forever(signal, async () => {
    try {
      const answer = await get<{ run: RunInfo; lines: LogLine[]; next: number; reset?: boolean }>(`/api/runs/${encodeURIComponent(run.id)}?after=${after}`, signal);
      if (answer.reset) lines.length = 0;
      fill(trouble);
      if (answer.lines.length || after === 0) {
        lines.push(...answer.lines);
        charts(lines).forEach((c, i) => figures[i]!.change(c));
        showSamples(samples, lines);
      }
      after = answer.next;
      summary.textContent = describe(answer.run, lines);
      return answer.run.live ? 1500 : 8000;
    } catch (error) {
      if (isAbort(error) || signal.aborted) return 0;
      const isGone = error instanceof ApiError && error.status === 0;
      summary.textContent = isGone ? "" : summary.textContent;
      fill(trouble, isGone ? gone(run.id) : problem(error));
      return 5000;
    }
  });
  void probe.follow(run.id, forever, signal);
}

// heed train --view answers for as long as it trains.
function gone(run: string): HTMLElement {
  return h("div", { class: "problem gone", role: "alert" }, "The server does not answer any more. If the training has ended, ",
    h("code", {}, `heed serve --runs DIR`), ` shows it, where DIR is the folder that ${run} is in.`);
}

function describe(run: RunInfo, lines: LogLine[]): string {
  const last = lines.filter(l => l.loss !== undefined).pop();
  const parts = [`${run.task}, step ${grouped(run.step)}`, run.live ? "training now" : "not training"];
  if (last?.loss !== undefined) parts.push(`loss ${exact(last.loss)}`);
  if (run.best) parts.push(`best ${run.best.metric} ${exact(run.best.value)} at step ${grouped(run.best.step)}`);
  return parts.join(" · ");
}

function showSamples(place: HTMLElement, lines: LogLine[]): void {
  const line = lines.filter(l => l.samples?.length).pop();
  const valid = lines.filter(l => l.valid).pop();
  fill(place, !valid ? null : h("section", { class: "card" }, h("h2", {}, `Validation at step ${grouped(valid.step)}`),
    h("dl", { class: "scores" }, ...Object.entries(valid.valid!).map(([name, v]) => h("div", {}, h("dt", {}, name.replace(/_/g, " ")), h("dd", { class: "number" }, exact(v))))),
    line ? h("h3", { class: "gap" }, `Samples of step ${grouped(line.step)}`) : null, line ? h("ul", { class: "samples" }, ...line.samples!.map(t => h("li", {}, t.trimEnd().endsWith("->") ? `${t.trimEnd()} (nothing)` : t))) : null));
}

