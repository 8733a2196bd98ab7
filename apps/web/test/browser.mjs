// Chromium, and what every visit checks: no error on the console, no request to another host, no serious
// problem of accessibility, nothing wider than the window.

import assert from "node:assert/strict";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const packages = createRequire(path.join(process.env.HEED_PAGE_PACKAGES, "package.json"));
const { chromium } = packages("playwright-core");
const axe = fs.readFileSync(packages.resolve("axe-core/axe.min.js"), "utf8");

export const sizes = { wide: { width: 1280, height: 860 }, phone: { width: 390, height: 780 } };

export async function launch(pictures) {
  fs.mkdirSync(pictures, { recursive: true });
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
  return new Browser(browser, pictures);
}

class Browser {
  constructor(browser, pictures) {
    this.browser = browser;
    this.pictures = pictures;
  }

  close() { return this.browser.close(); }

  // Opens an address in a window of its own and gives the window to `visit`.
  async visit(address, { size = "wide", scheme = "light" } = {}, visit = async () => {}) {
    const context = await this.browser.newContext({ viewport: sizes[size], colorScheme: scheme, acceptDownloads: true, bypassCSP: false });
    const page = await context.newPage();
    page.setDefaultTimeout(60000);
    const troubles = [];
    page.on("console", message => { if (message.type() === "error") troubles.push(message.text()); });
    page.on("pageerror", error => troubles.push(String(error)));
    page.on("request", request => {
      const url = new URL(request.url());
      if (!["data:", "blob:", "file:"].includes(url.protocol) && url.origin !== new URL(address).origin) troubles.push(`request to ${url}`);
    });
    await page.goto(address);
    await visit(page, troubles);
    assert.deepEqual(troubles, [], `${address}: console and network`);
    await context.close();
  }

  async picture(page, name) {
    await page.mouse.move(0, 0);
    await page.waitForTimeout(100);
    await page.screenshot({ path: path.join(this.pictures, `${name}.png`), fullPage: true });
  }
}

export async function checkLayout(page, where) {
  const [content, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(content <= window, `${where}: ${content} px wide in a window of ${window}`);
}

// The rules run in a world of their own, which the page's content security policy does not concern.
export async function checkAccessible(page, where) {
  const client = await page.context().newCDPSession(page);
  const { frameTree } = await client.send("Page.getFrameTree");
  const { executionContextId } = await client.send("Page.createIsolatedWorld", { frameId: frameTree.frame.id });
  const run = async (expression) => {
    const { result, exceptionDetails } = await client.send("Runtime.evaluate", { expression, contextId: executionContextId, awaitPromise: true, returnByValue: true });
    assert.ok(!exceptionDetails, JSON.stringify(exceptionDetails));
    return result.value;
  };
  await run(`${axe}; 0`);
  const found = await run(`axe.run(document, { resultTypes: ["violations"] }).then(r => r.violations
    .filter(v => v.impact === "serious" || v.impact === "critical")
    .map(v => v.id + ": " + v.nodes.slice(0, 3).map(n => n.html.slice(0, 160) + " " + (n.any[0] ? n.any[0].message : "")).join(" | ")))`);
  assert.deepEqual(found, [], `${where}: axe-core`);
  await client.detach();
}
