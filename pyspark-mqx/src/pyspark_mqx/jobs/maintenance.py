"""Compaction and retention of archives that are Delta tables, by ``deltalake``."""

from __future__ import annotations

import os
from dataclasses import dataclass
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


@dataclass(slots=True, frozen=True)
class Maintained:
    """What maintenance did. files: that the table no longer has.  added: written in their place.  rows: removed.

    deleted: files of earlier versions that were deleted from the disk or store.
    """

    files: int
    added: int
    rows: int
    deleted: int


def compact(place: str, *, keep_hours: int = KEPT_HOURS) -> Maintained:
    """Join the small files of a table, in each partition. place: a folder or URI.  Raises MQError."""
    table = _table(place)
    with errors_of(place):
        done = table.optimize.compact(target_size=_SIZE)
        return Maintained(done["numFilesRemoved"], done["numFilesAdded"], 0, _delete_unused(table, keep_hours))


def expire(place: str, older_s: float, *, keep_hours: int = KEPT_HOURS, is_dry: bool = False) -> Maintained:
    """Remove the days of a table that ended longer ago than a time. older_s: in seconds.  Raises MQError.

    keep_hours: files of earlier versions are kept so long, for readers of these.
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
    if is_dry:
        return Maintained(files, 0, number, 0)
    with errors_of(place):
        if files:
            table.delete(f"put_day < '{first_kept}'")
        return Maintained(files, 0, number, _delete_unused(table, keep_hours))


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
