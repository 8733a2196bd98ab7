// The page that a server shows.

import { fill, h } from "./dom";

export function showShell(page: HTMLElement): void {
  fill(page, h("header", { class: "top" }, h("span", { class: "brand" }, "heed")),
    h("main", {}, h("p", { class: "empty" }, "The server runs. ", h("a", { href: "/health" }, "/health"), ", ", h("a", { href: "/api/models" }, "/api/models"))));
}
