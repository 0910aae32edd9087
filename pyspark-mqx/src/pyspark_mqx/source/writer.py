"""Write to a queue, once for each job id: tasks stage files, and one unit of work loads them all.

The record that a job is done is in the transaction that commits the unit of work. A job that was killed before has
written nothing, and one that is run again after it writes nothing more. The messages are put in many short
transactions, and a large unit of work consists of pieces. So other programs wait for none of them long. The pieces are
prepared, as by a transaction manager; the record decides, and a killed job is finished or undone by its next run.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, nullcontext, suppress
from dataclasses import replace
from typing import Any
from urllib.parse import unquote, urlsplit

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql.datasource import DataSourceArrowWriter, WriterCommitMessage

from mqtools.arrow.damage import Quarantine
from mqtools.arrow.put_times import with_put_times
from mqtools.arrow.ranges import find_paths, resolve_target
from mqtools.arrow.read_options import NO_TABLE, WRITE_OPTIONS, check_names, is_yes
from mqtools.constants.options import MQPMO_DEFAULT_CONTEXT, MQPMO_SET_ALL_CONTEXT, MQPMO_SET_IDENTITY_CONTEXT
from mqtools.constants.reasons import MQRC_OBJECT_CHANGED, MQRC_UNEXPECTED_ERROR
from mqtools.errors import MQError
from mqtools.mqi import units_of_work, xa
from mqtools.mqi.connection import Connection, connect
from mqtools.mqi.put import find_target
from mqtools.mqi.xa import Xid
from mqtools.operations.load import ABOUT_MESSAGE, Loader
from mqtools.store import holders
from mqtools.store.database import Database
from mqtools.store.messages import applied_jobs
from mqtools.store.open_database import open_database
from pyspark_mqx.source.batches import ColumnarBatch, DescriptorCache, RowBatch
from pyspark_mqx.source.load_job import LoadJob, is_unnamed, new_id
from pyspark_mqx.source.rows import ABOUT_ROW, KNOWN, LINE, read_message_row
from pyspark_mqx.source.write_checks import check_columns, check_no_table, check_put_at

LOAD = "load"

#: Field of a quarantine line for the number of an event.
_EVENT = "event_seq"

#: Columns with the identity context, and with the origin context; a line of JSON has all fields.
_IDENTITY = frozenset(("user_identifier", "accounting_token", "appl_identity_data"))
_ORIGIN = frozenset(("put_appl_type", "put_appl_name", "put_date", "put_time", "appl_origin_data", LINE))

_NEEDED = "a write needs one queue manager and one queue: options qmgr and queue"
#: Messages of a piece of a unit of work, and the number of pieces from where they grow: each needs a connection, which
#: has five files open.
_PIECE, _GROWTH = 25_000, 20
#: Format id of the XIDs of pieces.
_FORMAT_ID = 0x4D515850
#: What an operator has made of a piece, and what to do.
_ENDED = {
    xa.XA_HEURCOM: ("committed it: its messages would be put twice", "remove its messages, {}, and run the job again"),
    xa.XA_HEURRB: ("backed it out: its messages are missing", "load its messages with another job id, and {}"),
}
_FORGET = "use mqx qmgr transactions --forget"
#: Rows that are processed together.
_CHUNK = 2048


class StagedFile(WriterCommitMessage):
    """Staged file of one task. partition: its number, which orders the files.  job_id: of its job."""

    def __init__(self, partition: int, path: str, job_id: str) -> None:
        self.partition = partition
        self.path = path
        self.job_id = job_id


class MqxWriter(DataSourceArrowWriter):
    """``df.write.format("mqx").mode("append").option("qmgr", …).option("queue", …).option("job_id", …).save()``.

    Without a job id a run is a job of its own: tasks that Spark repeats are not doubled, a second run is. If it is
    killed, the next write to the queue manager finishes or undoes it. A column put_at needs the option keepcontext.
    Raises MQError while it is planned, for a queue manager or queue that is not there; ValueError for columns that no
    message has.
    """

    def __init__(self, options: dict[str, str], names: Sequence[str]) -> None:
        names = [name.lower() for name in names]
        check_columns(names)
        check_names(options, WRITE_OPTIONS)
        check_put_at(names, keeps_context=is_yes("keepcontext", options.get("keepcontext", "false")))
        if not options:  # as of CREATE TABLE ... AS SELECT, and of INSERT
            raise ValueError(f"{_NEEDED}; {NO_TABLE}")
        paths = find_paths(options.get("qmgr", ""))
        if len(paths) != 1 or not options.get("queue"):
            raise ValueError(_NEEDED)
        job_id = options.get("job_id") or new_id()
        self.job = LoadJob(paths[0], options["queue"], job_id, options.get("quarantine", ""), options.get("run", ""))
        resolve_target(self.job.path, self.job.queue)

    def write(self, iterator: Iterator[pa.RecordBatch]) -> StagedFile:
        """Stage the rows of a task in its own file."""
        context = TaskContext.get()
        check_no_table(context)
        number, attempt = (context.partitionId(), context.taskAttemptId()) if context is not None else (0, 0)
        os.makedirs(self.job.staging, mode=0o700, exist_ok=True)
        path = os.path.join(self.job.staging, f"{number}-{attempt}-{os.getpid()}.arrow")
        opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        file: Any = None
        with os.fdopen(opened, "wb") as sink:
            for given in iterator:
                batch = with_put_times(given.rename_columns([name.lower() for name in given.schema.names]))
                kept = batch.select([name for name in batch.schema.names if name in KNOWN or name in ABOUT_ROW])
                file = file or pa.ipc.new_file(sink, kept.schema)
                file.write_batch(kept)
            if file is not None:
                file.close()
        return StagedFile(number, path, self.job.job_id)

    def commit(self, messages: list[WriterCommitMessage | None]) -> None:
        """Load everything that was staged, in one transaction."""
        staged = sorted((one for one in messages if isinstance(one, StagedFile)), key=lambda one: one.partition)
        try:
            with self.job.lock() if self.job.is_unnamed else nullcontext():
                load_staged(self.job, [one.path for one in staged])
        finally:
            self.job.delete_staged()

    def abort(self, messages: list[WriterCommitMessage | None]) -> None:  # noqa: ARG002 - Spark's signature
        """Delete the staged files."""
        self.job.delete_staged()


def finish_load(job: LoadJob) -> tuple[int, int] | None:
    """Finish a job that was killed when it was decided; return as ``find_result``."""
    if (found := find_result(job)) is not None:
        with connect(job.path, appl_name="mqx") as connection:
            settle_pieces(connection, job)
    return found


def find_result(job: LoadJob) -> tuple[int, int] | None:
    """Return how many rows a job wrote and quarantined, None if it has not run."""
    with closing(open_database(job.path, read_only=True)) as db:
        return applied_jobs.find(db, LOAD, job.job_id)


def load_staged(job: LoadJob, paths: list[str]) -> None:
    """Load files in one unit of work, unless the job is done. A load without rows is not recorded as done.

    Raises MQError, and nothing is written then: of the first row that can be no message, or that the queue does not
    take, where there is no quarantine for it; of what would hit any message, a queue that is full or inhibited.
    """
    with ExitStack() as opened:

        def connect_again() -> Connection:
            return opened.enter_context(connect(job.path, appl_name="mqx"))

        first = connect_again()
        settle_killed(first, job)
        if settle_pieces(first, job):
            return
        loading = _LoadProgress(connect_again, job)
        for batch in _batches(paths):
            loading.load(batch)
        if loading.written or loading.refused:
            loading.write_quarantine()
            loading.commit()


def settle_pieces(connection: Connection, job: LoadJob) -> bool:
    """Commit the prepared pieces of a job that is done, in their order, else back them out; return whether it is done.

    Another process may do so at the same time. A piece that an operator has ended in the same way is forgotten.
    Raises MQError: when all others have ended, for a piece that an operator has ended in the other way.
    """
    is_done = _is_done(connection.db, job)
    ours = [xid for xid in xa.recover(connection) if (xid.format_id, xid.gtrid) == (_FORMAT_ID, job.gtrid)]
    failed = []
    for xid in sorted(ours, key=lambda xid: xid.bqual):
        code = xa.XA_OK
        if not is_done:
            with connection.work() as work:  # in which no other process records the job as done
                is_done = _is_done(work.db, job)
                code = code if is_done else xa.rollback(connection, xid)
        if is_done:
            code = xa.commit(connection, xid)
        if code == (xa.XA_HEURCOM if is_done else xa.XA_HEURRB):
            code = xa.forget(connection, xid)
        if code not in (xa.XA_OK, xa.XAER_NOTA):
            failed.append((xid, code))
    for xid, code in failed:
        text = f"job {job.job_id}, transaction {xid}: "
        if code not in _ENDED:
            raise MQError(f"{text}cannot end it ({code})", MQRC_UNEXPECTED_ERROR)
        what, hint = _ENDED[code]
        raise MQError(f"{text}an operator has {what}", MQRC_OBJECT_CHANGED, hint=hint.format(_FORGET))
    return is_done


def settle_killed(connection: Connection, job: LoadJob) -> None:
    """Settle the pieces of jobs without an id that were killed, as no run of these comes again.

    A job that is running, or cannot be settled, is left to a later write.
    """
    found = {xid.gtrid for xid in xa.recover(connection) if xid.format_id == _FORMAT_ID} - {job.gtrid}
    for gtrid in found:
        if is_unnamed(gtrid):
            killed = replace(job, job_id=gtrid.decode())
            with suppress(MQError, OSError), killed.lock():
                try:
                    settle_pieces(connection, killed)
                finally:  # also where an operator has ended a piece in the other way
                    killed.delete_staged()


def _is_done(db: Database, job: LoadJob) -> bool:
    return applied_jobs.find(db, LOAD, job.job_id) is not None


def check_rows(job: LoadJob, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield what a load would make of batches, which it puts and rolls back: one row for each that it would refuse,
    with file, row and reason; and one with the number of the others, ``written``.
    """
    schema = pa.schema({"written": pa.int64(), "file": pa.string(), "row": pa.int64(), "reason": pa.string()})
    with connect(job.path, appl_name="mqx") as connection:
        loading = _LoadProgress(lambda: connection, job)
        for batch in batches:
            for at in range(0, batch.num_rows, _CHUNK):
                loading.load(with_put_times(batch.slice(at, _CHUNK)), is_undone=True)
        yield pa.RecordBatch.from_pylist([{"written": loading.written}, *loading.refused], schema)


class _Undone(Exception):
    """Raised to roll back a transaction."""


class _LoadProgress:
    """Progress of a load. written: messages so far.  refused: quarantined rows, with the reasons.

    connect: returns a connection, whose unit of work is a piece of that of the load.
    """

    def __init__(self, connect: Callable[[], Connection], job: LoadJob) -> None:
        self.written = 0
        self.refused: list[dict[str, object]] = []
        self._connect = connect
        self._pieces = [connect()]
        self._job = job
        self._before, self._end_of_piece = 0, _PIECE
        self._shared: DescriptorCache = {}

    def load(self, given: pa.RecordBatch, *, is_undone: bool = False) -> None:
        """Load the rows of a batch in one transaction. is_undone: roll it back."""
        name, _, q_mgr_name = self._job.queue.partition("@")
        batch = RowBatch(given)
        context = _context_of(given.schema.names)
        if self.written >= self._end_of_piece:
            self._pieces.append(self._connect())
            self._end_of_piece = self.written + _PIECE * (1 + len(self._pieces) // _GROWTH)
        connection = self._pieces[-1]
        with suppress(_Undone), connection.work() as work:
            find_target(work, name, q_mgr_name, context)
            loader = Loader(work, name, q_mgr_name, connection.unit_of_work(work), context)
            columnar = ColumnarBatch(batch, loader, self._shared)
            for is_single, run in columnar.runs():
                together = run[:0] if is_single else run[: max(loader.intake.room, 0)]
                if together:
                    columnar.put(together)
                    self.written += len(together)
                for n in run[len(together) :]:
                    self._load_single(loader, batch, n)
            loader.flush()
            if is_undone:
                raise _Undone
        self._before += batch.number

    def commit(self) -> None:
        """Commit the unit of work and record the job, unless another process has done it meanwhile. Raises MQError."""
        first, is_split = self._pieces[0], len(self._pieces) > 1
        prepared = self._prepare() if is_split else []
        with first.work() as work:
            is_done = _is_done(work.db, self._job)
            if not is_done and not is_split:
                units_of_work.commit(work, first.unit_of_work(work))
            elif not is_done and not all(holders.of_transaction(work.db, xid.token) for xid in prepared):
                raise MQError(f"job {self._job.job_id}: another process has undone it", MQRC_OBJECT_CHANGED)
            if not is_done:
                applied_jobs.add(work.db, LOAD, self._job.job_id, work.now_ms, self.written, len(self.refused))
                work.durable = True
        if is_split:
            settle_pieces(first, self._job)
        elif is_done:
            first.backout()
        else:
            first.unit_ended(backed_out=False)

    def _prepare(self) -> list[Xid]:
        """Prepare the pieces that have messages; back out those left when another process has done the job.

        Invariant: no piece is prepared after the job is done; otherwise ``settle_pieces`` would commit it too.
        Raises MQError.
        """
        prepared = []
        for n, connection in enumerate(self._pieces):
            xid = Xid(_FORMAT_ID, self._job.gtrid, b"%08d" % n)
            with connection.work() as work:
                is_done = _is_done(work.db, self._job)
                if not is_done and xa.prepare_unit(connection, xid):
                    prepared.append(xid)
            if is_done:
                connection.backout()
        return prepared

    def _load_single(self, loader: Loader, batch: RowBatch, n: int) -> None:
        row = batch.row(n)
        try:
            message = read_message_row(row)
        except MQError as error:
            self._set_aside(row, n, error)
            return
        try:
            loader.load(message)
        except MQError as error:
            if error.reason not in ABOUT_MESSAGE:
                error.text = f"{_place_text(*self._place(row, n))}: {error.text}; nothing was written"
                raise
            self._set_aside(row, n, error)
        else:
            self.written += 1

    def _set_aside(self, row: dict[str, Any], n: int, error: MQError) -> None:
        """Record a row that is not loaded. Raises the error if there is no quarantine."""
        file, number = self._place(row, n)
        if not self._job.quarantine:
            error.text = f"{_place_text(file, number)}: {error.text}; the option quarantine, a folder, keeps such rows"
            raise error
        self.refused.append({"file": file, _EVENT if self._job.run else "row": number, "reason": str(error)})

    def _place(self, row: dict[str, Any], n: int) -> tuple[str | None, int]:
        """Return file and row as in the input; without them, the number of the row among all."""
        file = row.get("file")
        return None if file is None else _path(str(file)), row.get("row") or self._before + n + 1

    def write_quarantine(self) -> None:
        """Write the quarantine file, before anything is committed."""
        if not self.refused:
            return
        if self._job.run:
            aside = Quarantine(self._job.quarantine, self._job.run)
            for line in self.refused:
                aside.add(line)
            return
        os.makedirs(self._job.quarantine, mode=0o700, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW
        number = os.open(self._job.quarantine_file, flags, 0o600)
        with os.fdopen(number, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in self.refused)


def _context_of(names: Sequence[str]) -> int:
    """Return which context the rows have themselves: MQPMO_*. names: their columns."""
    if not _ORIGIN.isdisjoint(names):
        return MQPMO_SET_ALL_CONTEXT
    return MQPMO_DEFAULT_CONTEXT if _IDENTITY.isdisjoint(names) else MQPMO_SET_IDENTITY_CONTEXT


def _place_text(file: str | None, number: int) -> str:
    return f"row {number}" if file is None else f"{file}, row {number}"


def _path(name: str) -> str:
    """Return the local path of a file; Spark has it as a URI."""
    return unquote(urlsplit(name).path) if name.startswith("file:") else name


def _batches(paths: list[str]) -> Iterator[pa.RecordBatch]:
    """Yield the rows of staged files in batches."""
    for path in paths:
        if not os.path.getsize(path):
            continue
        with pa.memory_map(path) as source:
            reader = pa.ipc.open_file(source)
            for number in range(reader.num_record_batches):
                batch = reader.get_batch(number)
                yield from (batch.slice(at, _CHUNK) for at in range(0, batch.num_rows, _CHUNK))
