// The page as a file: the view Attend with its data.

import type { AttentionAnswer } from "./api";
import { AttendPanel } from "./attend_panel";
import { fill, h } from "./dom";
import { AttentionSet } from "./weights";

interface Embedded { view: "attend"; text: string; model: string; data: AttentionAnswer }

export function showEmbedded(page: HTMLElement, json: string): void {
  const { text, model, data } = JSON.parse(json) as Embedded;
  document.title = `Attention: ${text.slice(0, 60)}`;
  const panel = new AttendPanel(new AbortController().signal);
  fill(page,
    h("header", { class: "top" }, h("span", { class: "brand" }, "heed"), h("span", { class: "note" }, `attention of ${model}`)),
    h("main", {}, h("h1", { class: "sentence" }, text),
      data.text ? h("p", { class: "sentence second" }, data.text) : null, panel.element));
  panel.show(new AttentionSet(data));
  window.addEventListener("hashchange", () => panel.show(new AttentionSet(data)));
}
