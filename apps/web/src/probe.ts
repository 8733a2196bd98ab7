// The attention of one sentence, snapshot by snapshot, while a model learns.

import { ApiError, get, type ProbeSnapshot } from "./api";
import { drawn, fill, h } from "./dom";
import { heatFigure, type Heat, type HeatFigure } from "./heat";
import { exact, grouped, shown } from "./numbers";
import * as state from "./state";
import { isAbort } from "./view";

type Forever = (signal: AbortSignal, ask: () => Promise<number>) => Promise<void>;

export class ProbeFigure {
  readonly element = h("div", {});
  private readonly snapshots: ProbeSnapshot[] = [];
  private readonly slider = h("input", { type: "range", min: 0, step: 1, "aria-label": "Snapshot" });
  private readonly label = h("output", {});
  private figure?: HeatFigure;

  constructor(private readonly signal: AbortSignal) {
    this.slider.addEventListener("input", () => {
      const isLast = Number(this.slider.value) === this.snapshots.length - 1;
      state.remember({ step: isLast ? undefined : this.snapshots[Number(this.slider.value)]!.step });
      this.show();
    });
  }

  async follow(run: string, forever: Forever, signal: AbortSignal): Promise<void> {
    let after = 0;
    await forever(signal, async () => {
      try {
        const answer = await get<{ snapshots: ProbeSnapshot[]; next: number; reset?: boolean }>(`/api/runs/${encodeURIComponent(run)}/probe?after=${after}`, signal);
        if (answer.reset) this.snapshots.length = 0;
        after = answer.next;
        this.snapshots.push(...answer.snapshots);
        if (answer.snapshots.length) this.build();
        return 3000;
      } catch (error) {
        if (isAbort(error)) return 0;
        return error instanceof ApiError && error.status === 404 ? 30000 : 8000;
      }
    });
  }

  private build(): void {
    const wanted = state.number("step", -1);
    const found = this.snapshots.findIndex(s => s.step === wanted);
    this.slider.max = String(this.snapshots.length - 1);
    this.slider.disabled = this.snapshots.length < 2;
    this.slider.value = String(found >= 0 ? found : this.snapshots.length - 1);
    if (!this.figure) {
      this.figure = heatFigure(this.heat());
      const card = h("section", { class: "card" }, h("h2", {}, "Attention of the probe sentence"),
        h("div", { class: "probe-step" }, this.slider, this.label), this.figure.element);
      fill(this.element, card);
      drawn(card, this.signal, this.figure.draw);
    }
    this.show();
  }

  private heat(): Heat {
    const one = this.snapshots[Number(this.slider.value)]!;
    const rows = one.queries.map(shown), columns = one.keys.map(shown);
    return { name: "probe-attention", rows: one.weights.length, columns: one.keys.length, isWeights: true, at: (i, j) => one.weights[i]![j]!, rowLabels: rows, columnLabels: columns,
      describe: (i, j) => `${rows[i]} → ${columns[j]}: ${exact(one.weights[i]![j])}` };
  }

  private show(): void {
    const one = this.snapshots[Number(this.slider.value)]!;
    this.label.textContent = `step ${grouped(one.step)}, ${one.layer}, ${(one.head ?? -1) < 0 ? "mean of heads" : `head ${one.head}`}`;
    this.figure!.change(this.heat());
  }
}
