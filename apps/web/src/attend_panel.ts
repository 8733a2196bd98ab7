// The figures of the view Attend, for one answer of /api/attention: lines between tokens, the exact
// weights of the token in focus, all heads as small maps, and the chosen head as a matrix.

import type { AttentionLayer, Token } from "./api";
import { choice, drawn, field, fill, h } from "./dom";
import { heatFigure, kManyKeys, type HeatFigure } from "./heat";
import { Links, type Focus } from "./links";
import { exact, shown } from "./numbers";
import { saveButton } from "./save";
import { smallMaps } from "./small_maps";
import * as state from "./state";
import type { AttentionSet, Weights } from "./weights";

const kMostListed = 12;

const kinds = { self: "every token sees every other", causal: "a token sees itself and those before it", cross: "the target looks at the source" };

function weightTable(values: number[], tokens: Token[]): HTMLElement {
  const order = values.map((w, i) => [w, i] as const).filter(([w]) => w > 0).sort((a, b) => b[0] - a[0]);
  const listed = order.slice(0, kMostListed);
  const rest = order.slice(kMostListed).reduce((sum, [w]) => sum + w, 0);
  const rows = listed.map(([w, i]) => h("tr", {}, h("td", { class: "place" }, i), h("th", { scope: "row" }, shown(tokens[i]!)),
    h("td", { class: "bar" }, h("span", { style: `width:${100 * w}%` })), h("td", { class: "number" }, exact(w))));
  if (order.length > kMostListed) {
    rows.push(h("tr", { class: "rest" }, h("td", {}), h("th", { scope: "row" }, `${order.length - kMostListed} others`), h("td", {}), h("td", { class: "number" }, exact(rest))));
  }
  return h("table", { class: "weights" }, h("tbody", {}, ...rows));
}

export class AttendPanel {
  readonly element = h("div", { class: "attend" });
  private set?: AttentionSet;
  private layer?: AttentionLayer;
  private head = -1;
  private links?: Links;
  private matrix?: HeatFigure;
  private readonly detail = h("div", { class: "detail card", "aria-live": "polite" });

  // `wanted` is told which layer is chosen if the answer has no weights of it.
  constructor(signal: AbortSignal, private readonly wanted?: (layer: string) => void) {
    drawn(this.element, signal, () => this.draw());
  }

  show(set: AttentionSet): void {
    this.set = set;
    const named = set.layer(state.value("layer"));
    this.layer = named && set.heads(named).length + Number(!!set.weights(named, -1)) > 0 ? named : set.usual();
    if (!this.layer) {
      fill(this.element, h("p", { class: "empty" }, "This model has no attention to look at."));
      return;
    }
    this.head = state.number("head", -1);
    if (!set.weights(this.layer, this.head)) this.head = set.weights(this.layer, -1) ? -1 : set.heads(this.layer)[0]!;
    this.build(this.layer, set);
  }

  private weights(): Weights { return this.set!.weights(this.layer!, this.head)!; }

  private pick(layer: string, head: number): void {
    const next = this.set!.layer(layer)!;
    state.remember({ layer, head: head < 0 ? undefined : head });
    const same = next.queries === this.layer!.queries && next.keys === this.layer!.keys;
    if (!same) state.remember({ token: undefined });
    if (!this.set!.present().includes(next)) this.wanted?.(layer);
    else this.show(this.set!);
  }

  private build(layer: AttentionLayer, set: AttentionSet): void {
    const queries = set.queries(layer), keys = set.keys(layer);
    const offered = this.wanted ? set.answer.layers : set.present();
    const layers = choice(offered.map(l => [l.name, `${l.name} (${l.kind})`]), layer.name, v => this.pick(v, this.head));
    const heads: [string, string][] = set.heads(layer).map(n => [String(n), `head ${n}`]);
    if (set.weights(layer, -1)) heads.unshift(["-1", "mean of all heads"]);
    const headChoice = choice(heads, String(this.head), v => this.pick(layer.name, Number(v)));

    const sides = layer.kind === "cross" ? ["target (query)", "source (key)"] as const : ["query: looks", "key: is looked at"] as const;
    this.links = new Links(queries, keys, [sides[0], sides[1]], focus => this.focused(focus));
    const token = state.value("token").match(/^([qk])(\d+)$/);
    if (token) this.links.fixed = { side: token[1] === "q" ? "query" : "key", index: Number(token[2]) };
    const weights = this.weights();
    const rowLabels = queries.map(shown), columnLabels = keys.map(shown);
    this.matrix = heatFigure({
      name: `attention-${layer.name}-${this.head < 0 ? "mean" : this.head}`, rows: weights.rows, columns: weights.keys, isWeights: true,
      at: (i, j) => weights.at(i, j), rowLabels, columnLabels,
      describe: (i, j) => `${rowLabels[i]} → ${columnLabels[j]}: ${exact(weights.at(i, j))}`,
      pick: i => { this.links!.fix({ side: "query", index: i }); this.focused(this.links!.focus); },
    });
    const maps = smallMaps(set, this.layer!, this.head, (name, head) => this.pick(name, head));
    fill(this.element,
      h("div", { class: "controls" }, field("Layer", layers), field("Head", headChoice), h("p", { class: "note" }, kinds[layer.kind])),
      h("div", { class: "columns" },
        h("div", { class: "side" },
          h("section", { class: "card" }, h("div", { class: "card-head" }, h("h2", {}, "Who looks where"),
            saveButton("attention-lines", () => this.links!.svg())), this.links.element),
          h("section", { class: "card matrix" }, h("h2", {}, "Weights"),
            keys.length > kManyKeys ? h("p", { class: "note" }, "Among so many keys most weights are small: the colours show their square roots.") : null, this.matrix.element)),
        h("div", { class: "side" }, this.detail,
          h("section", { class: "card heads" }, h("h2", {}, "All heads"), maps))));
    this.links.show(weights);
    this.focused(this.links.focus);
    this.draw();
  }

  private focused(focus: Focus | undefined): void {
    const fixed = this.links!.fixed;
    state.remember({ token: fixed ? `${fixed.side === "query" ? "q" : "k"}${fixed.index}` : undefined });
    const layer = this.layer!, set = this.set!;
    const queries = set.queries(layer), keys = set.keys(layer);
    const isThere = focus && focus.index < (focus.side === "query" ? queries : keys).length;
    if (!focus || !isThere) {
      fill(this.detail, h("h2", {}, "Exact weights"),
        h("p", { class: "note" }, "Point at a token to see its weights; click it to keep them, click again to let go. Arrow keys move."));
      return;
    }
    const isQuery = focus.side === "query";
    const token = (isQuery ? queries : keys)[focus.index]!;
    const weights = this.weights();
    fill(this.detail, h("h2", {}, h("mark", {}, shown(token)), isQuery ? " looks at" : " is looked at by"),
      weightTable(isQuery ? weights.row(focus.index) : weights.column(focus.index), isQuery ? keys : queries));
  }

  private draw(): void {
    this.links?.draw();
    this.matrix?.draw();
    this.element.querySelectorAll("canvas[data-map]").forEach(c => c.dispatchEvent(new Event("redraw")));
  }
}
