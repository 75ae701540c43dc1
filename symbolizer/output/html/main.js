// SPDX-License-Identifier: Apache-2.0
// main - what is shown now, and what each key and click changes

const profile = readProfile(find("data"));
const graph = new Graph(find("scroller"), find("spacer"), find("canvas"));
const state = { selection: null, grouping: "command", back: [], shown: "graph", test: null };

function theme() {
  return document.documentElement.dataset.theme ||
    (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
}

function applyTheme() {
  const palette = new Palette(theme());
  for (let kind = 0; kind <= GROUP; kind++)
    document.documentElement.style.setProperty(`--kind-${kind}`, palette.kindColour(kind));
  for (const [name, change] of [["less", -1], ["more", 1]])
    document.documentElement.style.setProperty(`--${name}`, changeColour(theme(), change, 1));
  graph.setPalette(palette);
}

function searchTest() {
  const text = find("search").value;
  const isPattern = find("regex").getAttribute("aria-pressed") === "true";
  find("search").classList.remove("wrong");
  if (text === "")
    return null;
  if (!isPattern) {
    const wanted = text.toLowerCase();
    return (name) => name.toLowerCase().includes(wanted);
  }
  try {
    const pattern = new RegExp(text, "i");
    return (name) => pattern.test(name);
  } catch {
    find("search").classList.add("wrong");
    return () => false;
  }
}

function showShare() {
  const { view, match, zoom } = graph;
  let text = "";
  if (match) {
    // below a frame that matches, everything matched
    let inside = match.share[zoom];
    for (let node = view.parent[zoom]; node > 0; node = view.parent[node])
      inside = match.hits[node] ? view.total[zoom] : inside;
    const what = profile.kind === profile.kinds[0] ? "samples" : "time";
    text = `matched ${percent(match.share[0], view.total[0])} of ${what}`;
    if (zoom !== 0)
      text += `, ${percent(inside, view.total[zoom])} of this zoom`;
  }
  find("share").textContent = text;
}

// Everything that depends on the zoom but the canvas.
function showAround() {
  showCrumbs(graph.view, graph.zoom, zoomTo);
  showLegend(graph.view, graph.zoom);
  showDetails(graph.view, graph.zoom, graph.focus);
  showShare();
  if (state.shown === "table")
    table.show(graph.view, graph.zoom, state.test);
}

function zoomTo(node, remember = true) {
  if (node === graph.zoom)
    return;
  if (remember)
    state.back.push(graph.zoom);
  hideTooltip();
  graph.hover = -1;
  graph.zoomTo(node);
  showAround();
  graph.reveal();
}

function goBack() {
  if (state.back.length > 0)
    zoomTo(state.back.pop(), false);
  else if (graph.zoom !== 0)
    zoomTo(0, false);
}

function search() {
  state.test = searchTest();
  graph.setMatch(state.test && matchView(graph.view, state.test));
  showShare();
  if (state.shown === "table")
    table.show(graph.view, graph.zoom, state.test);
}

// A level with one frame would only repeat the root.
function usefulGrouping() {
  const { selection, grouping } = state;
  const one = selection && (selection.tid !== undefined || grouping === "process");
  return one ? "none" : grouping;
}

function rebuild() {
  const view = buildView(profile, state.selection, usefulGrouping());
  state.back = [];
  find("nothing").hidden = view.total[0] > 0;
  find("scroller").hidden = view.total[0] === 0;
  graph.setView(view);
  search();
  showAround();
}

// A recording of one kind has nothing to choose.
function fillKinds() {
  find("side-field").hidden = find("absolute").hidden = !profile.compare;
  find("kind-field").hidden = profile.kinds.length < 2;
  find("kind").replaceChildren(...profile.kinds.map(({ name }) => make("option", "", name)));
}

function showKind(index) {
  find("kind").selectedIndex = index;
  chooseKind(profile, profile.kinds[index]);
  picker.sort();
  rebuild();
}

// Whose widths are drawn.
function showSide(side) {
  profile.compare.shown = side;
  find("side-of").selectedIndex = side;
  showKind(find("kind").selectedIndex);
}

function toggleAbsolute() {
  profile.compare.absolute = !profile.compare.absolute;
  find("absolute").setAttribute("aria-pressed", String(profile.compare.absolute));
  rebuild();
}

// Shows one of the tabs.
function showTab(wanted) {
  state.shown = wanted;
  for (const name of ["graph", "table", "threads"]) {
    find(name).hidden = name !== wanted;
    find(`tab-${name}`).setAttribute("aria-selected", String(name === wanted));
  }
  if (wanted === "table")
    table.show(graph.view, graph.zoom, state.test);
}

function toggleTab(name) {
  showTab(state.shown === name ? "graph" : name);
}

function showThreads() {
  if (!threadTimes)
    return;
  toggleTab("threads");
  if (state.shown === "threads")
    threadTimes.focus();
}

function toggleFlame() {
  const flame = !graph.flame;
  find("direction").setAttribute("aria-pressed", String(flame));
  find("direction").textContent = flame ? "▴ flame" : "▾ icicle";
  graph.setFlame(flame);
}

function toggleTheme() {
  document.documentElement.dataset.theme = theme() === "dark" ? "light" : "dark";
  applyTheme();
}

function toggleSide() {
  const hidden = document.body.classList.toggle("no-side");
  find("side-toggle").setAttribute("aria-expanded", String(!hidden));
}

function moveFocus(node) {
  graph.focus = node;
  graph.reveal();
  showDetails(graph.view, graph.zoom, node);
}

function heaviestChild(view, node) {
  return view.start[node] < view.start[node + 1] ? view.children[view.start[node]] : node;
}

function sibling(view, node, step) {
  if (node === 0)
    return node;
  const from = view.start[view.parent[node]], to = view.start[view.parent[node] + 1];
  const at = view.children.indexOf(node, from) + step;
  return at >= from && at < to ? view.children[at] : node;
}

const table = new FunctionTable(find("rows"), find("table-note"),
  [...document.querySelectorAll("#table [data-sort]")], (name) => {
    find("search").value = name;
    find("regex").setAttribute("aria-pressed", "false");
    search();
    showTab("graph");
    find("canvas").focus();
  });

const threadTimes = profile.info.thread_times &&
  new ThreadTimes(readThreadTimes(profile.info, profile.processes), { head: find("thread-head"),
    body: find("thread-rows"), note: find("thread-note"), legend: find("thread-legend") });
find("tab-threads").hidden = !threadTimes;

function canvasKey(event) {
  const { view, focus } = graph;
  const deeper = graph.flame ? "ArrowUp" : "ArrowDown";
  const back = graph.flame ? "ArrowDown" : "ArrowUp";
  const actions = {
    [deeper]: () => moveFocus(heaviestChild(view, focus)),
    [back]: () => moveFocus(Math.max(0, view.parent[focus])),
    ArrowLeft: () => moveFocus(sibling(view, focus, -1)),
    ArrowRight: () => moveFocus(sibling(view, focus, 1)),
    Enter: () => zoomTo(focus),
    " ": () => zoomTo(focus),
    Home: () => moveFocus(graph.zoom),
  };
  if (!Object.hasOwn(actions, event.key))
    return;
  event.preventDefault();
  actions[event.key]();
}

const KEYS = {
  "/": ["search", () => { find("search").focus(); find("search").select(); }],
  p: ["processes and threads", () => {
    document.body.classList.remove("no-side");
    find("picker").focus();
  }],
  k: ["next kind of time", () =>
    showKind((find("kind").selectedIndex + 1) % profile.kinds.length)],
  b: ["widths of the other profile", () => profile.compare && showSide(1 - profile.compare.shown)],
  n: ["compare times as they are, or shares", () => profile.compare && toggleAbsolute()],
  t: ["functions or flame graph", () => toggleTab("table")],
  w: ["how threads spent their time", showThreads],
  i: ["icicle or flame", toggleFlame],
  d: ["dark or light", toggleTheme],
  0: ["whole graph", () => zoomTo(0)],
  Backspace: ["zoom back", goBack],
  Escape: ["zoom out, leave search", () => {
    if (graph.zoom !== 0) {
      goBack();
    } else if (find("search").value) {
      find("search").value = "";
      search();
    }
  }],
  "?": ["these keys", () => find("help").showModal()],
};

function documentKey(event) {
  const typing = event.target.matches("input, select");
  if (event.ctrlKey || event.metaKey || event.altKey || find("help").open)
    return;
  if (typing && event.key === "Escape") {
    event.target.value = event.target.type === "search" ? "" : event.target.value;
    event.target.dispatchEvent(new Event("input"));
    find("canvas").focus();
    event.preventDefault();
  } else if (!typing && Object.hasOwn(KEYS, event.key)) {
    event.preventDefault();
    KEYS[event.key][1]();
  }
}

function pointerMove(event) {
  const frame = graph.at(event.clientX, event.clientY);
  const node = frame ? frame.node : -1;
  if (node !== graph.hover) {
    graph.hover = node;
    graph.request();
  }
  find("canvas").style.cursor = frame && !frame.rest ? "pointer" : "default";
  if (frame)
    showTooltip(graph.view, graph.zoom, frame, event.clientX, event.clientY);
  else
    hideTooltip();
}

function pointerLeave() {
  graph.hover = -1;
  graph.request();
  hideTooltip();
}

function canvasClick(event) {
  const frame = graph.at(event.clientX, event.clientY);
  if (!frame)
    return;
  if (frame.rest)
    zoomTo(graph.view.parent[frame.node]);
  else if (frame.node === graph.zoom)
    goBack();
  else
    zoomTo(frame.node);
}

function fillHelp() {
  const keys = Object.entries(KEYS).filter(([key]) =>
    (key !== "k" || profile.kinds.length > 1) && (key !== "w" || threadTimes) &&
    (!"bn".includes(key) || profile.compare));
  const entries = [["← → ↑ ↓", "move from frame to frame"], ["Enter", "zoom in"],
    ...keys.map(([key, [what]]) => [key, what])];
  find("keys").replaceChildren(...entries.flatMap(([key, what]) => [make("dt", "", key),
    make("dd", "", what)]));
}

function listen() {
  const canvas = find("canvas");
  canvas.addEventListener("keydown", canvasKey);
  canvas.addEventListener("pointermove", pointerMove);
  canvas.addEventListener("pointerleave", pointerLeave);
  canvas.addEventListener("click", canvasClick);
  for (const kind of ["focus", "blur"])
    canvas.addEventListener(kind, () => graph.request());
  document.addEventListener("keydown", documentKey);
  find("search").addEventListener("input", search);
  find("regex").addEventListener("click", (event) => {
    const pressed = event.target.getAttribute("aria-pressed") !== "true";
    event.target.setAttribute("aria-pressed", String(pressed));
    search();
  });
  find("grouping").addEventListener("change", (event) => {
    state.grouping = event.target.value;
    rebuild();
  });
  find("kind").addEventListener("change", (event) => showKind(event.target.selectedIndex));
  find("side-of").addEventListener("change", (event) => showSide(event.target.selectedIndex));
  find("absolute").addEventListener("click", toggleAbsolute);
  find("reset").addEventListener("click", () => zoomTo(0));
  find("direction").addEventListener("click", toggleFlame);
  find("theme").addEventListener("click", toggleTheme);
  find("side-toggle").addEventListener("click", toggleSide);
  for (const name of ["graph", "table", "threads"])
    find(`tab-${name}`).addEventListener("click", () => showTab(name));
  find("help-open").addEventListener("click", KEYS["?"][1]);
  find("help-close").addEventListener("click", () => find("help").close());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", applyTheme);
}

applyTheme();
showTitle(profile.info);
showCompleteness(profile.info);
fillKinds();
fillHelp();
listen();
graph.resize();
const picker = new Picker(profile, find("picker"), find("filter"), (selection) => {
  state.selection = selection;
  rebuild();
});
rebuild();
