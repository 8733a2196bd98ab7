// Lines and points over two axes, as SVG.

import { axisBottom, axisLeft } from "d3-axis";
import { extent } from "d3-array";
import { scaleLinear, scaleLog, type ScaleContinuousNumeric } from "d3-scale";
import { select } from "d3-selection";
import { line } from "d3-shape";
import { fill, h, s } from "./dom";
import { saveButton, standalone } from "./save";

export type Point = [x: number, y: number];

export interface Series { name: string; points: Point[]; kind?: "line" | "dots" | "dashed"; color?: "accent" | "second" | "soft" }

export interface Chart {
  name: string;
  xLabel: string;
  yLabel: string;
  series: Series[];
  height?: number;
  x?: [number, number];
  y?: [number, number];
  isLogX?: boolean;
  isLogY?: boolean;
}

export type Scale = ScaleContinuousNumeric<number, number>;
export interface Frame { svg: SVGSVGElement; x: Scale; y: Scale; width: number; height: number }

const margin = { left: 62, right: 22, top: 12, bottom: 40 };

function domain(values: number[], wanted: [number, number] | undefined): [number, number] {
  if (wanted) return wanted;
  const [low, high] = extent(values);
  if (low === undefined || high === undefined) return [0, 1];
  return low === high ? [low - Math.abs(low || 1) * 0.5, high + Math.abs(high || 1) * 0.5] : [low, high];
}

function pathOf(points: Point[], x: Scale, y: Scale): string {
  return line<Point>().defined(p => Number.isFinite(p[1])).x(p => x(p[0])!).y(p => y(p[1])!)(points) ?? "";
}

// Ticks that would have more digits than fit beside the label: 0.00055 as 5.5e-4, 150000 as 150k.
const isWide = (scale: Scale): boolean => scale.domain().every(v => Math.abs(v) < 0.01) || scale.domain().some(v => Math.abs(v) >= 1e5);
function shortened(tick: number | { valueOf(): number }): string {
  const v = Number(Number(tick).toPrecision(4));
  return v === 0 ? "0" : Math.abs(v) < 1 ? v.toExponential() : `${v / 1000}k`;
}

// Draws into `svg` for the given width and tells the scales.
export function drawChart(svg: SVGSVGElement, chart: Chart, width: number): Frame {
  const height = chart.height ?? 240;
  const all = chart.series.flatMap(one => one.points).filter(p => Number.isFinite(p[1]));
  const scale = (isLog: boolean | undefined, values: number[], wanted: [number, number] | undefined, range: [number, number]): Scale => {
    const isPositive = values.length > 0 && values.every(v => v > 0);
    return (isLog && isPositive ? scaleLog() : scaleLinear()).domain(domain(values, wanted)).range(range);
  };
  const x = scale(chart.isLogX, all.map(p => p[0]), chart.x, [margin.left, width - margin.right]);
  const y = scale(chart.isLogY, all.map(p => p[1]), chart.y, [height - margin.bottom, margin.top]);
  if (!chart.y && !chart.isLogY) y.nice();
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("width", String(width));
  svg.setAttribute("height", String(height));
  fill(svg);
  const below = s("g", { class: "axis", transform: `translate(0,${height - margin.bottom})` });
  const left = s("g", { class: "axis", transform: `translate(${margin.left},0)` });
  svg.append(below, left,
    s("text", { class: "axis-label", x: (margin.left + width - margin.right) / 2, y: height - 6, "text-anchor": "middle" }, chart.xLabel),
    s("text", { class: "axis-label", "text-anchor": "middle", transform: `translate(13,${(margin.top + height - margin.bottom) / 2}) rotate(-90)` }, chart.yLabel));
  select<SVGGElement, unknown>(below).call(axisBottom(x).ticks(Math.max(3, Math.min(8, width / 90)), chart.isLogX ? "~g" : undefined).tickSizeOuter(0));
  select<SVGGElement, unknown>(left).call((isWide(y) && !chart.isLogY ? axisLeft(y).tickFormat(shortened) : axisLeft(y)).ticks(5, chart.isLogY ? "~g" : undefined).tickSize(-(width - margin.left - margin.right)).tickSizeOuter(0));
  for (const one of chart.series) {
    const kind = `${one.color ?? "accent"} ${one.kind ?? "line"}`;
    if (one.kind === "dots") one.points.forEach(p => svg.append(s("circle", { class: kind, cx: x(p[0]), cy: y(p[1]), r: 3.5 })));
    else svg.append(s("path", { class: kind, d: pathOf(one.points, x, y) }));
    // A line of one point would not be seen.
    const [only] = one.points;
    if (one.kind !== "dots" && only && one.points.length === 1) svg.append(s("circle", { class: `${one.color ?? "accent"} dots`, cx: x(only[0]), cy: y(only[1]), r: 3.5 }));
  }
  return { svg, x, y, width, height };
}

export interface ChartFigure { element: HTMLElement; frame?: Frame; draw: () => void; change: (chart: Chart) => void }

// `after` may add marks of its own.
export function chartFigure(first: Chart, after?: (frame: Frame) => void): ChartFigure {
  let chart = first;
  const svg = s("svg", { role: after ? "group" : "img", "aria-label": `${first.name}: ${first.yLabel} over ${first.xLabel}` });
  const holder = h("div", { class: "chart" }, svg);
  const keys = (): HTMLElement => h("span", { class: "legend" }, ...chart.series.filter(one => one.name).map(one => h("span", { class: `mark-key ${one.color ?? "accent"} ${one.kind ?? "line"}` }, one.name)));
  const legend = h("div", { class: "legend-place" }, keys());
  const figure: ChartFigure = {
    element: h("figure", {}, holder, h("figcaption", {}, legend, saveButton(first.name, () => standalone(svg)))),
    draw: () => {
      if (!holder.clientWidth) return;
      figure.frame = drawChart(svg, chart, holder.clientWidth);
      after?.(figure.frame);
    },
    change: next => { chart = next; fill(legend, keys()); figure.draw(); },
  };
  return figure;
}
