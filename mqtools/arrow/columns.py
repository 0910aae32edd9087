"""Columns of a message, of an event of the journal, and of a dead-letter header, with their Spark types.

The names are those of the descriptor everywhere; enumerations and flags are the integers of the wire, identifiers
upper-case hex of full length.
"""

from __future__ import annotations

from collections.abc import Sequence

from mqtools.headers.mqdlh import MQDLH
from mqtools.message import BYTE_FIELDS, CHARACTER_FIELDS, MQMD

#: Fields of the descriptor and of a dead-letter header that are text; all others are integers.
TEXTS = frozenset((*BYTE_FIELDS, *CHARACTER_FIELDS, "dest_q_name", "dest_q_mgr_name"))


def _type(field: str) -> str:
    return "string" if field in TEXTS else "int"


#: Type of the struct of a dead-letter header.
DLH_TYPE = f"struct<{', '.join(f'{name}: {_type(name)}' for name in MQDLH.__slots__)}>"

#: Column of a message to its type, in the order of the columns.
MESSAGE: dict[str, str] = {
    "qmgr": "string",
    "queue": "string",
    "seq": "bigint",
    "state": "string",
    **{name: _type(name) for name in MQMD.__slots__},
    "put_at": "timestamp",
    "properties": "map<string, string>",
    "dlh": DLH_TYPE,
    "data_length": "int",
    "data": "binary",
}

#: Columns that are returned only if a schema names them: when the message came to its queue; the properties with their
#: types, as the store has them; and the dead-letter header with the NULs of its texts, for who compares them byte by
#: byte. ``put_at`` is the put date and time, which a load, a move and a channel leave as they were.
EXACT: dict[str, str] = {"arrived_at": "timestamp", "properties_json": "string", "dlh_exact": DLH_TYPE}

#: Column that is computed if it is named: the data behind the headers as text, null if it is not text.
COMPUTED: dict[str, str] = {"text": "string"}

#: Columns of an event in front of those of its message.
EVENT: dict[str, str] = {
    "event": "string",
    "event_at": "timestamp",
    "event_seq": "bigint",
    "holder": "string",
    "appl_name": "string",
    "outcome": "string",
}

#: Columns of an event that are returned only if a schema names them: what it did to the message's state, since when the
#: message was uncommitted before it, what a backout undid, and words.
EVENT_EXACT: dict[str, str] = {
    "state_before": "string",
    "state_after": "string",
    "held_at": "timestamp",
    "undone": "string",
    "detail": "string",
}

#: All columns of a message except its data and header, for jobs that use descriptors only.
DESCRIPTOR = tuple(name for name in MESSAGE if name not in ("data", "dlh", "properties"))


def ddl(names: object, *, journal: bool = False) -> str:
    """Return the schema of some columns as Spark DDL. names: in their order."""
    known = readable_columns(journal=journal)
    return ", ".join(f"{name} {known[name]}" for name in names)  # type: ignore[attr-defined]


def known_columns(*, journal: bool) -> dict[str, str]:
    """Return every stored column with its type."""
    return {**({**EVENT, **EVENT_EXACT} if journal else {}), **MESSAGE, **EXACT}


def readable_columns(*, journal: bool) -> dict[str, str]:
    """Return every column that a read may name, with its type."""
    return {**known_columns(journal=journal), **COMPUTED}


def default_schema(*, journal: bool, body: bool, typed: bool, chosen: Sequence[str] = ()) -> str:
    """Return the schema of a read without one. chosen: its columns, else all.  body: with the data.

    typed: with ``properties_json`` instead of ``properties``, so that a write keeps the types.

    Raises ValueError that names the columns that do not exist.
    """
    if unknown := [name for name in chosen if name not in readable_columns(journal=journal)]:
        known = ", ".join(readable_columns(journal=journal))
        raise ValueError(f"option columns: unknown column: {', '.join(unknown)}; the columns are {known}")
    names = chosen or [name for name in (*(EVENT if journal else ()), *MESSAGE) if body or name != "data"]
    if typed:
        names = ["properties_json" if name == "properties" else name for name in names]
    return ddl(dict.fromkeys(names), journal=journal)
