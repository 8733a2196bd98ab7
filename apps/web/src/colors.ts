// Colours. One hue that grows from the paper shows amounts; blue and orange show signs: both can be
// told apart without red and green. The values are those of the style sheet.

import { interpolateRgb } from "d3-interpolate";

export interface Palette {
  paper: string; ink: string; soft: string; line: string; accent: string; second: string;
  amount: (x: number) => string;  // 0 to 1
  signed: (x: number) => string;  // -1 to 1
  isDark: boolean;
}

let cached: { isDark: boolean; palette: Palette } | undefined;

export function palette(): Palette {
  const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  if (cached?.isDark === isDark) return cached.palette;
  const style = getComputedStyle(document.documentElement);
  const read = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  const paper = read("figure"), accent = read("accent"), second = read("second");
  const low = interpolateRgb(paper, accent), high = interpolateRgb(accent, isDark ? "#d6ecff" : "#08263f");
  const amount = (x: number): string => x < 0.6 ? low(Math.max(0, x) / 0.6) : high((Math.min(1, x) - 0.6) / 0.4);
  const plus = interpolateRgb(paper, accent), minus = interpolateRgb(paper, second);
  const signed = (x: number): string => x >= 0 ? plus(Math.min(1, x)) : minus(Math.min(1, -x));
  const palette = { paper, ink: read("ink"), soft: read("soft"), line: read("line"), accent, second, amount, signed, isDark };
  cached = { isDark, palette };
  return palette;
}

// The same as numbers, 256 steps of [r, g, b], for pixels.
export function steps(color: (x: number) => string, low: number): Uint8ClampedArray {
  const bytes = new Uint8ClampedArray(256 * 3);
  for (let i = 0; i < 256; ++i) {
    const parts = color(low + (1 - low) * i / 255).match(/\d+/g)!;
    for (let c = 0; c < 3; ++c) bytes[i * 3 + c] = Number(parts[c]);
  }
  return bytes;
}
