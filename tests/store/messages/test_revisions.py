"""Revisions: the record of messages that changed in place."""

from __future__ import annotations

from mqtools.store.database import Database
from mqtools.store.messages import revisions


def version(database: Database) -> int:
    (row,) = database.all("select version from definitions")
    return int(row[0])


def test_what_is_noted_is_another_moment_and_no_other_version_of_the_definitions(database: Database) -> None:
    before, definitions = revisions.read(database, 1), version(database)
    revisions.note(database)
    assert revisions.read(database, 1) != before
    assert version(database) % (1 << 32) == definitions


def test_after_the_last_number_it_begins_anew(database: Database) -> None:
    """Where nothing could be noted any more, nothing could be edited."""
    database.run("update definitions set version = (1 << 31) - 1 << 32 | 7")
    before = revisions.read(database, 1)
    revisions.note(database)
    assert (revisions.read(database, 1) != before, version(database)) == (True, 7)
