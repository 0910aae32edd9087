"""One bell for all threads of a connection: whoever takes its rings passes them on."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from select import select
from threading import RLock

import pytest

from mqtools.bindings.shared_connections import SharedPresence
from mqtools.store.creation import create_database
from mqtools.store.database import Database
from mqtools.store.liveness import ring


class Overtaken:
    """A lock that somebody else has as soon as it is given up."""

    def __init__(self, then):
        self.then = then

    def release(self):
        self.then()

    def acquire(self):
        return True

    def __enter__(self):
        return self.acquire()

    def __exit__(self, *_):
        return None


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = create_database(str(tmp_path / "QM.db"))
    yield database
    database.close()


def test_a_disconnect_ends_a_wait_that_is_about_to_begin(database):
    presence = SharedPresence(database, Overtaken(lambda: presence.close()))
    presence.listen()
    assert presence.wait(None)


def test_who_takes_a_ring_passes_it_on_to_the_others_that_wait(database):
    lock = RLock()
    presence = SharedPresence(database, lock)
    presence.listen()
    reader, writer = os.pipe()
    presence._others.add(writer)  # another thread that waits
    with lock:
        assert not presence.wait(0)
        assert select([reader], [], [], 0)[0] == []
        ring(database.run_folder, presence.token)
        assert presence.wait(5)
    assert select([reader], [], [], 0)[0] == [reader]
    presence.close()
