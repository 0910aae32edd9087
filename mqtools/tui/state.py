"""Settings that the browser saves for the next session: its appearance, and the saved filters."""

from __future__ import annotations

import json
import os
from typing import Any

from mqtools.configuration import paths
from mqtools.formats.files import replace_text
from mqtools.tui.display import columns
from mqtools.tui.display.times import ALL, UTC_TIME

_FILE = "tui.json"
THEME, TIMES, COLUMNS, FILTERS = "theme", "times", "columns", "filters"
_DEFAULTS = {THEME: "", TIMES: UTC_TIME, COLUMNS: ",".join(columns.USUAL), FILTERS: "{}"}


def read_state() -> dict[str, str]:
    """Return the saved settings; defaults for those that are missing or invalid."""
    try:
        with open(paths.state_path(_FILE), encoding="utf-8") as file:
            found = json.load(file)
    except (OSError, ValueError):
        return dict(_DEFAULTS)
    known: Any = found if isinstance(found, dict) else {}
    state = {name: value if isinstance(value := known.get(name), str) else _DEFAULTS[name] for name in _DEFAULTS}
    if state[TIMES] not in ALL:
        state[TIMES] = UTC_TIME
    state[FILTERS] = state[FILTERS] if _are_filters(state[FILTERS]) else _DEFAULTS[FILTERS]
    state[COLUMNS] = ",".join(columns.select_known(state[COLUMNS].split(",")))
    return state


def _are_filters(text: str) -> bool:
    """Return whether a text is JSON of names and filter lines."""
    try:
        found = json.loads(text)
    except ValueError:
        return False
    return isinstance(found, dict) and all(name and isinstance(words, str) for name, words in found.items())


def write_state(changes: dict[str, str]) -> None:
    """Save settings, the others as another session may have saved them since. Raises OSError."""
    state = {**read_state(), **changes}
    path = paths.state_path(_FILE)
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    replace_text(path, json.dumps(state, indent=2))
