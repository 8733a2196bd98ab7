// The parts of a walk in words, and where each formula is explained.

import type { WalkStep } from "./api";

export interface PartWords { title: string; text: string; learn?: string }

export const parts: Record<string, PartWords> = {
  tokens: { title: "Tokens become vectors", text: "Each token picks its row of the embedding table." },
  embedding: { title: "Positions", text: "What the first block reads: the token and where it stands.", learn: "positions" },
  input: { title: "Input", text: "What this layer reads." },
  q: { title: "Queries", text: "What each token looks for.", learn: "query" },
  k: { title: "Keys", text: "What each token offers to be found by.", learn: "query" },
  v: { title: "Values", text: "What each token gives to those who look at it.", learn: "query" },
  scores: { title: "Scores", text: "How well each key fits each query.", learn: "scaled" },
  mask: { title: "Mask", text: "1 where a query may look; elsewhere the score counts as −∞.", learn: "masked" },
  weights: { title: "Softmax: attention weights", text: "Each row becomes positive and adds up to 1.", learn: "masked" },
  mix: { title: "Mix of values", text: "Each head adds up the values with its weights.", learn: "query" },
  output: { title: "Heads joined", text: "The heads side by side, and projected." },
  sum: { title: "Add", text: "The output is added to what came in: the residual connection." },
  norm: { title: "Norm", text: "Each row is brought to a common scale." },
  block: { title: "End of the block", text: "What the next block reads." },
  state: { title: "State of the decoder", text: "What the recurrent decoder remembers." },
  context: { title: "Context", text: "The source states, added up with the attention weights." },
  readout: { title: "Readout", text: "State and context together, ready for the output layer." },
  encoder: { title: "Source states", text: "What the encoder says about each source token; the decoder reads them." },
  features: { title: "Features", text: "What the output layer reads." },
  logits: { title: "Logits", text: "One number per token or class; softmax makes probabilities of them.", learn: "scaled" },
};

// The part of a block that a step belongs to, as a title over its steps.
export function partOfBlock(step: WalkStep): string {
  if (step.layer.endsWith(".attention")) return "Self-attention";
  if (step.layer.endsWith(".cross")) return "Cross-attention: the target looks at the source";
  return step.layer.endsWith(".feed_forward") ? "Feed-forward" : "";
}

const feedForward: PartWords = { title: "Feed-forward", text: "Each row by itself: widened, bent, and brought back to its width." };
const unmoved: PartWords = { title: "Into the first block", text: "Nothing is added to the tokens." };
const fixed: PartWords = { title: "Context", text: "What the encoder made of the whole source, the same at every step: there is no attention." };

export function wordsOf(step: WalkStep): PartWords {
  if (step.part === "output" && step.layer.endsWith(".feed_forward")) return feedForward;
  if (step.part === "embedding" && !step.formula.includes("phi")) return unmoved;
  if (step.part === "context" && !step.formula.includes("sum")) return fixed;
  return parts[step.part] ?? { title: step.part, text: "" };
}
