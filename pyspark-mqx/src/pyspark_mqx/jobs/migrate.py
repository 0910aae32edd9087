"""Move of archives of earlier versions, which are Parquet files, into Delta tables in the same place.

The files stay where they are. A killed move has no effect: the commit decides.
"""

from __future__ import annotations

import os
import posixpath
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from mqtools.constants.reasons import MQRC_OBJECT_IN_USE, MQRC_OBJECT_TYPE_ERROR, MQRC_UNKNOWN_OBJECT_NAME
from mqtools.errors import MQError
from mqtools.operations.archive_files import ASIDE, LANDED, is_uri
from pyspark_mqx.jobs import delta
from pyspark_mqx.jobs.archive import finder, recover_runs
from pyspark_mqx.jobs.archive_files import PARTITIONS, layout_of
from pyspark_mqx.jobs.delta_target import DeltaPlace
from pyspark_mqx.jobs.durable_files import make_folders, write_json
from pyspark_mqx.jobs.output_files import PRIVATE, FolderTarget
from pyspark_mqx.source import object_store

#: The transaction of a move.
_MOVE = "mqx-migrate"
_OPEN = f"{ASIDE}/open/"


def migrate(place: str, mode: int = PRIVATE) -> int:
    """Make an archive a Delta table; return the number of its rows, 0 where it is one.

    place: a folder or URI.  mode: permissions of files.
    Raises MQError: where there is no archive, for files in other folders, and where a killed run has locked messages.
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
    for name in object_store.archive_files(place):
        if layout_of(posixpath.dirname(name)) != PARTITIONS:
            text = f"{place}/{name}: not in folders {', '.join(PARTITIONS)}"
            hint = "--from reads such files where they are; mqx pipeline load puts their messages on a queue"
            raise MQError(text, MQRC_OBJECT_TYPE_ERROR, hint=hint)
        with pq.ParquetFile(store.open_input_file(name)) as file:
            schemas.append(file.schema_arrow)
            files.append(delta.NewFile(name, store.get_file_info(name).size, file.metadata.num_rows))
    if not files:
        raise MQError(f"{place}: there is no archive", MQRC_UNKNOWN_OBJECT_NAME)
    _keep_notes(place, object_store.read_log(place, names), mode)
    delta.append(place, files, pa.unify_schemas(schemas), {_MOVE: 1})
    return sum(file.rows for file in files)


def _keep_notes(place: str, entries: list[dict[str, Any]], mode: int) -> None:
    """Keep the records of events, which an archive at a URI had in its log, where a table has them."""
    aside = os.path.join(DeltaPlace(place).folder, ASIDE)
    for name, note in {name: note for entry in entries for name, note in entry.get("notes", {}).items()}.items():
        make_folders(aside, mode)
        write_json(os.path.join(aside, f"{name}.json"), note, mode)
