"""The file of a queue manager, empty or with two queues, and what it is open as; a disk that fails."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from mqtools.admin import queue_managers
from mqtools.mqi.connection import Connection, connect
from mqtools.mqi.objects.definitions import define_queue
from mqtools.store.creation import create_database
from mqtools.store.database import Database
from mqtools.store.open_database import open_database

from ..copied import copy_of


@contextmanager
def no_file_longer_than(length: int) -> Iterator[None]:
    """Let nothing be written beyond so many bytes of a file."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (length, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def _create_empty(path: str) -> None:
    create_database(path).close()


@pytest.fixture
def path(tmp_path: Path) -> str:
    """A file with an empty schema, closed."""
    return copy_of(_create_empty, str(tmp_path / "QM1.db"))


@pytest.fixture
def database(path: str) -> Iterator[Database]:
    database = open_database(path)
    yield database
    database.close()


def _create(path: str) -> None:
    queue_managers.create(path)
    with connect(path) as connection, connection.work() as work:
        define_queue(work, "QLOCAL", "Q", {})
        define_queue(work, "QLOCAL", "R", {})


@pytest.fixture
def qmgr(tmp_path: Path) -> str:
    """A queue manager with the queues Q and R."""
    return copy_of(_create, str(tmp_path / "QM2.db"))


@pytest.fixture
def connection(qmgr: str) -> Iterator[Connection]:
    connection = connect(qmgr)
    yield connection
    connection.disconnect()
