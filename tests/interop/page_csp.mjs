// SPDX-License-Identifier: Apache-2.0
// page_csp - hostile names stay text on the page, and its content security policy holds if not
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { claims, makeReport } from "./harness.mjs";
import { browser, open } from "./page_driver.mjs";

const list = {
  "the policy in the file allows this script and style and nothing else": () => {
    const html = readFileSync(makeReport("tiny").path("out.html"), "utf8");
    const [, policy] = /Content-Security-Policy"\s+content="([^"]+)"/.exec(html);
    assert.match(policy, new RegExp("^default-src 'none'; script-src 'sha256-[^' ]+'; " +
      "style-src 'sha256-[^' ]+';"));
    assert.doesNotMatch(policy, /unsafe|https?:|\*/);
    const markup = html.replace(/<script>[^]*?<\/script>/, "");
    assert.doesNotMatch(markup, / (src|href|on[a-z]+|style)=/i, "nothing to load, no inline code");
  },
  "hostile names are text wherever they appear": async () => {
    const { report, page, done, hover, text, shot } = await open("hostile");
    assert.match(await page.title(), /^<\/title><script>/);
    assert.match(await text("title"), /<\/title><script>document/);
    const count = (elements) =>
      page.evaluate((selector) => document.querySelectorAll(selector).length, elements);
    assert.equal(await count("img,svg,iframe,link"), 0);
    await page.click("#tab-table");
    assert.ok((await text("rows")).includes("</script><img src=x onerror="));
    await page.fill("#filter", "img src");
    assert.ok((await text("picker")).includes("<img src=x"));
    await page.fill("#filter", "");
    await page.click("#tab-graph");
    for (let depth = 0; depth < 5; depth++)
      await hover(depth, .3);
    await page.fill("#search", "</script>");
    await page.click("#crumbs button");
    await shot("hostile");
    assert.equal(await count("img,svg,script[src]"), 0);
    assert.ok(!(await page.title()).startsWith("owned"));
    assert.ok(report.total > 0);
    await done();
  },
  "the policy stops a script that got into the page all the same": async () => {
    const { page } = await open("tiny");
    const outcome = await page.evaluate(() => {
      try {
        document.body.innerHTML = "<img src=x onerror=\"document.title='owned'\">";
        return "set";
      } catch (error) {
        return error.name;
      }
    });
    assert.equal(outcome, "TypeError", "no text becomes markup");
    const styled = await page.evaluate(() => {
      const element = document.createElement("div");
      document.body.append(element);
      element.setAttribute("style", "z-index: 77");
      return element.getAttribute("style") !== null && getComputedStyle(element).zIndex;
    });
    assert.equal(styled, "auto", "no style in markup counts");
    await page.context().close();
  },
};
await claims(list);
await browser.close();
