"""Streams: follow journals into Parquet or onto a queue, each event exactly once, across kills and restarts."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import KW_ONLY, dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any, TypeAlias

from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F

from mqtools.arrow import columns
from mqtools.arrow.ranges import resolve_target
from mqtools.constants.reasons import MQRC_OBJECT_IN_USE
from mqtools.errors import MQError
from mqtools.mqi.identity import now_ms
from mqtools.store.messages import applied_jobs
from mqtools.store.open_database import open_database
from pyspark_mqx.jobs import maintenance, writers
from pyspark_mqx.jobs.archive import column_names, recover_runs, write
from pyspark_mqx.jobs.checkpoint import Checkpoint
from pyspark_mqx.jobs.delta_target import DeltaPlace
from pyspark_mqx.jobs.inputs import with_data
from pyspark_mqx.jobs.messages import ARRIVALS
from pyspark_mqx.jobs.output_files import PRIVATE
from pyspark_mqx.jobs.places import target_at
from pyspark_mqx.source import offsets
from pyspark_mqx.source.load_job import LoadJob
from pyspark_mqx.source.stream_writer import forget, is_done, jobs_of
from pyspark_mqx.source.writer import LOAD, finish_load

if TYPE_CHECKING:
    from pyspark.sql.streaming.query import StreamingQuery
    from pyspark.sql.streaming.readwriter import DataStreamWriter

    from pyspark_mqx.source.offsets import Journal, Offset


def events(
    spark: SparkSession,
    qmgr: str,
    queue: str = "",
    *,
    checkpoint: Checkpoint,
    lost_folder: str = "",
    aside: Mapping[str, str] | None = None,
) -> DataFrame:
    """Return the events of journals as a stream, with the columns that keep a message exact.

    checkpoint: of the stream.  lost_folder: folder for records of lost events; empty to fail when events are lost.
    aside: options ``quarantine`` and ``run`` (module ``damage``).
    """
    reader = spark.readStream.format("mqx").schema(columns.ddl(column_names(journal=True), journal=True))
    options = {"lostfolder": lost_folder, "planned": checkpoint.planned, **(aside or {})}
    return reader.options(qmgr=qmgr, queue=queue, **options).load()


#: Error of Spark when its worker has not started within ten seconds, as on a busy machine; number of attempts.
_STARTED_LATE, _STARTS = "Python worker failed to connect back", 5

#: Number of batches between two compactions of a table.
_COMPACT_AFTER = 100
#: Error for an event without the data that its message had.
_NO_DATA = "the journal has no data: the queues need JOURNAL(BODY)"


@dataclass(slots=True, frozen=True)
class StreamTotals:
    """Totals of one run: batches written, events read, events or messages written."""

    batches: int = 0
    read: int = 0
    written: int = 0


#: Writer of batches, each once: takes a batch, its number and its end; returns the events read and written, None for a
#: batch that it already has.
Sink: TypeAlias = "Callable[[DataFrame, int, Offset], tuple[int, int] | None]"


@dataclass
class FolderSink:
    """Sink that writes batches into an archive of events; streams of the same queue managers take turns.

    identifier: of the stream.  queues: names and patterns of the queues that are followed, none for all.
    mode: permissions of files.  spark: for a table that Spark's own writer writes.  compacts: join the files of a table
    after some batches.  warn: is called where another compaction of the table came first.
    """

    folder: str | DeltaPlace
    identifier: str
    queues: Sequence[str] = ()
    _: KW_ONLY
    mode: int = PRIVATE
    spark: SparkSession | None = None
    compacts: bool = False
    warn: Callable[[str], object] = str

    def __call__(self, batch: DataFrame, number: int, end: Offset) -> tuple[int, int] | None:
        """Write a batch in one run. Raises MQError: for one older than the last; as ``writers.check``."""
        spans = writers.spans_of(end)
        mine, holds = writers.stream_note(self.identifier), [*map(writers.archive_note, spans)]
        with (
            target_at(self.spark, self.folder, waits=True, is_shared=True, mode=self.mode) as target,
            target.hold((mine, *holds)),
        ):
            recover_runs(target, {str(entry["id"]): path for path, entry in end.items()}.get)

            if is_done(writers.stream_notes(target).get(self.identifier), number, end, target.folder):
                return None
            queues = sorted(self.queues)
            writers.check(target, self.identifier, queues, spans)
            note = {"batch": number, "end": end, "queues": queues}
            rows = target.write_run(lambda data: write(batch, data), {mine: note}, holds=(mine, *holds))
        if (number + 1) % _COMPACT_AFTER == 0:
            self.compact()
        return rows, rows

    def compact(self) -> None:
        """Join the files of the table, if that was requested; the next time does what a conflict prevents.

        Raises MQError.
        """
        if not self.compacts or not isinstance(self.folder, DeltaPlace):
            return
        try:
            maintenance.compact(self.folder.uri)
        except MQError as error:
            if error.reason != MQRC_OBJECT_IN_USE:
                raise
            self.warn(f"not compacted: {error.text}")


@dataclass
class QueueSink:
    """Sink that puts the arrived messages of batches on a queue.

    qmgr: queue managers that are followed; what arrives on the target queue is not put there again.  path: of the
    target's queue manager.  identifier: of the stream.  aside: options ``quarantine`` and ``run``, for messages that
    the queue cannot take; without them such a message ends the stream.
    """

    qmgr: str
    path: str
    queue: str
    identifier: str
    aside: Mapping[str, str] | None = None

    @property
    def _prefix(self) -> str:
        return f"stream {self.identifier} "

    def __call__(self, batch: DataFrame, number: int, end: Offset) -> tuple[int, int] | None:
        """Load a batch in one transaction. Raises MQError: for one older than the last."""
        job_id = f"{self._prefix}{number} {_digest(end)}"
        before = jobs_of(self.path, self._prefix)
        for other in before:
            of_batch, digest = other.removeprefix(self._prefix).split()
            if is_done({"batch": int(of_batch), "end": digest}, number, _digest(end), self.path):
                done = LoadJob(self.path, self.queue, job_id, "")
                finish_load(done)
                done.delete_staged()
                return None
        read = Observation()
        there = offsets.read_journals(self.qmgr)
        arrived = self._arrived(batch.observe(read, F.count(F.lit(1)).alias("events")), there)
        files = {each.q_mgr_name: path for path, each in there.items()}
        found = [F.when(F.col("qmgr") == name, F.lit(path)) for name, path in files.items()]
        placed = (
            arrived.drop("put_at")
            .withColumn("file", F.coalesce(*found, F.col("qmgr")))
            .withColumn("row", F.col("event_seq"))
        )
        writer = placed.coalesce(1).sortWithinPartitions("qmgr", "event_seq").write.format("mqx").mode("append")
        writer.options(qmgr=self.path, queue=self.queue, job_id=job_id, **(self.aside or {})).save()
        written = self._settle(job_id, before)
        return int(read.get["events"]), written

    def _arrived(self, batch: DataFrame, there: Mapping[str, Journal]) -> DataFrame:
        came = F.col("event").isin(*ARRIVALS)
        if self.path in there:
            is_ours = F.col("qmgr") == there[self.path].q_mgr_name
            came &= ~(is_ours & (F.col("queue") == resolve_target(self.path, self.queue)))
        return with_data(batch.where(came), _NO_DATA)

    def _settle(self, job_id: str, before: list[str]) -> int:
        """Delete the records of earlier batches, which cannot come again; return how many messages were put."""
        with closing(open_database(self.path)) as db, db.writing():
            forget(db, before)
            done = applied_jobs.find(db, LOAD, job_id)
            if done is None:  # nothing in it came to a queue: it is the last one all the same
                done = (0, 0)
                applied_jobs.add(db, LOAD, job_id, now_ms(), *done)
        return done[0]


def _digest(end: Offset) -> str:
    return sha256(json.dumps(end, sort_keys=True).encode()).hexdigest()[:16]


class Stream:
    """A running stream. totals: of this run.  position: end of the last batch, empty before the first."""

    def __init__(self, sink: Sink, checkpoint: Checkpoint) -> None:
        self.totals = StreamTotals()
        self.position: Offset = {}
        self._sink = sink
        self._checkpoint = checkpoint
        self._is_ending = threading.Event()
        self._error: Exception | None = None
        self._writer: DataStreamWriter | None = None
        self._query: StreamingQuery | None = None
        self._starts = 0

    def start(self, frame: DataFrame, *, available_now: bool = False, trigger_s: float = 1) -> None:
        """Start. available_now: end when everything that is there now has been written.  trigger_s: between batches."""
        trigger: dict[str, Any] = {"availableNow": True}
        if not available_now:
            trigger = {"processingTime": f"{round(trigger_s * 1000)} milliseconds"}
        writer = frame.writeStream.foreachBatch(self._write).option("checkpointLocation", self._checkpoint.folder)
        self._writer = writer.trigger(**trigger)
        self._launch()

    def _launch(self) -> None:
        assert self._writer is not None
        self._starts += 1
        self._query = self._writer.start()

    @property
    def has_nothing_new(self) -> bool:
        """Return whether the stream has looked for events, and found none to write since it started."""
        return self._query is not None and not self.totals.batches and self._query.lastProgress is not None

    def end_after_batch(self) -> None:
        """Request the end of the stream after the current batch."""
        self._is_ending.set()

    def wait(self, seconds: float) -> bool:
        """Wait for a while; return whether the stream has ended. Raises the error that a batch failed with."""
        assert self._query is not None
        try:
            if self._is_ending.is_set() and not self._query.status["isTriggerActive"]:
                self._query.stop()
            return bool(self._query.awaitTermination(seconds))  # type: ignore[arg-type]  # takes parts of seconds too
        except Exception as error:
            if self._is_ending.is_set():
                return True
            if self._error is not None:
                raise self._error from None
            if _STARTED_LATE not in str(error) or self._starts == _STARTS:
                raise
            self._launch()
            return False

    def stop(self) -> None:
        """Stop at once. The next run writes the current batch, unless it was written already."""
        if self._query is not None:
            self._query.stop()

    def _write(self, batch: DataFrame, number: int) -> None:
        """Write a batch; called by Spark, which commits it unless this raises."""
        if self._is_ending.is_set():
            raise _StopBatches
        try:
            end = self._checkpoint.end()
            done = self._sink(batch, number, end)
        except Exception as error:
            self._error = error
            raise
        self.position = end
        if done is not None:
            self.totals = StreamTotals(
                self.totals.batches + 1, self.totals.read + done[0], self.totals.written + done[1]
            )


class _StopBatches(Exception):
    """Raised to prevent a further batch."""
