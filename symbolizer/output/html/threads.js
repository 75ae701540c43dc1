// SPDX-License-Identifier: Apache-2.0
// threads - how each process and thread spent the interval, the third way to look at a recording

const THREAD_LINES_MAX = 500; // more would only be scrolled past: sorting brings others up

function sumTimes(rows, states) {
  return { lifetime: rows.reduce((sum, row) => sum + row.lifetime, 0),
    count: rows.reduce((sum, row) => sum + row.count, 0),
    ns: states.map((_, state) => rows.reduce((sum, row) => sum + row.ns[state], 0)) };
}

// A process has the sums of its threads. Threads that have no row of their own stand together.
function readThreadTimes(raw, processes) {
  const { states, missing, rows } = raw.thread_times;
  const byProcess = new Map();
  for (const [process, tid, comm, count, lifetime, ...ns] of rows) {
    const name = tid > 0 ? shown(raw.strings[comm]) : `${plain(count)} other threads`;
    const id = tid > 0 ? String(tid) : "";
    if (!byProcess.has(process))
      byProcess.set(process, []);
    byProcess.get(process).push({ name, id, count, lifetime, ns });
  }
  const lines = [...byProcess].map(([index, threads]) => ({ threads, open: false,
    name: index < 0 ? "[other]" : processes[index].comm,
    id: index < 0 ? "" : processes[index].pidText, ...sumTimes(threads, states) }));
  return { states, missing, lines, used: states.map((_, state) =>
    lines.some((line) => line.ns[state] > 0)) };
}

function duration(ns) {
  if (ns <= 0)
    return "";
  return ns < 1e6 ? `${Math.max(1, Math.round(ns / 1e3))} µs` : seconds(ns / 1e9);
}

class ThreadTimes {
  constructor(times, { head, body, note, legend }) {
    Object.assign(this, { times, head, body, note, legend, active: 0,
      order: times.used[0] ? "0" : "lifetime" }); // who ran most; a sum of lifetimes says little
    this.fillHead();
    this.fillLegend();
    body.addEventListener("click", (event) => this.click(event));
    body.addEventListener("keydown", (event) => this.key(event));
    this.render();
  }

  fillHead() {
    const { states, used } = this.times;
    const heading = (text, order) => {
      const cell = make("th");
      const button = make("button", "", text);
      button.type = "button";
      button.dataset.sort = order;
      button.addEventListener("click", () => {
        this.order = order;
        this.render();
      });
      cell.append(button);
      return cell;
    };
    this.head.replaceChildren(heading("process", "name"), make("th", "bar-head", "time"),
      heading("lifetime", "lifetime"),
      ...states.map((state, index) => [state, index]).filter(([, index]) => used[index])
        .map(([state, index]) => heading(state, String(index))));
  }

  fillLegend() {
    const { states, used } = this.times;
    this.legend.replaceChildren(...states.map((state, index) => {
      const item = make("li", "");
      item.append(make("span", `dot state-${index}`), make("span", "", state));
      return item;
    }).filter((_, index) => used[index]));
  }

  compare(a, b) {
    const byName = a.name < b.name ? -1 : a.name > b.name ? 1 : Number(a.id) - Number(b.id) || 0;
    if (this.order === "name")
      return byName;
    const value = (line) => this.order === "lifetime" ? line.lifetime
      : line.ns[Number(this.order)];
    return value(b) - value(a) || byName;
  }

  // The states side by side; they fill the bar where all time is known.
  bar({ lifetime, ns }) {
    const bar = make("div", "states");
    const parts = this.times.states.map((state, index) => ({ state, index, part: ns[index] }))
      .filter(({ part }) => part > 0);
    for (const { state, index, part } of parts) {
      const piece = make("span", `state-${index}`);
      piece.style.width = `${100 * part / Math.max(1, lifetime)}%`;
      piece.title = `${state} ${duration(part)}, ${percent(part, lifetime)}`;
      bar.append(piece);
    }
    bar.setAttribute("role", "img");
    bar.setAttribute("aria-label", parts.map(({ state, part }) =>
      `${state} ${percent(part, lifetime)}`).join(", "));
    return bar;
  }

  line(item, index) {
    const row = make("tr", item.threads ? "" : "thread");
    const name = make("td", "name");
    const times = make("td", "bar-cell");
    row.dataset.index = String(index);
    row.tabIndex = index === this.active ? 0 : -1;
    row.setAttribute("aria-level", item.threads ? "1" : "2");
    if (item.threads)
      row.setAttribute("aria-expanded", String(item.open));
    name.append(make("span", "twist", item.threads ? item.open ? "▾" : "▸" : ""),
      make("span", "", item.name), make("small", "", item.id));
    name.title = item.threads ? `${item.name} ${item.id}: ${plain(item.count)} threads`
      : `${item.name} ${item.id}`;
    times.append(this.bar(item));
    row.append(name, times, make("td", "number", duration(item.lifetime)),
      ...item.ns.filter((_, state) => this.times.used[state])
        .map((ns) => make("td", "number", duration(ns))));
    return row;
  }

  render() {
    const ordered = (list) => [...list].sort((a, b) => this.compare(a, b));
    const all = ordered(this.times.lines).flatMap((line) =>
      line.open ? [line, ...ordered(line.threads)] : [line]);
    this.items = all.slice(0, THREAD_LINES_MAX);
    this.active = Math.max(0, Math.min(this.active, this.items.length - 1));
    this.body.replaceChildren(...this.items.map((item, index) => this.line(item, index)));
    for (const button of this.head.querySelectorAll("button"))
      button.parentElement.setAttribute("aria-sort", button.dataset.sort !== this.order ? "none"
        : this.order === "name" ? "ascending" : "descending");
    this.note.textContent = this.times.missing
      ? "The collector did not say in time what the threads did: this is not all."
      : all.length > THREAD_LINES_MAX ? `${plain(all.length - THREAD_LINES_MAX)} more`
        : `${plain(this.times.lines.reduce((sum, line) => sum + line.count, 0))} threads`;
  }

  focus() {
    const row = this.body.children[this.active];
    if (row)
      row.focus();
  }

  toggle(item, open) {
    if (!item.threads || item.open === open)
      return;
    item.open = open;
    this.render();
    this.active = this.items.indexOf(item);
    this.focus();
  }

  click(event) {
    const row = event.target.closest("tr");
    if (!row)
      return;
    this.move(Number(row.dataset.index));
    const item = this.items[this.active];
    this.toggle(item, !item.open);
  }

  move(to) {
    const rows = this.body.children;
    rows[this.active].tabIndex = -1;
    this.active = Math.max(0, Math.min(to, rows.length - 1));
    rows[this.active].tabIndex = 0;
    this.focus();
  }

  key(event) {
    const item = this.items[this.active];
    const parent = () => this.items.findLastIndex((one, index) =>
      index < this.active && one.threads);
    const actions = {
      ArrowDown: () => this.move(this.active + 1),
      ArrowUp: () => this.move(this.active - 1),
      Home: () => this.move(0),
      End: () => this.move(this.items.length - 1),
      ArrowRight: () => this.toggle(item, true),
      ArrowLeft: () => item.threads ? this.toggle(item, false) : this.move(parent()),
      Enter: () => this.toggle(item, !item.open),
      " ": () => this.toggle(item, !item.open),
    };
    if (!item || !Object.hasOwn(actions, event.key))
      return;
    event.preventDefault();
    event.stopPropagation();
    actions[event.key]();
  }
}
