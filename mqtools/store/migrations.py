"""From an older schema to the present one: one step a version, after a copy of the file was made."""

from __future__ import annotations

import os
import sqlite3

from mqtools.constants.reasons import MQRC_NOT_AUTHORIZED, MQRC_OBJECT_DAMAGED
from mqtools.errors import StorageError
from mqtools.store.database import SCHEMA_VERSION, Database
from mqtools.store.failures import storage_error

#: The statements that lead to version 2: what a connection has read of definitions has a version.
_COUNT_DEFINITIONS = """
create table definitions (id integer primary key check (id = 1), version integer not null) strict;
insert into definitions values (1, 1);
create trigger queues_made after insert on queues begin update definitions set version = version + 1; end;
create trigger queues_altered after update on queues begin update definitions set version = version + 1; end;
create trigger queues_deleted after delete on queues begin update definitions set version = version + 1; end;
create trigger qmgr_made after insert on qmgr begin update definitions set version = version + 1; end;
create trigger qmgr_altered after update on qmgr begin update definitions set version = version + 1; end;
"""

#: Version to the statements that lead to the next one, each on a line. A version not listed cannot be migrated.
STEPS: dict[int, str] = {1: _COUNT_DEFINITIONS}


def migrate(database: Database, version: int, steps: dict[int, str] = STEPS, target: int = SCHEMA_VERSION) -> None:
    """Bring a file to the target version in one transaction; a copy stays beside it.

    A database that only reads is as good: the file is written by another one.
    Raises StorageError when the file is newer than this mqx, too old, or cannot be written; nothing is changed then.
    """
    if version > target:
        raise StorageError(
            f"{database.path}: made by a newer mqx (schema {version}, this one knows {target})", MQRC_OBJECT_DAMAGED
        )
    if any(step not in steps for step in range(version, target)):
        raise StorageError(f"{database.path}: schema {version} cannot be migrated", MQRC_OBJECT_DAMAGED)
    if database.read_only:
        writer = Database(database.path)
        try:
            migrate(writer, version, steps, target)
        finally:
            writer.close()
        return
    with database.writing():
        row = database.one("pragma user_version")
        found = target if row is None else row[0]
        if found >= target:
            return  # another process was faster: its copy must not be replaced by one of the new file
        back_up(database, f"{database.path}.v{found}.bak")
        for step in range(found, target):
            for statement in steps[step].split(";\n"):
                database.run(statement)
        database.run(f"pragma user_version = {int(target)}")
    database.sync()


def back_up(database: Database, path: str) -> None:
    """Copy all that is committed at this moment to a new path, readable by its owner only."""
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror}", MQRC_NOT_AUTHORIZED) from error
    source = Database(database.path, read_only=True)  # a connection that writes cannot be copied from
    try:
        copy = sqlite3.connect(path)
        try:
            source._sql.backup(copy)
        finally:
            copy.close()
    except sqlite3.Error as error:
        raise storage_error(error, path) from error
    finally:
        source.close()
