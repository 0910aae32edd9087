"""The help text, generated from the current keys."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import NamedTuple

from textual.keys import format_key

from mqtools.tui.keymap import KEYS

#: Textual's key name -> name for display, where that is not Textual's own, which has signs that not all terminals have.
_NAMES = {"pagedown": "PgDn", "pageup": "PgUp", **{key: key for key in ("up", "down", "left", "right", "enter")}}
#: Letter of the state column, or another sign of a message -> its meaning.
_STATES = {
    "L": "locked",
    "U": "uncommitted",
    "D": "delayed",
    "M": "marked here",
    "m": "marked by another",
    "E": "expired",
    "!": "dead letter",
    "3/5": "number in its group, and of how many; 3/? before the last one was shown",
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


class HelpEntry(NamedTuple):
    """A line of the help, under the heading of its group. synonyms: searched only."""

    group: str
    sign: str
    words: str
    synonyms: str = ""


def help_entries(changed: dict[str, str], synonyms: dict[str, str], *, read_only: bool) -> Iterator[HelpEntry]:
    """Yield the entries of the help. changed: id -> keys where they differ from the default."""
    for key in KEYS:
        if not (key.writes and read_only):
            yield HelpEntry(
                key.group, format_keys(changed.get(key.id, key.keys)), key.words, synonyms.get(key.id, key.short)
            )
    for title, meanings in (("Letters and signs of messages", _STATES), ("Signs of queues", _SIGNS)):
        yield from (HelpEntry(title, sign, words) for sign, words in meanings.items())


def help_lines(entries: Iterable[HelpEntry]) -> Iterator[str]:
    """Yield the lines of entries, each group under its heading."""
    group = ""
    for entry in entries:
        if entry.group != group:
            if group:
                yield ""
            group = entry.group
            yield group
        yield f"  {entry.sign:14} {entry.words}"


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
