// What is shown, kept in the address: #attend?model=phrases&text=the+red+car. A view that is opened
// with the same address shows the same.

export interface Place { view: string; values: URLSearchParams }

export function place(): Place {
  const [view = "", query = ""] = location.hash.replace(/^#/, "").split("?", 2);
  return { view, values: new URLSearchParams(query) };
}

export const value = (name: string, otherwise = ""): string => place().values.get(name) ?? otherwise;

export function number(name: string, otherwise: number): number {
  const text = place().values.get(name);
  const parsed = text === null || text === "" ? NaN : Number(text);
  return Number.isFinite(parsed) ? parsed : otherwise;
}

function address(view: string, values: URLSearchParams): string {
  const query = values.toString();
  return `#${view}${query ? `?${query}` : ""}`;
}

// Changes values of the address in place; undefined takes one away.
export function remember(changes: Record<string, string | number | undefined>): void {
  const { view, values } = place();
  for (const [name, v] of Object.entries(changes)) {
    if (v === undefined) values.delete(name);
    else values.set(name, String(v));
  }
  history.replaceState(null, "", address(view, values));
}

// The address of another view, which keeps the model and the text.
export function addressOf(view: string, changes: Record<string, string> = {}): string {
  const values = new URLSearchParams();
  for (const name of ["model", "text"]) {
    const v = place().values.get(name);
    if (v) values.set(name, v);
  }
  for (const [name, v] of Object.entries(changes)) values.set(name, v);
  return address(view, values);
}
