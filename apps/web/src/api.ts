// The API of heed serve as this page uses it; docs/openapi.json is the contract.

export interface Token { id: number; token: string; text: string; bytes?: number[] }  // bytes: of a part of a character
export interface TokenProbability extends Token { log_probability: number; probability: number }
export interface StepAttention { layer: string; head: number; weights: number[]; keys: "source" | "target" }
export interface WrittenToken extends TokenProbability {
  index: number;
  alternatives?: TokenProbability[];
  attention?: StepAttention;
}
export interface AttentionLayer {
  name: string;
  heads: number;
  kind: "self" | "causal" | "cross";
  queries: "source" | "target";
  keys: "source" | "target";
}
export interface AttentionMapData {
  layer: string;
  head: number;  // -1: the mean of all heads
  first_row: number;
  weights?: number[][];
  weights_base64?: string;  // float32, little-endian, [rows, keys]
}
export interface AttentionAnswer {
  model?: string;
  source: Token[];
  target: Token[];
  text?: string;
  layers: AttentionLayer[];
  maps: AttentionMapData[];
}
export interface ModelInfo {
  id: string;
  task: string;
  kind: string;
  vocabulary: number;
  context?: number;
  width?: number;
  blocks?: number;
  parameters?: number;
  labels?: string[];
  attention_layers: AttentionLayer[];
  can: string[];
  example?: { source: string; target?: string };  // of the data of its run
}
export interface BeamNode {
  id: number;
  parent: number;
  token: TokenProbability;
  log_probability: number;
  score: number;
  state: "live" | "finished" | "dropped";
}
export interface BeamStep { step: number; nodes: BeamNode[] }
export interface WalkStep {
  name: string;
  layer: string;
  part: string;
  formula: string;
  side?: "source" | "target" | "classes";
  shape: number[];
  columns?: number;
  first_row?: number;  // and `rows`, if not all are told
  rows?: number;
  values: unknown[];
}
export interface WalkAnswer {
  kind?: string;
  source: Token[];
  target: Token[];
  layers?: AttentionLayer[];
  steps: WalkStep[];
  output: {
    kind: string;
    row?: number;
    top?: { id: number; token: string; text: string; logit: number; probability: number }[];
  };
}
export interface RunInfo {
  id: string;
  task: string;
  step: number;
  seconds?: number;
  live: boolean;
  modified?: number;
  best?: { step: number; metric: string; value: number };
}
export interface LogLine {
  step: number;
  epoch?: number;
  loss?: number;
  lr?: number;
  norm?: number;
  tokens?: number;
  seconds?: number;
  valid?: Record<string, number>;
  best?: boolean;
  samples?: string[];
}
export interface ProbeSnapshot {
  step: number;
  layer: string;
  head?: number;
  heads?: number;
  queries: string[];
  keys: string[];
  weights: number[][];
}

// What the server answered instead of a result, or that it did not answer.
export class ApiError extends Error {
  constructor(message: string, readonly status: number) { super(message); }
}

const keyName = "heed-api-key";
export const setKey = (key: string): void => sessionStorage.setItem(keyName, key);

async function send(path: string, body: unknown, signal?: AbortSignal): Promise<Response> {
  const headers: Record<string, string> = {};
  const key = sessionStorage.getItem(keyName);
  if (key) headers["Authorization"] = `Bearer ${key}`;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let response: Response;
  try {
    response = await fetch(path, {
      method: body === undefined ? "GET" : "POST",
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      signal,
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError("The server does not answer. Is it still running?", 0);
  }
  if (response.ok) return response;
  let message = `The server answered ${response.status}.`;
  try {
    message = (await response.json()).error.message;
  } catch { /* no JSON: the status says it */ }
  throw new ApiError(message, response.status);
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await send(path, undefined, signal)).json();
}

export async function post<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
  return (await send(path, body, signal)).json();
}

// The events of a stream (server-sent events whose data is JSON), one after the other.
export async function* stream<T>(path: string, body: unknown, signal?: AbortSignal): AsyncGenerator<T> {
  const response = await send(path, body, signal);
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    rest += value;
    for (let end = rest.indexOf("\n\n"); end >= 0; end = rest.indexOf("\n\n")) {
      const data = rest.slice(0, end).split("\n")
        .filter(line => line.startsWith("data:")).map(line => line.slice(5).trim()).join("\n");
      rest = rest.slice(end + 2);
      if (data === "[DONE]") return;
      if (data) yield JSON.parse(data) as T;
    }
  }
}
