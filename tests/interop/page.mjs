// SPDX-License-Identifier: Apache-2.0
// page - the HTML page in a real browser: right shares, and every way to use it
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { claims } from "./harness.mjs";
import { ROW, browser, open, pixel } from "./page_driver.mjs";

const OPEN_MS = 8000; // 50,000 stacks: four times the goal, for a busy machine
const STEP_MS = 2000; // to zoom or to search in them: four times the goal

const list = {
  "search shows the share of samples, by text and by pattern": async () => {
    const { page, done, text, click } = await open("tiny");
    await page.keyboard.press("/");
    await page.keyboard.type("thirty");
    assert.match(await text("share"), /^matched 30\.0 % of samples$/);
    await page.fill("#search", "MAIN");
    assert.match(await text("share"), /100\.0 % of samples/, "once a stack, whatever the case");
    await page.fill("#search", "hot_(sixty|thirty)");
    assert.match(await text("share"), / 0\.0(0)? % of samples/);
    await page.click("#regex");
    assert.match(await text("share"), / 90\.0 % of samples/);
    await page.fill("#search", "hot_(");
    assert.equal(await page.getAttribute("#search", "class"), "wrong");
    await page.fill("#search", "tiny-worker|do_syscall");
    assert.match(await text("share"), / 55\.0 % of samples/, "a group below a match counts once");
    await page.fill("#search", "sixty");
    await click(4, .1);
    assert.match(await text("share"), / 60\.0 % of samples, 100\.0 % of this zoom/);
    await page.keyboard.press("Escape"); // back from the zoom, then out of the search
    await page.keyboard.press("Escape");
    assert.equal(await text("share"), "");
    await done();
  },
  "hovering shows name, file, samples and shares": async () => {
    const { done, hover, click, page } = await open("tiny");
    const tip = await hover(4, .05);
    assert.match(tip, /hot_sixty.*\/usr\/bin\/tiny · native.*samples300 · 3\.03 s CPU/);
    assert.match(tip, /of all30\.0 %/);
    await click(1, .05);
    assert.match(await hover(4, .05), /of all30\.0 %of this view60\.0 %/);
    assert.equal(await page.isVisible("#tooltip"), true);
    await done();
  },
  "a click zooms, crumbs and reset and Escape lead back": async () => {
    const { page, done, click, crumb, text } = await open("tiny");
    assert.equal(await crumb(), "whole recording");
    assert.ok(await page.isDisabled("#reset"));
    await click(4, .05);
    assert.equal(await crumb(), "hot_sixty");
    assert.match(await text("details"), /hot_sixty/);
    await page.click("#crumbs li:nth-child(2) button");
    assert.equal(await crumb(), "tiny");
    await page.keyboard.press("Backspace");
    assert.equal(await crumb(), "hot_sixty");
    await page.click("#reset");
    assert.equal(await crumb(), "whole recording");
    await click(4, .05);
    await page.focus("#canvas");
    await page.keyboard.press("0");
    assert.equal(await crumb(), "whole recording");
    await done();
  },
  "the keyboard alone reaches every frame": async () => {
    const { page, done, crumb, text, shot } = await open("tiny");
    await page.focus("#canvas");
    for (const [key, name] of [["ArrowDown", "tiny"], ["ArrowRight", "tiny-worker"],
      ["ArrowDown", "_start"], ["ArrowDown", "main"], ["ArrowDown", "hot_sixty"],
      ["ArrowRight", "hot_thirty"], ["ArrowRight", "do_syscall_64"], ["ArrowLeft", "hot_thirty"],
      ["ArrowUp", "main"]]) {
      await page.keyboard.press(key);
      assert.equal(await text("detail-name"), name, `after ${key}`);
    }
    await page.keyboard.press("Enter");
    assert.equal(await crumb(), "main");
    await shot("keyboard");
    await page.keyboard.press("Escape");
    assert.equal(await crumb(), "whole recording");
    assert.equal(await page.getAttribute("#details", "aria-live"), "polite");
    await page.keyboard.press("?");
    assert.ok(await page.isVisible("#help"));
    await page.keyboard.press("Escape");
    assert.ok(!await page.isVisible("#help"));
    await done();
  },
  "flame turns the picture upside down": async () => {
    const { page, done, text } = await open("tiny");
    const box = await page.locator("#canvas").boundingBox();
    await page.focus("#canvas");
    await page.keyboard.press("i");
    assert.equal(await page.getAttribute("#direction", "aria-pressed"), "true");
    await page.mouse.move(box.x + 5, box.y + box.height - ROW / 2);
    assert.match(await page.textContent("#tooltip"), /^whole recording/);
    await page.keyboard.press("ArrowUp");
    assert.equal(await text("detail-name"), "tiny");
    await done();
  },
  "the picker chooses a process and a thread, and its filter finds them": async () => {
    const { page, done, crumb, text, report } = await open("hostile");
    await page.fill("#filter", "hasOwnProperty");
    await page.focus("#picker");
    await page.keyboard.press("Enter");
    const process = report.samples.filter((sample) => sample.process === "hasOwnProperty");
    const total = process.reduce((sum, sample) => sum + sample.count, 0);
    assert.match(await crumb(), /^hasOwnProperty \(\d+\)$/);
    assert.match(await text("detail-numbers"), new RegExp(`^samples ${total} `));
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    assert.match(await crumb(), /^.+ \(\d+\/\d+\)$/);
    await page.fill("#filter", "nothing has this name");
    assert.match(await text("picker"), /nothing matches/);
    await page.fill("#filter", "");
    await page.click("#pick-0");
    assert.equal(await crumb(), "whole recording");
    await done();
  },
  "a container's id finds its processes, and they show it": async () => {
    const { page, done } = await open("tiny");
    for (const wanted of ["34dc0b5e626f", "74c13223-5a00"]) {
      await page.fill("#filter", wanted);
      assert.equal(await page.$$eval("#picker .pick", (all) => all.length), 1);
      assert.match(await page.getAttribute("#pick-0", "title"),
        /\ncontainer 34dc0b5e[0-9a-f]{56}\npod 74c13223-5a00-11e9-b385-42010a80018d$/);
    }
    await done();
  },
  "the tree is sorted by samples": async () => {
    const { page, done } = await open("large");
    const shares = await page.$$eval("#picker .pick .pick-share", (all) =>
      all.slice(1).map((one) => parseFloat(one.textContent)));
    assert.ok(shares.length > 10);
    assert.deepEqual(shares, [...shares].sort((a, b) => b - a));
    await done();
  },
  "a recording of one kind has no switch; one of two shows each with its own sums": async () => {
    const one = await open("tiny");
    assert.equal(await one.page.isVisible("#kind"), false);
    await one.page.keyboard.press("k");
    assert.match(await one.text("detail-numbers"), /^samples 1,000 · 10\.10 s CPU,/);
    await one.done();
    const { page, done, text, hover, crumb, shot } = await open("kinds");
    const picked = () => page.$$eval("#picker .pick", (all) => all.map((row) => row.textContent));
    assert.equal(await page.inputValue("#kind"), "CPU");
    assert.match(await text("detail-numbers"), /^samples 50 · 606 ms CPU,/, "by weight");
    assert.match(await hover(3, .1), /^compute.*samples40 · 505 ms CPUof all83\.3 %/);
    assert.deepEqual(await picked(), ["whole recording100.0 %", "waiter100100.0 %"]);
    await shot("kinds-cpu");
    await page.selectOption("#kind", "off-CPU");
    assert.match(await text("detail-numbers"), /^samples 5 · 30\.00 s off-CPU,/);
    assert.match(await hover(4, .1), /^schedule.*samples2 · 24\.00 s off-CPUof all80\.0 %/);
    assert.match(await hover(5, .1), /^\[io_wait\].*samples2 · 24\.00 s off-CPU/);
    assert.deepEqual(await picked(), ["whole recording100.0 %", "sleeper20080.0 %",
      "waiter10020.0 %"]);
    await shot("kinds-off-cpu");
    await page.fill("#search", "sleeper");
    assert.equal(await text("share"), "matched 80.0 % of time");
    await page.fill("#search", "");
    await page.click("#pick-2");
    assert.match(await text("detail-numbers"), /^samples 3 · 6\.00 s off-CPU,/);
    await page.click("#tab-table");
    assert.match(await text("rows"), /^100\.0 %3100\.0 %3schedule/);
    await page.click("#tab-graph");
    await page.focus("#canvas");
    await page.keyboard.press("k");
    assert.equal(await page.inputValue("#kind"), "CPU");
    assert.equal(await crumb(), "waiter (100)");
    assert.match(await text("detail-numbers"), /^samples 50 /, "what was picked stays picked");
    await page.selectOption("#kind", "off-CPU");
    await page.click("#pick-1");
    await page.selectOption("#kind", "CPU");
    assert.equal(await crumb(), "sleeper (200)");
    assert.ok(await page.isVisible("#nothing"), "a process that was never on a CPU");
    await page.selectOption("#kind", "off-CPU");
    assert.ok(!await page.isVisible("#nothing"));
    assert.match(await hover(4, .9), /^schedule/);
    await done();
  },
  "threads: states add up to the lifetime, by process and thread": async () => {
    const one = await open("tiny");
    assert.ok(!await one.page.isVisible("#tab-threads"), "on-CPU alone has no such view");
    await one.page.keyboard.press("w");
    assert.ok(await one.page.isVisible("#graph"));
    await one.done();
    const { page, done, text, shot } = await open("threads");
    const rows = () => page.$$eval("#thread-rows tr", (all) => all.map((row) =>
      [...row.cells].map((cell) => cell.textContent).join(" | ")));
    const widths = (row) => page.$$eval(`#thread-rows tr:nth-child(${row}) .states span`, (all) =>
      all.map((piece) => [piece.className, parseFloat(piece.style.width)]));
    await page.click("#tab-threads");
    assert.ok(!await page.isVisible("#graph"));
    assert.equal(await text("thread-head"),
      "processtimelifetimeon_cpurunnableinterruptibleio_wait", "states that occur");
    assert.equal(await text("thread-legend"), "on_cpurunnableinterruptibleio_wait");
    assert.match((await rows())[0], /^▸server100 /, "who ran most");
    await page.click("#thread-head [data-sort=lifetime]");
    assert.match((await rows())[0], /^▸\[other\] \|  \| 166 min 40 s \| 2\.00 s \| 1\.00 s \|/);
    assert.match((await rows())[1],
      /^▸server100 \|  \| 5 min 20 s \| 7\.30 s \| 1\.50 s \| 5 min 9 s \| 2\.00 s$/);
    assert.equal((await rows()).length, 500);
    assert.equal(await text("thread-note"), "103 more");
    assert.deepEqual(await widths(3), [["state-0", 40], ["state-6", 60]]);
    const filled = (await widths(2)).reduce((sum, [, width]) => sum + width, 0);
    assert.ok(Math.abs(filled - 100) < .001, "nothing is missing");
    await page.click("#thread-rows tr:nth-child(2)");
    assert.deepEqual((await rows()).slice(2, 5).map((row) => row.split(" | ")[0]),
      ["30 other threads", "server100", "worker101"], "equal lifetimes: by name");
    await shot("threads");
    await page.click("#thread-head [data-sort='0']");
    assert.deepEqual((await rows()).slice(0, 5).map((row) => row.split(" | ")[0]),
      ["▾server100", "worker101", "server100", "30 other threads",
        "▸<img src=x onerror=alert(1)>200"]);
    assert.equal(await page.getAttribute("#thread-head th:nth-child(4)", "aria-sort"),
      "descending");
    assert.equal(await page.$$eval("#threads img", (all) => all.length), 0);
    await page.click("#tab-table");
    assert.ok(await page.isVisible("#table") && !await page.isVisible("#threads"));
    await page.click("#tab-graph");
    assert.ok(await page.isVisible("#graph") && !await page.isVisible("#threads"));
    await done();
  },
  "threads: the keyboard alone opens a process": async () => {
    const { page, done } = await open("threads");
    const focused = () => page.evaluate(() =>
      document.activeElement.closest("tr")?.cells[0].textContent);
    await page.keyboard.press("w");
    assert.equal(await focused(), "▸server100");
    await page.keyboard.press("ArrowDown");
    assert.match(await focused(), /img/);
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    assert.equal(await focused(), "▾server100");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    assert.equal(await focused(), "server100", "beside worker101, which ran longer");
    await page.keyboard.press("ArrowLeft");
    assert.equal(await focused(), "▾server100");
    await page.keyboard.press("ArrowLeft");
    assert.equal(await focused(), "▸server100");
    await page.keyboard.press("ArrowRight");
    assert.equal(await page.getAttribute("#thread-rows tr:nth-child(1)", "aria-expanded"), "true");
    await page.keyboard.press("End");
    assert.match(await focused(), /idle/);
    await page.keyboard.press("Home");
    assert.equal(await focused(), "▾server100");
    await page.keyboard.press("w");
    assert.ok(await page.isVisible("#graph"));
    await done();
  },
  "grouping changes what stands below the root": async () => {
    const { page, done, hover } = await open("tiny");
    await page.selectOption("#grouping", "none");
    assert.match(await hover(1, .5), /^_start/);
    await page.selectOption("#grouping", "process");
    assert.match(await hover(1, .5), /^tiny \(100\)/);
    await page.selectOption("#grouping", "thread");
    assert.match(await hover(1, .9), /^tiny-worker \(100\/101\)/);
    await done();
  },
  "the table has self and total, sorts, and leads back to the graph": async () => {
    const { page, done, text, shot } = await open("tiny");
    await page.click("#tab-table");
    await shot("table");
    const rows = () => page.$$eval("#rows tr", (all) => all.map((row) =>
      [...row.cells].map((cell) => cell.textContent).join(" | ")));
    assert.match((await rows())[0], /^60\.0 %600 \| 60\.0 %600 \| hot_sixty \| tiny$/);
    await page.click("#table [data-sort=total]");
    assert.match((await rows())[0], /^0\.00? %0 \| 100\.0 %1,000 \| (_start|main) \| tiny$/);
    await page.click("#table [data-sort=name]");
    assert.match((await rows())[0], /\| _start \|/);
    await page.locator("#rows tr", { hasText: "hot_thirty" }).click();
    assert.match(await text("share"), /^matched 30\.0 % of samples/);
    assert.ok(await page.isVisible("#graph"));
    await done();
  },
  "inlined calls are boxes of their own, marked, with the lines that were sampled": async () => {
    const { page, done, hover, text, shot } = await open("inlined");
    const serve = await hover(4, .05);
    assert.match(serve, /^serve\(request&\)\/opt\/app\/server.*source\/src\/server.cc:120–130$/);
    const parse = await hover(5, .05);
    assert.match(parse, /^parse\(char const\*\)inlined · \/opt\/app\/server/);
    assert.match(parse, /samples70 .*source\/src\/include\/parser\.h:17–19$/);
    const called = await hover(5, .6);
    assert.match(called, /^parse\(char const\*\)\/opt\/app\/server/, "called, not inlined");
    assert.match(called, /samples20 .*source\/src\/include\/parser\.h:25$/);
    assert.match(await hover(6, .05), /^next_tokeninlined.*tokens\.h:9$/);
    assert.doesNotMatch(await hover(2, .05), /source/, "no source is known of _start");
    assert.match(await text("legend"), /inlined54\.7 %/);
    await shot("inlined");
    await page.click("#tab-table");
    const rows = await page.$$eval("#rows tr", (all) => all.map((row) =>
      [...row.cells].map((cell) => cell.textContent).join(" | ")));
    const parses = rows.filter((row) => row.includes("parse("));
    assert.equal(parses.length, 1, "inlined or called, it is one function");
    assert.match(parses[0], /^23\.4 %30 \| 70\.3 %90 \|/);
    assert.equal(rows.filter((row) => / \| helper \| /.test(row)).length, 2, "of two binaries");
    await done();
  },
  "a function of a language runtime is shown with its source": async () => {
    const { page, done, hover, text } = await open("runtimes");
    assert.match(await hover(3, .05), /^<module>.*source\/srv\/app\/main\.py:40$/);
    assert.match(await text("legend"), /runtime/);
    await page.click("#tab-table");
    const rows = await page.$$eval("#rows tr", (all) => all.map((row) =>
      [...row.cells].map((cell) => cell.textContent).join(" | ")));
    assert.equal(rows.filter((row) => / \| Worker\.run \| work\.py:10$/.test(row)).length, 2,
      "in two files");
    await done();
  },
  "an inlined box differs from a called one of the same function": async () => {
    const { page, done } = await open("inlined");
    const width = (await page.locator("#canvas").boundingBox()).width;
    const inlined = await pixel(page, width * .3, 5.5 * ROW);
    const called = await pixel(page, width * .67, 5.5 * ROW);
    assert.notEqual(inlined, called);
    const edge = await Promise.all(Array.from({ length: 12 }, (_, at) =>
      pixel(page, width * .3 + at, 5 * ROW + .5)));
    assert.ok(new Set(edge).size > 1, "its outline is dashed");
    await done();
  },
  "a pid that was used again is two processes": async () => {
    const { page, done, hover, text, crumb } = await open("inlined");
    assert.match(await text("picker"), /server500 #1.*server500 #2.*server501/);
    assert.match(await page.getAttribute("#pick-2", "title"), /pid 500 was several processes/);
    assert.doesNotMatch(await page.getAttribute("#pick-3", "title"), /several/);
    await page.selectOption("#grouping", "process");
    assert.match(await hover(1, .1), /^server \(500 #1\)samples104 /);
    assert.match(await hover(1, .85), /^server \(500 #2\)samples15 /);
    await page.click("#pick-2");
    assert.equal(await crumb(), "server (500 #2)");
    assert.match(await text("detail-numbers"), /^samples 15 /);
    await done();
  },
  "truncated stacks stand under their reason": async () => {
    const { done, hover, text, click, shot } = await open("truncated");
    const cut = await hover(2, .05);
    assert.match(cut, /^\[truncated: kernel_depth\]the stack ends here before its root/);
    await click(2, .05);
    assert.match(await hover(3, .05), /^libcut\.so\+0x1234.* · no name known/);
    await shot("truncated");
    assert.match(await text("legend"), /truncated100\.0 %/);
    await done();
  },
  "the completeness line adds up and names every reason": async () => {
    const { report, done, text, page } = await open("truncated");
    const line = await text("completeness");
    assert.ok(line.includes(`${report.total} exported`), line);
    for (const word of ["ring_full 10", "collector_died 17", "frame_pointer 30", "no_table 84",
      "return_address 93", "ahead 102", "no_stack 111", "91 files not opened",
      "unanswered 1", "no_permission 6", "error 13",
      "owed but not run", "no_symbol 200", "no_symbols 201", "not_elf 202", "too_large 203",
      "malformed 204", "changed 205", "not_opened 206", "not_parsed 207", "pending 208",
      "evicted 209", "memory 210", "anonymous 211", "map_refused 212", "kernel 213",
      "no_mapping 214", "6 merged (their deepest frames are left out: memory)"])
      assert.ok(line.includes(word), `${word} in ${line}`);
    assert.match(line, /^1,030 samples taken.*126 dropped.*858 truncated/);
    assert.equal(await page.getAttribute("#completeness", "class"), "lacking");
    await done();
  },
  "a stack as deep as they get can be scrolled to its leaf": async () => {
    const { page, done, text, hover } = await open("deep");
    const rows = await page.evaluate(() => {
      const scroller = document.getElementById("scroller");
      scroller.scrollTop = scroller.scrollHeight;
      return scroller.scrollHeight / 20;
    });
    assert.equal(rows, 4096 + 127 + 3, "frames, reason, command, root");
    const shownRows = Math.floor((await page.locator("#scroller").boundingBox()).height / ROW);
    assert.match(await hover(shownRows - 1, .5), /^the_leaf/);
    await page.click("#tab-table");
    assert.match(await text("rows"), /recurse/);
    const totals = await page.$$eval("#rows tr td:nth-child(2) small", (all) =>
      all.map((one) => one.textContent));
    assert.deepEqual(new Set(totals), new Set(["5"]), "recursion counts once");
    await done();
  },
  "no samples: a message says so": async () => {
    const { page, done } = await open("empty");
    assert.ok(await page.isVisible("#nothing"));
    await page.click("#tab-table");
    await page.keyboard.press("i");
    await page.setViewportSize({ width: 900, height: 600 });
    await done();
  },
  "dark and light follow the system, and the button": async () => {
    const { page, done, shot } = await open("large", { colorScheme: "dark" });
    const dark = await pixel(page, 900, 700);
    await shot("large-dark");
    await page.click("#theme");
    const light = await pixel(page, 900, 700);
    assert.notEqual(dark, light);
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "light");
    await done();
  },
  "a resized window and a dense screen get a fitting canvas": async () => {
    const { page, done } = await open("tiny", { deviceScaleFactor: 2 });
    const size = () => page.evaluate(() => {
      const { width, clientWidth } = document.getElementById("canvas");
      return [width, clientWidth, document.getElementById("scroller").clientWidth];
    });
    const [width, shown, available] = await size();
    assert.equal(width, 2 * shown);
    assert.equal(shown, available);
    await page.setViewportSize({ width: 1000, height: 700 });
    await page.waitForFunction((old) => document.getElementById("canvas").clientWidth < old, shown);
    assert.equal((await size())[1], (await size())[2]);
    const frame = await pixel(page, 20, 2.5 * ROW);
    assert.notEqual(frame, await pixel(page, 20, 400), "frames are drawn");
    await done();
  },
  "kinds have their own colours": async () => {
    const { page, done } = await open("tiny");
    const width = (await page.locator("#canvas").boundingBox()).width;
    const native = await pixel(page, 2, 4 * ROW + 2);
    const kernel = await pixel(page, width * .49, 4 * ROW + 2);
    assert.notEqual(native, kernel);
    await done();
  },
  "50,000 stacks open": async () => {
    const { report, page, done, opened, shot, hover, crumb, click } = await open("large");
    const size = statSync(report.path("out.html")).size;
    const timed = async (step) => {
      const begin = performance.now();
      await step();
      return performance.now() - begin;
    };
    await shot("large-light");
    assert.match(await hover(1, .05), /^postgres/);
    const zoomed = await timed(async () => {
      await click(2, .05);
      assert.equal(await crumb(), "_start");
    });
    const searched = await timed(async () => {
      await page.fill("#search", "page");
      await page.waitForFunction(() => document.getElementById("share").textContent.length > 0);
    });
    console.log(`   ${report.samples.length} stacks: ${opened.toFixed(0)} ms to open, ` +
      `${zoomed.toFixed(0)} ms to zoom, ${searched.toFixed(0)} ms to search, ` +
      `${(size / 1e6).toFixed(1)} MB`);
    assert.ok(opened < OPEN_MS, `${opened.toFixed(0)} ms to open`);
    assert.ok(zoomed < STEP_MS, `${zoomed.toFixed(0)} ms to zoom`);
    assert.ok(searched < STEP_MS, `${searched.toFixed(0)} ms to search`);
    await shot("large-zoomed");
    await page.selectOption("#grouping", "process");
    await page.click("#tab-table");
    assert.equal(await page.locator("#rows tr").count() > 100, true);
    await done();
  },
};
await claims(list);
await browser.close();
