// SPDX-License-Identifier: Apache-2.0
// folded - the folded text contains what the report does, in the form that flame graph tools split
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { assertSameTally, claims, makeReport, tally } from "./harness.mjs";

const clean = (name) => name.replace(/[\u0000-\u001f\u007f;]/g, "_") || "_";

// As async-profiler shows methods of Java, and py-spy functions of CPython.
const shown = ({ runtime, name }) =>
  clean(runtime === "jvm" ? name.replace(/\.(?=.*\.)/g, "/") : name);

function place({ runtime, source, line }) {
  if (runtime !== "cpython" || !source)
    return "";
  return ` (${clean(source.replace(/.*\//, ""))}${line ? `:${line}` : ""})`;
}

function expected(sample) {
  return [clean(sample.comm), ...(sample.stop ? [`[truncated: ${sample.stop}]`] : []),
    ...sample.calls.map((call) => shown(call) + (call.kernel ? "_[k]" : place(call)))]
    .join(";");
}

function read(report) {
  const lines = readFileSync(report.path("out.folded"), "utf8").split("\n");
  assert.equal(lines.pop(), "", "the last line is complete");
  return lines.map((line) => {
    const [, stack, count] = /^(.+) ([1-9][0-9]*)$/s.exec(line);
    return { stack, count: Number(count) };
  });
}

const list = {};
for (const name of ["tiny", "hostile", "truncated", "inlined", "runtimes", "deep", "large",
  "empty"]) {
  list[`${name}: every sample, once, merged`] = () => {
    const report = makeReport(name);
    const rows = read(report);
    assert.equal(new Set(rows.map((row) => row.stack)).size, rows.length, "rows are merged");
    assertSameTally(tally(rows, (row) => row.stack), tally(report.samples, expected));
  };
}
list["kinds: both in ns, off-CPU stacks end in the state of their thread"] = () => {
  assert.deepEqual(read(makeReport("kinds")), [
    { stack: "sleeper;main;read;schedule_[k];[io_wait]", count: 24000000002 },
    { stack: "waiter;main;compute", count: 505050500 },
    { stack: "waiter;main;read;schedule_[k]", count: 101010100 },
    { stack: "waiter;main;read;schedule_[k];[io_wait]", count: 6000000001 }]);
};
list["inlined calls are entries of their own below what they are inlined into"] = () => {
  const rows = read(makeReport("inlined"));
  const count = (stack) => rows.find((row) => row.stack === stack)?.count;
  const serve = "server;_start;main;serve(request&)";
  assert.equal(count(serve), 10);
  assert.equal(count(`${serve};parse(char const*)`), 30, "10 inlined, 20 called");
  assert.equal(count(`${serve};parse(char const*);next_token`), 60);
};
list["functions of CPython have file and line behind them, methods of Java slashes"] = () => {
  const root = "python3;_start;<module> (main.py:40)";
  const main = "java;JavaMain;StubRoutines (1);app/Work$$Lambda.run";
  assert.deepEqual(read(makeReport("runtimes")), [
    { stack: `${main};app/Work.step`, count: 8 },
    { stack: `${main};java/lang/String.valueOf`, count: 3 },
    { stack: `${main};java/lang/String.valueOf;I2C/C2I adapters`, count: 1 },
    { stack: `${root};Worker.run (work.py:12);sha256_block`, count: 40 },
    { stack: `${root};Worker.run (work.py:14)`, count: 24 },
    { stack: `${root};_load (<frozen importlib__bootstrap>);[python]`, count: 2 }]);
};
list["a reason comes right after comm"] = () => {
  const cut = read(makeReport("truncated")).filter((row) => row.stack.includes("[truncated: "));
  assert.ok(cut.length > 0);
  for (const row of cut)
    assert.match(row.stack, /^[^;]+;\[truncated: [a-z_]+\](;|$)/);
};
list["kernel frames end in _[k], others do not"] = () => {
  const rows = read(makeReport("tiny"));
  assert.ok(rows.some((row) => row.stack === "tiny;_start;main;do_syscall_64_[k]"));
  assert.ok(rows.some((row) => row.stack === "tiny;_start;main;hot_sixty"));
};
await claims(list);
