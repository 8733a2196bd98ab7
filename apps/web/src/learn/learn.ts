// Learn: the textbook's experiments, computed by the server.

import { fill, h } from "../dom";
import * as state from "../state";
import { heading, type Context, type View } from "../view";
import { masked } from "./masked";
import { positions } from "./positions";
import { query } from "./query";
import { regression } from "./regression";
import { scaled } from "./scaled";

export interface Topic { name: string; title: string; show: (place: HTMLElement, signal: AbortSignal) => void }

const topics: Topic[] = [regression, query, masked, scaled, positions];

export const learn: View = { name: "learn", title: "Learn", show };

function show(main: HTMLElement, { signal }: Context): void {
  const topic = topics.find(t => t.name === state.value("topic")) ?? topics[0]!;
  const place = h("div", {});
  fill(main, heading("Learn", "Small experiments with attention. The server computes every number with the same code that runs the models."),
    h("nav", { class: "tabs", "aria-label": "Topics" }, ...topics.map(t => h("a", { href: state.addressOf("learn", { topic: t.name }), "aria-current": t === topic ? "true" : undefined }, t.title))),
    place);
  topic.show(place, signal);
}
