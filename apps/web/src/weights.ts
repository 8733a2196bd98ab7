// A matrix of attention weights, and the set of those that the page holds for one text.

import type { AttentionAnswer, AttentionLayer, AttentionMapData, Token } from "./api";

export class Weights {
  constructor(readonly rows: number, readonly keys: number, readonly data: Float32Array | Float64Array) {}

  at(i: number, j: number): number { return this.data[i * this.keys + j]!; }

  row(i: number): number[] { return Array.from(this.data.subarray(i * this.keys, (i + 1) * this.keys)); }

  column(j: number): number[] { return Array.from({ length: this.rows }, (_, i) => this.at(i, j)); }

  static from(nested: number[][]): Weights {
    const keys = nested[0]?.length ?? 0;
    const data = new Float64Array(nested.length * keys);
    nested.forEach((row, i) => data.set(row, i * keys));
    return new Weights(nested.length, keys, data);
  }

  static decode(map: AttentionMapData, keys: number): Weights {
    if (map.weights) return Weights.from(map.weights);
    const text = atob(map.weights_base64 ?? "");
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
    const data = new Float32Array(bytes.buffer);
    return new Weights(keys ? data.length / keys : 0, keys, data);
  }

  static mean(all: Weights[]): Weights {
    const first = all[0]!;
    const data = new Float64Array(first.data.length);
    for (const one of all) one.data.forEach((w, i) => { data[i]! += w / all.length; });
    return new Weights(first.rows, first.keys, data);
  }
}

// All maps that came with an answer of /api/attention; they are decoded when they are looked at.
export class AttentionSet {
  private readonly decoded = new Map<string, Weights>();

  constructor(readonly answer: AttentionAnswer) {}

  layer(name: string): AttentionLayer | undefined { return this.answer.layers.find(l => l.name === name); }
  queries(layer: AttentionLayer): Token[] { return this.answer[layer.queries]; }
  keys(layer: AttentionLayer): Token[] { return this.answer[layer.keys]; }

  // Layers of which there is at least one map, in the order of the model.
  present(): AttentionLayer[] {
    return this.answer.layers.filter(l => this.answer.maps.some(m => m.layer === l.name));
  }

  // The last cross attention, or the last of all.
  usual(): AttentionLayer | undefined {
    const layers = this.present();
    return layers.filter(l => l.kind === "cross").pop() ?? layers[layers.length - 1];
  }

  heads(layer: AttentionLayer): number[] {
    return this.answer.maps.filter(m => m.layer === layer.name && m.head >= 0).map(m => m.head);
  }

  // Of a head, or (-1) the mean of all heads.
  weights(layer: AttentionLayer, head: number): Weights | undefined {
    const name = `${layer.name}/${head}`;
    let found = this.decoded.get(name);
    if (!found) {
      const map = this.answer.maps.find(m => m.layer === layer.name && m.head === head);
      const heads = this.heads(layer);
      if (map) found = Weights.decode(map, this.keys(layer).length);
      else if (head < 0 && heads.length === layer.heads) found = Weights.mean(heads.map(n => this.weights(layer, n)!));
      if (found) this.decoded.set(name, found);
    }
    return found;
  }
}
