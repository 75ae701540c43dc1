// SPDX-License-Identifier: Apache-2.0
// table - functions by self and total time, the second way to look at a view

const TABLE_ROWS_MAX = 500;

function functionSource({ source, line }) {
  return source && line > 0 ? `${source}:${line}` : source;
}

class FunctionTable {
  constructor(body, note, heads, pick) {
    Object.assign(this, { body, note, heads, pick, order: "self", compared: false });
    for (const head of heads) {
      head.addEventListener("click", () => {
        this.order = head.dataset.sort;
        this.render();
      });
    }
    body.addEventListener("click", (event) => {
      const row = event.target.closest("tr");
      if (row)
        pick(this.shownRows[Number(row.dataset.index)].name);
    });
  }

  // `top` is the node below which the table counts: the zoom of the graph.
  show(view, top, test) {
    this.whole = view.total[top];
    this.test = test;
    this.view = view;
    if (view.compare && !this.compared)
      this.order = "selfChange";
    this.compared = Boolean(view.compare);
    for (const head of this.heads)
      if (head.dataset.sort.endsWith("Change"))
        head.parentElement.hidden = !view.compare;
    this.all = functionTotals(view, top).map((row) => ({ ...row,
      name: view.profile.functions[row.label].name, path: view.profile.functions[row.label].path,
      source: functionSource(view.profile.functions[row.label]),
      kind: view.profile.functions[row.label].kind,
      selfChange: view.compare ? changeOf(view, row.self, row.otherSelf) : 0,
      totalChange: view.compare ? changeOf(view, row.total, row.otherTotal) : 0 }));
    this.render();
  }

  compare(a, b) {
    const byText = (name) => a[name] < b[name] ? -1 : a[name] > b[name] ? 1 : 0;
    if (this.order === "name" || this.order === "path")
      return byText(this.order) || b.self - a.self;
    if (this.order.endsWith("Change"))
      return Math.abs(b[this.order]) - Math.abs(a[this.order]) || b.total - a.total ||
        byText("name");
    return b[this.order] - a[this.order] || b.total - a.total || byText("name");
  }

  cell(row, part) {
    const cell = make("td", "number");
    const bar = make("span", "share-bar");
    bar.style.width = `${100 * row[part] / Math.max(1, this.whole)}%`;
    cell.append(bar, make("span", "", percent(row[part], this.whole)),
      make("small", "", plain(row.counts[part])));
    return cell;
  }

  // What it was in A and is in B.
  changeCell(row, part) {
    const change = row[`${part}Change`];
    const cell = make("td", `number change ${changeName(change)}`, signed(change));
    const other = row[part === "self" ? "otherSelf" : "otherTotal"];
    const [b, a] = sidesOf(this.view, row[part], other);
    const [wholeB, wholeA] = sidesOf(this.view, this.view.total[0], this.view.other[0]);
    cell.append(make("small", "", `${percent(a, wholeA)} → ${percent(b, wholeB)}`));
    return cell;
  }

  render() {
    const rows = (this.test ? this.all.filter((row) => this.test(row.name)) : this.all)
      .sort((a, b) => this.compare(a, b));
    this.shownRows = rows.slice(0, TABLE_ROWS_MAX);
    for (const head of this.heads)
      head.parentElement.setAttribute("aria-sort", head.dataset.sort !== this.order ? "none"
        : this.order === "name" || this.order === "path" ? "ascending" : "descending");
    this.body.replaceChildren(...this.shownRows.map((row, index) => {
      const line = make("tr");
      const name = make("td", "name");
      const file = make("td", "file", baseName(row.path || row.source));
      line.dataset.index = String(index);
      file.title = [row.path, row.source].filter(Boolean).join("\n");
      name.append(make("span", `dot kind-${row.kind}`), make("span", "", row.name));
      name.title = row.name;
      if (this.compared)
        line.append(this.changeCell(row, "self"), this.changeCell(row, "total"));
      line.append(this.cell(row, "self"), this.cell(row, "total"), name, file);
      return line;
    }));
    this.note.textContent = rows.length > TABLE_ROWS_MAX
      ? `${plain(rows.length - TABLE_ROWS_MAX)} more: search to see`
      : `${plain(rows.length)} functions`;
  }
}
