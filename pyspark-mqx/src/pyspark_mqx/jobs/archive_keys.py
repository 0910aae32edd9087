"""Keys of the messages that an archive has, so that a plain archive has each message once."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Set
from typing import Any
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from mqtools.operations.archive_files import EVENT, is_uri
from pyspark_mqx.jobs.archive_files import in_parallel
from pyspark_mqx.source.object_store import file_system

#: Columns that identify a message on its queue, also after its queue manager was restored or created again.
KEY = ("qmgr", "seq", "msg_id")
_SCHEMA = pa.schema({"qmgr": pa.string(), "seq": pa.int64(), "msg_id": pa.string()})


def keys_of_archive(
    place: str, files: Iterable[str], wanted: Mapping[str, Set[str]], ends: tuple[int, int]
) -> pa.Table:
    """Return ``KEY`` of the messages in files, in the order of these columns.

    place: a folder or URI.  wanted: names of queue managers and queues.  ends: first and last of the keys.
    """
    store = file_system(place) if is_uri(place) else None

    def read(path: str) -> pa.Table:
        folders = [part.split("=", 1) for part in os.path.dirname(path).split("/") if "=" in part]
        known = {name: unquote(value) for name, value in folders if name in wanted}
        if any(value not in wanted[name] for name, value in known.items()):
            return _SCHEMA.empty_table()
        with pq.ParquetFile(store.open_input_file(path) if store is not None else path) as file:
            names = [name for name in (*wanted, "seq", "msg_id", EVENT) if name in file.schema_arrow.names]
            if not {"seq", "msg_id"} <= set(names):
                return _SCHEMA.empty_table()
            found = [_select(batch, known, wanted, ends) for batch in file.iter_batches(columns=names)]
        return pa.Table.from_batches(found, _SCHEMA)

    return pa.concat_tables([_SCHEMA.empty_table(), *in_parallel(read, files)])


def _select(
    batch: pa.RecordBatch, known: Mapping[str, str], wanted: Mapping[str, Set[str]], ends: tuple[int, int]
) -> pa.RecordBatch:
    condition = (pc.field("seq") >= ends[0]) & (pc.field("seq") <= ends[1])
    if EVENT in batch.schema.names:
        condition &= pc.field(EVENT).is_null()
    for name in batch.schema.names:
        if name in wanted:
            condition &= pc.field(name).isin(list(wanted[name]))
    rows = batch.filter(condition)
    qmgr = pa.repeat(pa.scalar(known["qmgr"]), rows.num_rows) if "qmgr" in known else rows["qmgr"]
    return pa.RecordBatch.from_arrays([qmgr.cast(pa.string()), rows["seq"], rows["msg_id"]], schema=_SCHEMA)


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
