"""Counting of the messages of groups, by triggers that a file has from its first message in a group (``groups.sql``).

Until then a trigger refuses such messages, so that each one is counted. Code that inserts messages calls ``begin`` if
one of them is in a group.
"""

from __future__ import annotations

from mqtools.store import OpenFile
from mqtools.store.database import Database
from mqtools.store.sql_files import statements

_REFUSES = "messages_uncounted"
_TRIGGERS = (
    "messages_join", "messages_leave", "messages_appear", "messages_vanish", "group_arrival", "group_departure",
    "group_settlement",
)  # fmt: skip
_VIEWS = ("group_arrivals", "group_departures", "group_settlements", "group_members")


def begin(db: Database) -> None:
    """Make sure, in a transaction that writes, that messages in groups are counted: before the first one comes."""
    if db.known.counts_groups:
        return
    if db.one("select 1 from sqlite_schema where type = 'trigger' and name = ?", (_REFUSES,)) is not None:
        db.run(f"drop trigger {_REFUSES}")
        _run(db, "groups.sql")
    db.known.counts_groups = True


def end_if_none(db: OpenFile) -> None:
    """Count no longer, in a transaction that writes, where no message is in a group: in a file of an older version."""
    counts = db.one("select 1 from sqlite_schema where type = 'trigger' and name = ?", (_TRIGGERS[0],)) is not None
    if counts and db.one("select 1 from messages where group_id is not null limit 1") is None:
        for name in _TRIGGERS:
            db.run(f"drop trigger {name}")
        for name in _VIEWS:
            db.run(f"drop view {name}")
        db.run("delete from logical_messages")
        db.run("delete from groups")
        _run(db, "no_groups.sql")


def _run(db: OpenFile, name: str) -> None:
    for statement in statements(name):
        db.run(statement)
