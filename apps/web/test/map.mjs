// Visits the page as a file, heed attention -o map.html, of about 500 tokens, in Chromium.
//
//   node map.mjs OUT

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { checkAccessible, launch } from "./browser.mjs";

const [out] = process.argv.slice(2);
assert.ok(fs.statSync(path.join(out, "page.html")).size < 1_000_000, "the page is under 1 MB");

const browser = await launch(path.join(out, "pictures"));
try {
  await browser.visit(pathToFileURL(path.join(out, "map.html")).href, {}, async page => {
    await page.waitForSelector(".links .token");
    const tokens = await page.$$(".tokens.query .token");
    assert.ok(tokens.length > 400, `${tokens.length} tokens`);
    // What a hover costs, drawing included, in processor time.
    const client = await page.context().newCDPSession(page);
    await client.send("Performance.enable", { timeDomain: "threadTicks" });
    const spent = async () => (await client.send("Performance.getMetrics")).metrics.find(m => m.name === "TaskDuration").value * 1000;
    const before = await spent();
    await page.evaluate(async () => {
      const buttons = document.querySelectorAll(".tokens.query .token");
      for (let i = 100; i < 140; ++i) {
        buttons[i].dispatchEvent(new MouseEvent("mouseenter"));
        await new Promise(requestAnimationFrame);
      }
    });
    const milliseconds = (await spent() - before) / 40;
    console.log(`  a hover among ${tokens.length} tokens: ${milliseconds.toFixed(1)} ms`);
    assert.ok(milliseconds < 50, `a hover among ${tokens.length} tokens takes ${milliseconds} ms`);
    await browser.picture(page, "map");
    // Weights of so many keys are small, and seen nevertheless: pixels that are not the paper's.
    const shown = await page.evaluate(() => [...document.querySelectorAll(".matrix canvas, .small-map canvas")].map(canvas => {
      const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
      let count = 0;
      for (let i = 0; i < pixels.length; i += 4) count += pixels[i + 3] > 0 && pixels[i] < 245 ? 1 : 0;
      return count / (canvas.width * canvas.height);
    }));
    for (const share of shown) assert.ok(share > 0.2, `${shown} of the pixels of the maps are seen`);
    await checkAccessible(page, "map.html");
  });
} finally {
  await browser.close();
}
