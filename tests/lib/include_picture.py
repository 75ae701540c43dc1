# SPDX-License-Identifier: Apache-2.0
"""include_picture - draws the folders of an include graph as SVG

A column for each process, its topics as layers in it, shared/ beneath them all. Arrows are as wide
as their includes are many; those that run upwards against the layers are red.
"""
import os

BOX, HEIGHT, COLUMN, ROW, EDGE = 150, 44, 330, 84, 30
COLORS = {"shared": "#e8e8e8", "bpf": "#fde2c8", "collector": "#f9cfcf", "symbolizer": "#d3e3f8",
          "cli": "#d9efd3"}
ARROW, AGAINST = "#888", "#c00"
HEAD = """<svg xmlns="http://www.w3.org/2000/svg"
viewBox="0 0 %(x)d %(y)d" width="%(x)d" height="%(y)d">
<style>text{font:12px sans-serif;text-anchor:middle}.small{font-size:10px}</style>
<rect width="100%%" height="100%%" fill="#fff"/><defs>"""
TIP = """<marker id="tip%s" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8"
orient="auto" markerUnits="userSpaceOnUse"><path d="M0,0 L8,4 L0,8 z" fill="%s"/></marker>"""
LINE = """<path d="M%g,%g C%g,%g %g,%g %g,%g" fill="none" stroke="%s" stroke-width="%.1f"
marker-end="url(#tip%s)"/><text x="%g" y="%g" fill="%s" class="small">%d</text>"""
RECTANGLE = """<rect x="%g" y="%g" width="%g" height="%d" rx="4" fill="%s" stroke="#555"/>
<text x="%g" y="%g">%s</text><text x="%g" y="%g" class="small">%d files, %d lines</text>"""


def width(count):
    return 0.6 + min(count, 60) ** 0.5 * 0.5


def places(tree):
    """{folder: (x, y, width)} of its box, and the size of the picture."""
    stacks = tree.columns()
    most = max(map(len, stacks), default=0)
    right, bottom = COLUMN * len(stacks), EDGE + ROW * (most + 1)
    found = {"shared": (EDGE, EDGE + ROW * most, right - 2 * EDGE)}
    for at, folders in enumerate(stacks):
        for row, folder in enumerate(folders):
            x, y = COLUMN * at + (COLUMN - BOX) / 2, EDGE + ROW * (most - 1 - row)
            found[folder] = (x, y, BOX)
    return found, (right, bottom)


def to_shared(x, y, to_y):
    aside = x - 12 - 9 * (to_y - y) / ROW
    y += HEIGHT / 2
    return (x, y, aside, y, aside, y + HEIGHT / 2, aside, to_y), (aside - 8, to_y - 8)


def within_process(x, y, to_y):
    """Straight to the next layer; around the others on the right, upwards on the left."""
    rows = (to_y - y) / ROW
    if rows == 1:
        middle, y = x + BOX / 2, y + HEIGHT
        return (middle, y, middle, y, middle, to_y, middle, to_y), (middle + 10, (y + to_y) / 2 + 4)
    side, way = (x + BOX, 1) if rows > 0 else (x, -1)
    bend = side + way * (16 + 14 * abs(rows))
    label = (side + way * (20 + 10 * abs(rows)), (y + to_y + HEIGHT) / 2)
    y, to_y = y + HEIGHT * 0.6, to_y + HEIGHT * 0.4
    return (side, y, bend, y, bend, to_y, side, to_y), label


def between_processes(x, y, to_x, to_y):
    side, to_side = (x + BOX, to_x) if to_x > x else (x, to_x + BOX)
    middle, y, to_y = (side + to_side) / 2, y + HEIGHT / 2, to_y + HEIGHT / 2
    return (side, y, middle, y, middle, to_y, to_side, to_y), (middle, (y + to_y) / 2 - 4)


def arrow(start, end, count, color):
    x, y, to_x, to_y = start[0], start[1], end[0], end[1]
    if end[2] != BOX:
        points, label = to_shared(x, y, to_y)
    elif x == to_x:
        points, label = within_process(x, y, to_y)
    else:
        points, label = between_processes(x, y, to_x, to_y)
    return LINE % (*points, color, width(count), color[1:], *label, color, count)


def picture(tree):
    """The text of an SVG file. TREE: what tests/include_graph reads."""
    found, (right, bottom) = places(tree)
    against = {(os.path.dirname(i.path), os.path.dirname(i.header)) for i, _ in tree.upwards()}
    out = [HEAD % {"x": right, "y": bottom}]
    out += [TIP % (color[1:], color) for color in (ARROW, AGAINST)] + ["</defs>"]
    for folder, (x, y, wide) in found.items():
        lines = [n for path, n in tree.files.items() if os.path.dirname(path) == folder]
        middle = x + wide / 2
        out.append(RECTANGLE % (x, y, wide, HEIGHT, COLORS[folder.split("/")[0]], middle, y + 18,
                                folder, middle, y + 34, len(lines), sum(lines)))
    for (here, there), count in sorted(tree.arrows().items()):
        color = AGAINST if (here, there) in against else ARROW
        out.append(arrow(found[here], found[there], count, color))
    return "\n".join(out + ["</svg>", ""])
