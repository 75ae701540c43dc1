// SPDX-License-Identifier: Apache-2.0
// data - the profile as the page works with it: flat arrays that refer to each other by index

const KERNEL = 0, UNRESOLVED = 3, TRUNCATED = 4, STATE = 5, GROUP = 6; // 1 native, 2 runtime

// Characters that reorder the text around them would let a name disguise itself.
const DISGUISE = /[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g;

function shown(text) {
  return text === "" ? "(no name)" : text.replace(DISGUISE, "\ufffd");
}

function readFunctions(raw) {
  const functions = raw.functions.map(([name, file, kind, unnamed, source, line]) => ({
    name: shown(raw.strings[name]),
    source: source === 0 ? "" : shown(raw.strings[source]),
    line, // of the source where the function begins; 0: not known
    path: file < 0 ? "" : shown(raw.strings[raw.files[file][0]]),
    buildId: file < 0 ? "" : raw.strings[raw.files[file][1]],
    deleted: file >= 0 && raw.files[file][2] === 1,
    kind,
    unnamed: unnamed === 1,
  }));
  for (const reason of raw.reasons)
    functions.push({ name: `[truncated: ${reason}]`, source: "", line: 0, path: "", buildId: "",
      deleted: false, kind: TRUNCATED, unnamed: false });
  for (const state of raw.states)
    functions.push({ name: `[${state}]`, source: "", line: 0, path: "", buildId: "",
      deleted: false, kind: STATE, unnamed: false });
  return functions;
}

// Nodes come in preorder; `up` levels lead from the node before to the parent.
function readParents(up) {
  const parents = new Int32Array(up.length);
  let last = -1;
  for (let node = 0; node < up.length; node++) {
    for (let levels = up[node]; levels > 0; levels--)
      last = parents[last];
    parents[node] = last;
    last = node;
  }
  return parents;
}

// Values are ns; where none are listed, each sample is its count times the period.
function readSamples({ samples: flat, values }, period) {
  const count = flat.length / 3;
  const samples = { count, leaf: new Int32Array(count), thread: new Int32Array(count),
    counts: new Float64Array(count), weight: new Float64Array(count) };
  let leaf = 0;
  for (let i = 0; i < count; i++) {
    leaf += flat[3 * i];
    samples.leaf[i] = leaf - 1; // -1: no frames
    samples.thread[i] = flat[3 * i + 1];
    samples.counts[i] = flat[3 * i + 2];
    samples.weight[i] = values.length > 0 ? values[i] : samples.counts[i] * period;
  }
  return samples;
}

// Of a comparison both sides: B, and A, which is the base.
function readKind({ name, period_ns: period, base, ...shown }) {
  const samples = readSamples(shown, period);
  return { name, samples, sides: base && [samples, readSamples(base, period)] };
}

function readProcesses(raw) {
  const processes = raw.processes.map(([pid, nsPid, comm, exe, cgroup, container, pod, reuse],
    index) => ({
    index, pid, nsPid, pidText: reuse > 0 ? `${pid} #${reuse}` : String(pid),
    comm: shown(raw.strings[comm]), exe: raw.strings[exe],
    cgroup: raw.strings[cgroup], container: raw.strings[container], pod: raw.strings[pod],
    total: 0, threads: [],
  }));
  const threads = raw.threads.map(([process, tid, comm], index) => ({
    index, process: processes[process], tid, comm: shown(raw.strings[comm]), total: 0,
  }));
  for (const thread of threads)
    thread.process.threads.push(thread);
  return { processes, threads };
}

// What the page shows of a profile: the samples of one kind, and their sums by thread and process.
function chooseKind(profile, kind) {
  const samples = profile.compare ? joinSides(kind.sides, profile.compare.shown) : kind.samples;
  Object.assign(profile, { kind, samples,
    total: samples.weight.reduce((sum, weight) => sum + weight, 0) });
  for (const one of [...profile.processes, ...profile.threads])
    one.total = 0;
  for (let i = 0; i < samples.count; i++) {
    const thread = profile.threads[samples.thread[i]];
    thread.total += samples.weight[i];
    thread.process.total += samples.weight[i];
  }
  for (const process of profile.processes)
    process.threads.sort((a, b) => b.total - a.total || a.tid - b.tid);
}

function readProfile(element) {
  const raw = JSON.parse(element.textContent);
  element.remove(); // parsed: the text would only take memory
  const { processes, threads } = readProcesses(raw);
  const profile = {
    info: raw,
    functions: readFunctions(raw),
    parents: readParents(raw.up),
    nodeFunction: Int32Array.from(raw.node_class, (one) => one >> 1),
    nodeInlined: Uint8Array.from(raw.node_class, (one) => one & 1),
    nodeLines: new Int32Array(raw.node_lines), // first, last - first; empty: none is known
    kinds: raw.kinds.map(readKind), processes, threads,
    compare: raw.compare && { shown: B, absolute: false },
  };
  chooseKind(profile, profile.kinds[0]);
  return profile;
}
