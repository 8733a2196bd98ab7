// Visits every view of the page that heed serve shows, in Chromium.
//
//   node views.mjs HEED OUT RUNS MODEL...

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { checkAccessible, checkLayout, launch } from "./browser.mjs";
import { serve } from "./server.mjs";

const [heed, out, runs, ...models] = process.argv.slice(2);
const docs = process.env.HEED_PAGE_DOCS, documented = ["attend"];  // pictures of the documentation
const names = models.map(m => path.basename(m));
const find = wanted => names.includes(wanted) ? wanted : names[0];
const [pairs, text] = [find("phrases"), find("textbook")];

const server = await serve(heed, models, runs);
const browser = await launch(path.join(out, "pictures"));
const ask = async (route, body) => (await fetch(server.address + route, body && { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) })).json();

// Each view: where it is, what says that it is there, and what else is to be checked.
const views = {
  attend: { at: `attend?model=${pairs}&text=the+small+red+car&target=la+petite+voiture+rouge`, ready: ".links .token", check: checkAttend },
  "attend-example": { at: `attend?model=${pairs}`, ready: ".links .token", check: checkExample },
  "attend-causal": { at: `attend?model=${text}&text=The+query+looks+at+the+keys.`, ready: ".links .token", check: checkCut },
  walk: { at: `walk?model=${text}&text=the+query+and+its+keys`, ready: ".step canvas", check: checkWalk },
  "walk-pair": { at: `walk?model=${pairs}&text=the+small+car&target=la+voiture&block=decoder.0`, ready: ".step canvas", check: checkWalkOfPair },
  "walk-recurrent": { at: `walk?model=${find("bahdanau")}&text=the+small+car&target=la+voiture`, ready: ".step canvas", check: checkWalkOfRecurrent },
  "learn-regression": { at: "learn?topic=regression", ready: "path.line", check: checkRegression },
  "learn-query": { at: "learn?topic=query", ready: ".grid-table .strong" },
  "learn-masked": { at: "learn?topic=masked&lengths=2,0,4", ready: ".heat canvas", check: checkMasked },
  "learn-scaled": { at: "learn?topic=scaled", ready: "path.line" },
  "learn-positions": { at: "learn?topic=positions", ready: ".heat canvas", check: checkPositions },
  generate: { at: `generate?model=${text}&text=The+attention&tokens=30`, ready: ".piece", check: checkGenerate },
  "generate-beam": { at: `generate?model=${pairs}&text=the+small+red+car&beam=4`, ready: ".beam-label" },
  "generate-beam-text": { at: `generate?model=${text}&text=The+attention&tokens=24&beam=4`, ready: ".beam-label", check: checkBeam },
  train: { at: `train?run=${pairs}`, ready: ".probe-step", check: checkTrain },
};

const settled = page => page.waitForFunction(() => !document.querySelector("[aria-busy]"));

async function visit(name, looks) {
  const { at, ready, check } = views[name];
  await browser.visit(`${server.address}#${at}`, looks, async page => {
    await page.waitForSelector(ready);
    await settled(page);
    const where = `${name}, ${looks.size}, ${looks.scheme}`;
    await browser.picture(page, `${name}-${looks.size}-${looks.scheme}`);
    if (docs && documented.includes(name) && looks.size === "wide") await page.screenshot({ path: path.join(docs, `page-${name}.png`) });
    await checkLayout(page, where);
    await checkAccessible(page, where);
    if (check && looks.size === "wide" && looks.scheme === "light") await check(page);
  });
}

async function checkAttend(page) {
  const { layers, maps } = await ask("api/attention", { model: pairs, text: "the small red car", target: "la petite voiture rouge", layer: "all", head: "all" });
  const layer = layers.filter(l => l.kind === "cross").pop();
  assert.ok(await page.evaluate(() => { const maps = document.querySelector(".small-maps"); return maps.scrollHeight <= maps.clientHeight; }), "all heads are seen");
  assert.ok(!(await page.textContent("#main")).includes("The model writes"), "the answer is that of the field");
  await page.click(`.small-map[aria-label="${layer.name}, head 1"]`);
  await page.click(".tokens.query .token >> nth=1");
  const expected = Math.max(...maps.find(m => m.layer === layer.name && m.head === 1).weights[1]);
  const shown = Number((await page.textContent(".detail .number >> nth=0")).replace("−", "-"));
  assert.ok(Math.abs(shown - expected) <= 1e-6 * expected, `${shown} is shown, the model says ${expected}`);
  await page.reload();
  await page.waitForSelector(".token[aria-pressed=true]");
  assert.equal(await page.inputValue("select >> nth=-1"), "1", "the address keeps the head");
  await page.focus(".tokens.query .token >> nth=0");
  await page.keyboard.press("ArrowDown");
  assert.ok(await page.evaluate(() => document.activeElement.matches(".tokens.query .token:nth-child(2)")), "arrow keys move");
  const [download] = await Promise.all([page.waitForEvent("download"), page.click(".save >> nth=0")]);
  const svg = fs.readFileSync(await download.path(), "utf8");
  assert.ok(svg.startsWith("<svg") && svg.includes("<path"), "a figure is saved as SVG");
  await page.fill("textarea >> nth=0", "");
  await page.waitForSelector(".empty");
}

// A model is met with a text of its own data, and a translator with what the data says of it.
async function checkExample(page) {
  const { models } = await ask("api/models");
  const { source, target } = models.find(m => m.id === pairs).example;
  assert.equal(await page.inputValue("textarea >> nth=0"), source);
  assert.ok((await page.textContent(".expected")).endsWith(target), "the answer of the data");
  const file = name => path.join(runs, name);
  if (fs.existsSync(file("phrases.test.source"))) {
    const lines = side => fs.readFileSync(file(`phrases.test.${side}`), "utf8").split("\n");
    assert.equal(lines("target")[lines("source").indexOf(source)], target, "a pair of the validation data");
    assert.ok(fs.readFileSync(file("text.txt"), "utf8").includes(models.find(m => m.id === text).example.source), "a part of the book");
  }
  await page.fill("textarea >> nth=0", "the car");
  await page.waitForFunction(() => !document.querySelector(".expected"));
}

// As many tokens as the model sees: only the block that is shown is asked for, and of that some rows.
async function checkLongWalk(page) {
  const long = "The query looks at the keys. ".repeat(100);
  await page.fill("textarea", long);
  await page.waitForSelector(".cut");
  if (text !== "textbook") return;  // another model may be small enough
  const told = rows => page.waitForFunction(wanted => document.querySelector(".row-window [role=status]").textContent.includes(wanted), rows);
  await told("rows 1 to 40 of 704 are shown");
  await page.click("text=Later rows");
  await told("rows 41 to 80 of 704");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Later rows", "the focus stays");
  await page.fill(".row-window input", "700");
  await page.keyboard.press("Enter");
  await told("rows 665 to 704");
  await page.reload();
  await told("rows 665 to 704");
  await settled(page);
  const card = page.locator(".step", { hasText: "decoder.0.attention.weights" });
  assert.ok((await card.textContent()).includes("rows 665 to 704 of 704"));
  await card.locator("canvas").press("ArrowRight");
  const { target, steps } = await ask("api/walk", { model: text, text: long, names: ["decoder.0.attention.weights"], exact: true, first_row: 667, rows: 1 });
  for (let row = 664; row < 667; ++row) await card.locator("canvas").press("ArrowDown");
  const [label, value] = (await card.locator(".readout").textContent()).split(": ");
  assert.equal(Number(value), Number(steps[0].values[0][0][0].toPrecision(8)), "the weights of this row");
  assert.equal(label.split(" → ")[0], target[667].text.replace(/ /g, "·"), "under its name");
  await browser.picture(page, "walk-window");
  await page.click("text=Earlier rows");
  await told("rows 625 to 664");
  await checkLayout(page, "walk, a window of rows");
  await checkAccessible(page, "walk, a window of rows");
}

async function checkWalk(page) {
  const before = await page.textContent("#main .weights");
  await page.fill("textarea", "another text");
  await page.waitForFunction(old => document.querySelector("#main .weights")?.textContent !== old, before);
  await settled(page);
  const { output } = await ask("api/walk", { model: text, text: "another text", names: ["none"] });
  const logit = Number((await page.textContent("#main .weights tbody tr td:last-child")).replace("−", "-"));
  assert.ok(Math.abs(logit - output.top[0].logit) <= 1e-5 * Math.abs(logit), `${logit} is shown, the model says ${output.top[0].logit}`);
  await checkLongWalk(page);
}

const titles = page => page.$$eval(".step-title, .section-title", all => all.map(one => one.textContent));

// A text that is longer than what the model sees.
async function checkCut(page) {
  await page.fill("textarea", "the query ".repeat(400));
  await page.waitForSelector(".cut");
}

async function checkWalkOfPair(page) {
  const all = await titles(page);
  const at = title => all.findIndex(one => one.startsWith(title));
  assert.ok(at("Source states") < at("3. A block"), `the decoder reads what the encoder gave: ${all}`);
  assert.ok(at("Self-attention") < at("Cross-attention") && at("Cross-attention") < at("Feed-forward"), String(all));
  assert.ok(!(await page.textContent("#main")).includes("recurrent"), "nothing is recurrent in a transformer");
  await page.evaluate(() => { location.hash = location.hash.replace("decoder.0", "encoder.0"); });
  await page.waitForFunction(() => document.querySelector("#main").textContent.includes("A block: encoder.0"));
  const other = await titles(page);
  assert.ok(other.indexOf("Source states") > other.findIndex(one => one.startsWith("3. A block")), `an encoder ends after its blocks: ${other}`);
}

async function checkWalkOfRecurrent(page) {
  const all = await titles(page);
  assert.ok(all.indexOf("Queries") < all.indexOf("Context") && all.indexOf("Context") < all.indexOf("State of the decoder"), `Bahdanau's order: ${all}`);
}

async function checkMasked(page) {
  await page.fill("table input >> nth=0", "-3");
  await page.waitForFunction(() => location.hash.includes("scores="));
  await page.reload();
  await page.waitForSelector(".heat canvas");
  assert.equal(await page.inputValue("table input >> nth=0"), "-3", "the address keeps the scores");
}

async function checkPositions(page) {
  const formula = () => page.textContent(".formula-line");
  assert.ok((await formula()).includes("sin("), await formula());
  await page.selectOption("select", "linear");
  await page.waitForFunction(() => document.querySelector(".formula-line").textContent.startsWith("p_t = t"));
}

async function checkRegression(page) {
  const before = await page.getAttribute("path.line", "d");
  await page.focus(".observation >> nth=3");
  await page.keyboard.press("ArrowUp");
  await page.waitForFunction(old => document.querySelector("path.line").getAttribute("d") !== old, before);
  const dragged = await page.getAttribute("path.line", "d");
  const box = await (await page.$(".observation >> nth=5")).boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x, box.y + 60, { steps: 4 });
  await page.mouse.up();
  await page.waitForFunction(old => document.querySelector("path.line").getAttribute("d") !== old, dragged);
  assert.ok(page.url().includes("points="), "the address keeps the observations");
  const chart = await (await page.$(".chart svg")).boundingBox();
  await page.mouse.click(chart.x + 0.75 * chart.width, chart.y + 20);
  const [query] = (await page.evaluate(() => location.hash)).match(/(?<=[?&]at=)[\d.]+/);
  assert.equal(await page.inputValue("input[type=range] >> nth=1"), query, "the slider follows a click");
}

async function checkGenerate(page) {
  await page.waitForFunction(() => document.querySelector(".status").textContent.startsWith("Done"));
  assert.equal((await page.$$(".columns .weights")).length, 2, "the step being written is explained");
  await page.hover(".piece >> nth=2");
  const rows = await page.$$(".columns .weights");
  assert.equal(rows.length, 2, "alternatives and attention of a token");
  await page.screenshot({ path: path.join(out, "pictures", "generate-token.png") });
}

// Of a language model nothing may end: the best of what lived in the last step is marked, and seen.
async function checkBeam(page) {
  await page.waitForFunction(() => document.querySelector(".status").textContent.startsWith("Done"));
  const { tokens } = await ask("api/generate", { model: text, prompt: "The attention", max_tokens: 24, beam: 4, n_best: 4, stream: false });
  const labels = await page.$$eval(".beam-label.best", all => all.sort((a, b) => a.getAttribute("x") - b.getAttribute("x")).map(one => one.firstChild.textContent));
  assert.equal(labels.length, tokens.length, `the whole path: ${labels}`);
  assert.equal(labels.at(-1), tokens.at(-1).text.replace(/ /g, "·").replace(/\n/g, "↵").slice(0, 10));
  const box = await (await page.$(".beam")).boundingBox();
  const end = await page.$$eval(".beam-label.best", all => Math.max(...all.map(one => Number(one.getAttribute("x")))));
  const last = await (await page.$(`.beam-label.best[x="${end}"]`)).boundingBox();
  assert.ok(last.x >= box.x && last.x + last.width <= box.x + box.width && last.y >= box.y && last.y + last.height <= box.y + box.height, "its end is in the window");
  await browser.picture(page, "generate-beam-done");
}

async function checkTrain(page) {
  assert.ok((await page.$$("path.line")).length >= 4, "loss, learning rate, norm, speed");
  assert.ok(!(await page.textContent("#main")).includes("0e+0"), "an axis begins with 0");
  await page.waitForSelector(".samples li");
  const { snapshots } = await ask(`api/runs/${pairs}/probe`);
  assert.ok(snapshots.length >= 3, "the attention of the probe before the training and at each validation");
  for (const row of snapshots[1].weights) assert.ok(Math.abs(row.reduce((a, b) => a + b) - 1) < 1e-5, "a row sums to 1");
  const label = () => page.textContent(".probe-step output");
  assert.ok((await label()).startsWith(`step ${snapshots.at(-1).step}, ${snapshots.at(-1).layer}`), await label());
  await page.focus(".probe-step input");
  await page.keyboard.press("ArrowLeft");
  assert.ok((await label()).startsWith(`step ${snapshots.at(-2).step},`), await label());
  await page.reload();
  await page.waitForSelector(".probe-step output");
  assert.ok((await label()).startsWith(`step ${snapshots.at(-2).step},`), "the address keeps the snapshot");
}

try {
  for (const name of Object.keys(views)) {
    const from = Date.now();
    await visit(name, { size: "wide", scheme: "light" });
    await visit(name, { size: "phone", scheme: "dark" });
    console.log(`  ${name} (${((Date.now() - from) / 1000).toFixed(1)} s)`);
  }
  console.log("Every view is as it should be.");
} finally {
  await browser.close();
  await server.stop();
}
