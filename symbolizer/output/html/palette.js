// SPDX-License-Identifier: Apache-2.0
// palette - one family of colours per kind of frame, a steady shade per file and function

const KINDS = [ // in the order of the legend; index: kind
  { kind: 1, name: "native" },
  { kind: 0, name: "kernel" },
  { kind: 2, name: "runtime" },
  { kind: 3, name: "unresolved" },
  { kind: 4, name: "truncated" },
  { kind: 5, name: "thread state" },
];

// [hue from, hue to, saturation, lightness] per kind; the file picks the hue, the name the shade.
const FAMILIES = {
  light: [[203, 224, 78, 78], [22, 48, 92, 75], [135, 165, 48, 71], [220, 220, 6, 80],
    [335, 350, 72, 82], [262, 288, 52, 81], [200, 200, 14, 87]],
  dark: [[205, 222, 56, 60], [20, 44, 66, 59], [138, 164, 38, 54], [220, 220, 6, 48],
    [335, 348, 52, 60], [262, 286, 38, 60], [205, 205, 12, 34]],
};

const COLOURS = {
  light: { ink: "#1d232b", groupInk: "#1d232b", faintInk: "#5f676f", paper: "#fffdf9",
    match: "#b14cf0", matchInk: "#ffffff", small: "#d9d5cc", outline: "#0b5f58",
    hover: "rgba(40,30,10,.2)", fade: .42, stripe: "rgba(160,20,80,.16)",
    inlined: .62, dash: "rgba(29,35,43,.55)" },
  dark: { ink: "#12161c", groupInk: "#dfe6ee", faintInk: "#a3afbb", paper: "#10151c",
    match: "#c77dff", matchInk: "#14071f", small: "#39424e", outline: "#5eead4",
    hover: "rgba(255,255,255,.4)", fade: .38, stripe: "rgba(60,0,25,.28)",
    inlined: .86, dash: "rgba(223,230,238,.6)" },
};

function hash(text) { // FNV-1a, for colour only
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++)
    value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return (value ^ value >>> 15) >>> 0;
}

class Palette {
  constructor(theme) {
    this.theme = theme;
    this.colours = COLOURS[theme];
    this.families = FAMILIES[theme];
    this.known = new Map(); // label of a view node: function or ~group
  }
  fill(view, node) {
    if (view.compare)
      return changeColour(this.theme, view.change[node], view.largestChange);
    const label = Math.max(view.label[node], -1); // all groups look alike
    let colour = this.known.get(label);
    if (!colour) {
      const [from, to, full, lightness] = this.families[view.kind(node)];
      const saturation = view.isUnnamed(node) ? full * .4 : full; // an address only: paler
      const file = hash(view.path(node)) % 101 / 100;
      const shade = hash(view.name(node)) % 101 / 100 - .5;
      const hue = from + (to - from) * (file * .6 + (shade + .5) * .4);
      const lift = view.kind(node) === GROUP ? 0
        : (hash(`${view.name(node)} `) % 101 / 100 - .5) * 11;
      colour = `hsl(${hue.toFixed(1)},${saturation.toFixed(0)}%,${(lightness + lift).toFixed(1)}%)`;
      this.known.set(label, colour);
    }
    return colour;
  }
  kindColour(kind) {
    const [from, to, saturation, lightness] = this.families[kind];
    return `hsl(${(from + to) / 2},${saturation}%,${lightness}%)`;
  }
}
