"""Creation of a queue manager's file with an empty schema."""

from __future__ import annotations

import _sqlite3 as sqlite3
import os

from mqtools.constants.reasons import MQRC_NOT_AUTHORIZED, MQRC_Q_MGR_NAME_ERROR
from mqtools.errors import StorageError
from mqtools.store.database import APPLICATION_ID, SCHEMA_VERSION, Database
from mqtools.store.failures import storage_error
from mqtools.store.log import log_mark
from mqtools.store.sql_files import read_sql

_PAGE_SIZE = 4096


def create_database(path: str) -> Database:
    """Create a queue manager file with an empty schema, readable by its owner only.

    Raises StorageError when the path exists or cannot be made.
    """
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError as error:
        raise StorageError(f"{path} already exists", MQRC_Q_MGR_NAME_ERROR) from error
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror}", MQRC_NOT_AUTHORIZED) from error
    database = Database(path)
    try:
        _make_schema(database)
        database.is_ours = True
    except BaseException:
        database.close()
        os.unlink(path)  # a half-made file would be in the way of the next attempt
        raise
    return database


def _make_schema(database: Database) -> None:
    database.run(f"pragma page_size = {_PAGE_SIZE}")
    database.run("pragma journal_mode = wal")
    try:
        database.sql.executescript(f"begin;\n{read_sql('schema.sql')}\n{read_sql('no_groups.sql')}")
    except sqlite3.Error as error:
        raise storage_error(error, database.path) from error
    database.run(f"pragma application_id = {APPLICATION_ID}")
    database.run(f"pragma user_version = {log_mark.new_mark(SCHEMA_VERSION) & ~log_mark.HAS_LOG}")
    database.run("commit")
