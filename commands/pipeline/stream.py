"""Implementation of ``mqx pipeline stream``."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from pyspark_mqx.jobs import stream as jobs
from pyspark_mqx.jobs.checkpoint import Checkpoint
from pyspark_mqx.jobs.delta_target import DeltaPlace
from pyspark_mqx.session import session as sessions
from pyspark_mqx.source import offsets

from mqtools.arrow.ranges import find_paths, plan, resolve_target
from mqtools.arrow.read_options import Options, words
from mqtools.configuration import locate
from mqtools.constants.reasons import MQRC_NO_RECORD_AVAILABLE
from mqtools.errors import MQError

from ..shared.command_session import DONE, Session, UsageError
from ..shared.progress import StatusLine
from ..shared.service_signals import ServiceSignals
from .frames import mask_option, place_of
from .job import print_totals, spark_of, write_metrics
from .journal import check_bodies, report_missing_journals
from .quarantine import QuarantineSummary
from .spark_options import JobOptions

if TYPE_CHECKING:
    from pyspark_mqx.jobs.stream import Stream

#: How often the stream is looked at, in seconds.
_GLANCE_S = 0.5


@dataclass(frozen=True, slots=True)
class StreamRequest:
    """Request of ``mqx pipeline stream``.

    queues: names or a pattern, none for all.  form, writer, staging: as of ``frames.place_of``.  to_queue: None for a
    folder.  to_qmgr: its queue manager, None for the source.  trigger: seconds between batches.  compact: join files.
    skip_lost: continue after lost events.  mask: as the option of the data source.
    """

    queues: tuple[str, ...]
    form: str
    writer: str
    staging: str | None
    to_queue: str | None
    to_qmgr: str | None
    checkpoint: str
    available_now: bool
    trigger: float
    compact: bool
    skip_lost: bool
    mask: str


@dataclass(frozen=True, slots=True)
class StreamJob:
    """Validated stream. qmgr: sources, as absolute paths and patterns.  target: its identity, the same in each run.

    folder, path: one of them; a folder or table, or the file of the target queue.
    """

    qmgr: str
    pattern: str
    target: str
    folder: str | DeltaPlace = ""
    path: str = ""


def stream(session: Session, options: JobOptions, request: StreamRequest) -> int:
    """Follow the journal until interrupted, or to its present end; no new events is not an error."""
    job = _job(session, options, request)
    sessions.check(streams=True)
    report_missing_journals(session, job.qmgr, job.pattern)
    try:
        with Checkpoint(request.checkpoint, job.target) as checkpoint:
            return _follow(session, options, request, job, checkpoint)
    except MQError as error:
        if error.reason != MQRC_NO_RECORD_AVAILABLE:
            raise
        raise MQError(error.text, error.reason, hint="--skip-lost continues and reports the lost events") from error


def _follow(
    session: Session, options: JobOptions, request: StreamRequest, job: StreamJob, checkpoint: Checkpoint
) -> int:
    aside = QuarantineSummary(options.quarantine, "stream", checkpoint.identifier)
    with spark_of(session, options, "stream", bar=False) as spark:
        lost = checkpoint.lost if request.skip_lost else ""
        of_read = {**aside.options, **mask_option(request.mask)}
        frame = jobs.events(spark, job.qmgr, job.pattern, checkpoint=checkpoint, lost_folder=lost, aside=of_read)
        own: dict[str, Any] = {"mode": options.mode, "spark": spark, "compacts": request.compact, "warn": session.note}
        folder = jobs.FolderSink(job.folder, checkpoint.identifier, words(job.pattern), **own)
        sink: jobs.Sink = folder
        if request.to_queue is not None:
            sink = jobs.QueueSink(job.qmgr, job.path, request.to_queue, checkpoint.identifier, aside.options)
        running = jobs.Stream(sink, checkpoint)
        with ServiceSignals(running.end_after_batch) as signals:
            following = _StreamRun(session, options, running, job.qmgr, checkpoint.lost, aside, signals)
            running.start(frame, available_now=request.available_now, trigger_s=request.trigger)
            try:
                following.run_to_end()
                folder.compact()
                settled = aside.settle(session, DONE)
                return signals.status if signals.came else settled
            finally:
                following.print_totals()


@dataclass
class _StreamRun:
    """Running stream: signals end it after the current batch, and a terminal shows its progress.

    qmgr: sources.  lost_folder: record of lost events.  aside: quarantine of records that could not be read or put.
    """

    session: Session
    options: JobOptions
    running: Stream
    qmgr: str
    lost_folder: str
    aside: QuarantineSummary
    signals: ServiceSignals
    measured: int = 0
    lost: int = 0
    has_ended: bool = False
    is_told: bool = False

    def run_to_end(self) -> None:
        """Wait until the stream has ended. Raise the error of a failed batch."""
        with StatusLine(self.session) as line:
            try:
                while True:
                    self._print_lost()
                    self._tell_nothing_new()
                    self._measure()
                    if line.is_shown:
                        line.show(self._how_it_is())
                    if self.running.wait(_GLANCE_S):
                        break
            except MQError:
                self.running.stop()
                raise
        self.has_ended = True
        self._tell_nothing_new()

    def _how_it_is(self) -> str:
        totals = self.running.totals
        left = offsets.count_unread(self.running.position, offsets.read_journals(self.qmgr))
        ending = "; ending after this batch" if self.signals.came else ""
        return f"stream: batches {totals.batches:,}, written {totals.written:,}, events to read {left:,}{ending}"

    def _measure(self) -> None:
        """Write the metrics after each batch."""
        totals = self.running.totals
        if totals.batches > self.measured:
            self.measured = totals.batches
            write_metrics(self.options, asdict(totals))

    def _tell_nothing_new(self) -> None:
        """Print once that a stream has nothing to write yet."""
        is_through = self.has_ended and not self.signals.came and not self.running.totals.batches
        if not self.is_told and (is_through or self.running.has_nothing_new):
            self.is_told = True
            self.session.note("nothing new since the last batch")

    def _print_lost(self) -> None:
        for gap in offsets.pop_gaps(self.lost_folder):
            self.lost += gap.events
            self.session.note(f"gone: {gap}")

    def print_totals(self) -> None:
        """Print totals and lost events; nothing for a stream that failed before it processed anything."""
        self._print_lost()
        totals = self.running.totals
        if self.has_ended or totals.batches:
            done = asdict(totals) | self.aside.totals()
            print_totals(self.session, {**done, "lost": self.lost} if self.lost else done, options=self.options)


def _job(session: Session, options: JobOptions, request: StreamRequest) -> StreamJob:
    """Return the validated stream. Raise UsageError, MQError."""
    if (options.folder is None) == (request.to_queue is None):
        raise UsageError("exactly one of --to and --to-queue is required")
    if request.compact and (options.folder is None or request.form == "parquet" or request.writer == "spark"):
        raise UsageError("--compact requires a Delta table that deltalake writes")
    if request.to_queue is not None and request.staging is not None:
        raise UsageError("--staging requires --to")
    if mask_option(request.mask)["mask"] and options.folder is None:
        raise UsageError("--mask requires --to")
    if request.to_qmgr is not None and request.to_queue is None:
        raise UsageError("--to-qmgr requires --to-queue")
    qmgr, pattern = offsets.absolute_words(session.qmgr or ""), ",".join(request.queues)
    paths = find_paths(qmgr)
    if not os.path.exists(request.checkpoint):  # one that continues may follow queues that have gone since
        plan(Options.parse({"qmgr": qmgr, "queue": pattern}))
    if options.folder is not None:
        folder = place_of(options.folder, request.form, request.writer, request.staging)
        if isinstance(folder, DeltaPlace):
            return StreamJob(qmgr, pattern, f"Delta table {folder.uri}", folder)
        folder = os.path.abspath(folder)
        return StreamJob(qmgr, pattern, f"folder {folder}", folder)
    assert request.to_queue is not None
    if request.to_qmgr is None and len(paths) != 1:
        raise UsageError("--to-queue with several queue managers requires --to-qmgr")
    target = paths[0] if request.to_qmgr is None else os.path.abspath(locate.find(request.to_qmgr))
    resolve_target(target, request.to_queue)
    for path in paths:
        check_bodies(path, pattern)
    return StreamJob(qmgr, pattern, f"queue {request.to_queue} of {target}", path=target)
