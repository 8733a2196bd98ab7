// One query against its keys, number by number.

import { post } from "../api";
import { choice, debounce, field, fill, h, scroller } from "../dom";
import { exact } from "../numbers";
import * as state from "../state";
import { Latest } from "../view";
import type { Topic } from "./learn";
import { numberTable } from "./numbers_table";

interface Answer {
  products?: number[][]; dots?: number[]; scale?: number; scores: number[]; masked?: (number | null)[]; maximum?: number | null;
  exponentials?: number[]; sum?: number; weights: number[]; contributions?: number[][]; output: number[]; engine_output?: number[]; difference?: number;
}
interface Input { q: number[]; keys: number[][]; values: number[][]; allowed: boolean[] }

const usual: Input = { q: [1, 0.5], keys: [[1, 0], [0, 1], [1, 1], [-1, 0.5]], values: [[1, 0], [0, 1], [2, 2], [3, -1]], allowed: [true, true, true, true] };

function read(): Input {
  try {
    const input = JSON.parse(state.value("input")) as Input;
    if (input.q.length && input.keys.length === input.values.length && input.keys.length === input.allowed.length) return input;
  } catch { /* no input in the address */ }
  return structuredClone(usual);
}

export const query: Topic = { name: "query", title: "One query, step by step", show };

const list = (numbers: (number | null)[]): string => numbers.map(exact).join(", ");

function steps(input: Input, answer: Answer, score: string): HTMLElement {
  const row = (j: number): HTMLElement => {
    const products = answer.products?.[j]?.map(exact).join(" + ") ?? "";
    return h("tr", {}, h("th", { scope: "row" }, `key ${j}`), h("td", {}, products), h("td", { class: "number" }, exact(answer.scores[j])),
      h("td", { class: "number" }, input.allowed[j] ? exact(answer.masked?.[j] ?? answer.scores[j]) : "−∞"), h("td", { class: "number" }, exact(answer.exponentials?.[j] ?? 0)),
      h("td", { class: "number strong" }, exact(answer.weights[j])), h("td", {}, list(answer.contributions?.[j] ?? [])));
  };
  const formula = score === "gaussian" ? "s_j = -sum_d (q_d - k_jd)^2 / 2" : score === "dot" ? "s_j = q . k_j" : "s_j = q . k_j / sqrt(D)";
  return h("div", {},
    h("p", { class: "formula-line" }, ...[formula, "a_j = exp(s_j - m) / sum_i exp(s_i - m)", "o = sum_j a_j v_j"].map(text => h("span", { class: "formula" }, text))),
    scroller("Steps", h("table", { class: "grid-table" },
      h("thead", {}, h("tr", {}, ...["", score === "gaussian" ? "squares" : "products", "score s_j", "after the mask", "exp(s_j − m)", "weight a_j", "a_j v_j"].map(t => h("th", { scope: "col" }, t)))),
      h("tbody", {}, ...input.keys.map((_, j) => row(j))))),
    h("p", {}, `m = ${exact(answer.maximum)}; the sum of the exponentials is ${exact(answer.sum ?? 0)}.`),
    h("p", {}, "Output o = ", h("strong", {}, `(${list(answer.output)})`), answer.engine_output ? `; heed’s attention engine gives (${list(answer.engine_output)}), a difference of ${exact(answer.difference ?? 0)}.` : "."));
}

function show(place: HTMLElement, signal: AbortSignal): void {
  const input = read();
  const result = h("section", { class: "card" });
  const latest = new Latest(result, signal);
  const load = (): Promise<void> => latest.run(async aborted => {
    const score = state.value("score", "scaled_dot");
    const answer = await post<Answer>("/api/learn/query", { ...input, score }, aborted);
    fill(result, steps(input, answer, score));
  });
  const soon = debounce(() => { state.remember({ input: JSON.stringify(input) }); void load(); }, 150);
  const set = (target: number[][]) => (i: number, j: number, v: number): void => { target[i]![j] = v; soon(); };
  const dims = input.q.map((_, d) => `d ${d}`), names = input.keys.map((_, j) => `key ${j}`);
  fill(place, h("p", {}, "Change any number; take the tick away to mask a key."),
    h("div", { class: "controls" }, field("Score", choice([["scaled_dot", "scaled dot product"], ["dot", "dot product"], ["gaussian", "Gaussian"]], state.value("score", "scaled_dot"), v => { state.remember({ score: v }); soon(); }))),
    h("section", { class: "card tables" },
      numberTable({ caption: "Query", columns: dims, rows: ["q"], values: [input.q], change: set([input.q]) }),
      numberTable({ caption: "Keys", columns: dims, rows: names, values: input.keys, change: set(input.keys) }),
      numberTable({ caption: "Values", columns: input.values[0]!.map((_, d) => `v ${d}`), rows: names, values: input.values, change: set(input.values) }),
      h("fieldset", {}, h("legend", {}, "May be seen"), ...input.allowed.map((allowed, j) => h("label", { class: "check" },
        h("input", { type: "checkbox", checked: allowed, onchange: (event: Event) => { input.allowed[j] = (event.target as HTMLInputElement).checked; soon(); } }), names[j])))),
    result);
  void load();
}
