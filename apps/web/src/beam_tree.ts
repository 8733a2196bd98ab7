// A beam search as a tree that grows to the right: what was kept, what was dropped, what ended.

import { hierarchy, tree, type HierarchyPointNode } from "d3-hierarchy";
import { linkHorizontal } from "d3-shape";
import type { BeamNode, BeamStep } from "./api";
import { fill, h, s } from "./dom";
import { exact, percent, shown } from "./numbers";
import { saveButton, standalone } from "./save";

interface Branch { node?: BeamNode; children: Branch[] }

const kColumn = 92, kRow = 19;

export class BeamTree {
  private readonly nodes = new Map<number, Branch>();
  private readonly root: Branch = { children: [] };
  private readonly svg = s("svg", { role: "img", "aria-label": "The tree of the beam search" });
  private readonly readout = h("output", { class: "readout", "aria-live": "polite" }, "\u00a0");
  private readonly best = new Set<number>();  // the path that is marked
  private last: BeamNode[] = [];              // of the last step
  private seen: BeamNode | undefined;         // kept in view
  readonly element = h("figure", {}, h("div", { class: "scroll beam", tabindex: 0, role: "region", "aria-label": "Beam search" }, this.svg),
    h("figcaption", {}, this.readout, h("span", { class: "legend" }, h("span", { class: "mark-key accent line" }, "kept"), h("span", { class: "mark-key soft dashed" }, "dropped"), h("span", { class: "mark-key second line" }, "ended")),
      saveButton("beam-search", () => standalone(this.svg))));

  add(step: BeamStep): void {
    for (const node of step.nodes) {
      const known = this.nodes.get(node.id);
      if (known) { known.node = node; continue; }
      const branch = { node, children: [] };
      this.nodes.set(node.id, branch);
      (this.nodes.get(node.parent) ?? this.root).children.push(branch);
    }
    this.last = step.nodes;
    this.seen = this.bestOf(this.last.filter(n => n.state !== "dropped"));
    this.draw();
  }

  // Marks the path of what is written, whose score this is: it ended, or lived in the last step.
  finish(score?: number): void {
    const ended = [...this.nodes.values()].map(b => b.node!).filter(n => n.state === "finished");
    const leaves = [...ended, ...this.last.filter(n => n.state === "live")];
    this.seen = this.bestOf(leaves.filter(n => n.score === score)) ?? this.bestOf(leaves);
    this.best.clear();
    for (let node = this.seen; node; node = this.nodes.get(node.parent)?.node) this.best.add(node.id);
    this.draw();
  }

  private bestOf(nodes: BeamNode[]): BeamNode | undefined {
    return [...nodes].sort((a, b) => b.score - a.score)[0];
  }

  private draw(): void {
    const layout = tree<Branch>().nodeSize([kRow, kColumn])(hierarchy(this.root));
    const all = layout.descendants();
    const top = Math.min(...all.map(n => n.x)), bottom = Math.max(...all.map(n => n.x));
    const width = Math.max(...all.map(n => n.y)) + kColumn + 20, height = bottom - top + 2 * kRow;
    this.svg.setAttribute("viewBox", `0 ${top - kRow} ${width} ${height}`);
    this.svg.setAttribute("width", String(width));
    this.svg.setAttribute("height", String(height));
    const link = linkHorizontal<unknown, HierarchyPointNode<Branch>>().x(n => n.y).y(n => n.x);
    const kind = (n: HierarchyPointNode<Branch>): string => {
      const node = n.data.node;
      if (!node) return "accent";
      return `${node.state === "dropped" ? "soft dashed" : node.state === "finished" ? "second" : "accent"}${this.best.has(node.id) ? " best" : ""}`;
    };
    fill(this.svg,
      ...layout.links().map(l => s("path", { class: `branch ${kind(l.target)}`, d: link({ source: shift(l.source, end(l.source)), target: l.target }) ?? "" })),
      ...all.filter(n => n.data.node).map(n => this.leaf(n, kind(n))), s("circle", { class: "accent dots", cx: 4, cy: layout.x, r: 3 }));
    const scroller = this.svg.parentElement!;
    const seen = all.find(n => n.data.node !== undefined && n.data.node === this.seen);
    if (!seen) return;
    scroller.scrollLeft = seen.y + kColumn + 20 - scroller.clientWidth;
    scroller.scrollTop = seen.x - top + kRow - scroller.clientHeight / 2;
  }

  private leaf(n: HierarchyPointNode<Branch>, kind: string): SVGElement {
    const node = n.data.node!;
    const text = `${shown(node.token)}: probability ${percent(node.token.probability)}, hypothesis ${exact(node.log_probability)}, score ${exact(node.score)}, ${node.state}`;
    const label = s("text", { class: `beam-label ${kind}`, x: n.y + 4, y: n.x, "dominant-baseline": "central" }, labelOf(node));
    label.append(s("title", {}, text));
    label.addEventListener("mouseenter", () => { this.readout.textContent = text; });
    return label;
  }
}

// Where the label of a node ends.
function end(node: HierarchyPointNode<Branch>): number {
  return node.data.node ? Math.min(kColumn - 14, 12 + 7.4 * labelOf(node.data.node).length) : 6;
}

const labelOf = (node: BeamNode): string => shown(node.token).slice(0, 10);

function shift(node: HierarchyPointNode<Branch>, by: number): HierarchyPointNode<Branch> {
  return Object.assign(Object.create(node), { y: node.y + by });
}
