"""The SQL files of ``schema``, with the files they include."""

from __future__ import annotations

import os
from _sqlite3 import complete_statement

#: A line that begins so is replaced by the file it names: what several statements have in common is written once.
_INCLUDE = "-- include "


def read_sql(name: str) -> str:
    """Return the text of a file with the files it includes."""
    with open(os.path.join(os.path.dirname(__file__), "schema", name), encoding="utf-8") as file:
        return "".join(read_sql(_included(line)) if line.lstrip().startswith(_INCLUDE) else line for line in file)


def statements(name: str) -> list[str]:
    """Return the statements of a file, without its comments."""
    found, statement = [], ""
    for line in read_sql(name).splitlines():
        statement += "" if not line or line.lstrip().startswith("--") else f"{line}\n"
        if complete_statement(statement):
            found.append(statement)
            statement = ""
    return found


def _included(line: str) -> str:
    return line.strip().removeprefix(_INCLUDE)
