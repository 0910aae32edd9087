"""Sources of Spark jobs: queues and archives, any number of them together."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame
from pyspark.sql.functions import lit
from pyspark_mqx.jobs.archive_files import (
    ArchiveFile,
    FoundFiles,
    expand,
    find_files,
    in_parallel,
)
from pyspark_mqx.jobs.archive_tasks import source
from pyspark_mqx.jobs.delta_target import read_delta
from pyspark_mqx.jobs.messages import FREE
from pyspark_mqx.jobs.places import find_files as find_places
from pyspark_mqx.jobs.read_archive import read_files
from pyspark_mqx.source.object_store import describe, is_reached

from mqtools.arrow.ranges import find_unmatched, look_at_files, number_of_messages
from mqtools.arrow.read_options import Options
from mqtools.constants.reasons import MQRC_OBJECT_DAMAGED
from mqtools.errors import MQError
from mqtools.operations.archive_files import ASIDE, DELTA_LOG, is_uri

from ..shared.command_session import Session, UsageError, as_text
from .quarantine import QuarantineSummary

if TYPE_CHECKING:
    from pyspark.sql import Column, SparkSession


#: Columns that every archive has, and the hint for data without them.
OF_AN_ARCHIVE = ("msg_id", "msg_type")
ARCHIVES = "mqx pipeline archive --to DIR creates an archive"

#: How a file of Parquet begins.
_MAGIC = b"PAR1"


class Sources:
    """Sources of one job. Raise UsageError or MQError for one that is invalid: before Spark starts, unless it is a URI.

    words: names and patterns of queues, folders and URIs (with a slash) or patterns of them.
    aside: for records that cannot be read.  columns, rows: of all archives together, from the footers of their files.
    """

    def __init__(self, session: Session, words: Iterable[str], aside: QuarantineSummary, *, are_folders: bool) -> None:
        self.columns: set[str] = set()
        self.rows = 0
        self._is_open = False
        self.words = tuple(dict.fromkeys(words))
        self._session = session
        self._aside = aside
        self._queues = [word for word in self.words if not (are_folders or "/" in word)]
        places = [word for word in self.words if word not in self._queues]
        self._uris = [word for word in places if is_uri(word)]
        self._folders = [folder for word in places if word not in self._uris for folder in _expand(word)]
        self._found = find_files(self._folders)
        self._check_folders()
        self._check_queues()

    def open(self, spark: SparkSession) -> None:
        """Find and check the archives that URIs name, once."""
        if self._is_open or not self._uris:
            return
        self._is_open = True
        self._found = replace(self._found, uris=find_places(self._uris).uris)
        for uri in self._found.uris:
            if is_reached(uri):
                columns, rows = describe(uri)
            else:
                frame = read_delta(spark, uri)
                columns, rows = set(frame.columns), frame.count()
            if missing := [name for name in OF_AN_ARCHIVE if name not in columns]:
                raise UsageError(f"{uri}: not an archive of messages: it has no column {missing[0]}", ARCHIVES)
            self.columns |= columns
            self.rows += rows

    def frame(
        self,
        spark: SparkSession,
        names: Sequence[str],
        states: Sequence[str] = FREE,
        which: Column | None = None,
    ) -> DataFrame:
        """Return columns of the messages of queues, in some states, and of archives, and the column ``event``.

        which: condition.  A queue is read once, however often the job uses it: a second read would find other messages.
        """
        self.open(spark)
        found = []
        if self._queues:
            found.append(self._of_queues(spark, names, states, which))
        if self._found.files or self._found.uris or not self._queues:
            archived = read_files(spark, self._found, tuple(dict.fromkeys((*names, "event"))))
            found.append(archived if which is None else archived.where(which))
        return reduce(DataFrame.unionByName, found)

    def _of_queues(
        self, spark: SparkSession, names: Sequence[str], states: Sequence[str], which: Column | None
    ) -> DataFrame:
        where: dict[str, Any] = {"qmgr": self._session.qmgr or "", "queue": ",".join(self._queues)}
        where.update(self._aside.options)
        found = source(spark, list(names), **where)
        found = found.where(found.state.isin(*states)).select(*names)
        found = found if which is None else found.where(which)
        return found.withColumn("event", lit(None).cast("string")).cache()

    def _check_folders(self) -> None:
        """Check the files of the archives.

        With a quarantine a file that cannot be read is left out; then each file is read to its end, as only that finds
        all damage.
        """
        for folder in self._folders:
            is_archive = any(os.path.isdir(os.path.join(folder, name)) for name in (ASIDE, DELTA_LOG))
            if not is_archive and not find_files([folder]).files:
                raise UsageError(f"{folder}: no Parquet files in this folder", ARCHIVES)
        is_read = self._aside.folder is not None
        footers = in_parallel(lambda file: _try_footer(file.path, is_read=is_read), self._found.files)
        readable = []
        for file, footer in zip(self._found.files, footers, strict=True):
            if isinstance(footer, Exception):
                self._aside.leave_out(file.path, footer)
                continue
            self._check_columns(file, footer[0])
            self.rows += footer[1]
            readable.append(file)
        if len(readable) < len(self._found.files):
            self._found = FoundFiles(tuple(readable), ())

    def _check_columns(self, file: ArchiveFile, names: list[str]) -> None:
        missing = [name for name in OF_AN_ARCHIVE if name not in names]
        if missing:
            folder = next(each for each in self._folders if file.path.startswith(os.path.abspath(each)))
            raise UsageError(f"{folder}: not an archive of messages: {file.path} has no column {missing[0]}", ARCHIVES)
        self.columns.update(names)

    def _check_queues(self) -> None:
        if not self._queues:
            return
        word = ",".join(self._queues)
        self._session.queue = as_text(word)
        try:
            self.rows += report_unmatched(
                self._session, {"qmgr": self._session.qmgr or "", "queue": word, **self._aside.options}
            )
        except MQError as error:
            folders = [name for name in self._queues if os.path.isdir(name)]
            if not folders:
                raise
            raise MQError(error.text, error.reason, hint=f"for the folder of this name: {folders[0]}/") from error


def report_unmatched(session: Session, given: dict[str, str]) -> int:
    """Print which of several queue managers lack a queue; return how many rows there are to read, at most.

    given: options. Raise MQError for a queue that no queue manager has.
    """
    options = Options.parse(given)
    for line in find_unmatched(options) if options.is_fleet else ():
        session.note(line)
    return sum(look_at_files(options, number_of_messages).values())


def _expand(word: str) -> list[str]:
    """Return the folders of a word. Raise UsageError where there are none."""
    found = expand(word)
    for folder in found or [word]:
        if not os.path.isdir(folder):
            raise UsageError(f"{folder}: no such folder", ARCHIVES)
    return found


def _try_footer(file: str, *, is_read: bool) -> tuple[list[str], int] | UsageError | MQError:
    """Return what ``read_footer`` does, or its error."""
    try:
        return read_footer(file, is_read=is_read)
    except (UsageError, MQError) as error:
        return error


def read_footer(file: str, *, is_read: bool = False) -> tuple[list[str], int]:
    """Return the columns of a Parquet file and the number of its rows. is_read: read all of it.

    Raise UsageError for a file that cannot be opened or is not Parquet, MQError for one that is incomplete.
    """
    try:
        with pq.ParquetFile(file) as opened:
            for _ in opened.iter_batches() if is_read else ():
                pass
            return opened.schema_arrow.names, opened.metadata.num_rows
    except PermissionError as error:
        raise UsageError(f"{file}: {error.strerror}") from error
    except (pa.ArrowException, OSError) as error:
        with open(file, "rb") as opened:
            if opened.read(len(_MAGIC)) == _MAGIC:
                raise MQError(f"{file}: the Parquet file is incomplete or damaged", MQRC_OBJECT_DAMAGED) from error
        raise UsageError(f"{file}: not a Parquet file, or incomplete") from error
