"""Transactions on the file of a queue manager: what they undo, and what a block of queries sees."""

from __future__ import annotations

from contextlib import suppress
from functools import partial

import pytest

from mqtools.constants.options import MQOO_INPUT_SHARED
from mqtools.errors import StorageError
from mqtools.message import Message
from mqtools.mqi.connection import connect
from mqtools.store.database import Database
from mqtools.store.open_database import open_database


def test_an_exception_undoes_a_transaction(database):
    with pytest.raises(ZeroDivisionError), database.writing():
        print(database.run("insert into waiters values (1, 1, 1, null, null, x'00')") / 0)
    assert not database.in_transaction
    assert database.all("select * from waiters") == []


def test_a_transaction_inside_another_is_part_of_it(path, database):
    other = open_database(path)
    with database.writing():
        with database.writing():
            database.run("insert into waiters values (1, 1, 1, null, null, x'00')")
        assert other.all("select count(*) from waiters") == [(0,)]
    assert other.all("select count(*) from waiters") == [(1,)]
    other.close()


def test_a_transaction_inside_another_is_undone_alone_and_keeps_what_was_counted_before(qmgr):
    """What is counted in memory is part of it, whether it has been written meanwhile or not."""
    with connect(qmgr) as connection:
        put, fail = partial(connection.put1, "Q"), OSError("no")
        for writes in (False, True):
            before = depth_of(connection.db)
            with connection.work():
                put(Message(b"before"))
                with suppress(OSError), connection.db.writing():
                    put(Message(b"undone"))
                    if writes:
                        depth_of(connection.db)
                    raise fail
                with connection.db.writing():
                    put(Message(b"after"))
            assert depth_of(connection.db) == before + 2
        with connection.open("Q", MQOO_INPUT_SHARED) as handle:
            assert [handle.get().message.data for _ in range(4)] == [b"before", b"after"] * 2


def depth_of(database: Database) -> int:
    return int(database.all("select depth from queue_status join queues on id = queue_id where name = 'Q'")[0][0])


def test_a_block_of_queries_sees_one_state(path, database):
    other = open_database(path)
    with database.reading():
        assert database.all("select count(*) from waiters") == [(0,)]
        with other.writing():
            other.run("insert into waiters values (1, 1, 1, null, null, x'00')")
        assert database.all("select count(*) from waiters") == [(0,)]
    assert database.all("select count(*) from waiters") == [(1,)]
    other.close()


def test_the_writer_s_turn_is_given_up_after_an_error(path, database):
    with pytest.raises(StorageError), database.writing():
        database.run("insert into none values (1)")
    other = open_database(path)
    with other.writing():
        other.run("insert into waiters values (1, 1, 1, null, null, x'00')")
    other.close()
