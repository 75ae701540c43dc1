// SPDX-License-Identifier: Apache-2.0
// picker - the list of processes and their threads that chooses what the view shows

const ROWS_MAX = 400; // more would only be scrolled past: the filter finds them

class Picker {
  constructor(profile, list, filter, choose) {
    Object.assign(this, { profile, list, filter, choose, selection: null, active: 0 });
    this.open = new Set();
    filter.addEventListener("input", () => this.render());
    filter.addEventListener("keydown", (event) => {
      if (event.key === "ArrowDown") {
        event.preventDefault();
        list.focus();
      }
    });
    list.addEventListener("keydown", (event) => this.key(event));
    list.addEventListener("click", (event) => this.click(event));
    this.sort();
  }

  // Again when the profile shows another kind of samples.
  sort() {
    this.processes = this.profile.processes.filter((process) => process.total > 0)
      .sort((a, b) => b.total - a.total || a.pid - b.pid);
    this.render();
  }

  matches(process, wanted) {
    return [process.comm, String(process.pid), process.exe, process.cgroup,
      process.container, process.pod,
      ...process.threads.map((thread) => thread.comm)]
      .some((text) => text.toLowerCase().includes(wanted));
  }

  // What is listed: everything, then processes, then threads of those that are open.
  listed() {
    const wanted = this.filter.value.trim().toLowerCase();
    const items = wanted ? [] : [null];
    for (const process of this.processes) {
      if (wanted && !this.matches(process, wanted))
        continue;
      items.push(process);
      if (this.open.has(process))
        items.push(...process.threads);
    }
    return items;
  }

  row(item, index) {
    const isThread = item && item.tid !== undefined;
    const row = make("div", `pick${isThread ? " thread" : ""}`);
    const total = item ? item.total : this.profile.total;
    row.id = `pick-${index}`;
    row.setAttribute("role", "treeitem");
    row.setAttribute("aria-level", isThread ? "3" : item ? "2" : "1");
    row.setAttribute("aria-selected", String(item === this.selection));
    row.dataset.index = String(index);
    const twist = make("span", "twist");
    if (item && !isThread && item.threads.length > 1) {
      row.setAttribute("aria-expanded", String(this.open.has(item)));
      twist.textContent = this.open.has(item) ? "▾" : "▸";
    }
    const id = !item ? "" : isThread ? item.tid
      : item.nsPid > 0 && item.nsPid !== item.pid ? `${item.pidText} · ${item.nsPid} inside`
      : item.pidText;
    const bar = make("span", "share-bar");
    bar.style.width = `${100 * total / Math.max(1, this.profile.total)}%`;
    row.append(bar, twist, make("span", "pick-name", item ? item.comm : "whole recording"),
      make("span", "pick-id", String(id)), make("span", "pick-share",
        percent(total, this.profile.total)));
    if (item && !isThread)
      row.title = [item.exe && shown(item.exe), item.cgroup && shown(item.cgroup),
        item.pidText !== String(item.pid) && `pid ${item.pid} was several processes: by start, ` +
          `this is ${item.pidText}`,
        item.container && `container ${item.container}`, item.pod && `pod ${item.pod}`]
        .filter(Boolean).join("\n");
    return row;
  }

  render() {
    this.items = this.listed();
    this.active = Math.max(0, Math.min(this.active, this.items.length - 1));
    const rows = this.items.slice(0, ROWS_MAX).map((item, index) => this.row(item, index));
    if (this.items.length > ROWS_MAX)
      rows.push(make("p", "note", `${plain(this.items.length - ROWS_MAX)} more: filter to see`));
    if (this.items.length === 0)
      rows.push(make("p", "note", "nothing matches"));
    this.list.replaceChildren(...rows);
    this.mark();
  }

  mark() {
    for (const row of this.list.querySelectorAll(".active"))
      row.classList.remove("active");
    const row = find(`pick-${this.active}`);
    if (row) {
      row.classList.add("active");
      row.scrollIntoView({ block: "nearest" });
      this.list.setAttribute("aria-activedescendant", row.id);
    }
  }

  select(item) {
    this.selection = item;
    this.render();
    this.choose(item);
  }

  toggle(process, open) {
    if (!process || !process.threads || process.threads.length < 2)
      return;
    if (open)
      this.open.add(process);
    else
      this.open.delete(process);
    this.render();
  }

  click(event) {
    const row = event.target.closest(".pick");
    if (!row)
      return;
    this.active = Number(row.dataset.index);
    const item = this.items[this.active];
    if (event.target.classList.contains("twist") && item && item.threads)
      this.toggle(item, !this.open.has(item));
    else
      this.select(item);
  }

  key(event) {
    const item = this.items[this.active];
    const last = Math.min(this.items.length, ROWS_MAX) - 1;
    const actions = {
      ArrowDown: () => { this.active = Math.min(this.active + 1, last); },
      ArrowUp: () => { this.active = Math.max(this.active - 1, 0); },
      Home: () => { this.active = 0; },
      End: () => { this.active = last; },
      ArrowRight: () => this.toggle(item, true),
      ArrowLeft: () => {
        if (item && item.tid !== undefined)
          this.active = this.items.indexOf(item.process);
        else
          this.toggle(item, false);
      },
      Enter: () => { if (item !== undefined) this.select(item); },
      " ": () => { if (item !== undefined) this.select(item); },
    };
    if (!Object.hasOwn(actions, event.key))
      return;
    event.preventDefault();
    event.stopPropagation();
    actions[event.key]();
    this.mark();
  }
}
