// Walk: one input through the model, step by step, with the model's own numbers.

import { post, type Token, type WalkAnswer, type WalkStep } from "./api";
import { choice, drawn, field, fill, h } from "./dom";
import { heatFigure, type Heat } from "./heat";
import { exact, percent, shown } from "./numbers";
import * as state from "./state";
import { cutNote, empty, exampleFor, heading, Latest, textField, type Context, type View } from "./view";
import { partOfBlock, wordsOf } from "./walk_words";

const kColumns = 64;  // of a vector, shown at most
const kMostNumbers = 2 << 20;  // of all steps, in one answer of the server
const kWindow = 40;  // rows of a text that is longer: so many that their tokens can be read

export const walk: View = { name: "walk", title: "Walk", show };

type Nested = (number | null)[][];

// Queries against keys: [T, S], or of every head [H, T, S].
const isPairwise = (step: WalkStep): boolean => step.part === "scores" || step.part === "weights" || step.part === "mask";

// Of the whole; the logits have none.
const rowsOf = (step: WalkStep): number => step.shape.length < 2 ? 0 : step.shape[isPairwise(step) ? step.shape.length - 2 : 0]!;

interface RowWindow { first: number; count: number; all: number }

// The rows that are asked for where all would be too many: from `first` on, as far as there are any.
function windowOf(steps: WalkStep[], first: number): RowWindow | undefined {
  let all = 0, total = 0, perRow = 0;
  for (const step of steps) {
    const last = step.shape[step.shape.length - 1]!;
    const numbers = step.shape.reduce((a, b) => a * b, 1) / last * (isPairwise(step) ? last : Math.min(last, kColumns));
    const rows = rowsOf(step);
    all = Math.max(all, rows);
    total += numbers;
    perRow += rows > 0 ? numbers / rows : 0;
  }
  if (total <= kMostNumbers) return undefined;
  const count = Math.max(1, Math.min(kWindow, all, Math.floor(kMostNumbers / perRow)));
  return { first: Math.max(0, Math.min(first, all - count)), count, all };
}

// The matrix of a step: [T, C] as it is; of [T, H, D] and [H, T, S] one head.
function matrixOf(step: WalkStep, head: number): { values: Nested; heads: number; isMap: boolean } {
  const isMap = isPairwise(step);
  if (step.shape.length < 3) {
    const values = step.shape.length === 1 ? [step.values] : step.values;
    return { values: values as Nested, heads: 1, isMap };
  }
  const heads = isMap ? step.shape[0]! : step.shape[1]!;
  const n = Math.min(head, heads - 1);
  const values = isMap ? step.values[n] as Nested : (step.values as Nested[]).map(row => row[n] as unknown as (number | null)[]);
  return { values, heads, isMap };
}

// The parts of a model in order: "decoder.0.attention" belongs to "decoder.0".
function chapterOf(step: WalkStep): string {
  const match = (step.layer || step.name).match(/^((?:encoder|decoder)\.\d+)/);
  return match ? match[1]! : "";
}

function labelsOf(answer: WalkAnswer, step: WalkStep): { rows: Token[]; keys: Token[] } {
  const layer = answer.layers?.find(l => l.name === step.layer);
  const own = step.side === "source" ? answer.source : answer.target.length ? answer.target : answer.source;
  return { rows: layer && step.part !== "k" && step.part !== "v" ? answer[layer.queries] : own, keys: layer ? answer[layer.keys] : own };
}

function stepHeat(answer: WalkAnswer, step: WalkStep, head: number): Heat {
  const { values, isMap } = matrixOf(step, head);
  const { rows, keys } = labelsOf(answer, step);
  const columns = values[0]?.length ?? 0;
  const first = step.first_row ?? 0;
  const labelled = rows.length === rowsOf(step) ? rows.slice(first, first + values.length).map(shown) : undefined;
  const columnLabels = isMap && keys.length === columns ? keys.map(shown) : undefined;
  const label = (i: number): string => labelled?.[i] ?? String(first + i);
  const isAmount = step.part === "weights" || step.part === "mask";
  return {
    name: step.name, rows: values.length, columns, at: (i, j) => values[i]![j] ?? null, rowLabels: labelled, columnLabels,
    isSigned: !isAmount, isWeights: isAmount, mostHeight: 440,
    describe: (i, j) => columnLabels ? `${label(i)} → ${columnLabels[j]}: ${exact(values[i]![j])}` : `${label(i)}, number ${j}: ${exact(values[i]![j])}`,
  };
}

function stepCard(answer: WalkAnswer, step: WalkStep, level: "h3" | "h4", signal: AbortSignal): HTMLElement {
  const words = wordsOf(step);
  const { heads, values } = matrixOf(step, 0);
  const isWide = (values[0]?.length ?? 0) > 20;
  const figure = heatFigure(stepHeat(answer, step, 0));
  const picker = heads > 1
    ? field("Head", choice(Array.from({ length: heads }, (_, n) => [String(n), `head ${n}`]), "0", v => figure.change(stepHeat(answer, step, Number(v)))), { class: "field inline" })
    : null;
  const of = step.columns && step.columns < step.shape[step.shape.length - 1]! ? `, first ${step.columns} of ${step.shape[step.shape.length - 1]} columns` : "";
  const some = step.rows !== undefined ? `, rows ${step.first_row! + 1} to ${step.first_row! + step.rows} of ${rowsOf(step)}` : "";
  const card = h("section", { class: isWide ? "card step wide-card" : "card step" },
    h("div", { class: "card-head" }, h(level, { class: "step-title" }, words.title), h("span", { class: "note" }, `${step.name} [${step.shape.join(", ")}]${some}${of}`)),
    h("p", { class: "note" }, words.text),
    step.formula ? h("p", { class: "formula-line" }, h("span", { class: "formula" }, step.formula),
      words.learn ? h("a", { href: state.addressOf("learn", { topic: words.learn }) }, "try it") : null) : null,
    picker, figure.element);
  drawn(card, signal, figure.draw);
  return card;
}

function outputCard(answer: WalkAnswer): HTMLElement | null {
  const { output } = answer;
  if (!output.top?.length) return null;
  const title = output.kind === "next_token" ? "The likeliest next tokens" : output.kind === "tags" ? "The likeliest tags" : "The likeliest classes";
  const what = output.kind === "next_token" ? "token" : output.kind === "tags" ? "tag" : "class";
  const name = (one: { token: string; text: string; id: number }): string => output.kind === "next_token" ? shown(one) : one.token;
  return h("section", { class: "card step wide-card" }, h("h3", { class: "step-title" }, title),
    h("p", { class: "formula-line" }, h("span", { class: "formula" }, "p_i = exp(logit_i) / sum_j exp(logit_j)"), h("a", { href: state.addressOf("learn", { topic: "scaled" }) }, "try it")),
    h("table", { class: "weights" }, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, what), h("th", { scope: "col", colspan: 2 }, "probability"), h("th", { scope: "col", class: "number" }, "logit"))),
      h("tbody", {}, ...output.top.map(one => h("tr", {}, h("th", { scope: "row" }, name(one)),
        h("td", { class: "bar" }, h("span", { style: `width:${100 * one.probability}%` })), h("td", { class: "number" }, percent(one.probability)), h("td", { class: "number" }, exact(one.logit)))))));
}

function show(main: HTMLElement, { model: chosen, signal }: Context): void {
  const model = chosen!;
  const writes = model.task === "translate" || model.task === "summarize";
  const result = h("div", {});
  const latest = new Latest(result, signal);
  const text = (): string => state.value("text", exampleFor(model));
  let drawing = new AbortController();

  const load = (): Promise<void> => latest.run(async aborted => {
    if (text().trim() === "") {
      showWindow(undefined);
      fill(result, empty("Type a text above: it goes through the model step by step."));
      return;
    }
    const request = { model: model.id, text: text(), target: writes ? state.value("target") || undefined : undefined };
    const outline = await post<WalkAnswer>("/api/walk", { ...request, values: false }, aborted);
    const chapters = [...new Set(outline.steps.map(chapterOf))].filter(c => c !== "");
    const wanted = state.value("block");
    const block = chapters.includes(wanted) ? wanted : chapters[0] ?? "";
    const names = outline.steps.filter(s => chapterOf(s) === "" || chapterOf(s) === block).map(s => s.name);
    const window = windowOf(outline.steps.filter(s => names.includes(s.name)), state.number("row", 1) - 1);
    const rows = window && { first_row: window.first, rows: window.count };
    const answer = await post<WalkAnswer>("/api/walk", { ...request, names, exact: true, columns: kColumns, ...rows }, aborted);
    showWindow(window);
    draw({ ...answer, layers: answer.layers ?? outline.layers }, chapters, block);
  });

  // What is shown of a long text, and the way to the rest. It stays while the steps change, and with it
  // the focus of the keyboard.
  let window: RowWindow | undefined;
  const move = (first: number): void => { state.remember({ row: first + 1 }); void load(); };
  const begin = h("input", { type: "number", min: 1, step: 1 });
  begin.addEventListener("change", () => move(Math.max(1, Math.round(Number(begin.value)) || 1) - 1));
  const told = h("p", { class: "note", role: "status" });
  const earlier = h("button", { type: "button", onclick: () => move(Math.max(0, window!.first - window!.count)) }, "Earlier rows");
  const later = h("button", { type: "button", onclick: () => move(Math.min(window!.all - window!.count, window!.first + window!.count)) }, "Later rows");
  const bar = h("div", { class: "card row-window", hidden: true }, told, h("div", { class: "controls" }, earlier, later, field("First row", begin, { class: "field inline" })));

  const showWindow = (next: RowWindow | undefined): void => {
    window = next;
    bar.hidden = !next;
    if (!next) return;
    told.textContent = `The text is too long to show every row at once: rows ${next.first + 1} to ${next.first + next.count} of ${next.all} are shown, each against all of its keys.`;
    begin.value = String(next.first + 1);
    begin.max = String(next.all - next.count + 1);
    // A button without a use keeps the focus.
    earlier.setAttribute("aria-disabled", String(next.first === 0));
    later.setAttribute("aria-disabled", String(next.first + next.count >= next.all));
  };

  const draw = (answer: WalkAnswer, chapters: string[], block: string): void => {
    drawing.abort();
    drawing = new AbortController();
    signal.addEventListener("abort", () => drawing.abort());
    const list = (title: string, tokens: Token[]): HTMLElement | null => tokens.length === 0 ? null : h("div", {}, title ? h("h3", {}, title) : null,
      h("div", { class: "token-strip" }, ...tokens.map(t => h("span", { class: "chip", title: `token ${t.id}` }, shown(t), h("small", {}, t.id)))));
    // In the order of the computation: what comes before the block, the block, and what comes after.
    const before: HTMLElement[] = [], inside: HTMLElement[] = [], after: HTMLElement[] = [];
    let part = "";
    for (const step of answer.steps) {
      const card = stepCard(answer, step, partOfBlock(step) !== "" && chapterOf(step) !== "" ? "h4" : "h3", drawing.signal);
      if (chapterOf(step) === "") {
        (inside.length || step.part === "features" || step.part === "logits" ? after : before).push(card);
        continue;
      }
      const title = partOfBlock(step);
      if (title !== part && title !== "") inside.push(h("h3", { class: "step-title part-title" }, title));
      part = title;
      inside.push(card);
    }
    const section = (title: HTMLElement, cards: (HTMLElement | null)[]): HTMLElement => h("div", {}, title, h("div", { class: "steps" }, ...cards));
    const titled = (text: string): HTMLElement => h("h2", { class: "section-title" }, text);
    const picker = chapters.length > 1
      ? field("Block", choice(chapters.map(c => [c, c]), block, v => { state.remember({ block: v }); void load(); })) : null;
    const output = outputCard(answer);
    fill(result,
      h("section", { class: "card" }, h("h2", {}, "1. Tokens"), cutNote(model, text(), answer.source.length ? answer.source : answer.target), list(answer.target.length ? "source" : "", answer.source), list(answer.source.length ? "target" : "", answer.target)),
      before.length ? section(titled(inside.length ? "2. Up to the block" : "2. Through the model"), before) : null,
      inside.length ? section(h("div", { class: "controls section-title" }, titled(`3. A block: ${block}`), picker), inside) : null,
      section(titled(inside.length ? "4. After the block" : "3. Out of the model"), [...after, output]));
  };

  fill(main, heading("Walk", "One input through the model. Every number is the model’s own; change the text and they change."),
    h("div", { class: "controls" }, textField("Text", "text", exampleFor(model), () => void load()),
      writes ? textField("Its answer", "target", "", () => void load(), "what the model writes") : null), bar, result);
  void load();
}
