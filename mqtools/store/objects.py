"""Definitions of objects other than queues and channels, by kind and name. One function, one statement."""

from __future__ import annotations

from collections.abc import Mapping
from json import dumps, loads
from typing import Any

from mqtools.store.database import Database


def define(db: Database, kind: str, name: str, attributes: Mapping[str, object]) -> None:
    """Write a definition, replacing an existing one. attributes: values that JSON can hold."""
    db.run("insert or replace into objects (kind, name, attributes) values (?, ?, ?)", (kind, name, dumps(attributes)))


def definition(db: Database, kind: str, name: str) -> dict[str, Any] | None:
    """Read a definition."""
    row = db.one("select attributes from objects where kind = ? and name = ?", (kind, name))
    return None if row is None else loads(row[0])


def definitions(db: Database, kind: str) -> list[dict[str, Any]]:
    """Read all definitions of a kind, in the order of their names."""
    return [loads(each) for each in db.column("select attributes from objects where kind = ? order by name", (kind,))]


def names(db: Database, kind: str) -> list[str]:
    """List the names of a kind in order."""
    return db.column("select name from objects where kind = ? order by name", (kind,))


def delete(db: Database, kind: str, name: str) -> bool:
    """Delete a definition; return whether it was there."""
    return bool(db.run("delete from objects where kind = ? and name = ?", (kind, name)))
