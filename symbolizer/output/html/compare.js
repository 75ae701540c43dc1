// SPDX-License-Identifier: Apache-2.0
// compare - two profiles in one page: B, what it is compared with, A, and how they differ

const B = 0, A = 1; // sides, in the order of the data

// The samples of both sides as one list: weight and counts are of the shown side, other and
// otherCounts of the other one.
function joinSides(sides, shown) {
  const ordered = [sides[shown], sides[1 - shown]];
  const count = ordered[0].count + ordered[1].count;
  const samples = { count, leaf: new Int32Array(count), thread: new Int32Array(count) };
  for (const name of ["counts", "weight", "otherCounts", "other"])
    samples[name] = new Float64Array(count);
  ordered.forEach((side, index) => {
    const at = index === 0 ? 0 : ordered[0].count;
    samples.leaf.set(side.leaf, at);
    samples.thread.set(side.thread, at);
    samples[index === 0 ? "counts" : "otherCounts"].set(side.counts, at);
    samples[index === 0 ? "weight" : "other"].set(side.weight, at);
  });
  return samples;
}

// [B, A] of a pair that was summed up for the shown side and the other one.
function sidesOf(view, shown, other) {
  return view.compare.shown === B ? [shown, other] : [other, shown];
}

// From A to B, of all that is in the view: in parts of each one's total, or both in parts of the
// larger total where they are compared as they are.
function changeOf(view, shown, other) {
  const [b, a] = sidesOf(view, shown, other);
  let [wholeB, wholeA] = sidesOf(view, view.total[0], view.other[0]);
  if (view.compare.absolute)
    wholeA = wholeB = Math.max(wholeA, wholeB);
  return (wholeB > 0 ? b / wholeB : 0) - (wholeA > 0 ? a / wholeA : 0);
}

// The change of each frame, and the largest: it has the strongest colour.
function addChanges(view) {
  view.change = new Float64Array(view.count);
  view.largestChange = 0;
  for (let node = 0; node < view.count; node++) {
    view.change[node] = changeOf(view, view.total[node], view.other[node]);
    if (node > 0)
      view.largestChange = Math.max(view.largestChange, Math.abs(view.change[node]));
  }
}

const CHANGE_COLOURS = { // [hue of less, of more, saturation from, to, lightness from, to]
  light: [217, 6, 8, 88, 91, 70],
  dark: [215, 4, 4, 72, 52, 62],
};

function changeColour(theme, change, largest) {
  const [less, more, dull, full, pale, deep] = CHANGE_COLOURS[theme];
  const strength = largest > 0 ? Math.sqrt(Math.min(1, Math.abs(change) / largest)) : 0;
  const hue = change < 0 ? less : more;
  return `hsl(${hue},${(dull + (full - dull) * strength).toFixed(0)}%,`
    + `${(pale + (deep - pale) * strength).toFixed(1)}%)`;
}

// What is shown as no change.
function changeName(change) {
  return Math.abs(change) < .00005 ? "" : change > 0 ? "more" : "less";
}

// "+3.1 %": of the whole, not of what it was.
function signed(change) {
  const value = 100 * change;
  if (changeName(change) === "")
    return "±0 %";
  return `${value > 0 ? "+" : "−"}${Math.abs(value).toFixed(Math.abs(value) < 1 ? 2 : 1)} %`;
}

function times(b, a) {
  if (a > 0 && b > 0)
    return ` · × ${(b / a).toFixed(2)}`;
  return a > 0 ? " · gone" : b > 0 ? " · new" : "";
}

// [what, value] lines that stand in the place of the numbers of one profile.
function compareLines(view, node) {
  const whole = sidesOf(view, view.total[0], view.other[0]);
  const totals = sidesOf(view, view.total[node], view.other[node]);
  const counts = sidesOf(view, view.counts[node], view.otherCounts[node]);
  const self = sidesOf(view, view.self[node], view.otherSelf[node]);
  const line = (side) => `${plain(counts[side])} samples · ${seconds(totals[side] / 1e9)} · `
    + percent(totals[side], whole[side]);
  const ratio = times(totals[B] / whole[B], totals[A] / whole[A]);
  return [["A", line(A)], ["B", line(B)],
    ["change", `${signed(view.change[node])} of the whole${ratio}`],
    ["self", `A ${percent(self[A], whole[A])} · B ${percent(self[B], whole[B])} · `
      + signed(changeOf(view, view.self[node], view.otherSelf[node]))]];
}
