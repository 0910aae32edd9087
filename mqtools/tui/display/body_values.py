"""Values in the beginning of a body by path, such as ``debtor.name`` or ``items[0].sku``, for columns of the list."""

from __future__ import annotations

import re
from collections.abc import Iterator
from json import loads

_TOKEN = r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+'


def json_values(text: str) -> Iterator[tuple[str, str]]:
    """Yield path and value of each scalar in a JSON text that may be cut; stop at its end or where it is not JSON."""
    prefixes: list[str] = []  # of the members of each open object or array
    counts: list[int] = []  # elements so far, -1 for an object
    name = pending = ""
    for found in re.finditer(_TOKEN, text.lstrip("\ufeff")):
        token = found.group()
        if found.end() == len(text) and token not in "}]":
            return  # maybe cut
        if token == ":":
            name = _string(pending)
            pending = ""
            continue
        if token in ",}]" and pending:
            yield _path(prefixes, counts, name), _string(pending)
            pending = ""
        if token in "{[":
            path = _path(prefixes, counts, name) if prefixes else ""
            prefixes.append(path)
            counts.append(0 if token == "[" else -1)
        elif token == "," and counts and counts[-1] >= 0:
            counts[-1] += 1
        elif token in "}]":
            if not prefixes:
                return
            prefixes.pop()
            counts.pop()
        elif token != ",":
            pending = token


def _path(prefixes: list[str], counts: list[int], name: str) -> str:
    if not prefixes:
        return ""
    prefix = prefixes[-1]
    return f"{prefix}[{counts[-1]}]" if counts[-1] >= 0 else f"{prefix}.{name}" if prefix else name


def _string(token: str) -> str:
    if not token.startswith('"'):
        return token
    try:
        return str(loads(token, strict=False))
    except ValueError:
        return token
