"""Indented layout of JSON, one member or element per line. Numbers, and names that come twice, stay as they are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from json import dumps, loads

from mqtools.tui.display.tabs import NotLaidOut

_INDENT = "  "
#: Deepest nesting that is laid out: the indentation of deeper lines would be most of the text.
_DEEPEST = 200
_STRING = r'"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*"'
_WORD = r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|true|false|null|NaN|-?Infinity"
#: A member or an element, up to its end or to the bracket that opens it.
_VALUE = rf"\s*(?:({_STRING})\s*:\s*)?(?:({_STRING}|{_WORD})|([{{[]))"
#: Characters that may follow a value, and those that may directly follow an opening bracket.
_AFTER = r"\s*([,}\]]|$)"
_CLOSED = r"\s*([}\]])"
_CLOSERS = {"{": "}", "[": "]"}


def lay_out(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a JSON text, each with how far the text has been read.

    Raises ValueError where it is not JSON; NotLaidOut: it is nested too deeply.
    """
    values, afters, closings = map(re.compile, (_VALUE, _AFTER, _CLOSED))  # here: the first rows do not wait for it
    at = 1 if text.startswith("\ufeff") else 0
    open_until: list[str] = []  # the closing brackets of what is open
    while True:
        found = values.match(text, at)
        is_member = bool(open_until) and open_until[-1] == "}"
        if found is None or (found[1] is not None) != is_member:
            raise ValueError(f"expected a {'member' if is_member else 'value'} at character {at}")
        at = found.end()
        line = _INDENT * len(open_until) + (f"{_unescape(found[1])}: " if is_member else "")
        line += _unescape(found[2]) if found[3] is None else found[3]
        if found[3] is not None:
            closed = closings.match(text, at)
            if closed is None or closed[1] != _CLOSERS[found[3]]:
                yield at, line
                open_until.append(_CLOSERS[found[3]])
                if len(open_until) > _DEEPEST:
                    raise NotLaidOut(f"it is nested deeper than {_DEEPEST} levels")
                continue
            at, line = closed.end(), line + closed[1]
        while True:
            after = afters.match(text, at)
            if after is None or (after[1] == "") != (not open_until) or after[1] not in ("", ",", *open_until[-1:]):
                raise ValueError(f"expected {open_until[-1] if open_until else 'the end'} at character {at}")
            at = after.end()
            if after[1] in ("", ","):
                yield at, line + after[1]
                break
            yield at, line
            line = _INDENT * (len(open_until) - 1) + open_until.pop()
        if not after[1]:
            return


def _unescape(token: str) -> str:
    """Return a string with the characters that are escaped without need."""
    return dumps(loads(token), ensure_ascii=False) if "\\u" in token else token
