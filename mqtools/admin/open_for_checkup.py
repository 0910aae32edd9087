"""Opening of a queue manager's file for a check-up, which leaves the log as it was found."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress

from mqtools.configuration.locate import find
from mqtools.configuration.protection import check_change
from mqtools.errors import StorageError
from mqtools.mqi.authority import check_manager
from mqtools.store.database import Database as Database
from mqtools.store.maintenance import checkup
from mqtools.store.open_database import open_database


@contextmanager
def open_for_checkup(q_mgr_name: str | None, *, accepts_missing_log: bool = False) -> Iterator[Database]:
    """Yield the database of a queue manager, read-only; close it without moving a log that was there into the file.

    accepts_missing_log: mark a file that lacks its log as complete first. Raises MQError, OSError.
    """
    path = find(q_mgr_name)
    if accepts_missing_log:
        check_change(path)
        checkup.accept_missing_log(path)
    with closing(open_database(path, read_only=True)) as database:
        database.finishes_log = not checkup.log_size(database)
        with suppress(StorageError):  # a damaged file: the check-up reports it
            check_manager(database, "DSP")
        yield database
