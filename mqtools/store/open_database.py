"""Opening of a queue manager file: what kind of file it is, and which version of the schema it has."""

from __future__ import annotations

import os

from mqtools.configuration.read_only import check_writable
from mqtools.constants.reasons import MQRC_OBJECT_DAMAGED, MQRC_Q_MGR_NAME_ERROR, MQRC_STORAGE_MEDIUM_FULL
from mqtools.errors import StorageError
from mqtools.store.database import APPLICATION_ID, SCHEMA_VERSION, Database
from mqtools.store.log import log_mark


def open_database(path: str, *, read_only: bool = False, kind: type[Database] = Database) -> Database:
    """Open a queue manager's file. kind: of database, by its engine.

    Raises StorageError: no such file (MQRC_Q_MGR_NAME_ERROR), not one of ours or damaged
    (MQRC_OBJECT_DAMAGED), of a newer version of mqx, not readable (MQRC_NOT_AUTHORIZED).
    An older file is migrated first, after a copy was made in its folder.
    """
    if not os.path.exists(path):
        raise StorageError(f"no queue manager at {path}", MQRC_Q_MGR_NAME_ERROR)
    if not read_only:
        check_writable(path)
    if not os.path.isfile(path):
        # A named pipe would be waited for, deaf to signals.
        raise StorageError(f"{path} is not a file", MQRC_OBJECT_DAMAGED)
    database = None
    try:
        database = kind(path, read_only=read_only)
        if database.one("pragma application_id") != (APPLICATION_ID,):
            raise StorageError(f"{path}: the file is not a queue manager of mqx", MQRC_OBJECT_DAMAGED)
        (found,) = database.one("pragma user_version") or (0,)
    except BaseException as error:
        if database is not None:
            database.close()
        if not isinstance(error, StorageError) or error.reason != MQRC_STORAGE_MEDIUM_FULL:
            raise
        from mqtools.store.log import reserve

        if not reserve.lend(path):  # room for the index of the log
            raise
        return open_database(path, read_only=read_only, kind=kind)
    version = found & log_mark.SCHEMA
    try:
        if version != SCHEMA_VERSION:
            from mqtools.store.schema import migrations

            migrations.check_version(path, version, SCHEMA_VERSION)
            if read_only:
                database.close()
                migrations.migrate_for_reader(lambda: open_database(path))
                return open_database(path, read_only=True, kind=kind)
            migrations.migrate(database, version, SCHEMA_VERSION)
        database.is_ours = True
    except BaseException:
        database.close()
        raise
    return database
