// The parts of a walk in words, and where each formula is explained.

export interface PartWords { title: string; text: string; learn?: string }

export const parts: Record<string, PartWords> = {
  tokens: { title: "Tokens become vectors", text: "Each token picks its row of the embedding table." },
  embedding: { title: "Positions are added", text: "What the first block reads: the token and where it stands.", learn: "positions" },
  input: { title: "Input of the layer", text: "What this layer reads; normed first, where the model norms before." },
  q: { title: "Queries", text: "What each token looks for.", learn: "query" },
  k: { title: "Keys", text: "What each token offers to be found by.", learn: "query" },
  v: { title: "Values", text: "What each token gives to those who look at it.", learn: "query" },
  scores: { title: "Scores", text: "How well each key fits each query.", learn: "scaled" },
  mask: { title: "Mask", text: "1 where a query may look; elsewhere the score counts as −∞.", learn: "masked" },
  weights: { title: "Softmax: attention weights", text: "Each row becomes positive and adds up to 1.", learn: "masked" },
  mix: { title: "Mix of values", text: "Each head adds up the values with its weights.", learn: "query" },
  output: { title: "Output of the layer", text: "The heads side by side and projected, or what the feed-forward layer gives." },
  sum: { title: "Add", text: "The output is added to what came in: the residual connection." },
  norm: { title: "Norm", text: "Each row is brought to a common scale." },
  block: { title: "End of the block", text: "What the next block reads." },
  state: { title: "State of the decoder", text: "What the recurrent decoder remembers; it is the query." },
  context: { title: "Context", text: "The source states, added up with the attention weights." },
  readout: { title: "Readout", text: "State and context together, ready for the output layer." },
  encoder: { title: "Source states", text: "What the recurrent encoder says about each source token; they are keys and values." },
  features: { title: "Features", text: "What the output layer reads." },
  logits: { title: "Logits", text: "One number per token or class; softmax makes probabilities of them.", learn: "scaled" },
};

export const wordsOf = (part: string): PartWords => parts[part] ?? { title: part, text: "" };
