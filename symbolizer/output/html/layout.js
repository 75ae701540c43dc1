// SPDX-License-Identifier: Apache-2.0
// layout - which frames are visible for a stretch of the view, and where

const ROW = 20;      // pixels of a frame's height
const SMALLEST = .5; // pixels; siblings narrower than this are drawn as one
const VISIBLE = .3;  // pixels; what is narrower even together is not drawn

// Children of a node at and after the given x: children are placed in order of x.
function childAt(view, node, x) {
  let low = view.start[node], high = view.start[node + 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    const child = view.children[middle];
    if (view.x[child] + view.total[child] > x)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

// The frames of [from, to) on `width` pixels. What is left of a row of siblings when they get too
// small is one rest: they are sorted by weight, so all that follow are smaller still.
function layoutFrames(view, from, to, width) {
  const scale = width / (to - from);
  const frames = [];
  let deepest = 0;
  const stack = [0];
  while (stack.length > 0) {
    const node = stack.pop();
    const left = Math.max(0, (view.x[node] - from) * scale);
    const right = Math.min(width, (view.x[node] + view.total[node] - from) * scale);
    const depth = view.depth[node];
    frames.push({ node, left, right, depth, rest: 0 });
    deepest = Math.max(deepest, depth);
    const end = view.start[node + 1];
    for (let i = childAt(view, node, from); i < end; i++) {
      const child = view.children[i];
      const x = (view.x[child] - from) * scale;
      if (x >= width)
        break;
      if (view.total[child] * scale >= SMALLEST) {
        stack.push(child);
        continue;
      }
      const last = view.children[end - 1];
      const restRight = Math.min(width, (view.x[last] + view.total[last] - from) * scale);
      if (restRight - Math.max(0, x) >= VISIBLE) {
        frames.push({ node: child, left: Math.max(0, x), right: restRight, depth: depth + 1,
          rest: end - i });
        deepest = Math.max(deepest, depth + 1);
      }
      break;
    }
  }
  return { frames, deepest };
}

// The frame of a layout that a row and a pixel fall on, or undefined.
function frameAt(layout, depth, x) {
  return layout.frames.find((frame) =>
    frame.depth === depth && x >= frame.left && x < frame.right);
}
