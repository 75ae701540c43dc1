// SPDX-License-Identifier: Apache-2.0
// page_driver - opens the page of a generated report in a browser, and drives it
import assert from "node:assert/strict";
import { join } from "node:path";
import { launchBrowser, makeReport } from "./harness.mjs";

export const ROW = 20; // html/layout.js
export const browser = await launchBrowser();
const shots = process.env.TM_SHOTS; // a directory, for a person to look at

export async function open(name, options = {}) {
  const report = makeReport(name);
  const context = await browser.newContext({ viewport: { width: 1440, height: 860 },
    reducedMotion: "reduce", ...options });
  const page = await context.newPage();
  const trouble = [], requests = [];
  page.on("pageerror", (error) => trouble.push(error.message));
  page.on("console", (message) => trouble.push(message.text()));
  page.on("dialog", (dialog) => { trouble.push(dialog.message()); dialog.dismiss(); });
  page.on("request", (request) => requests.push(request.url()));
  const begin = performance.now();
  await page.goto(`file://${report.path("out.html")}`);
  await page.waitForFunction(() => document.querySelectorAll("#picker .pick").length > 0);
  const opened = performance.now() - begin;
  const text = (id) => page.textContent(`#${id}`);
  const done = async () => {
    assert.deepEqual(trouble, [], "no error, no message, no dialog");
    assert.deepEqual(requests, [`file://${report.path("out.html")}`], "one request: the page");
    await context.close();
  };
  // The canvas gets its size in the frame after it is shown.
  const canvas = async () => {
    const shown = await page.locator("#canvas").elementHandle();
    await shown.waitForElementState("stable");
    return shown.boundingBox();
  };
  // Clicks the row of a depth at a part of the width, icicle.
  const click = async (depth, part) => {
    const box = await canvas();
    await page.mouse.click(box.x + box.width * part, box.y + (depth + .5) * ROW);
  };
  const hover = async (depth, part) => {
    const box = await canvas();
    await page.mouse.move(box.x + box.width * part, box.y + (depth + .5) * ROW);
    return page.textContent("#tooltip");
  };
  const crumb = async () => page.textContent("#crumbs [aria-current]");
  const shot = async (label) => {
    if (shots)
      await page.screenshot({ path: join(shots, `${label}.png`) });
  };
  return { report, page, text, done, click, hover, crumb, shot, opened };
}

// Reads the colour of a canvas pixel in CSS coordinates of the canvas.
export function pixel(page, x, y) {
  return page.evaluate(([px, py]) => new Promise((resolve) => requestAnimationFrame(() => {
    const ratio = devicePixelRatio;
    const copy = new OffscreenCanvas(1, 1).getContext("2d");
    copy.drawImage(document.getElementById("canvas"), -px * ratio, -py * ratio);
    resolve([...copy.getImageData(0, 0, 1, 1).data].join(","));
  })), [x, y]);
}
