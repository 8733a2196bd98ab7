// A figure is drawn once, by calls of a pen: on a canvas, which stays fast with many thousand marks,
// or into SVG, to be saved.

import { s } from "./dom";

export interface TextStyle { size?: number; color: string; align?: "left" | "center" | "right"; angle?: number; bold?: boolean }

export interface Pen {
  rect(x: number, y: number, width: number, height: number, color: string, alpha?: number): void;
  // A curve from the left side to the right side.
  link(x1: number, y1: number, x2: number, y2: number, color: string, alpha: number, width: number): void;
  frame(x: number, y: number, width: number, height: number, color: string): void;
  text(x: number, y: number, text: string, style: TextStyle): void;
}

export const font = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif";

export class CanvasPen implements Pen {
  readonly context: CanvasRenderingContext2D;

  constructor(readonly canvas: HTMLCanvasElement, width: number, height: number) {
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    this.context = canvas.getContext("2d")!;
    const [columns, rows] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (canvas.width !== columns || canvas.height !== rows) {  // new memory only for a new size
      canvas.width = columns;
      canvas.height = rows;
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
    }
    this.context.setTransform(1, 0, 0, 1, 0, 0);
    this.context.clearRect(0, 0, columns, rows);
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
  }

  rect(x: number, y: number, width: number, height: number, color: string, alpha = 1): void {
    this.context.globalAlpha = alpha;
    this.context.fillStyle = color;
    this.context.fillRect(x, y, width, height);
  }

  link(x1: number, y1: number, x2: number, y2: number, color: string, alpha: number, width: number): void {
    const c = this.context;
    c.globalAlpha = alpha;
    c.strokeStyle = color;
    c.lineWidth = width;
    c.beginPath();
    c.moveTo(x1, y1);
    c.bezierCurveTo((x1 + x2) / 2, y1, (x1 + x2) / 2, y2, x2, y2);
    c.stroke();
  }

  frame(x: number, y: number, width: number, height: number, color: string): void {
    this.context.globalAlpha = 1;
    this.context.strokeStyle = color;
    this.context.lineWidth = 1.5;
    this.context.strokeRect(x, y, width, height);
  }

  text(x: number, y: number, text: string, style: TextStyle): void {
    const c = this.context;
    c.save();
    c.globalAlpha = 1;
    c.fillStyle = style.color;
    c.font = `${style.bold ? "600 " : ""}${style.size ?? 12}px ${font}`;
    c.textAlign = style.align ?? "left";
    c.textBaseline = "middle";
    c.translate(x, y);
    if (style.angle) c.rotate(style.angle * Math.PI / 180);
    c.fillText(text, 0, 0);
    c.restore();
  }
}

export class SvgPen implements Pen {
  readonly svg: SVGSVGElement;

  constructor(width: number, height: number, paper: string) {
    this.svg = s("svg", { xmlns: "http://www.w3.org/2000/svg", width, height, viewBox: `0 0 ${width} ${height}`, "font-family": font },
      s("rect", { width, height, fill: paper }));
  }

  rect(x: number, y: number, width: number, height: number, fill: string, alpha = 1): void {
    this.svg.append(s("rect", { x, y, width, height, fill, "fill-opacity": alpha < 1 ? alpha : undefined }));
  }

  link(x1: number, y1: number, x2: number, y2: number, stroke: string, alpha: number, width: number): void {
    const m = (x1 + x2) / 2;
    this.svg.append(s("path", { d: `M${x1},${y1}C${m},${y1} ${m},${y2} ${x2},${y2}`, fill: "none", stroke,
      "stroke-opacity": alpha.toFixed(3), "stroke-width": width.toFixed(2) }));
  }

  frame(x: number, y: number, width: number, height: number, stroke: string): void {
    this.svg.append(s("rect", { x, y, width, height, fill: "none", stroke, "stroke-width": 1.5 }));
  }

  text(x: number, y: number, text: string, style: TextStyle): void {
    this.svg.append(s("text", { x, y, fill: style.color, "font-size": style.size ?? 12, "dominant-baseline": "central",
      "font-weight": style.bold ? 600 : undefined,
      "text-anchor": { left: "start", center: "middle", right: "end" }[style.align ?? "left"],
      transform: style.angle ? `rotate(${style.angle} ${x} ${y})` : undefined }, text));
  }
}
