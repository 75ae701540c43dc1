// SPDX-License-Identifier: Apache-2.0
// details - the texts about a frame, the legend of the zoom, and the line of completeness

const KIND_NAMES = ["kernel", "native", "runtime", "unresolved", "truncated",
  "what the thread waited for: no function", "group"];

// [what, value] lines of a frame, and of its file.
function describe(view, zoom, node) {
  const total = view.total[node];
  const lines = view.compare ? compareLines(view, node) : [
    ["samples", `${plain(view.counts[node])} · ${seconds(total / 1e9)} ${view.profile.kind.name}`],
    ["of all", percent(total, view.profile.total)],
    ["of this view", percent(total, view.total[zoom])],
    ["self", `${plain(view.selfCounts[node])} · ${percent(view.self[node], view.total[zoom])}`],
  ];
  if (!view.compare && !view.selection && zoom === 0)
    lines.splice(2, 1); // the same as "of all"
  if (view.isGroup(node))
    return { lines, file: "" };
  const one = view.profile.functions[view.label[node]];
  if (view.source(node))
    lines.push(["source", view.source(node)]);
  return { lines, file: [view.isInlined(node) ? "inlined" : "",
    one.path + (one.deleted ? " (deleted)" : ""),
    one.path ? KIND_NAMES[one.kind] : one.kind === TRUNCATED ? "the stack ends here before its root"
      : KIND_NAMES[one.kind],
    one.unnamed && one.kind !== UNRESOLVED ? "no name known" : ""].filter(Boolean).join(" · ") };
}

function showDetails(view, zoom, node) {
  const { lines, file } = describe(view, zoom, node);
  find("detail-name").textContent = view.name(node);
  find("detail-numbers").textContent = lines.map(([what, value]) => `${what} ${value}`).join(", ");
  find("detail-file").textContent = file;
}

function showTooltip(view, zoom, frame, x, y) {
  const tip = find("tooltip");
  const [name, file, body] = [tip.querySelector("b"), tip.querySelector("i"),
    tip.querySelector("tbody")];
  const { lines, file: path } = describe(view, zoom, frame.node);
  name.textContent = frame.rest ? `${plain(frame.rest)} narrow frames` : view.name(frame.node);
  file.textContent = frame.rest ? "zoom in to see each" : path;
  body.replaceChildren(...(frame.rest ? [] : lines).map(([what, value]) => {
    const line = make("tr");
    line.append(make("th", "", what), make("td", "", value));
    return line;
  }));
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - box.width - 8))}px`;
  tip.style.top = `${y + 20 + box.height > innerHeight ? y - box.height - 10 : y + 20}px`;
}

function hideTooltip() {
  find("tooltip").hidden = true;
}

// The way from the root to the zoomed frame; a long one keeps its ends.
function showCrumbs(view, zoom, go) {
  const path = [];
  for (let node = zoom; node >= 0; node = view.parent[node])
    path.unshift(node);
  const shortened = path.length > 7 ? [...path.slice(0, 2), -1, ...path.slice(-4)] : path;
  find("crumbs").replaceChildren(...shortened.map((node) => {
    const item = make("li", "");
    if (node < 0) {
      item.textContent = "…";
      return item;
    }
    const button = make("button", "", view.name(node));
    button.type = "button";
    button.title = view.name(node);
    if (node === zoom)
      button.setAttribute("aria-current", "true");
    button.addEventListener("click", () => go(node));
    item.append(button);
    return item;
  }));
  find("reset").disabled = zoom === 0;
}

// Of a comparison the colours say how much changed, and not what a frame is.
function showChanges(view) {
  const item = (className, name) => {
    const line = make("li", "");
    line.append(make("span", `dot ${className}`), make("span", "", name));
    return line;
  };
  find("legend").replaceChildren(item("less", "less in B"), item("more", "more in B"));
  find("legend").title = `strongest: ${signed(view.largestChange).slice(1)} of the whole`;
}

function showLegend(view, zoom) {
  if (view.compare) {
    showChanges(view);
    return;
  }
  const { totals, counts } = kindTotals(view, zoom);
  const item = (dot, name, total, title) => {
    const line = make("li", "");
    line.append(make("span", `dot ${dot}`), make("span", "", name),
      make("small", "", percent(total, view.total[zoom])));
    line.title = title;
    return line;
  };
  const items = KINDS.filter(({ kind }) => totals[kind] > 0).map(({ kind, name }) =>
    item(`kind-${kind}`, name, totals[kind],
      kind === TRUNCATED ? `${plain(counts[kind])} samples do not reach their root`
        : kind === STATE ? `${plain(counts[kind])} samples of threads that did not run`
          : `${plain(counts[kind])} samples end in a ${name} frame`));
  const inlined = inlinedTotal(view, zoom);
  if (inlined.total > 0)
    items.push(item("inlined", "inlined", inlined.total,
      `${plain(inlined.count)} samples end in a function that is inlined into its caller`));
  find("legend").replaceChildren(...items);
}

function reasons(counts) {
  return Object.entries(counts).map(([reason, count]) => `${reason} ${plain(count)}`).join(", ");
}

function sum(counts) {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}

// The same of off-CPU samples, in the time that they stand for.
function offCpuParts(info, part) {
  const dropped = sum(info.dropped), length = (ns) => seconds(ns / 1e9);
  const ratio = info.times_ns > 0 ? `, ${percent(info.exported_ns, info.times_ns)}` : "";
  const parts = [
    part(`off-CPU: ${length(info.exported_ns)} exported`, `${plain(info.exported)} of `
      + `${plain(info.taken)} samples for ${length(info.times_ns)} observed${ratio}`),
    part(`${length(sum(info.dropped_ns))} dropped`, reasons(info.dropped), dropped > 0),
  ];
  if (sum(info.truncated) > 0)
    parts.push(part(`${plain(sum(info.truncated))} off-CPU truncated`, reasons(info.truncated)));
  if (info.in_progress > 0)
    parts.push(part(`${length(info.in_progress_ns)} in progress`,
      `${plain(info.in_progress)} threads`));
  if (info.untracked > 0)
    parts.push(part(`${plain(info.untracked)} switches untracked`, "", true));
  return parts;
}

// taken = exported + dropped, and what else the recording lacks.
function showCompleteness(info) {
  const dropped = sum(info.dropped), truncated = sum(info.truncated);
  const notOpened = sum(info.not_opened);
  const part = (text, detail, warn) => {
    const item = make("span", warn ? "warn" : "", text);
    if (detail)
      item.append(make("small", "", ` (${detail})`));
    return item;
  };
  const whole = dropped === 0 && info.not_run === 0;
  const parts = [
    part(`${plain(info.taken)} samples taken`),
    part(`${plain(info.exported)} exported`),
    part(`${plain(dropped)} dropped`, reasons(info.dropped), dropped > 0),
    part(`${plain(truncated)} truncated`, [truncated ? percent(truncated, info.exported) : "",
      reasons(info.truncated)].filter(Boolean).join(": "), false),
    part(`${percent(info.unnamed_frames, info.frames_shown)} of frames unnamed`,
      reasons(info.unnamed), false),
  ];
  if (info.thread_times && info.thread_times.missing)
    parts.push(part("what threads did at the end is missing", "no answer in time", true));
  if (info.off_cpu)
    parts.push(...offCpuParts(info.off_cpu, part));
  if (info.merged > 0)
    parts.push(part(`${plain(info.merged)} merged`, "their deepest frames are left out: memory",
      true));
  if (notOpened > 0)
    parts.push(part(`${plain(notOpened)} files not opened`, reasons(info.not_opened), false));
  if (info.not_run > 0)
    parts.push(part(`${plain(info.not_run)} owed but not run`, "", true));
  if (info.thinned > 0)
    parts.push(part(`${plain(info.thinned)} hits thinned`, "owners beyond their share of time"));
  if (info.late_records > 0)
    parts.push(part(`${plain(info.late_records)} late`, "", true));
  find("completeness").className = whole ? "whole" : "lacking";
  find("completeness").replaceChildren(make("span", "dot"), ...parts);
}

function showTitle(info) {
  const start = new Date(info.start_ms);
  const text = shown(info.title || "recording");
  document.title = `${text} · tidemark`;
  const length = `${seconds(info.seconds)} at ${plain(info.hz)} Hz`;
  const base = info.compare && new Date(info.compare.start_ms).toLocaleString();
  find("title").textContent = base
    ? `${text} · A ${base}, ${seconds(info.compare.seconds)} · `
      + `B ${start.toLocaleString()}, ${length}`
    : `${text} · ${start.toLocaleString()} · ${length}`;
  find("title").title = find("title").textContent;
}
