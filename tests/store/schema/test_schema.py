"""The tables that keep messages keep the same of them: on a queue, in the trash, in the journal."""

from __future__ import annotations

import pytest

from mqtools.store.creation import create_database
from mqtools.store.messages.stored_message import COLUMNS

MESSAGE = [*COLUMNS.split(", "), "data", "checksum"]


@pytest.fixture(scope="module")
def columns(tmp_path_factory):
    """Return the columns of a table: name, type, whether it must have a value; in their order, without its key."""
    database = create_database(str(tmp_path_factory.mktemp("schema") / "QM1.db"))

    def give(table: str) -> list[tuple[str, str, int]]:
        rows = database.all('select name, type, "notnull" from pragma_table_info(?) order by cid', (table,))
        return [(name, kind, needed) for name, kind, needed in rows]

    yield give
    database.close()


def test_a_message_on_a_queue_has_the_columns_that_are_read_and_no_others(columns):
    assert sorted(name for name, _, _ in columns("messages")) == sorted(MESSAGE)


@pytest.mark.parametrize("table", ["trash", "journal"])
def test_what_is_kept_of_a_message_has_the_columns_of_a_message(columns, table):
    kept = columns(table)
    messages = columns("messages")
    own = len(kept) - len(messages)
    assert kept[own] == ("seq", "INTEGER", 1)
    assert kept[own + 1 :] == messages[1:]
    assert not {name for name, _, _ in kept[:own]} & set(MESSAGE)
