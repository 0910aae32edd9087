"""Compaction and retention of archives that are Delta tables, by ``deltalake``."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta

import pyarrow as pa
import pyarrow.compute as pc
from deltalake import DeltaTable

from mqtools.constants.reasons import MQRC_UNEXPECTED_ERROR, MQRC_UNKNOWN_OBJECT_NAME
from mqtools.errors import MQError
from mqtools.operations.archive_files import is_uri
from pyspark_mqx.source.object_store import check_scheme, errors_of, load_table

#: Bytes of a compacted file. Hours that an unused file stays on disk: a week.
_SIZE, KEPT_HOURS = 256_000_000, 168


def compact(place: str, *, keep_hours: int = KEPT_HOURS) -> dict[str, object]:
    """Join the small files of a table, in each partition; return how many, and how many were written and deleted.

    place: a folder or URI.  keep_hours: files of earlier versions are kept so long, for readers of these.
    Raises MQError.
    """
    table = _table(place)
    with errors_of(place):
        done = table.optimize.compact(target_size=_SIZE)
        deleted = _delete_unused(table, keep_hours)
    return {"joined": done["numFilesRemoved"], "written": done["numFilesAdded"], "deleted": deleted}


def expire(place: str, older_s: float, *, keep_hours: int = KEPT_HOURS, is_dry: bool = False) -> dict[str, object]:
    """Remove the days of a table that ended longer ago than a time; return how many rows and files, and deleted files.

    older_s: in seconds.  keep_hours: as for ``compact``.  Raises MQError.
    """
    table = _table(place)
    if "put_day" not in table.metadata().partition_columns:
        raise MQError(f"{place}: the table is not an archive: it has no partitions by put_day", MQRC_UNEXPECTED_ERROR)
    first_kept = (datetime.now(UTC) - timedelta(seconds=older_s)).date().isoformat()
    actions = pa.table(table.get_add_actions(flatten=True))
    days, rows = (actions.column(name) for name in ("partition.put_day", "num_records"))
    old = pc.less(days.cast(pa.string()), first_kept)
    files = pc.sum(old).as_py() or 0
    number = pc.sum(rows.filter(old)).as_py() or 0
    deleted = 0
    with errors_of(place):
        if files and not is_dry:
            table.delete(f"put_day < '{first_kept}'")
        if not is_dry:
            deleted = _delete_unused(table, keep_hours)
    return {"removed": number, "files": files, "deleted": deleted}


def _table(place: str) -> DeltaTable:
    if is_uri(place):
        check_scheme(place)
    if (table := load_table(place)) is None:
        text = f"{place}: there is no Delta table"
        hint = f"mqx pipeline migrate {place}" if is_uri(place) or os.path.isdir(place) else None
        raise MQError(text, MQRC_UNKNOWN_OBJECT_NAME, hint=hint)
    for above, names, _ in os.walk(place):
        for path in (os.path.join(above, name) for name in names):
            if os.path.islink(path):
                raise MQError(f"{path} is a link: files behind it could be deleted", MQRC_UNEXPECTED_ERROR)
    return table


def _delete_unused(table: DeltaTable, keep_hours: int) -> int:
    """Delete files that the table has not had for some hours; return their number."""
    os.sync()  # what replaces them has to be on disk
    found = table.vacuum(keep_hours, dry_run=False, enforce_retention_duration=False)
    return len(found)
