"""Move of archives of earlier versions, which are Parquet files, into Delta tables in the same place.

Files in the folders of a table stay where they are. Those of the oldest layout, without the folder of the queue
manager, are written again, and deleted when the table has them. A killed move has no effect: the commit decides.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from mqtools.constants.reasons import MQRC_OBJECT_IN_USE, MQRC_UNKNOWN_OBJECT_NAME
from mqtools.errors import MQError
from mqtools.operations.archive_files import ASIDE, LANDED, is_uri
from pyspark_mqx.jobs import delta
from pyspark_mqx.jobs.archive import finder, recover_runs
from pyspark_mqx.jobs.archive_files import PARTITIONS, layout_of
from pyspark_mqx.jobs.delta_target import DeltaPlace
from pyspark_mqx.jobs.durable_files import make_folders, write_json
from pyspark_mqx.jobs.output_files import PRIVATE, FolderTarget
from pyspark_mqx.source import object_store

#: How the names of files that were written again begin, and the transaction of a move.
_AGAIN, _MOVE = "moved-", "mqx-migrate"
_OPEN = f"{ASIDE}/open/"


def migrate(place: str, mode: int = PRIVATE) -> int:
    """Make an archive a Delta table; return the number of its rows, 0 where it is one.

    place: a folder or URI.  mode: permissions of files.
    Raises MQError: where there is no archive, and where a killed run has locked messages.
    """
    if not is_uri(place) and not os.path.isdir(place):
        raise MQError(f"{place}: there is no archive", MQRC_UNKNOWN_OBJECT_NAME)
    if object_store.load_table(place) is not None:
        return 0
    if not is_uri(place) and not os.path.isdir(os.path.join(place, LANDED)):
        with FolderTarget(place, mode=mode) as target:
            recover_runs(target, finder(""))
    store, names = object_store.file_system(place), object_store.names(place)
    if any(name.startswith(_OPEN) for name in names):
        raise MQError(f"{place}: a run that was killed is open: {_OPEN}", MQRC_OBJECT_IN_USE, hint="look into it there")
    files: list[delta.NewFile] = []
    schemas: list[pa.Schema] = []
    old: list[str] = []
    for name in object_store.archive_files(place):
        if posixpath.basename(name).startswith(_AGAIN):
            continue
        with pq.ParquetFile(store.open_input_file(name)) as file:
            schemas.append(file.schema_arrow)
            if layout_of(posixpath.dirname(name)) == PARTITIONS:
                files.append(_new_file(store, name, file.metadata.num_rows))
            else:
                files += _written_again(store, name, file.read())
                old.append(name)
    if not files:
        raise MQError(f"{place}: there is no archive", MQRC_UNKNOWN_OBJECT_NAME)
    _keep_notes(place, object_store.read_log(place, names), mode)
    delta.append(place, files, pa.unify_schemas(schemas), {_MOVE: 1})
    for name in old:
        store.delete_file(name)
    return sum(file.rows for file in files)


def _new_file(store: Any, name: str, rows: int) -> delta.NewFile:
    return delta.NewFile(name, store.get_file_info(name).size, rows)


def _written_again(store: Any, name: str, table: pa.Table) -> Iterator[delta.NewFile]:
    """Write the rows of a file into the folders of their queue managers."""
    folders = [part for part in posixpath.dirname(name).split("/") if part.partition("=")[0] in PARTITIONS]
    for qmgr in pc.unique(table["qmgr"]).to_pylist():
        path = "/".join((f"qmgr={quote(qmgr, safe=' ')}", *folders, f"{_AGAIN}{posixpath.basename(name)}"))
        rows = table.filter(pc.field("qmgr") == qmgr).drop_columns("qmgr")
        with store.open_output_stream(path) as sink:
            pq.write_table(rows, sink, store_schema=False)
        yield _new_file(store, path, rows.num_rows)


def _keep_notes(place: str, entries: list[dict[str, Any]], mode: int) -> None:
    """Keep the records of events, which an archive at a URI had in its log, where a table has them."""
    aside = os.path.join(DeltaPlace(place).folder, ASIDE)
    for name, note in {name: note for entry in entries for name, note in entry.get("notes", {}).items()}.items():
        make_folders(aside, mode)
        write_json(os.path.join(aside, f"{name}.json"), note, mode)
