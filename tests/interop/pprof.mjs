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
    const names = [leaf, ...lines.slice(1)].filter(Boolean).map((name) => name.trim());
    return { count: Number(count), labels, names: names.reverse() };
  });
}

const stackKey = (sample) => JSON.stringify(sample.names);
const fullKey = (sample) => JSON.stringify([sample.pid, sample.tid, sample.comm, sample.stop,
  ...sample.names]);

const list = {};
for (const name of ["tiny", "hostile", "truncated", "deep", "large", "empty"]) {
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
      tid: sample.labels.tid, comm: sample.labels.comm ?? 0,
      stop: sample.labels.truncated || "" })),
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
for (const name of ["tiny", "truncated"]) {
  list[`${name}: go tool pprof shows the same stacks`] = () => {
    const report = makeReport(name);
    const traces = readTraces(
      goPprof(report, "-traces", "-symbolize=none", "-sample_index=samples"));
    assertSameTally(tally(traces, stackKey), tally(withFrames(report.samples), stackKey));
  };
}
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
  const unnamed = [...profile.mappings.values()].filter((mapping) => !mapping.has_functions)
    .map((mapping) => profile.strings[mapping.filename]);
  assert.deepEqual(unnamed, ["/bin/sh"], "the only file that a reader may look into");
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
for (const name of ["tiny", "truncated", "large"]) {
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
