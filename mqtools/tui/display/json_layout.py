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
        line += ": " if token == ":" else _legible(token)
        before = token
    return [*lines, line]


def _legible(token: str) -> str:
    """Return a token with the characters that are escaped in it without need."""
    return dumps(loads(token), ensure_ascii=False) if "\\u" in token else token
