// The frame of the live page: navigation, the choice of the model, and the view that the address names.

import { get, type ModelInfo } from "./api";
import { attend } from "./attend";
import { choice, field, fill, h } from "./dom";
import { generate } from "./generate";
import { learn } from "./learn/learn";
import { grouped } from "./numbers";
import * as state from "./state";
import { train } from "./train";
import { empty, problem, type View } from "./view";
import { walk } from "./walk";

const views: View[] = [walk, attend, learn, generate, train];
const withoutModel = [learn, train];

function modelChoice(models: ModelInfo[], model: ModelInfo): HTMLElement {
  if (models.length === 1) return h("span", { class: "note model" }, `${model.id} · ${describe(model)}`);
  const select = choice(models.map(m => [m.id, `${m.id} · ${describe(m)}`]), model.id, id => {
    location.hash = `#${state.place().view}?model=${encodeURIComponent(id)}`;
  });
  return field("Model", select, { class: "field model" });
}

function describe(model: ModelInfo): string {
  const size = model.parameters === undefined ? "" : `, ${grouped(model.parameters)} parameters`;
  return `${model.task}${size}`;
}

export async function showShell(page: HTMLElement): Promise<void> {
  const main = h("main", { id: "main", tabindex: -1 });
  const nav = h("nav", { "aria-label": "Views" });
  const picker = h("div", { class: "picker" });
  fill(page, h("a", { class: "skip", href: "#main", onclick: (event: Event) => { event.preventDefault(); main.focus(); } }, "Skip to the content"),
    h("header", { class: "top" }, h("span", { class: "brand" }, "heed"), nav, picker), main);

  let models: ModelInfo[] = [];
  let failure: unknown;
  try {
    models = (await get<{ models: ModelInfo[] }>("/api/models")).models;
  } catch (error) {
    failure = error;
  }

  let leave = new AbortController();
  const open = (): void => {
    leave.abort();
    leave = new AbortController();
    const usual = models.length ? attend : train;
    const view = views.find(v => v.name === state.place().view) ?? usual;
    if (state.place().view !== view.name) history.replaceState(null, "", `#${view.name}`);
    const model = models.find(m => m.id === state.value("model")) ?? models[0];
    document.title = `${view.title} · heed`;
    fill(nav, ...views.map(v => h("a", { href: state.addressOf(v.name), "aria-current": v === view ? "page" : undefined,
      onclick: (event: Event) => { (event.currentTarget as HTMLAnchorElement).href = state.addressOf(v.name); } }, v.title)));
    fill(picker, model && !withoutModel.includes(view) ? modelChoice(models, model) : null);
    fill(main);
    if (failure) fill(main, problem(failure));
    else if (!model && !withoutModel.includes(view)) fill(main, h("h1", {}, view.title), empty("This server has no model. Start it with one: ", h("code", {}, "heed serve -m DIR")));
    else view.show(main, { models, model, signal: leave.signal });
  };
  window.addEventListener("hashchange", open);
  open();
}
