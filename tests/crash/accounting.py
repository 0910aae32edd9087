"""Accounts of a file after a crash: the messages on its queues, and whether the file is sound."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from mqtools.admin.open_for_checkup import open_for_checkup
from mqtools.constants.options import MQOO_BROWSE
from mqtools.errors import NoMessageAvailable, StorageError
from mqtools.mqi import recovery
from mqtools.mqi.connection import Connection, connect

from ..rows import assert_counters

_BROWSE_NEXT = 0x20


def bodies(connection: Connection, q_name: str) -> list[str]:
    """Return the data of the messages of a queue that can be got, in order."""
    found = []
    with connection.open(q_name, MQOO_BROWSE) as handle:
        while True:
            try:
                found.append(handle.get(_BROWSE_NEXT).message.data.decode())
            except NoMessageAvailable:
                return found


def connect_without_log(path: str) -> Connection:
    """Connect to a file that may lack its log, as after ``mqx doctor --accept-missing-log``."""
    try:
        return connect(path)
    except StorageError:
        with open_for_checkup(path, accepts_missing_log=True):
            pass
        return connect(path)


def take_stock(path: str, connect: Callable[[str], Connection] = connect) -> dict[str, list[str]]:
    """Return the data of the messages of each queue. Fails where the file is damaged or its counters are wrong."""
    with connect(path) as connection:
        with connection.work() as work:
            recovery.recover(work)  # what a process held that is gone
        found = {name: bodies(connection, name) for name in ("Q", "R")}
        assert connection.db.all("pragma integrity_check") == [("ok",)]
        assert_counters(connection)
    for name, texts in found.items():
        assert max(Counter(texts).values(), default=1) == 1, f"doubled on {name}"
    return found
