"""Indented layout of JSON, one member or element per line. Numbers, and names that come twice, stay as they are."""

from __future__ import annotations

import re
from json import dumps, loads

_INDENT = "  "
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')


def lay_out(text: str) -> list[str]:
    """Return the lines of a JSON text. Raises ValueError, RecursionError: it is not JSON, or nested too deeply."""
    text = text.lstrip("\ufeff")
    loads(text)
    lines: list[str] = []
    line, depth, before = "", 0, ""
    for found in _TOKEN.finditer(text):
        token = found.group()
        if token in "}]":
            depth -= 1
            if before not in "{[":
                lines.append(line)
                line = _INDENT * depth
        elif before and before in "{[,":
            lines.append(line)
            line = _INDENT * depth
        if token in "{[":
            depth += 1
        if "\\u" in token:  # characters that are escaped without need
            line += dumps(loads(token), ensure_ascii=False)
        else:
            line += ": " if token == ":" else token
        before = token
    return [*lines, line]
