#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""embed - joins page.html, its style and its scripts, and writes them as two C arrays

The page's policy allows exactly this style and this script, by their digests, which are computed
here. What html.c writes goes between the two arrays, where page.html says @DATA@.
"""
import base64
import hashlib
import pathlib
import re
import sys


def digest(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def check_inline(text, path):
    """Refuses text that would end the element it is embedded in."""
    if re.search(r"</(script|style)|<!--", text, re.IGNORECASE):
        sys.exit(f"{path}: would end the element it is embedded in")
    return text


def c_array(name, text):
    data = text.encode()
    lines = [
        "\t" + " ".join(f"{byte}," for byte in data[at:at + 20])
        for at in range(0, len(data), 20)
    ]
    return f"static const unsigned char {name}[] = {{\n" + "\n".join(lines) + "\n};\n"


def main(output, page, style, scripts):
    css = check_inline(pathlib.Path(style).read_text(), style)
    parts = [check_inline(pathlib.Path(path).read_text(), path) for path in scripts]
    script = '"use strict";\n(() => {\n' + "\n".join(parts) + "})();\n"
    html = pathlib.Path(page).read_text()
    for mark, text in (("@STYLE_DIGEST@", digest(css)), ("@SCRIPT_DIGEST@", digest(script)),
                       ("@STYLE@", css), ("@SCRIPT@", script)):
        if html.count(mark) != 1:
            sys.exit(f"{page}: {mark} must stand there once")
        html = html.replace(mark, text)
    before, data, after = html.partition("@DATA@")
    if not data or "@DATA@" in after:
        sys.exit(f"{page}: @DATA@ must stand there once")
    pathlib.Path(output).write_text(
        "/* made by embed.py */\n#pragma once\n"
        + c_array("page_before_data", before) + c_array("page_after_data", after))


main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:])
