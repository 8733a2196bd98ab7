// A matrix as colours, with labels, exact values under the mouse or the arrow keys, and numbers in the
// cells where they fit.

import { h, s } from "./dom";
import { palette, steps } from "./colors";
import { exact } from "./numbers";
import { CanvasPen, SvgPen } from "./pen";
import { saveButton } from "./save";

export interface Heat {
  name: string;  // of the figure
  rows: number;
  columns: number;
  at: (i: number, j: number) => number | null;  // null: minus infinity
  rowLabels?: string[];
  columnLabels?: string[];
  isSigned?: boolean;  // colours for two signs; otherwise from 0 on
  isWeights?: boolean; // attention weights or a mask: 0 to 1
  describe?: (i: number, j: number) => string;
  pick?: (i: number, j: number) => void;
  mostHeight?: number;
}

const kMostRects = 6000;

function largestOf(heat: Heat): number {
  if (heat.isWeights) return 1;
  let largest = 0;
  for (let i = 0; i < heat.rows; ++i) {
    for (let j = 0; j < heat.columns; ++j) largest = Math.max(largest, Math.abs(heat.at(i, j) ?? 0));
  }
  return largest || 1;
}

// Many keys share a row's 1: their weights would all look like nothing.
export const kManyKeys = 48;

// How strong the colour of a value is, -1 to 1: of the weights of many keys the square root.
function strength(heat: Heat, value: number, largest: number): number {
  return heat.isWeights && heat.columns > kManyKeys ? Math.sqrt(Math.max(0, value)) : value / largest;
}

// One pixel per cell.
export function pixels(heat: Heat): HTMLCanvasElement {
  const colors = palette();
  const table = heat.isSigned ? steps(colors.signed, -1) : steps(colors.amount, 0);
  const largest = largestOf(heat);
  const canvas = h("canvas", { width: heat.columns, height: heat.rows });
  const context = canvas.getContext("2d")!;
  const image = context.createImageData(Math.max(1, heat.columns), Math.max(1, heat.rows));
  for (let i = 0; i < heat.rows; ++i) {
    for (let j = 0; j < heat.columns; ++j) {
      const value = heat.at(i, j);
      const x = value === null ? -1 : strength(heat, value, largest);
      const step = Math.max(0, Math.min(255, Math.round(255 * (heat.isSigned ? (x + 1) / 2 : Math.max(0, x)))));
      const from = 4 * (i * heat.columns + j);
      for (let c = 0; c < 3; ++c) image.data[from + c] = table[step * 3 + c]!;
      image.data[from + 3] = value === null ? 0 : 255;
    }
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

interface Layout { left: number; top: number; cellWidth: number; cellHeight: number; width: number; height: number }

function layoutOf(heat: Heat, width: number): Layout {
  const longest = (labels?: string[]): number => Math.max(0, ...(labels ?? []).map(l => Math.min(14, l.length)));
  const left = heat.rowLabels ? Math.min(110, 12 + 7.2 * longest(heat.rowLabels)) : 2;
  const columns = Math.max(1, heat.columns);
  const cells = (right: number): number => Math.max(Math.min((width - left - right) / columns, 44), 0.5);
  // Slanted labels of the last columns reach beyond them.
  const reach = (labels: string[], cell: number): number =>
    Math.max(4, ...labels.map((l, j) => (j + 0.5 - columns) * cell + 3.6 * Math.min(14, l.length) + 8));
  const right = heat.columnLabels && cells(4) >= 11 ? reach(heat.columnLabels, cells(4)) : 4;
  const cellWidth = cells(right);
  const cellHeight = Math.max(Math.min(24, (heat.mostHeight ?? 560) / Math.max(1, heat.rows)), 0.5);
  const top = heat.columnLabels && cellWidth >= 11 ? Math.min(96, 14 + 6.4 * longest(heat.columnLabels)) : 2;
  return { left, top, cellWidth, cellHeight, width: left + cellWidth * heat.columns + right, height: top + cellHeight * heat.rows + 4 };
}

const cut = (label: string): string => label.length > 14 ? `${label.slice(0, 13)}…` : label;

// As many digits as fit; where the numbers of a matrix are all small, without the 0 before the point.
function cellText(value: number | null, width: number, largest: number): string {
  if (value === null) return "−∞";
  const digits = Math.abs(value) >= 99.95 ? 0 : (width >= 40 ? 2 : 1) + (largest < 0.2 ? 1 : 0);
  const text = Math.abs(value).toFixed(digits);
  return `${value < 0 && Number(text) > 0 ? "−" : ""}${largest < 0.2 ? text.replace(/^0/, "") : text}`;
}

function paint(heat: Heat, l: Layout, pen: CanvasPen | SvgPen, cell?: [number, number]): void {
  const colors = palette();
  const largest = largestOf(heat);
  if (pen instanceof SvgPen && heat.rows * heat.columns <= kMostRects) {
    for (let i = 0; i < heat.rows; ++i) {
      for (let j = 0; j < heat.columns; ++j) {
        const value = heat.at(i, j);
        if (value === null) continue;
        pen.rect(l.left + j * l.cellWidth, l.top + i * l.cellHeight, l.cellWidth, l.cellHeight, (heat.isSigned ? colors.signed : colors.amount)(strength(heat, value, largest)));
      }
    }
  } else if (pen instanceof SvgPen) {
    pen.svg.append(s("image", { x: l.left, y: l.top, width: l.cellWidth * heat.columns, height: l.cellHeight * heat.rows,
      preserveAspectRatio: "none", style: "image-rendering:pixelated", href: pixels(heat).toDataURL() }));
  } else {
    pen.context.imageSmoothingEnabled = l.cellWidth < 1 || l.cellHeight < 1;
    if (heat.rows && heat.columns) pen.context.drawImage(pixels(heat), l.left, l.top, l.cellWidth * heat.columns, l.cellHeight * heat.rows);
  }
  if (heat.rowLabels && l.cellHeight >= 11) {
    heat.rowLabels.forEach((label, i) => pen.text(l.left - 6, l.top + (i + 0.5) * l.cellHeight, cut(label), { color: colors.ink, align: "right" }));
  }
  if (heat.columnLabels && l.cellWidth >= 11) {
    heat.columnLabels.forEach((label, j) => pen.text(l.left + (j + 0.5) * l.cellWidth, l.top - 6, cut(label), { color: colors.ink, angle: -60 }));
  }
  if (l.cellWidth >= 30 && l.cellHeight >= 14) {
    for (let i = 0; i < heat.rows; ++i) {
      for (let j = 0; j < heat.columns; ++j) {
        const value = heat.at(i, j);
        if (value === 0) continue;
        const strong = value !== null && Math.abs(value) / largest > 0.5;
        pen.text(l.left + (j + 0.5) * l.cellWidth, l.top + (i + 0.5) * l.cellHeight, cellText(value, l.cellWidth, largest),
          { color: strong ? colors.paper : colors.ink, align: "center", size: 11 });
      }
    }
  }
  if (cell) pen.frame(l.left + cell[1] * l.cellWidth, l.top + cell[0] * l.cellHeight, l.cellWidth, l.cellHeight, colors.second);
}

export interface HeatFigure { element: HTMLElement; draw: () => void; change: (heat: Heat) => void }

export function heatFigure(first: Heat, tools: HTMLElement[] = []): HeatFigure {
  let heat = first;
  let cell: [number, number] | undefined;
  const canvas = h("canvas", { tabindex: 0, role: "img" });
  const readout = h("output", { class: "readout", "aria-live": "polite" }, "\u00a0");
  const holder = h("div", { class: "heat" }, canvas);
  let layout: Layout | undefined;
  const draw = (): void => {
    if (!holder.clientWidth) return;
    canvas.setAttribute("aria-label", `${heat.name}: ${heat.rows} rows, ${heat.columns} columns. Arrow keys read the cells.`);
    layout = layoutOf(heat, holder.clientWidth);
    paint(heat, layout, new CanvasPen(canvas, layout.width, layout.height), cell);
  };
  const look = (i: number, j: number): void => {
    if (i < 0 || j < 0 || i >= heat.rows || j >= heat.columns) return;
    cell = [i, j];
    const where = `${heat.rowLabels?.[i] ?? i}, ${heat.columnLabels?.[j] ?? j}: ${exact(heat.at(i, j))}`;
    readout.textContent = heat.describe?.(i, j) ?? where;
    draw();
  };
  const under = (event: MouseEvent): [number, number] => {
    const box = canvas.getBoundingClientRect();
    return [Math.floor((event.clientY - box.top - layout!.top) / layout!.cellHeight), Math.floor((event.clientX - box.left - layout!.left) / layout!.cellWidth)];
  };
  canvas.addEventListener("mousemove", event => { const [i, j] = under(event); if (i !== cell?.[0] || j !== cell?.[1]) look(i, j); });
  canvas.addEventListener("mouseleave", () => { cell = undefined; readout.textContent = "\u00a0"; draw(); });
  canvas.addEventListener("click", event => { const [i, j] = under(event); if (i >= 0 && j >= 0 && i < heat.rows && j < heat.columns) heat.pick?.(i, j); });
  canvas.addEventListener("keydown", event => {
    const step = ({ ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] } as Record<string, [number, number]>)[event.key];
    if (step) { event.preventDefault(); look((cell?.[0] ?? -step[0]) + step[0], (cell?.[1] ?? -step[1]) + step[1]); }
    if (event.key === "Enter" && cell) heat.pick?.(cell[0], cell[1]);
  });
  const svg = (): SVGSVGElement => {
    const l = layoutOf(heat, Math.max(320, holder.clientWidth));
    const pen = new SvgPen(l.width, l.height, palette().paper);
    paint(heat, l, pen);
    return pen.svg;
  };
  const element = h("figure", {}, holder, h("figcaption", {}, readout, ...tools, saveButton(first.name, svg)));
  return { element, draw, change: next => { heat = next; cell = undefined; draw(); } };
}
