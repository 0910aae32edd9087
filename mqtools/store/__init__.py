"""One SQLite file a queue manager: schema, statements, transactions, waking, proof of life. All SQL is here."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from mqtools.store import types

#: Types of the store: their definitions are for type checkers only, so that nothing is loaded for them.
Row: TypeAlias = "types.Row"
Parameters: TypeAlias = "types.Parameters"
File: TypeAlias = "types.File"
OpenFile: TypeAlias = "types.OpenFile"
