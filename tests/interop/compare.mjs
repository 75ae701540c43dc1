// SPDX-License-Identifier: Apache-2.0
// compare - the page of two profiles in a real browser: right changes, colours and order
import assert from "node:assert/strict";
import { claims } from "./harness.mjs";
import { ROW, browser, open, pixel } from "./page_driver.mjs";

// Where the functions of report_case_compared.c stand when the widths are those of B.
const DEPTH = 3, GREW = .3, STAYED = .75, ADDED = .95;

async function colour(page, part) {
  const box = await page.locator("#canvas").boundingBox();
  const [red, green, blue] = (await pixel(page, Math.round(box.width * part) + .5,
    DEPTH * ROW + 2.5)).split(",").map(Number);
  return { red, green, blue };
}

const rows = (page) => page.$$eval("#rows tr", (lines) =>
  lines.map((line) => [...line.querySelectorAll("td")].map((cell) => cell.textContent)));

const list = {
  "widths are B's, and the tooltip has both numbers and the difference": async () => {
    const { done, hover, shot } = await open("compared");
    const grew = await hover(DEPTH, GREW);
    await shot("compare");
    assert.match(grew, /^grew/);
    assert.match(grew, /A200 samples · 2\.02 s · 20\.0 %/);
    assert.match(grew, /B300 samples · 3\.03 s · 60\.0 %/);
    assert.match(grew, /change\+40\.0 % of the whole · × 3\.00/);
    assert.match(await hover(DEPTH, STAYED), /^stayed.*change±0 % of the whole · × 1\.00/);
    assert.match(await hover(DEPTH, ADDED), /^added.*change\+10\.0 % of the whole · new/);
    await done();
  },
  "more is red, less is blue, and what stayed is neither": async () => {
    const { page, done } = await open("compared");
    const grew = await colour(page, GREW), stayed = await colour(page, STAYED);
    assert.ok(grew.red > grew.blue + 60, JSON.stringify(grew));
    assert.ok(Math.abs(stayed.red - stayed.blue) < 25, JSON.stringify(stayed));
    await page.keyboard.press("b");
    const gone = await colour(page, .2); // the widest of A
    assert.ok(gone.blue > gone.red + 60, JSON.stringify(gone));
    await done();
  },
  "the other side's widths show what is gone": async () => {
    const { page, done, hover } = await open("compared");
    await page.selectOption("#side-of", "A");
    const gone = await hover(DEPTH, .2);
    assert.match(gone, /^gone.*A500 samples.*B0 samples.*change−50\.0 % of the whole · gone/);
    assert.match(await hover(DEPTH, .6), /^stayed/);
    assert.match(await hover(DEPTH, .9), /^grew.*A200.*B300.*change\+40\.0 %/);
    await done();
  },
  "functions stand in the order of their difference": async () => {
    const { page, done, shot } = await open("compared", { colorScheme: "dark" });
    await page.keyboard.press("t");
    const found = await rows(page);
    await shot("compare-functions");
    assert.deepEqual(found.map((row) => row[4]), ["gone", "grew", "added", "main", "stayed"]);
    assert.equal(found[0][0], "−50.0 %50.0 % → 0.00 %");
    assert.equal(found[1][0], "+40.0 %20.0 % → 60.0 %");
    assert.equal(found[4][1], "±0 %30.0 % → 30.0 %");
    await page.keyboard.press("b"); // the direction of a change does not depend on what is drawn
    assert.equal((await rows(page))[0][0], "−50.0 %50.0 % → 0.00 %");
    await page.click('#table [data-sort="name"]');
    assert.equal((await rows(page))[0][4], "added");
    await done();
  },
  "compared as they are, half of the samples are half as much": async () => {
    const { page, done, hover } = await open("compared");
    await page.click("#absolute");
    assert.match(await hover(DEPTH, GREW), /^grew.*change\+10\.0 %/);
    assert.match(await hover(DEPTH, STAYED), /^stayed.*change−15\.0 %/);
    await page.keyboard.press("n");
    assert.match(await hover(DEPTH, STAYED), /^stayed.*change±0 %/);
    await done();
  },
  "a page of one profile has nothing of it": async () => {
    const { page, done, hover } = await open("tiny");
    for (const id of ["side-field", "absolute"])
      assert.equal(await page.isVisible(`#${id}`), false);
    assert.doesNotMatch(await hover(4, .05), /change/);
    await page.keyboard.press("b");
    await page.keyboard.press("n");
    await page.keyboard.press("t");
    assert.deepEqual(await page.$$eval("#table th", (heads) =>
      heads.filter((head) => !head.hidden).map((head) => head.textContent.trim())),
    ["self", "total", "function", "file"]);
    assert.equal((await rows(page))[0].length, 4);
    await page.keyboard.press("?");
    assert.doesNotMatch(await page.textContent("#keys"), /other profile/);
    await done();
  },
};

await claims(list);
await browser.close();
