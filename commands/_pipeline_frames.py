"""Where the frames of a job come from, and where its result goes: queues, archives, folders."""

from __future__ import annotations

import os

from mqtools.pipeline.ranges import Options, plan

from ._session import Session, UsageMistake

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame, SparkSession

#: What a program could get, and all that has been put.
FREE = ("unlocked",)
COMMITTED = ("unlocked", "locked_for_browse", "get_unconfirmed", "browse_get_unconfirmed")


def is_folder(word: str) -> bool:
    """Tell whether a word is an archive: a path with a slash; anything else is a queue."""
    return "/" in word


def check_source(session: Session, word: str) -> None:
    """Say at once what is wrong with a source. Raises UsageMistake, MQError."""
    if is_folder(word):
        check_folder(word)
    else:
        plan(Options({"qmgr": session.qmgr or "", "queue": word}))


def check_folder(path: str) -> None:
    """Refuse an archive that is not there. Raises UsageMistake."""
    if not os.path.isdir(path):
        raise UsageMistake(f"{path}: there is no such folder", "mqx pipeline archive --to DIR makes one")


def frame_of(
    spark: SparkSession, session: Session, word: str, names: Sequence[str], states: Sequence[str] = FREE
) -> DataFrame:
    """Give some columns of the messages of a queue, in some states, or of an archive."""
    from mqtools.pipeline.archive import read_archive, source

    if is_folder(word):
        return read_archive(spark, os.path.abspath(word), names=tuple(names))
    found = source(spark, list(names), qmgr=session.qmgr or "", queue=word)
    return found.where(found.state.isin(*states))


def write_result(frame: DataFrame, folder: str) -> int:
    """Write a result as Parquet into a folder, in the place of the one before; give its rows."""
    from mqtools.pipeline.landing import replace_result

    return replace_result(folder, frame.write.parquet)


def counts_by(frame: DataFrame, name: str) -> dict[str, int]:
    """Count the rows by the values of a column, the most frequent first."""
    found = [(row[0], int(row[1])) for row in frame.groupBy(name).count().collect()]
    found.sort(key=lambda one: (-one[1], str(one[0])))
    return {"none" if value is None else str(value): number for value, number in found}
