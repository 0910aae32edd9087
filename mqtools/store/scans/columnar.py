"""Columnar scan of a file: Arrow's driver for SQLite makes arrays of a scan without an object for each value.

The driver has a SQLite of its own. Where two of them have one file open in one process, closing it in one drops the
locks of both; so ``database.py`` lets a process have a file open by one of them only, and who reads in columns does
nothing else with the file meanwhile.
"""

from __future__ import annotations

import re
from _thread import get_ident
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from adbc_driver_sqlite import dbapi

from mqtools.constants.reasons import MQRC_OBJECT_DAMAGED
from mqtools.errors import StorageError
from mqtools.store import Parameters, Row
from mqtools.store.database import BUSY_TIMEOUT_S, Database, address
from mqtools.store.failures import storage_error

if TYPE_CHECKING:
    from adbc_driver_manager.dbapi import Cursor


_NAMED = re.compile(r":(\w+)")


class ColumnarDatabase(Database):
    """A file that is only read, by the driver. Its ``all`` and ``one`` are for the few rows that a scan is planned by.

    Raises StorageError wherever ``Database`` does, with MQRC_OBJECT_DAMAGED for whatever the driver says.
    """

    __slots__ = ("_cursors",)
    engine = "arrow"

    def __init__(self, path: str, *, read_only: bool = True) -> None:
        assert read_only
        self._cursors: set[Cursor] = set()
        super().__init__(path, read_only=True)
        try:
            self.run(f"pragma busy_timeout = {int(1000 * BUSY_TIMEOUT_S)}")
        except BaseException:
            self.close()
            raise

    def all(self, statement: str, parameters: Parameters = ()) -> list[Row]:
        """Run a query and return all its rows."""
        with self._executed(statement, parameters) as cursor:
            return list(cursor.fetchall())

    def one(self, statement: str, parameters: Parameters = ()) -> Row | None:
        """Run a query and return its first row, or None."""
        with self._executed(statement, parameters) as cursor:
            return cursor.fetchone()

    def run(self, statement: str, parameters: Parameters = ()) -> int:
        """Run a statement that changes no rows, such as one that begins or ends a transaction."""
        with self._executed(statement, parameters) as cursor:
            cursor.fetchall()
        return 0

    @property
    def in_transaction(self) -> bool:
        """Return whether a transaction of this database is open."""
        return self.blocks > 0

    def _undo(self) -> None:
        with suppress(StorageError):  # the driver does not tell whether SQLite has undone it already
            super()._undo()

    def batches(self, statement: str, parameters: Parameters, rows: int) -> Iterator[pa.RecordBatch]:
        """Run a query and yield its rows in batches. rows: of a batch.

        The type of a column is that of its values in the first batch, 64 bits for integers. Where all of them are null
        and a later one is not, that is an error.
        """
        with self._executed(statement, parameters, rows) as cursor:
            yield from cursor.fetch_record_batch()

    def close(self, *, waits: bool = True) -> None:
        """Close the file, and what is still being read of it. waits: as for ``Database.close``."""
        while self._cursors:
            self._cursors.pop().close()
        super().close(waits=waits)

    def _connect(self) -> Any:
        try:
            return dbapi.connect(address(self.path), autocommit=True)
        except dbapi.Error as error:
            raise self._said(error) from error

    @contextmanager
    def _executed(self, statement: str, parameters: Parameters, rows: int = 0) -> Iterator[Cursor]:
        connection: Any = self.sql
        cursor: Cursor = connection.cursor()
        self._cursors.add(cursor)
        self.runs_in = get_ident()
        try:
            if rows:
                cursor.adbc_statement.set_options(**{"adbc.sqlite.query.batch_rows": str(rows)})
            cursor.execute(*_by_position(statement, parameters))
            yield cursor
        except (OverflowError, UnicodeEncodeError) as error:
            raise storage_error(error, self.path) from error
        except (connection.Error, pa.ArrowException, OSError) as error:
            raise self._said(error) from error
        finally:
            self.runs_in = 0
            if cursor in self._cursors:
                self._cursors.discard(cursor)
                cursor.close()

    def _said(self, error: Exception) -> StorageError:
        return StorageError(f"{self.path}: {error}", MQRC_OBJECT_DAMAGED)


def _by_position(statement: str, parameters: Parameters) -> tuple[str, Sequence[object]]:
    """Convert named parameters, including unused ones, to the positional ones of the driver."""
    if not isinstance(parameters, dict):
        return statement, parameters
    names = _NAMED.findall(statement)
    values = [parameters[name] for name in names]
    return _NAMED.sub("?", statement), [int(value) if isinstance(value, bool) else value for value in values]
