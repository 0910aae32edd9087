"""The help text, generated from the current keys."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from textual.keys import format_key

from mqtools.tui.keymap import KEYS

#: Textual's key name -> name for display, where that is not Textual's own.
_NAMES = {"pagedown": "PgDn", "pageup": "PgUp"}
#: Letter of the state column -> its meaning.
_STATES = {
    "L": "locked",
    "U": "uncommitted",
    "D": "delayed",
    "M": "marked here",
    "m": "marked by another",
    "E": "expired",
    "!": "dead letter",
    "gone": "another program has taken it; it stays readable",
}
#: Sign of a queue -> its meaning.
_SIGNS = {
    "✉": "dead-letter queue",
    "▲": "full from 95 %, nearly full from 80 %",
    "⚿": "messages locked",
    "◐": "messages in doubt: uncommitted or unconfirmed",
    "⊘": "put or get disabled",
    "⇥": "transmission queue",
}


def format_keys(keys: str) -> str:
    """Return keys by their names for display."""
    return " ".join(_NAMES.get(key) or format_key(key) for key in map(str.strip, keys.split(",")))


def help_lines(changed: dict[str, str], *, read_only: bool) -> Iterator[str]:
    """Yield the lines of the help. changed: id -> keys where they differ from the default."""
    group = ""
    for key in KEYS:
        if key.writes and read_only:
            continue
        if key.group != group:
            if group:
                yield ""
            group = key.group
            yield group
        yield f"  {format_keys(changed.get(key.id, key.keys)):14} {key.words}"
    for title, meanings in (("Letters in the state column", _STATES), ("Signs of queues", _SIGNS)):
        yield ""
        yield title
        yield from (f"  {sign:14} {words}" for sign, words in meanings.items())


def side_by_side(lines: list[str], width: int) -> list[str]:
    """Return lines in two columns, parted between two groups near the middle; as they are where a column is narrow."""
    half = width // 2
    gaps = [number for number, line in enumerate(lines) if not line]
    longest = max(map(len, lines), default=0)
    if longest >= half or not gaps:
        return lines
    middle = min(gaps, key=lambda number: abs(number - len(lines) // 2))
    left, right = lines[:middle], lines[middle + 1 :]
    return [f"{one:{half}}{other}".rstrip() for one, other in zip_longest(left, right, fillvalue="")]
