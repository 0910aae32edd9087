"""Counting of the messages of groups begins with the first one that comes to a file, whatever brings it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from mqtools.constants.completeness import ALONE, LEADING, MESSAGE_COMPLETE, completeness
from mqtools.constants.structures import MQGI_NONE
from mqtools.errors import StorageError
from mqtools.store.database import Database
from mqtools.store.definition_cache import DefinitionCache
from mqtools.store.messages import group_counts, messages, trash
from mqtools.store.messages.messages import seq_of
from mqtools.store.messages.stored_message import INSERT, StoredMessage, to_row
from mqtools.store.open_database import open_database
from mqtools.store.statements import Writing

from .test_groups import GROUPS, LENGTH, new_database, plain, stored_member

DATA = b"x" * LENGTH
COMPLETE = completeness(LEADING, MESSAGE_COMPLETE)
MEMBER = stored_member(1, plain(1))
PLAIN = MEMBER.replace(md=MEMBER.md.replace(group_id=MQGI_NONE, msg_flags=0), completeness=ALONE)


@pytest.fixture
def db(tmp_path: Path) -> Database:
    return new_database(str(tmp_path))


def counts(db: Database) -> bool:
    """Return whether messages in groups are counted; where they are not, none can come."""
    names = {row[0] for row in db.all("select name from sqlite_schema where type in ('trigger', 'view')")}
    assert ("messages_uncounted" in names) != ("messages_join" in names)
    return "messages_join" in names


def alone(number: int) -> StoredMessage:
    return PLAIN.replace(seq=seq_of(1, number), order_key=number)


def insert(db: Database) -> None:
    messages.insert(db, MEMBER, DATA)


def insert_rows(db: Database) -> None:
    messages.insert_rows(db, [messages.row_of(each, DATA) for each in (alone(2), MEMBER)])


def put_back(db: Database) -> None:
    """Bring a message back from the trash of a file that has had no other one in a group since its migration."""
    insert(db)
    about = {"removal": trash.new_removal(db), "removed_at": 0, "removed_by": "me", "cause": "delete", "queue": "Q"}
    trash.keep(db, MEMBER, about)
    messages.remove(db, MEMBER)
    group_counts.end_if_none(db)
    db.known = DefinitionCache()
    assert not counts(db)
    (kept,) = trash.page(db)
    trash.put_back(db, kept, state=1, completeness=MEMBER.completeness, order_key=1)


@pytest.mark.parametrize("way", [insert, insert_rows, put_back])
def test_the_first_message_in_a_group_is_counted(db: Database, way: Callable[[Database], None]) -> None:
    with db.writing():
        messages.insert(db, alone(3), DATA)
    assert not counts(db)
    with db.writing():
        way(db)
    assert counts(db)
    assert db.one("select grouped from queue_status") == (1,)
    assert db.one("select completeness from messages where group_id is not null") == (COMPLETE,)


def test_many_of_one_kind_in_a_group_are_counted(db: Database) -> None:
    with db.writing():
        many = [MEMBER.replace(seq=seq_of(1, number)) for number in range(20)]
        messages.insert_rows(db, [messages.row_of(each, DATA) for each in many])
    assert db.one("select grouped, (select count(*) from messages) from queue_status") == (20, 20)


def test_nothing_brings_a_message_in_a_group_uncounted(db: Database) -> None:
    with pytest.raises(StorageError, match="has come uncounted"), db.writing():
        db.run(INSERT, to_row(MEMBER, DATA, 0))
    assert db.all("select seq from messages") == []


def undo(block: Writing, db: Database) -> None:
    with suppress(ZeroDivisionError), block:
        insert(db)
        raise ZeroDivisionError


def test_counting_that_was_undone_with_the_first_message_begins_with_the_next(db: Database) -> None:
    undo(db.writing(), db)
    assert not counts(db)
    with db.writing():
        undo(db.writing(), db)
        assert not counts(db)
        insert(db)
    assert counts(db)
    assert db.one("select grouped from queue_status") == (1,)


def test_others_that_have_the_file_open_count_from_then_on(db: Database) -> None:
    other = open_database(db.path)
    for number in (2, 3):  # its statements are compiled by then
        with other.writing():
            messages.insert(other, alone(number), DATA)
            messages.remove(other, alone(number))
    with db.writing():
        insert(db)
    with other.writing():
        messages.insert(other, stored_member(4, plain(2, last=True)), DATA)
    assert db.one("select grouped from queue_status") == (2,)
    assert db.one("select complete from groups where group_id = ?", (GROUPS[0],)) == (1,)
    with other.writing():
        messages.remove(other, MEMBER)
    assert db.one("select grouped from queue_status") == (1,)
    other.close()
