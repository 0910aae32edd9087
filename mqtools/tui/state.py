"""Settings that the browser saves for the next session: its appearance, never contents."""

from __future__ import annotations

import json
import os
from typing import Any

from mqtools.configuration import paths
from mqtools.formats.files import replace_text
from mqtools.tui.display import columns
from mqtools.tui.display.times import ALL, UTC_TIME

_FILE = "tui.json"
THEME, TIMES, COLUMNS = "theme", "times", "columns"
_DEFAULTS = {THEME: "", TIMES: UTC_TIME, COLUMNS: ",".join(columns.USUAL)}


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
    state[COLUMNS] = ",".join(columns.select_known(state[COLUMNS].split(",")))
    return state


def write_state(state: dict[str, str]) -> None:
    """Save the settings. Raises OSError."""
    path = paths.state_path(_FILE)
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    replace_text(path, json.dumps(state, indent=2))
