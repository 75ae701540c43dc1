// SPDX-License-Identifier: Apache-2.0
// graph - the flame graph on its canvas: draws a stretch of the view and answers where things are

const FONT = '12px ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace';
const ZOOM_MS = 190;

class Graph {
  constructor(scroller, spacer, canvas) {
    Object.assign(this, { scroller, spacer, canvas });
    this.context = canvas.getContext("2d", { alpha: false });
    this.flame = false; // root at the bottom
    this.match = null;
    this.hover = -1;
    this.focus = 0;  // where the keyboard is
    this.zoom = 0;   // whose width fills the view
    this.range = [0, 1];
    this.frame = 0;  // pending animation frame
    this.still = matchMedia("(prefers-reduced-motion: reduce)");
    scroller.addEventListener("scroll", () => this.request());
    new ResizeObserver(() => this.resize()).observe(scroller);
  }

  setView(view) {
    this.view = view;
    this.match = null;
    this.hover = -1;
    this.focus = 0;
    this.zoom = 0;
    this.range = [0, Math.max(view.total[0], 1)];
    this.place();
    this.scroller.scrollTop = this.flame ? this.spacer.offsetHeight : 0;
  }

  setPalette(palette) {
    this.palette = palette;
    this.request();
  }

  setFlame(flame) {
    this.flame = flame;
    this.place();
    this.scroller.scrollTop = flame ? this.spacer.offsetHeight : 0;
  }

  setMatch(match) {
    this.match = match;
    this.request();
  }

  // The stretch that a zoom shows.
  target() {
    const { x, total } = this.view;
    return [x[this.zoom], x[this.zoom] + Math.max(total[this.zoom], 1)];
  }

  zoomTo(node) {
    this.zoom = node;
    this.focus = node;
    const begin = performance.now();
    const from = this.range, to = this.target();
    this.place();
    if (this.still.matches)
      return;
    const step = (now) => {
      const part = Math.min(1, Math.max(0, (now - begin) / ZOOM_MS));
      const eased = 1 - (1 - part) ** 3;
      this.range = [0, 1].map((side) => from[side] + (to[side] - from[side]) * eased);
      this.layout = layoutFrames(this.view, ...this.range, this.width);
      this.draw();
      this.frame = part < 1 ? requestAnimationFrame(step) : 0;
    };
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(step);
  }

  // Lays out the final state of the current zoom: rows, height of the scrolled area, picture.
  place() {
    if (!this.view || !this.width)
      return;
    this.range = this.target();
    this.layout = layoutFrames(this.view, ...this.range, this.width);
    this.rows = this.layout.deepest + 1;
    const fromBottom = this.spacer.offsetHeight - this.scroller.scrollTop;
    this.spacer.style.height = `${Math.max(this.rows * ROW, this.height)}px`;
    if (this.flame) // the root's end is the one that stays
      this.scroller.scrollTop = this.spacer.offsetHeight - fromBottom;
    this.request();
  }

  resize() {
    const ratio = devicePixelRatio || 1;
    this.width = this.scroller.clientWidth;
    this.height = this.scroller.clientHeight;
    this.canvas.width = Math.round(this.width * ratio);
    this.canvas.height = Math.round(this.height * ratio);
    this.canvas.style.width = `${this.width}px`;
    this.canvas.style.height = `${this.height}px`;
    this.place();
    if (this.view && this.width)
      this.draw(); // at once: a resized canvas is empty
  }

  request() {
    if (!this.frame && this.view && this.width)
      this.frame = requestAnimationFrame(() => {
        this.frame = 0;
        this.draw();
      });
  }

  top(depth) { // of a row, in pixels of the canvas
    const at = this.flame ? Math.max(this.rows * ROW, this.height) - (depth + 1) * ROW
      : depth * ROW;
    return at - this.scroller.scrollTop;
  }

  draw() {
    const { context, palette } = this;
    const ratio = devicePixelRatio || 1;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = palette.colours.paper;
    context.fillRect(0, 0, this.width, this.height);
    context.font = FONT;
    context.textBaseline = "middle";
    context.direction = "ltr";
    this.letter = context.measureText("m").width;
    for (const frame of this.layout.frames) {
      const y = this.top(frame.depth);
      if (y > -ROW && y < this.height)
        this.drawFrame(frame, y);
    }
  }

  drawFrame(frame, y) {
    const { context, view, palette: { colours }, match } = this;
    const width = Math.max(frame.right - frame.left - (frame.right - frame.left > 3 ? 1 : 0), .3);
    const hit = match && match.hits[frame.node] && !frame.rest;
    const lit = !match || hit ? 1 : match.share[frame.node] > 0 ? .75 : colours.fade;
    const solid = lit * (frame.depth < view.depth[this.zoom] ? .6 : 1);
    const inlined = !frame.rest && view.isInlined(frame.node);
    context.globalAlpha = inlined && !hit ? solid * colours.inlined : solid;
    context.fillStyle = frame.rest ? colours.small : hit ? colours.match
      : this.palette.fill(view, frame.node);
    context.fillRect(frame.left, y, width, ROW - 1);
    if (!frame.rest && view.kind(frame.node) === TRUNCATED && !hit)
      this.drawStripes(frame.left, y, width);
    if (inlined && width > 4)
      this.drawDashes(frame.left, y, width);
    context.globalAlpha = 1;
    this.drawHover(frame, y, width);
    if (!frame.rest && width > 3 * this.letter)
      this.drawName(frame.node, frame.left + 5, y, width - 8, hit, solid < .7);
    if (frame.rest)
      return;
    if (frame.node === this.focus && document.activeElement === this.canvas) {
      context.strokeStyle = colours.outline;
      context.lineWidth = 2;
      context.strokeRect(frame.left + 1, y + 1, Math.max(width - 2, 1), ROW - 3);
    }
  }

  // The frame under the pointer, and fainter the same function elsewhere.
  drawHover(frame, y, width) {
    const { context, view, hover } = this;
    if (hover < 0 || frame.rest || view.label[frame.node] !== view.label[hover])
      return;
    context.globalAlpha = frame.node === hover ? 1 : .5;
    context.fillStyle = this.palette.colours.hover;
    context.fillRect(frame.left, y, width, ROW - 1);
    context.globalAlpha = 1;
  }

  drawStripes(left, y, width) {
    const { context } = this;
    context.save();
    context.beginPath();
    context.rect(left, y, width, ROW - 1);
    context.clip();
    context.strokeStyle = this.palette.colours.stripe;
    context.lineWidth = 3;
    context.beginPath();
    for (let x = left - ROW; x < left + width; x += 9) {
      context.moveTo(x, y + ROW);
      context.lineTo(x + ROW, y);
    }
    context.stroke();
    context.restore();
  }

  // Around what is inlined: it has no frame of its own on the stack.
  drawDashes(left, y, width) {
    const { context } = this;
    context.save();
    context.setLineDash([3, 3]);
    context.strokeStyle = this.palette.colours.dash;
    context.lineWidth = 1;
    context.strokeRect(left + .5, y + .5, width - 1, ROW - 2);
    context.restore();
  }

  drawName(node, x, y, width, hit, faint) {
    const { context, view, palette: { colours } } = this;
    const letters = Math.floor(width / this.letter);
    let name = view.name(node);
    if (letters < 3)
      return;
    if (name.length > letters)
      name = `${name.slice(0, letters - 1)}…`;
    context.fillStyle = faint ? colours.faintInk : hit ? colours.matchInk
      : view.isGroup(node) ? colours.groupInk : colours.ink;
    context.fillText(name, x, y + ROW / 2 + .5, width); // the width squeezes wide letters
  }

  at(clientX, clientY) {
    const box = this.canvas.getBoundingClientRect();
    const y = clientY - box.top + this.scroller.scrollTop;
    const depth = Math.floor((this.flame
      ? Math.max(this.rows * ROW, this.height) - y : y) / ROW);
    return this.layout && frameAt(this.layout, depth, clientX - box.left);
  }

  // Brings the row of the keyboard's frame into sight.
  reveal() {
    const y = this.top(this.view.depth[this.focus]);
    if (y < 0)
      this.scroller.scrollTop += y;
    else if (y > this.height - ROW)
      this.scroller.scrollTop += y - (this.height - ROW);
    this.request();
  }
}
