"""A file read in columns: blocks of queries, and that a process has it open in one way only."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mqtools.errors import StorageError
from mqtools.store.database import Database
from mqtools.store.open_database import open_database
from mqtools.store.scans import columnar
from mqtools.store.scans.columnar import ColumnarDatabase
from mqtools.store.scans.scan import Snapshot

pytest.importorskip("adbc_driver_sqlite")


@pytest.fixture
def db(path: str) -> Iterator[Database]:
    database = open_database(path, read_only=True, kind=ColumnarDatabase)
    yield database
    database.close()


@pytest.mark.parametrize("block", [Database.reading, Snapshot])
def test_one_block_of_queries_follows_another_however_it_ended(db, block):
    with pytest.raises(ZeroDivisionError), block(db):
        print(1 / 0)
    for _ in range(2):
        with block(db):
            assert db.in_transaction
            assert db.one("select count(*) from messages") == (0,)
        assert not db.in_transaction


def test_a_file_that_could_not_be_opened_is_open_in_no_way(path, monkeypatch):
    monkeypatch.setattr(columnar, "BUSY_TIMEOUT_S", "nothing")
    with pytest.raises((StorageError, ValueError)):
        ColumnarDatabase(path)
    assert not Database.is_open(path)
    open_database(path).close()
