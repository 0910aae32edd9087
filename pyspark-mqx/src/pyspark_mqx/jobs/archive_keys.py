"""Keys of the messages that an archive has, so that a plain archive has each message once."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Set
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from mqtools.operations.archive_files import EVENT, is_uri
from pyspark_mqx.jobs.archive_files import PARTITIONS
from pyspark_mqx.source.object_store import errors_of, file_system

#: Columns that identify a message on its queue, also after its queue manager was restored or created again.
KEY = ("qmgr", "seq", "msg_id")
_TEXTS = ("qmgr", "queue", "msg_id", EVENT)
_SCHEMA = pa.schema([("seq", pa.int64()), *((name, pa.string()) for name in _TEXTS)])
#: The columns that folders may have. Other Parquet files have some of them in their rows.
_FOLDERS = ds.partitioning(pa.schema([(name, pa.string()) for name in PARTITIONS]), flavor="hive")


def keys_of_archive(
    place: str, files: Iterable[str], wanted: Mapping[str, Set[str]], ends: tuple[int, int]
) -> pa.Table:
    """Return ``KEY`` of the messages in files, in the order of these columns. Other Parquet files add nothing.

    place: a folder or URI.  wanted: names of queue managers and queues.  ends: first and last of the keys.
    Raises MQError: for a file with a column of another type.
    """
    condition = (ds.field("seq") >= ends[0]) & (ds.field("seq") <= ends[1]) & ds.field(EVENT).is_null()
    for name, values in wanted.items():
        condition &= ds.field(name).isin(list(values))
    store = file_system(place) if is_uri(place) else None
    base = "" if store else os.path.abspath(place)  # a folder above the archive can be called qmgr=NAME too
    found = ds.dataset(
        list(files), _SCHEMA, "parquet", filesystem=store, partitioning=_FOLDERS, partition_base_dir=base
    )
    with errors_of(place):
        return found.to_table(list(KEY), filter=condition & ds.field("msg_id").is_valid())


def write_keys(known: pa.Table, path: str) -> str:
    """Write keys into a file for tasks; return its path."""
    with pa.ipc.new_file(path, known.schema) as file:
        file.write_table(known)
    return path


def without_keys(batches: Iterable[pa.RecordBatch], path: str) -> Iterator[pa.RecordBatch]:
    """Yield the messages whose keys are not in a file."""
    with pa.memory_map(path) as source:
        known = pa.ipc.open_file(source).read_all()
        for batch in batches:
            ends = pc.min_max(batch["seq"])
            near = known.filter((pc.field("seq") >= ends["min"]) & (pc.field("seq") <= ends["max"]))
            yield batch.filter(pc.invert(pc.is_in(_joined(batch), _joined(near).combine_chunks())))


def _joined(rows: Any) -> Any:
    return pc.binary_join_element_wise(*(rows[name].cast(pa.string()) for name in KEY), "/")
