// Numbers as text, and tokens as text.

import type { Token } from "./api";

// A weight or a probability for a label; `exact` for those who look closely.
export const short = (x: number): string => x === 0 ? "0" : Math.abs(x) < 0.0005 ? x.toExponential(1) : x.toFixed(3);

export function exact(x: number | null | undefined): string {
  if (x === null || x === undefined) return "−∞";
  if (x === 0) return "0";
  const a = Math.abs(x);
  const text = a < 1e-4 || a >= 1e7 ? x.toExponential(6) : String(Number(x.toPrecision(8)));
  return text.replace("-", "−");
}

export const percent = (p: number): string =>
  p >= 0.9995 ? "100 %" : p >= 0.1 ? `${(100 * p).toFixed(1)} %` : p >= 0.0005 ? `${(100 * p).toFixed(2)} %` : `${(100 * p).toExponential(1)} %`;

export const grouped = (n: number): string => n.toLocaleString("en").replace(/,/g, "\u202f");

const hex = (byte: number): string => `\\x${byte.toString(16).padStart(2, "0")}`;

// A token as it reads: a blank before it is a dot in the middle, a line break an arrow, a part of a
// character its bytes.
export function shown(token: Token | string): string {
  if (typeof token !== "string" && token.bytes) return token.bytes.map(hex).join("");
  let text = typeof token === "string" ? token : token.text !== "" ? token.text : token.token;
  if (typeof token !== "string" && !text.startsWith(" ") && /^[Ġ▁]/.test(token.token)) text = ` ${text}`;
  if (typeof token === "string") text = text.replace(/[Ġ▁]/g, " ").replace(/Ċ|\\x0a/g, "\n").replace(/\\x09/g, "\t");
  if (/^ ?<.+>$/.test(text)) text = text.trim();
  return text.replace(/ /g, "·").replace(/\n/g, "↵").replace(/\t/g, "⇥") || "∅";
}
