"""SQL files beside this module, with the files they include."""

from __future__ import annotations

import os

#: A line that begins so is replaced by the file it names: what several statements have in common is written once.
_INCLUDE = "-- include "


def read_sql(name: str) -> str:
    """Return the text of a file with the files it includes."""
    with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as file:
        return "".join(read_sql(_included(line)) if line.lstrip().startswith(_INCLUDE) else line for line in file)


def _included(line: str) -> str:
    return line.strip().removeprefix(_INCLUDE)
