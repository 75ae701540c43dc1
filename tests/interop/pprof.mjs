// SPDX-License-Identifier: Apache-2.0
// pprof - the pprof file, read field by field and by `go tool pprof`, contains what the report does
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { assertSameTally, claims, makeReport, tally } from "./harness.mjs";
import { readPprof } from "./pprof_reader.mjs";

// The file has a frame for samples without frames.
function withFrames(samples) {
  return samples.map((sample) => sample.names.length > 0 ? sample
    : { ...sample, names: ["[no frames]"] });
}

const PERIOD_NS = Math.floor(1e9 / 99);

function goPprof(report, ...options) {
  return execFileSync("go", ["tool", "pprof", ...options, report.path("out.pb.gz")], {
    encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, GOTOOLCHAIN: "local", PPROF_TMPDIR: report.directory, GOFLAGS: "" },
  });
}

// Blocks between rulers: labels, then the count with the leaf, then its callers.
function readTraces(text) {
  return text.split(/^-+\+-+$/m).slice(1).filter((block) => block.trim()).map((block) => {
    const lines = block.split("\n").filter((line) => line.trim());
    const labels = {};
    while (/^ *[a-z_]+:/.test(lines[0]) && !/^ *\d/.test(lines[0])) {
      const [, key, value] = /^ *([a-z_]+): ?(.*)$/.exec(lines.shift());
      labels[key] = value;
    }
    const [, count, leaf] = /^ *(\d+)(?: +(.*))?$/.exec(lines[0]);
    const names = [leaf, ...lines.slice(1)].filter(Boolean)
      .map((name) => name.trim().replace(/ \(inline\)$/, ""));
    return { count: Number(count), labels, names: names.reverse() };
  });
}

const stackKey = (sample) => JSON.stringify(sample.names);
const fullKey = (sample) => JSON.stringify([sample.pid, sample.start, sample.exec_id, sample.tid,
  sample.comm, sample.stop, ...sample.names]);
const callKey = (call) => [call.name, call.system_name, call.source, call.line, call.start_line,
  call.inlined];

const list = {};
for (const name of ["tiny", "hostile", "truncated", "inlined", "runtimes", "deep", "large",
  "empty"]) {
  list[`${name}: every field of every sample`] = () => {
    const report = makeReport(name);
    const profile = readPprof(report.path("out.pb.gz"));
    const types = profile.types.map(({ type, unit }) =>
      `${profile.strings[type]}/${profile.strings[unit]}`);
    assert.deepEqual(types, ["samples/count", "cpu/nanoseconds"]);
    assert.equal(profile.strings[profile.default_sample_type], "cpu");
    assert.equal(profile.period, PERIOD_NS);
    assert.match(profile.strings[profile.comment[0]], /^taken \d+ = exported \d+ \+ dropped \d+/);
    for (const sample of profile.samples)
      assert.equal(sample.values[1], sample.values[0] * PERIOD_NS);
    const found = tally(profile.samples.map((sample) => ({ ...sample, pid: sample.labels.pid,
      start: sample.labels.process_start, exec_id: sample.labels.exec_id, tid: sample.labels.tid,
      comm: sample.labels.comm ?? 0, stop: sample.labels.truncated || "" })),
    fullKey, (sample) => sample.values[0]);
    const samples = withFrames(report.samples);
    const wanted = tally(samples.map((sample) => ({ ...sample, comm: sample.comm || 0 })),
      fullKey);
    assertSameTally(found, wanted);
  };
  list[`${name}: go tool pprof reads it, and the same total`] = () => {
    const report = makeReport(name);
    const raw = goPprof(report, "-raw");
    const samples = raw.slice(raw.indexOf("Samples:"), raw.indexOf("\nLocations"));
    const rows = samples.match(/^ +\d+ +\d+:/gm);
    const total = (rows || []).reduce((sum, row) => sum + Number(/\d+/.exec(row)[0]), 0);
    assert.equal(total, report.total);
  };
}
for (const name of ["tiny", "truncated", "inlined", "runtimes"]) {
  list[`${name}: go tool pprof shows the same stacks`] = () => {
    const report = makeReport(name);
    const traces = readTraces(
      goPprof(report, "-traces", "-symbolize=none", "-sample_index=samples"));
    assertSameTally(tally(traces, stackKey), tally(withFrames(report.samples), stackKey));
  };
}
list["kinds: each has a count and a value; the default is on-CPU and comes last"] = () => {
  const report = makeReport("kinds");
  const profile = readPprof(report.path("out.pb.gz"));
  assert.deepEqual(profile.types.map(({ type, unit }) =>
    `${profile.strings[type]}/${profile.strings[unit]}`),
  ["off_cpu_samples/count", "off_cpu/nanoseconds", "samples/count", "cpu/nanoseconds"]);
  assert.equal(profile.strings[profile.default_sample_type], "cpu");
  // One sample stands for two periods: readers that multiply by the period must see two.
  assert.deepEqual(profile.samples.map(({ values }) => values), report.samples.map((sample) =>
    sample.kind === 0 ? [0, 0, sample.value / profile.period, sample.value] :
      [sample.count, sample.value, 0, 0]));
  assert.deepEqual(profile.samples.map(({ labels }) => labels.thread_state ?? ""),
    report.samples.map(({ state }) => state));
  assert.deepEqual(profile.samples.map(({ names }) => names.at(-1)),
    ["compute", "schedule", "compute", "schedule", "schedule"], "a state is no frame");
  const top = (...options) => goPprof(report, "-top", "-symbolize=none", ...options);
  assert.match(top(), /^ *505\.05ms .*compute$/m);
  assert.match(top("-sample_index=off_cpu"), /^ *30s +100% .*schedule$/m);
  assert.match(top("-sample_index=off_cpu_samples"), /^ *5 +100% .*schedule$/m);
};
list["go tool pprof -top: self and total of each function"] = () => {
  const top = goPprof(makeReport("tiny"), "-top", "-symbolize=none", "-sample_index=samples");
  for (const [name, flat, cum] of [["hot_sixty", 600, 600], ["hot_thirty", 300, 300],
    ["do_syscall_64", 100, 100], ["main", 0, 1000], ["_start", 0, 1000]]) {
    const row = top.split("\n").find((line) => line.endsWith(` ${name}`)).trim().split(/ +/);
    assert.equal(Number(row[0]), flat, `flat of ${name}`);
    assert.equal(Number(row[3]), cum, `cum of ${name}`);
  }
  assert.match(top, /^File: tiny$/m, "the one executable is the main binary");
};
list["a reader that names further frames itself finds no clash"] = () => {
  const report = makeReport("truncated");
  const profile = readPprof(report.path("out.pb.gz"));
  for (const table of [profile.functions, profile.locations, profile.mappings]) {
    const ids = [...table.keys()].sort((a, b) => a - b);
    assert.deepEqual(ids, ids.map((_, at) => at + 1));
  }
  const used = new Set([...profile.locations.values()].map((location) => location.mapping_id));
  const unnamed = [...profile.mappings.values()]
    .filter((mapping) => used.has(mapping.id) && !mapping.has_functions)
    .map((mapping) => profile.strings[mapping.filename]);
  assert.deepEqual(unnamed, ["[memfd:\u{1f30a} sealed]", "/bin/sh"],
    "of those that have no names only one has a path that a reader may look at");
  assert.match(goPprof(report, "-top"), /\[truncated: kernel_depth\]/);
};
list["the container is a label where there is one"] = () => {
  for (const [name, wanted] of [["tiny", true], ["truncated", false]])
    for (const sample of readPprof(makeReport(name).path("out.pb.gz")).samples) {
      assert.equal(sample.labels.container_id, wanted
        ? "34dc0b5e626f2c5c4c5170e34b10e7654ce36f0fcd532739f4445baabea03376" : undefined);
      assert.equal(sample.labels.pod_uid,
        wanted ? "74c13223-5a00-11e9-b385-42010a80018d" : undefined);
    }
};
list["labels become root frames with -tagroot"] = () => {
  const text = goPprof(makeReport("tiny"), "-traces", "-symbolize=none", "-sample_index=samples",
    "-tagroot=comm");
  assert.ok(text.includes("tiny-worker"));
};
list["inlined calls: every call of every sample, with its source"] = () => {
  const report = makeReport("inlined");
  const profile = readPprof(report.path("out.pb.gz"));
  const key = (sample) => JSON.stringify(sample.calls.map(callKey));
  const wanted = tally(report.samples, key);
  assertSameTally(tally(profile.samples, key, (sample) => sample.values[0]), wanted);
  assert.ok([...wanted.keys()].some((one) => one.includes("next_token")));
};
list["inlined calls: go tool pprof reads lines and raw names, and counts self in them"] = () => {
  const raw = goPprof(makeReport("inlined"), "-raw", "-symbolize=none");
  assert.match(raw, new RegExp([ // Go 1.19, of Debian 12, has other numbers and no column
    " \\d+: 0x1300 M=\\d+ next_token /src/include/tokens.h:9(:0)? s=5",
    "parse\\(char const\\*\\) /src/include/parser.h:17(:0)? s=12\\(_Z5parsePKc\\)",
    "serve\\(request&\\) /src/server.cc:120(:0)? s=100\\(_Z5serveR7request\\)"].join("\\s+")));
  const top = goPprof(makeReport("inlined"), "-top", "-symbolize=none", "-sample_index=samples");
  const rows = new Map([...top.matchAll(/^ *(\d+) +\S+ +\S+ +(\d+) +\S+  (.+?)( \(inline\))?$/gm)]
    .map(([, flat, cum, name]) => [name, [Number(flat), Number(cum)]]));
  for (const [name, flat, cum] of [["next_token", 60, 60], ["parse(char const*)", 30, 90],
    ["serve(request&)", 10, 100], ["main", 0, 112]])
    assert.deepEqual(rows.get(name), [flat, cum], name);
};
list["functions of a language runtime have their source and no mapping"] = () => {
  const report = makeReport("runtimes");
  const profile = readPprof(report.path("out.pb.gz"));
  const key = (sample) => JSON.stringify(sample.calls.map(callKey));
  assertSameTally(tally(profile.samples, key, (sample) => sample.values[0]),
    tally(report.samples, key));
  for (const { mapping_id, address, calls: [{ name }] } of profile.locations.values())
    if (/^(Worker\.run|<module>|_load|\[python\])$/.test(name))
      assert.deepEqual([mapping_id, address], [0, 0], name);
  const lines = goPprof(report, "-top", "-lines", "-symbolize=none", "-sample_index=samples");
  assert.match(lines, /^ *0 .* 40 .*Worker\.run \/srv\/app\/work\.py:12$/m);
  assert.match(lines, /^ *20 .* 20 .*Worker\.run \/srv\/app\/work\.py:14$/m);
  const raw = goPprof(report, "-raw", "-symbolize=none");
  assert.match(raw, new RegExp("java\\.lang\\.String\\.valueOf String\\.java:4557(:0)? s=4557" +
    "\\(java/lang/String\\.valueOf\\(I\\)Ljava/lang/String;\\)"));
};
list["each executable segment is a mapping, and an address lies in its own"] = () => {
  const profile = readPprof(makeReport("inlined").path("out.pb.gz"));
  const server = [...profile.mappings.values()]
    .filter((mapping) => profile.strings[mapping.filename] === "/opt/app/server")
    .map(({ start, limit, offset }) => [start, limit, offset]);
  assert.deepEqual(server, [[0x1000, 0x200000, 0x1000], [0x400000, 0x401000, 0x300000]]);
  const helper = [...profile.locations.values()].find(({ address }) => address === 0x400010);
  assert.equal(helper.mapping.start, 0x400000);
  const raw = goPprof(makeReport("inlined"), "-raw", "-symbolize=none");
  assert.match(raw, /^\d+: 0x400000\/0x401000\/0x300000 \/opt\/app\/server aa11 \[FN\]$/m);
};
list["a mapping says what is known of its locations, and no more"] = () => {
  const profile = readPprof(makeReport("inlined").path("out.pb.gz"));
  const known = [...profile.mappings.values()].map((mapping) => [
    profile.strings[mapping.filename], ["has_functions", "has_filenames", "has_line_numbers",
      "has_inline_frames"].map((field) => mapping[field]).join("")]);
  const anonymous = (start) => [`[anon pid 500 start ${start} exec 1]`, "0000"];
  assert.deepEqual(known.sort(), [["/opt/app/gone (deleted)", "0000"],
    ["/opt/app/libplugin.so", "1110"], ["/opt/app/server", "1000"], ["/opt/app/server", "1111"],
    ["/opt/app/stripped", "0000"], ["[3 processes]", "0000"], anonymous(1000), anonymous(9000)]);
};
list["functions of one name in two binaries or two sources stay two"] = () => {
  const profile = readPprof(makeReport("inlined").path("out.pb.gz"));
  const functions = (name) => new Set([...profile.locations.values()].flatMap(({ calls }) =>
    calls.filter((call) => call.name === name).map((call) => call.id)));
  assert.equal(functions("helper").size, 2);
  assert.equal(functions("init").size, 3);
  assert.equal(functions("serve(request&)").size, 1, "at three addresses it is one");
  assert.equal(functions("parse(char const*)").size, 1, "inlined or not");
};
list["two generations of one pid stay two in go tool pprof, and so does their memory"] = () => {
  const raw = goPprof(makeReport("inlined"), "-raw", "-symbolize=none");
  assert.match(raw, /pid:\[500\] process_start:\[1000 nanoseconds\]/);
  assert.match(raw, /pid:\[500\] process_start:\[9000 nanoseconds\]/);
  const mappings = [...raw.matchAll(/0x7f0000001234 M=(\d+) \[anon\]/g)].map(([, id]) => id);
  assert.equal(new Set(mappings).size, 2, "two locations at one address");
};
for (const name of ["tiny", "truncated", "inlined", "large"]) {
  list[`${name}: addresses lie in their mapping; what is no path is in brackets`] = () => {
    const profile = readPprof(makeReport(name).path("out.pb.gz"));
    for (const { mapping_id, address } of profile.locations.values()) {
      const mapping = profile.mappings.get(mapping_id);
      if (mapping)
        assert.ok(address >= mapping.start && address < mapping.limit);
    }
    for (const mapping of profile.mappings.values())
      assert.match(profile.strings[mapping.filename], /^(\/|\[[^[]*\]$)/);
  };
}
await claims(list);
