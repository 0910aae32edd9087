"""Where the frames of a job come from, and where its result goes: queues, archives, folders."""

from __future__ import annotations

import os

from mqtools.errors import MQError
from mqtools.pipeline.jobs.output_files import ASIDE, result_files
from mqtools.pipeline.source.ranges import plan
from mqtools.pipeline.source.read_options import Options

from ..shared.command_session import Session, UsageMistake

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from pyspark.sql import Column, DataFrame, SparkSession

    from .quarantine import QuarantineSummary

#: Columns by which an archive is known, and what to say where they are not there.
_OF_AN_ARCHIVE = ("msg_id", "msg_type")
_ARCHIVES = "mqx pipeline archive --to DIR makes an archive"

#: Events of a journal by which a message comes, and by which a dead letter does. One that is moved has come before.
CAME = ("put", "report", "channel_receive")
CAME_DEAD = (*CAME, "dead_letter")

#: What a program could get, and all that has been put.
FREE = ("unlocked",)
COMMITTED = ("unlocked", "locked_for_browse", "get_unconfirmed", "browse_get_unconfirmed")


def is_folder(word: str) -> bool:
    """Tell whether a word is an archive: a path with a slash; anything else is a queue."""
    return "/" in word


def check_source(session: Session, word: str, aside: QuarantineSummary) -> None:
    """Say at once what is wrong with a source. Raises UsageMistake, MQError."""
    if is_folder(word):
        check_folder(word, aside)
        return
    session.about(word)
    try:
        plan(Options.parse({"qmgr": session.qmgr or "", "queue": word, **aside.options}))
    except MQError as error:
        if not os.path.isdir(word):
            raise
        hint = f"the folder of this name is {word}/"
        raise MQError(error.text, error.reason, hint=hint) from error


def check_folder(path: str, aside: QuarantineSummary) -> set[str]:
    """Refuse a folder that is no archive, or has a file that cannot be read; give the columns. Raises UsageMistake.

    With a quarantine such a file is left out. Each is read to its end then, which is when it tells.
    """
    if not os.path.isdir(path):
        raise UsageMistake(f"{path}: there is no such folder", _ARCHIVES)
    if next(parquet_files(path), None) is None and not os.path.isdir(os.path.join(path, ASIDE)):
        raise UsageMistake(f"{path}: there is no Parquet in it", _ARCHIVES)
    columns: set[str] = set()
    for file in parquet_files(path):
        try:
            names = column_names(file, is_read=aside.folder is not None)
        except UsageMistake as error:
            aside.leave_out(file, error)
            continue
        missing = [name for name in _OF_AN_ARCHIVE if name not in names]
        if missing:
            raise UsageMistake(f"{path}: no archive of messages, {file} has no column {missing[0]}", _ARCHIVES)
        columns.update(names)
    return columns


def parquet_files(path: str) -> Iterator[str]:
    """Give the files of a folder that Spark would read; a file is the one."""
    if not os.path.isdir(path):
        yield path
    for folder, folders, names in os.walk(path):
        folders[:] = [name for name in folders if not name.startswith(("_", "."))]
        yield from (os.path.join(folder, name) for name in names if name.endswith(".parquet"))


def column_names(file: str, *, is_read: bool = False) -> list[str]:
    """Give the columns of a Parquet file. is_read: see whether all of it can be read.

    Raises UsageMistake for one that cannot be read, or is no Parquet.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(file) as opened:
            for _ in opened.iter_batches() if is_read else ():
                pass
            names: list[str] = opened.schema_arrow.names
    except PermissionError as error:
        raise UsageMistake(f"{file}: {error.strerror}") from error
    except (pa.ArrowException, OSError) as error:
        raise UsageMistake(f"{file}: no Parquet file, or not all of it") from error
    return names


def spark_path(path: str) -> str:
    """Give a path so that Spark takes it for the one that it is, and not for a pattern."""
    return "".join(f"\\{sign}" if sign in "\\{}[]*?" else sign for sign in os.path.abspath(path))


def rows_in(path: str, aside: QuarantineSummary) -> int:
    """Count the rows of an archive, which its files say themselves."""
    import pyarrow.parquet as pq

    return sum(pq.read_metadata(file).num_rows for file in _readable_files(path, aside))


def _readable_files(path: str, aside: QuarantineSummary) -> list[str]:
    """Give the files of an archive but those that are left out."""
    return [file for file in map(os.path.abspath, parquet_files(path)) if file not in aside.left_out]


def check_target(path: str) -> None:
    """Refuse a folder that a result cannot go to, or an archive. Raises UsageMistake."""
    check_room(path)
    if os.path.isdir(path) and any(name.startswith("queue=") for name in os.listdir(path)):
        raise UsageMistake(f"--to {path}: an archive is in it; a result needs a folder of its own")


def check_room(path: str) -> None:
    """Refuse a folder that cannot be made, or not be written into. Raises UsageMistake."""
    there = os.path.abspath(path)
    while not os.path.lexists(there):
        there = os.path.dirname(there)
    if not os.path.isdir(there):
        raise UsageMistake(f"--to {path}: {there} is not a folder")
    if not os.access(there, os.W_OK | os.X_OK):
        raise UsageMistake(f"--to {path}: {there} cannot be written into")


def check_outputs(folder: str | None, page: str | None) -> None:
    """Refuse places that a result, or a page, cannot go to. Raises UsageMistake."""
    if folder is not None:
        check_target(folder)
    if page is not None and not os.path.isdir(os.path.dirname(page) or "."):
        raise UsageMistake(f"--html {page}: there is no such folder")
    if page is not None and os.path.isdir(page):
        raise UsageMistake(f"--html {page}: this is a folder")


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
    """Give some columns of the messages of a queue, in some states, or of an archive; ``which`` says of which.

    came: of a journal, the events by which messages came; each is given once, unless the event is among the columns.
    A queue is read once, however often the job looks at it: it would not find the same messages again.
    aside: for what cannot be read.
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
    """Write a result as Parquet into a folder, in the place of the one before; give its rows."""
    from mqtools.pipeline.jobs.output_files import replace_result

    return replace_result(folder, frame.write.parquet)


def counts_by(frame: DataFrame, name: str) -> dict[str, int]:
    """Count the rows by the values of a column, the most frequent first."""
    return most_first({row[0]: int(row[1]) for row in frame.groupBy(name).count().collect()})


def most_first(counted: Mapping[object, int]) -> dict[str, int]:
    """Give numbers by the texts of values, the largest number first."""
    found = sorted(counted.items(), key=lambda one: (-one[1], str(one[0])))
    return {"none" if value is None else str(value): number for value, number in found}


def count_result(folder: str, *names: str) -> Counter[tuple[object, ...]]:
    """Count the rows of a result by the values of columns, without Spark: the files lie here."""
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
