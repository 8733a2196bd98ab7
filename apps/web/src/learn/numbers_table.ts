// A table of numbers, some of which can be changed.

import { h, scroller } from "../dom";

export interface NumberTable {
  caption: string;
  columns: string[];
  rows: string[];
  values: number[][];
  change?: (row: number, column: number, value: number) => void;
}

export function numberTable(table: NumberTable): HTMLElement {
  const cell = (i: number, j: number): HTMLElement => {
    const value = table.values[i]![j]!;
    if (!table.change) return h("td", { class: "number" }, value);
    const input = h("input", { type: "number", step: "any", value, "aria-label": `${table.caption}, ${table.rows[i]}, ${table.columns[j]}` });
    input.addEventListener("input", () => {
      if (input.value !== "" && Number.isFinite(Number(input.value))) table.change!(i, j, Number(input.value));
    });
    return h("td", {}, input);
  };
  return scroller(table.caption, h("table", { class: "grid-table" }, h("caption", {}, table.caption),
    h("thead", {}, h("tr", {}, h("th", {}, ""), ...table.columns.map(c => h("th", { scope: "col" }, c)))),
    h("tbody", {}, ...table.rows.map((name, i) => h("tr", {}, h("th", { scope: "row" }, name), ...table.columns.map((_, j) => cell(i, j)))))));
}
