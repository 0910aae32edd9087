"""Delta tables by ``deltalake``: files that a run has written become rows in one commit, once by transaction.

A repeated application transaction is not refused by ``deltalake``. So a commit is made to the snapshot in which the
transaction was looked for, without retries: where another commit comes first, it fails, and a newer snapshot decides.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

import pyarrow as pa
from deltalake import DeltaTable, Schema
from deltalake.exceptions import CommitFailedError, DeltaError
from deltalake.transaction import AddAction, CommitProperties, RemoveAction, Transaction

from mqtools.constants.reasons import (
    MQRC_FUNCTION_NOT_SUPPORTED,
    MQRC_OBJECT_CHANGED,
    MQRC_OBJECT_IN_USE,
    MQRC_UNEXPECTED_ERROR,
)
from mqtools.errors import MQError
from pyspark_mqx.jobs.archive_files import PARTITIONS
from pyspark_mqx.source.object_store import is_conflict, load_table, words_of

#: Commits that are tried where others come first, and the longest pause between two, in seconds.
_ATTEMPTS, _PAUSE_S = 100, 0.5
#: The folder of Hive for a value that is null.
_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
_KINDS = (pa.string(), pa.string(), pa.date32())


@dataclass(slots=True, frozen=True)
class NewFile:
    """A Parquet file for a table. path: below the table, in its partition folders.  size: in bytes."""

    path: str
    size: int
    rows: int

    @property
    def action(self) -> AddAction:
        """Return the action that adds the file."""
        parts = dict(part.split("=", 1) for part in self.path.split("/")[:-1] if "=" in part)
        values = {name: None if parts[name] == _NO_VALUE else unquote(parts[name]) for name in PARTITIONS}
        stats = json.dumps({"numRecords": self.rows})
        return AddAction(self.path, self.size, values, int(time.time() * 1000), True, stats)


def transaction(uri: str, name: str) -> int:
    """Return the number of the last transaction of a name in a table, -1 if there is none."""
    table = load_table(uri)
    return -1 if table is None else _number(table, name)


def _number(table: DeltaTable, name: str) -> int:
    found = table.transaction_version(name)
    return -1 if found is None else found


def append(uri: str, files: Iterable[NewFile], columns: pa.Schema, transactions: Mapping[str, int]) -> int | None:
    """Add files to a table in one commit, unless it has the transactions; return its version, None if it has them.

    The table is created if necessary, and gets the columns that it lacks. columns: of the files.  transactions: name to
    number, which grows with each append of that name.
    Raises MQError: MQRC_OBJECT_CHANGED for a column of another type or other partitions; MQRC_OBJECT_IN_USE where other
    commits come first too often.
    """
    schema = _table_schema(columns)
    actions: list[AddAction | RemoveAction] = [file.action for file in files]
    once = [Transaction(name, number) for name, number in transactions.items()]
    properties = CommitProperties(app_transactions=once, max_commit_retries=0)
    for _ in range(_ATTEMPTS):
        try:
            table = load_table(uri) or DeltaTable.create(uri, schema, mode="ignore", partition_by=[*PARTITIONS])
            if all(_number(table, name) >= number for name, number in transactions.items()):
                return None
            _add_columns(table, schema, uri)
            table.create_write_transaction(
                actions, "append", table.schema(), list(PARTITIONS), commit_properties=properties
            )
        except CommitFailedError as error:
            if not is_conflict(error):
                raise MQError(f"{uri}: {words_of(error)}", MQRC_UNEXPECTED_ERROR) from error
            time.sleep(random.uniform(0, _PAUSE_S))
        except DeltaError as error:
            raise MQError(f"{uri}: {error}", MQRC_FUNCTION_NOT_SUPPORTED, hint="--writer spark") from error
        else:
            return table.version() + 1
    text = f"{uri}: other writers committed first {_ATTEMPTS} times"
    raise MQError(text, MQRC_OBJECT_IN_USE, hint="run the command again: the files are complete, and are added then")


def _table_schema(columns: pa.Schema) -> pa.Schema:
    """Return the schema of a table with files of these columns."""
    own = [field.with_nullable(True) for field in columns if field.name not in PARTITIONS]
    return pa.schema([*own, *map(pa.field, PARTITIONS, _KINDS)])


def _add_columns(table: DeltaTable, schema: pa.Schema, uri: str) -> None:
    """Add the columns that a table lacks. Raises MQError for a column of another type, and other partitions."""
    wanted: dict[str, Any] = {field.name: field for field in Schema.from_arrow(schema).fields}
    there: dict[str, Any] = {field.name: field for field in table.schema().fields}
    if table.metadata().partition_columns != list(PARTITIONS):
        text = f"{uri}: the partitions of the table are not {', '.join(PARTITIONS)}"
        raise MQError(text, MQRC_OBJECT_CHANGED, hint="--writer spark keeps the partitions of a table")
    for name in wanted.keys() & there.keys():
        if wanted[name].type != there[name].type:
            text = f"{uri}: column {name} of the table has type {there[name].type}, not {wanted[name].type}"
            raise MQError(text, MQRC_OBJECT_CHANGED, hint="--writer spark converts to the types of a table")
    if new := [field for name, field in wanted.items() if name not in there]:
        table.alter.add_columns(new)
        table.update_incremental()
