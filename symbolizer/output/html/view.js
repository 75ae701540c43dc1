// SPDX-License-Identifier: Apache-2.0
// view - the tree that is drawn: what is selected, grouped, sorted by weight

// Growing typed arrays: the size of a view is known only when it is built.
class Nodes {
  constructor(capacity, compare) {
    this.count = 0;
    this.sums = compare ? ["total", "counts", "other", "otherCounts"] : ["total", "counts"];
    this.parent = new Int32Array(capacity);
    this.label = new Int32Array(capacity); // >= 0: function; < 0: group ~label
    this.origin = new Int32Array(capacity); // node of the profile; of a group -1
    for (const name of this.sums) // ns, samples
      this[name] = new Float64Array(capacity);
  }
  add(parent, label, origin = -1) {
    if (this.count === this.parent.length) {
      for (const name of ["parent", "label", "origin", ...this.sums]) {
        const larger = new this[name].constructor(2 * this.count);
        larger.set(this[name]);
        this[name] = larger;
      }
    }
    this.parent[this.count] = parent;
    this.label[this.count] = label;
    this.origin[this.count] = origin;
    return this.count++;
  }
}

// What threads of one group have in common. A number may be used again by a later process, so it is
// the object that counts.
const GROUPINGS = {
  none: () => "",
  command: (thread) => thread.comm,
  process: (thread) => thread.process,
  thread: (thread) => thread,
};

// A selection is null (everything), a process or a thread of the profile.
function selects(selection, thread) {
  return !selection || thread === selection || thread.process === selection;
}

function selectionName(selection) {
  if (!selection)
    return "whole recording";
  return selection.tid === undefined ? `${selection.comm} (${selection.pidText})`
    : `${selection.comm} (${selection.process.pidText}/${selection.tid})`;
}

// Samples of the selection by group, the order within a group kept.
function groupSamples(profile, selection, grouping) {
  const groups = new Map();
  const groupOf = profile.threads.map((thread) => {
    if (!selects(selection, thread))
      return null;
    const key = GROUPINGS[grouping](thread);
    if (!groups.has(key))
      groups.set(key, { name: typeof key === "string" ? key : selectionName(key), samples: [] });
    return groups.get(key);
  });
  const { count, thread } = profile.samples;
  for (let i = 0; i < count; i++)
    groupOf[thread[i]]?.samples.push(i);
  return [...groups.values()].filter((group) => group.samples.length > 0);
}

// A node of the profile is in this group's part of the view if its number is at least `first`:
// numbers only grow, so nothing has to be cleared between groups.
function addGroup(profile, nodes, top, samples, viewOf) {
  const first = nodes.count;
  const path = [];
  for (const sample of samples) {
    let node = profile.samples.leaf[sample];
    path.length = 0;
    while (node >= 0 && viewOf[node] < first) {
      path.push(node);
      node = profile.parents[node];
    }
    let at = node >= 0 ? viewOf[node] : top;
    for (let i = path.length - 1; i >= 0; i--) {
      at = nodes.add(at, profile.nodeFunction[path[i]], path[i]);
      viewOf[path[i]] = at;
    }
    nodes.total[at] += profile.samples.weight[sample];
    nodes.counts[at] += profile.samples.counts[sample];
    if (profile.compare) {
      nodes.other[at] += profile.samples.other[sample];
      nodes.otherCounts[at] += profile.samples.otherCounts[sample];
    }
  }
}

function childLists(count, parent) {
  const start = new Int32Array(count + 2);
  for (let node = 1; node < count; node++)
    start[parent[node] + 2]++;
  for (let node = 2; node < count + 2; node++)
    start[node] += start[node - 1];
  const children = new Int32Array(Math.max(0, count - 1));
  for (let node = 1; node < count; node++)
    children[start[parent[node] + 1]++] = node;
  return { start, children };
}

// Heaviest first; the name decides between equals, so that the picture does not depend on chance.
function sortChildren(view) {
  const byWeight = (a, b) => view.total[b] - view.total[a] ||
    (view.name(a) < view.name(b) ? -1 : view.name(a) > view.name(b) ? 1 : a - b);
  for (let node = 0; node < view.count; node++) {
    const from = view.start[node], to = view.start[node + 1];
    if (to - from > 1)
      view.children.subarray(from, to).sort(byWeight);
  }
}

function placeNodes(view) {
  view.x = new Float64Array(view.count);
  view.depth = new Int32Array(view.count);
  for (let node = 0; node < view.count; node++) { // parents come before their children
    let x = view.x[node];
    for (let i = view.start[node]; i < view.start[node + 1]; i++) {
      const child = view.children[i];
      view.x[child] = x;
      view.depth[child] = view.depth[node] + 1;
      x += view.total[child];
    }
  }
}

// The source file of a node and the lines of it that were sampled there, else where it begins.
function sourceText(profile, label, origin) {
  const { source, line } = profile.functions[label];
  const first = profile.nodeLines[2 * origin] || line;
  const more = profile.nodeLines[2 * origin + 1] || 0;
  if (source === "" || first === 0)
    return source;
  return more > 0 ? `${source}:${first}\u2013${first + more}` : `${source}:${first}`;
}

function buildView(profile, selection, grouping) {
  const nodes = new Nodes(profile.parents.length + 64, profile.compare);
  const groups = [{ name: selectionName(selection) }];
  const viewOf = new Int32Array(profile.parents.length).fill(-1);
  nodes.add(-1, ~0);
  for (const group of groupSamples(profile, selection, grouping)) {
    let top = 0;
    if (grouping !== "none") {
      top = nodes.add(0, ~groups.length);
      groups.push(group);
    }
    addGroup(profile, nodes, top, group.samples, viewOf);
  }
  const { count, parent, label, origin, total, counts, other, otherCounts } = nodes;
  const self = total.slice(0, count), selfCounts = counts.slice(0, count);
  const otherSelf = other && other.slice(0, count);
  for (let node = count - 1; node > 0; node--)
    for (const name of nodes.sums)
      nodes[name][parent[node]] += nodes[name][node];
  const view = { count, parent, label, total, self, counts, selfCounts,
    ...childLists(count, parent), profile, groups, selection,
    compare: profile.compare, other, otherCounts, otherSelf,
    isGroup: (node) => label[node] < 0,
    isInlined: (node) => origin[node] >= 0 && profile.nodeInlined[origin[node]] === 1,
    source: (node) => label[node] < 0 ? "" : sourceText(profile, label[node], origin[node]),
    isUnnamed: (node) => label[node] >= 0 && profile.functions[label[node]].unnamed,
    name: (node) => label[node] < 0 ? groups[~label[node]].name
      : profile.functions[label[node]].name,
    kind: (node) => label[node] < 0 ? GROUP : profile.functions[label[node]].kind,
    path: (node) => label[node] < 0 ? "" : profile.functions[label[node]].path,
  };
  sortChildren(view);
  placeNodes(view);
  if (view.compare)
    addChanges(view);
  return view;
}

// For each node the time below it in stacks that meet the test; a stack counts once.
function matchView(view, test) {
  const hits = new Uint8Array(view.count);
  const share = new Float64Array(view.count);
  const functions = view.profile.functions.map((one) => test(one.name) ? 1 : 0);
  const groups = view.groups.map((group, index) => index > 0 && test(group.name) ? 1 : 0);
  for (let node = view.count - 1; node >= 0; node--) {
    const label = view.label[node];
    hits[node] = label < 0 ? groups[~label] : functions[label];
    if (hits[node])
      share[node] = view.total[node];
    if (node > 0)
      share[view.parent[node]] += share[node];
  }
  return { hits, share };
}

// Self and total per function below a node; a recursive function counts once per stack. The state
// of a thread is no function: its time is that of the function that it stands above.
function functionTotals(view, top) {
  const rows = new Map();
  const open = new Map(); // functions on the way down
  const visit = (node, step) => {
    const label = view.label[node];
    if (label < 0)
      return;
    if (view.kind(node) === STATE) {
      const below = step > 0 && rows.get(view.label[view.parent[node]]);
      if (below) {
        below.self += view.self[node];
        below.counts.self += view.selfCounts[node];
        below.otherSelf += view.compare ? view.otherSelf[node] : 0;
      }
      return;
    }
    const depth = (open.get(label) || 0) + step;
    open.set(label, depth);
    if (step < 0)
      return;
    if (!rows.has(label))
      rows.set(label, { label, self: 0, total: 0, otherSelf: 0, otherTotal: 0,
        counts: { self: 0, total: 0 } });
    const row = rows.get(label);
    row.self += view.self[node];
    row.counts.self += view.selfCounts[node];
    row.otherSelf += view.compare ? view.otherSelf[node] : 0;
    if (depth === 1) {
      row.otherTotal += view.compare ? view.other[node] : 0;
      row.total += view.total[node];
      row.counts.total += view.counts[node];
    }
  };
  const stack = [top];
  while (stack.length > 0) { // ~node: on the way back up
    const node = stack.pop();
    if (node < 0) {
      visit(~node, -1);
      continue;
    }
    visit(node, 1);
    stack.push(~node);
    for (let i = view.start[node]; i < view.start[node + 1]; i++)
      stack.push(view.children[i]);
  }
  return [...rows.values()];
}

// Time and samples below a node by the kind of their leaf; truncated: those whose root is missing,
// whatever their leaf is.
function kindTotals(view, top) {
  const totals = new Float64Array(GROUP + 1), counts = new Float64Array(GROUP + 1);
  const stack = [top];
  while (stack.length > 0) {
    const node = stack.pop();
    const kind = view.kind(node);
    totals[kind] += kind === TRUNCATED ? view.total[node] : view.self[node];
    counts[kind] += kind === TRUNCATED ? view.counts[node] : view.selfCounts[node];
    for (let i = view.start[node]; i < view.start[node + 1]; i++)
      stack.push(view.children[i]);
  }
  return { totals, counts };
}

// Time and samples below a node whose leaf is inlined.
function inlinedTotal(view, top) {
  let total = 0, count = 0;
  const stack = [top];
  while (stack.length > 0) {
    const node = stack.pop();
    if (view.isInlined(node)) {
      total += view.self[node];
      count += view.selfCounts[node];
    }
    for (let i = view.start[node]; i < view.start[node + 1]; i++)
      stack.push(view.children[i]);
  }
  return { total, count };
}
