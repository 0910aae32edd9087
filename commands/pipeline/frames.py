"""Sources and targets of Spark jobs: queues, archives, result folders."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from mqtools.errors import MQError
from mqtools.pipeline.jobs.output_files import ASIDE, result_files
from mqtools.pipeline.source.ranges import plan
from mqtools.pipeline.source.read_options import Options

from ..shared.command_session import Session, UsageError

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from pyspark.sql import Column, DataFrame, SparkSession

    from .quarantine import QuarantineSummary

#: Columns by which an archive is known, and what to say where they are not there.
_OF_AN_ARCHIVE = ("msg_id", "msg_type")
_ARCHIVES = "mqx pipeline archive --to DIR creates an archive"

#: Events of a journal by which a message comes, and by which a dead letter does. One that is moved has come before.
CAME = ("put", "report", "channel_receive")
CAME_DEAD = (*CAME, "dead_letter")

#: What a program could get, and all that has been put.
FREE = ("unlocked",)
COMMITTED = ("unlocked", "locked_for_browse", "get_unconfirmed", "browse_get_unconfirmed")


def is_folder(word: str) -> bool:
    """Return whether a word names an archive (a path with a slash) and not a queue."""
    return "/" in word


def check_source(session: Session, word: str, aside: QuarantineSummary) -> None:
    """Raise UsageError or MQError for an invalid source, before Spark starts."""
    if is_folder(word):
        check_folder(word, aside)
        return
    session.about(word)
    try:
        plan(Options.parse({"qmgr": session.qmgr or "", "queue": word, **aside.options}))
    except MQError as error:
        if not os.path.isdir(word):
            raise
        hint = f"for the folder of this name: {word}/"
        raise MQError(error.text, error.reason, hint=hint) from error


def check_folder(path: str, aside: QuarantineSummary) -> set[str]:
    """Return the columns of an archive. Raise UsageError for no archive, or for a file that cannot be read.

    With a quarantine such a file is left out; then each file is read to its end, as only that finds all damage.
    """
    if not os.path.isdir(path):
        raise UsageError(f"{path}: no such folder", _ARCHIVES)
    if next(parquet_files(path), None) is None and not os.path.isdir(os.path.join(path, ASIDE)):
        raise UsageError(f"{path}: no Parquet files in this folder", _ARCHIVES)
    columns: set[str] = set()
    for file in parquet_files(path):
        try:
            names = column_names(file, is_read=aside.folder is not None)
        except UsageError as error:
            aside.leave_out(file, error)
            continue
        missing = [name for name in _OF_AN_ARCHIVE if name not in names]
        if missing:
            raise UsageError(f"{path}: not an archive of messages: {file} has no column {missing[0]}", _ARCHIVES)
        columns.update(names)
    return columns


def parquet_files(path: str) -> Iterator[str]:
    """Return the Parquet files of a folder that Spark would read; for a file itself."""
    if not os.path.isdir(path):
        yield path
    for folder, folders, names in os.walk(path):
        folders[:] = [name for name in folders if not name.startswith(("_", "."))]
        yield from (os.path.join(folder, name) for name in names if name.endswith(".parquet"))


def column_names(file: str, *, is_read: bool = False) -> list[str]:
    """Return the columns of a Parquet file. is_read: read all of it.

    Raise UsageError for a file that cannot be read or is not Parquet.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(file) as opened:
            for _ in opened.iter_batches() if is_read else ():
                pass
            names: list[str] = opened.schema_arrow.names
    except PermissionError as error:
        raise UsageError(f"{file}: {error.strerror}") from error
    except (pa.ArrowException, OSError) as error:
        raise UsageError(f"{file}: not a Parquet file, or incomplete") from error
    return names


def spark_path(path: str) -> str:
    """Return a path escaped so that Spark does not read it as a pattern."""
    return "".join(f"\\{sign}" if sign in "\\{}[]*?" else sign for sign in os.path.abspath(path))


def rows_in(path: str, aside: QuarantineSummary) -> int:
    """Return the number of rows of an archive from the metadata of its files."""
    import pyarrow.parquet as pq

    return sum(pq.read_metadata(file).num_rows for file in _readable_files(path, aside))


def _readable_files(path: str, aside: QuarantineSummary) -> list[str]:
    """Return the files of an archive that are not left out."""
    return [file for file in map(os.path.abspath, parquet_files(path)) if file not in aside.left_out]


def check_target(path: str) -> None:
    """Raise UsageError for a folder that a result cannot be written to, or that is an archive."""
    check_writable(path)
    if os.path.isdir(path) and any(name.startswith("queue=") for name in os.listdir(path)):
        raise UsageError(f"--to {path}: the folder has an archive; use another one for results")


def check_writable(path: str) -> None:
    """Raise UsageError for a folder that cannot be created or written."""
    there = os.path.abspath(path)
    while not os.path.lexists(there):
        there = os.path.dirname(there)
    if not os.path.isdir(there):
        raise UsageError(f"--to {path}: {there} is not a folder")
    if not os.access(there, os.W_OK | os.X_OK):
        raise UsageError(f"--to {path}: {there} is not writable")


def check_outputs(folder: str | None, page: str | None) -> None:
    """Raise UsageError for places that a result or a page cannot be written to."""
    if folder is not None:
        check_target(folder)
    if page is not None and not os.path.isdir(os.path.dirname(page) or "."):
        raise UsageError(f"--html {page}: no such folder")
    if page is not None and os.path.isdir(page):
        raise UsageError(f"--html {page}: is a folder")


def frame_of(
    spark: SparkSession,
    session: Session,
    word: str,
    names: Sequence[str],
    states: Sequence[str] = FREE,
    which: Column | None = None,
    came: Sequence[str] = CAME,
    *,
    aside: QuarantineSummary,
) -> DataFrame:
    """Return columns of the messages of a queue, in some states, or of an archive; ``which`` names the option.

    came: of a journal, the events by which messages arrive; each message once, unless the event is among the columns.
    A queue is read once, however often the job uses it: a second read would find other messages.
    aside: for records that cannot be read.
    """
    from mqtools.pipeline.jobs.archive import read_archive, source

    if is_folder(word):
        wanted = tuple(dict.fromkeys((*names, "event")))
        if aside.left_out:
            files = [*map(spark_path, _readable_files(word, aside))]
            found = read_archive(spark, os.path.abspath(word), wanted, files)
        else:
            found = read_archive(spark, spark_path(word), wanted)
        if "event" not in names:
            found = found.where(found.event.isNull() | found.event.isin(*came)).drop("event")
        return found if which is None else found.where(which)
    where: dict[str, Any] = {"qmgr": session.qmgr or "", "queue": word, **aside.options}
    found = source(spark, list(names), **where)
    found = found.where(found.state.isin(*states))
    return (found if which is None else found.where(which)).cache()


def write_result(frame: DataFrame, folder: str) -> int:
    """Write a result as Parquet into a folder, replacing the previous one; return the number of rows."""
    from mqtools.pipeline.jobs.output_files import replace_result

    return replace_result(folder, frame.write.parquet)


def counts_by(frame: DataFrame, name: str) -> dict[str, int]:
    """Return row counts by the values of a column, the most frequent first."""
    return sort_counts({row[0]: int(row[1]) for row in frame.groupBy(name).count().collect()})


def sort_counts(counted: Mapping[object, int]) -> dict[str, int]:
    """Return counts by the texts of values, the largest first."""
    found = sorted(counted.items(), key=lambda one: (-one[1], str(one[0])))
    return {"none" if value is None else str(value): number for value, number in found}


def count_result(folder: str, *names: str) -> Counter[tuple[object, ...]]:
    """Return row counts of a result by the values of columns, without Spark: the files are local."""
    from collections import Counter

    import pyarrow as pa
    from pyarrow import dataset

    counted: Counter[tuple[object, ...]] = Counter()
    files = result_files(folder)
    if not files:
        return counted
    for batch in dataset.dataset(files).to_batches(columns=list(names)):
        rows = pa.Table.from_batches([batch]).group_by(list(names)).aggregate([([], "count_all")]).to_pylist()
        for row in rows:
            counted[tuple(row[name] for name in names)] += row["count_all"]
    return counted
