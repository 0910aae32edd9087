"""Checks of commands that arrive by PCF or Escape, over the catalogue."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from mqtools.constants.reasons import MQRC_NOT_AUTHORIZED
from mqtools.rules.attributes.table import Attribute
from mqtools.rules.commands.command import AdminCommand, ParameterError
from mqtools.store.database import Database

#: An attribute with its values before and after a command.
Change: TypeAlias = "tuple[Attribute, Any, Any]"


def changes_of(rows: Iterable[Attribute], before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Change]:
    """Yield each attribute with its values before and after. after: contains at least those that change."""
    for row in rows:
        old = before.get(row.name, "")
        yield row, old, after.get(row.name, old)


def check_changes(command: AdminCommand, db: Database, user: str | None, arguments: Mapping[str, Any]) -> None:
    """Check what a command from afar changes. user: None for the owner of the file.

    Raises ParameterError: MQRC_NOT_AUTHORIZED for a value that names code or files here, and for an attribute of
    access unless the owner sets it.
    """
    for row, old, new in command.changes(db, **arguments) if command.changes is not None else ():
        if old == new:
            continue
        if row.local_only is not None and row.local_only(str(new)):
            words = f"PCF and ESCAPE cannot set {row.keyword} to this value; use MQSC on this machine"
            raise ParameterError(words, MQRC_NOT_AUTHORIZED, row.name, number=row.selector)
        if row.owner_only and user is not None:
            words = f"user {user} cannot set {row.keyword}: only the owner of the queue manager's file can"
            raise ParameterError(words, MQRC_NOT_AUTHORIZED, row.name, number=row.selector)
