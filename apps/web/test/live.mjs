// Watches a training in Chromium, heed train --view, from its first steps until it is gone.
//
//   node live.mjs HEED OUT RUNS

import assert from "node:assert/strict";
import path from "node:path";
import { checkAccessible, checkLayout, launch } from "./browser.mjs";
import { start } from "./server.mjs";

const [heed, out, runs] = process.argv.slice(2);
const files = part => ["source", "target"].map(side => path.join(runs, `phrases.${part}.${side}`));
const training = await start(heed, ["train", "translate", "-o", path.join(runs, "live"), "--overwrite", "-t", "1", "--view", "0", "--train", ...files("train"),
  "--valid", ...files("test"), "--steps", "100000", "--eval-every", "20", "--dim", "32", "--heads", "2", "--layers", "1"]);
const browser = await launch(path.join(out, "pictures"));

async function watch(page, troubles) {
  const status = () => page.textContent("[role=status]");
  await page.waitForFunction(() => document.querySelector("[role=status]")?.textContent.includes("training now"));
  await page.waitForSelector("circle.dots.second, path.line.second[d*=L]");  // a first validation is seen
  const step = async () => Number((await status()).match(/step ([\d\u202f]+)/)[1].replace("\u202f", ""));
  const before = await step();
  await page.reload();
  await page.waitForFunction(old => Number((document.querySelector("[role=status]")?.textContent.match(/step ([\d\u202f]+)/)?.[1] ?? "0").replace("\u202f", "")) > old, before);
  await page.waitForSelector(".probe-step input:not([disabled])");
  await browser.picture(page, "train-live");
  await checkLayout(page, "train, live");
  await checkAccessible(page, "train, live");
  await training.stop("SIGINT");
  await page.waitForSelector(".gone");
  assert.ok(!(await status()).includes("training now"), await status());
  await browser.picture(page, "train-gone");
  troubles.length = 0;  // the browser tells that nobody answers
}

try {
  await browser.visit(`${training.address}#train`, {}, watch);
  console.log("  train --view");
} finally {
  await browser.close();
  await training.stop();
}
