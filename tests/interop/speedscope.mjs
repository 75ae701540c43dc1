// SPDX-License-Identifier: Apache-2.0
// speedscope - its own schema and its real page in Chromium take our file, and so the other formats
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { assertSameTally, claims, launchBrowser, makeReport, modules, require, serve, tally }
  from "./harness.mjs";

const HZ = 99;
const release = join(modules, "speedscope/dist/release");
const GL = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"];

function schemaCheck() {
  const Ajv = require("ajv");
  const schema = JSON.parse(readFileSync(join(release, "file-format-schema.json"), "utf8"));
  return new Ajv({ strict: false, validateFormats: false }).compile(schema);
}

// The viewer draws on a canvas; what it says in text and on the console is what can be asserted.
async function openInViewer(browser, origin, report, file) {
  const page = await browser.newPage();
  const console_lines = [], errors = [], foreign = [];
  page.on("console", (message) => console_lines.push(message.text()));
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("dialog", (dialog) => { errors.push(dialog.message()); dialog.dismiss(); });
  page.on("request", (request) => {
    if (!request.url().startsWith(origin) && !/^(data|blob):/.test(request.url()))
      foreign.push(request.url());
  });
  const url = `${origin}/work/${basename(report.directory)}/${file}`;
  await page.goto(`${origin}/viewer/index.html#profileURL=${encodeURIComponent(url)}`);
  await page.waitForFunction(() => /Left Heavy|Something went wrong/.test(document.body.innerText),
    null, { timeout: 60000 });
  const text = await page.evaluate(() => document.body.innerText);
  await page.close();
  assert.ok(!text.includes("Something went wrong"), text);
  assert.deepEqual(errors, [], "no error in the viewer");
  assert.deepEqual(foreign, [], "no request beyond loopback");
  return { text, console_lines };
}

// A pid that was used again is as many profiles.
function profileName({ process, pid, reuse }) {
  return reuse > 0 ? `${process} (${pid} #${reuse})` : `${process} (${pid})`;
}

const list = {};
for (const name of ["tiny", "hostile", "truncated", "inlined", "runtimes", "deep", "large",
  "empty"]) {
  list[`${name}: meets the schema and holds every sample`] = () => {
    const report = makeReport(name);
    const file = JSON.parse(readFileSync(report.path("out.speedscope.json"), "utf8"));
    const check = schemaCheck();
    assert.ok(check(file), JSON.stringify(check.errors));
    assert.match(file.exporter, /^tidemark \d/);
    const found = file.profiles.flatMap((profile) => {
      const sum = profile.weights.reduce((total, weight) => total + weight, 0);
      assert.equal(profile.samples.length, profile.weights.length);
      assert.ok(Math.abs(profile.endValue - sum) < 1e-6, "endValue is the sum of the weights");
      return profile.samples.map((frames, at) => ({ profile: profile.name,
        names: frames.map((frame) => file.shared.frames[frame].name),
        count: Math.round(profile.weights[at] * HZ) }));
    });
    const key = (sample) => JSON.stringify([sample.profile, ...sample.names]);
    const wanted = report.samples.map((sample) =>
      ({ ...sample, profile: profileName(sample) }));
    assertSameTally(tally(found, key), tally(wanted, key));
  };
}
list["kinds: a profile for each kind of a process, in exact seconds"] = () => {
  const { profiles, shared } =
    JSON.parse(readFileSync(makeReport("kinds").path("out.speedscope.json"), "utf8"));
  const [on, ...off] = profiles;
  assert.equal(on.name, "waiter (100)");
  assert.deepEqual(on.weights.sort(), [.1010101, .2020202, .3030303]);
  assert.equal(on.endValue, .6060606);
  assert.deepEqual(off.map(({ name, endValue, weights }) => ({ name, endValue, weights })), [
    { name: "sleeper (200) off-CPU", endValue: 24.000000002, weights: [24.000000002] },
    { name: "waiter (100) off-CPU", endValue: 6.000000001, weights: [6.000000001] }]);
  for (const { samples } of off)
    assert.deepEqual(samples.map((frames) => frames.map((at) => shared.frames[at].name)),
      [["main", "read", "schedule", "[io_wait]"]]);
};
list["the busiest process comes first"] = () => {
  const file = JSON.parse(readFileSync(makeReport("large").path("out.speedscope.json"), "utf8"));
  const ends = file.profiles.map((profile) => profile.endValue);
  assert.deepEqual(ends, [...ends].sort((a, b) => b - a));
};
list["a frame has its source file and line, else the file that it is in"] = () => {
  const file = JSON.parse(readFileSync(makeReport("inlined").path("out.speedscope.json"), "utf8"));
  const frames = (name) => file.shared.frames.filter((frame) => frame.name === name);
  assert.deepEqual(frames("next_token"),
    [{ name: "next_token", file: "/src/include/tokens.h", line: 5 }]);
  assert.deepEqual(frames("parse(char const*)"),
    [{ name: "parse(char const*)", file: "/src/include/parser.h", line: 12 }]);
  assert.deepEqual(frames("helper").map((frame) => frame.file).sort(),
    ["/opt/app/libplugin.so", "/opt/app/server"]);
  assert.deepEqual(frames("init").map((frame) => frame.file).sort(),
    ["/opt/app/libplugin.so", "/src/a.c", "/src/b.c"]);
};
list["a function of a language runtime has the file and line where it begins"] = () => {
  const file = JSON.parse(readFileSync(makeReport("runtimes").path("out.speedscope.json"), "utf8"));
  const frames = (name) => file.shared.frames.filter((frame) => frame.name === name);
  assert.deepEqual(frames("Worker.run"), ["/srv/app/work.py", "/srv/other/work.py"].map((path) =>
    ({ name: "Worker.run", file: path, line: 10 })));
  assert.deepEqual(frames("[python]"), [{ name: "[python]" }]);
};
list["the generations of one pid are profiles of their own"] = () => {
  const file = JSON.parse(readFileSync(makeReport("inlined").path("out.speedscope.json"), "utf8"));
  assert.deepEqual(file.profiles.map((profile) => profile.name),
    ["server (500 #1)", "server (500 #2)", "server (501)"]);
};
list["the schema finds a broken file"] = () => {
  const file = JSON.parse(readFileSync(makeReport("tiny").path("out.speedscope.json"), "utf8"));
  delete file.profiles[0].endValue;
  assert.ok(!schemaCheck()(file));
};

const { server, origin } = await serve({ "/viewer/": release, "/work/": process.env.TM_WORK });
const browser = await launchBrowser(GL);
for (const name of ["tiny", "hostile", "truncated", "inlined", "large"]) {
  list[`${name}: loads in the viewer`] = async () => {
    const report = makeReport(name);
    const { console_lines } = await openInViewer(browser, origin, report, "out.speedscope.json");
    assert.ok(console_lines.some((line) => line.includes("Importing as speedscope json file")));
    assert.ok(console_lines.some((line) => line.startsWith("import:")), console_lines.join("\n"));
  };
}
for (const [file, importer] of [["out.folded", "collapsed stack format"],
  ["out.pb.gz", "protobuf encoded pprof file"]]) {
  list[`${file} loads in the viewer too`] = async () => {
    const { console_lines } = await openInViewer(browser, origin, makeReport("tiny"), file);
    assert.ok(console_lines.some((line) => line.includes(importer)), console_lines.join("\n"));
  };
}
await claims(list);
await browser.close();
server.close();
