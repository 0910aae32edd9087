"""The help: made from the keys as they are now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mqtools.tui.keymap import KEYS

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Names of keys as people know them. A key that is not here is shown as it is.
_NAMES = {
    "slash": "/",
    "question_mark": "?",
    "colon": ":",
    "asterisk": "*",
    "number_sign": "#",
    "plus": "+",
    "escape": "esc",
    "pagedown": "PgDn",
    "pageup": "PgUp",
    "down": "↓",
    "up": "↑",
    "left": "←",
    "right": "→",
}
_STATES = (
    "L locked · U uncommitted · M marked here · m marked by another · E expired · ! dead letter",
    "gone: somebody has taken it; what was read of it stays",
)


def key_words(keys: str) -> str:
    """Write keys as people know them."""
    return " ".join(_NAMES.get(key.strip(), key.strip()) for key in keys.split(","))


def help_lines(changed: dict[str, str], *, read_only: bool) -> Iterator[str]:
    """List what every key does. changed: ids to keys where they are not the default."""
    group = ""
    for key in KEYS:
        if key.writes and read_only:
            continue
        if key.group != group:
            if group:
                yield ""
            group = key.group
            yield group
        yield f"  {key_words(changed.get(key.id, key.keys)):22} {key.words}"
    yield ""
    yield "The letters in front of a message"
    yield from (f"  {line}" for line in _STATES)
