"""Write to a queue, once for each job id: tasks stage files, and one transaction loads them all.

The note that a job is done is in that transaction. A job that was killed before has written nothing, and one that is
run again after it writes nothing more.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from urllib.parse import unquote, urlsplit

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql.datasource import DataSourceArrowWriter, WriterCommitMessage

from mqtools.arrow.columns import known_columns
from mqtools.arrow.damage import Quarantine
from mqtools.arrow.put_times import with_put_times
from mqtools.arrow.ranges import find_paths, resolve_target
from mqtools.arrow.read_options import WRITE_OPTIONS, check_names, is_yes
from mqtools.constants.reasons import MQRC_OBJECT_IN_USE
from mqtools.errors import MQError
from mqtools.mqi import authority
from mqtools.mqi.connection import Connection, connect
from mqtools.mqi.resolution import resolve_for_put
from mqtools.operations.load import ABOUT_MESSAGE, Loader
from mqtools.store.messages import applied_jobs
from mqtools.store.open_database import open_database
from pyspark_mqx.source.batches import ColumnarBatch, DescriptorCache, RowBatch
from pyspark_mqx.source.rows import ABOUT_ROW, KNOWN, read_message_row

LOAD = "load"

#: Field of a quarantine line for the number of an event.
_EVENT = "event_seq"

#: Prefix of staging folders, and the maximum age of one in seconds (two days); an older one belongs to a killed job.
_STAGING, _LONG_AGO_S = "load-", 172_800

#: Characters of a job id in the name of a file; in UTF-8 they fit into it.
_LONGEST_NAME = 50

#: Rows that are processed together.
_CHUNK = 2048


@dataclass(slots=True, frozen=True)
class LoadJob:
    """One load. path: of the queue manager.  quarantine: folder for rows that cannot be messages, empty to refuse them.

    run: name of the file in it that the rows, which are events, are added to (``damage.Quarantine``); empty for a file
    of this job alone.
    """

    path: str
    queue: str
    job_id: str
    quarantine: str
    run: str = ""

    @property
    def staging(self) -> str:
        """Return the folder of its staged files: the same for the same job."""
        return os.path.join(f"{self.path}-run", f"{_STAGING}{self._digest[:32]}")

    @property
    def quarantine_file(self) -> str:
        """Return the file for its rows that cannot be messages: of this job alone."""
        name = "".join(sign if sign.isalnum() or sign in "-_." else "_" for sign in self.job_id[:_LONGEST_NAME])
        if name != self.job_id:
            name = f"{name}-{self._digest[:16]}"
        return os.path.join(self.quarantine, f"{name}.jsonl")

    @property
    def _digest(self) -> str:
        return sha256(self.job_id.encode("utf-8", "surrogatepass")).hexdigest()

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Lock the job in the block. Raises MQError: MQRC_OBJECT_IN_USE if another process runs it."""
        os.makedirs(self.staging, mode=0o700, exist_ok=True)
        held = os.open(self.staging, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise MQError(f"job {self.job_id} is running in another process", MQRC_OBJECT_IN_USE) from error
            yield
            with suppress(OSError):
                os.rmdir(self.staging)
        finally:
            os.close(held)

    def delete_staged(self) -> None:
        """Delete its staged files, and what killed jobs staged long ago."""
        shutil.rmtree(self.staging, ignore_errors=True)
        with suppress(OSError):
            for entry in os.scandir(os.path.dirname(self.staging)):
                if entry.name.startswith(_STAGING) and time.time() - entry.stat().st_mtime > _LONG_AGO_S:
                    shutil.rmtree(entry.path, ignore_errors=True)


class StagedFile(WriterCommitMessage):
    """Staged file of one task. partition: its number, which orders the files.  job_id: of its job."""

    def __init__(self, partition: int, path: str, job_id: str) -> None:
        self.partition = partition
        self.path = path
        self.job_id = job_id


class MqxWriter(DataSourceArrowWriter):
    """``df.write.format("mqx").mode("append").option("qmgr", …).option("queue", …).option("job_id", …).save()``.

    Without a job id a run is a job of its own: tasks that Spark repeats are not doubled, a second run is. A column
    put_at needs the option keepcontext.
    Raises MQError while it is planned, for a queue manager or queue that is not there; ValueError for columns that no
    message has.
    """

    def __init__(self, options: dict[str, str], names: Sequence[str]) -> None:
        check_columns(names)
        check_names(options, WRITE_OPTIONS)
        check_put_at(names, keeps_context=is_yes("keepcontext", options.get("keepcontext", "false")))
        paths = find_paths(options.get("qmgr", ""))
        if len(paths) != 1 or not options.get("queue"):
            raise ValueError("a write needs one queue manager and one queue: options qmgr and queue")
        job_id = options.get("job_id") or os.urandom(16).hex()
        self.job = LoadJob(paths[0], options["queue"], job_id, options.get("quarantine", ""), options.get("run", ""))
        resolve_target(self.job.path, self.job.queue)

    def write(self, iterator: Iterator[pa.RecordBatch]) -> StagedFile:
        """Stage the rows of a task in its own file."""
        context = TaskContext.get()
        number, attempt = (context.partitionId(), context.taskAttemptId()) if context is not None else (0, 0)
        os.makedirs(self.job.staging, mode=0o700, exist_ok=True)
        path = os.path.join(self.job.staging, f"{number}-{attempt}-{os.getpid()}.arrow")
        opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        file: Any = None
        with os.fdopen(opened, "wb") as sink:
            for given in iterator:
                batch = with_put_times(given)
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
            load_staged(self.job, [one.path for one in staged])
        finally:
            self.job.delete_staged()

    def abort(self, messages: list[WriterCommitMessage | None]) -> None:  # noqa: ARG002 - Spark's signature
        """Delete the staged files."""
        self.job.delete_staged()


def check_put_at(names: Sequence[str], *, keeps_context: bool) -> None:
    """Check that written put times are kept. Raises ValueError."""
    if "put_at" in names and not keeps_context:
        raise ValueError(
            "column put_at: the option keepcontext (true) makes it the put date and time of the messages; without it"
            " drop the column"
        )


def check_columns(names: Sequence[str]) -> None:
    """Check that every column has a meaning, and one belongs to messages. Raises ValueError.

    Columns of an archive that do not belong to the message, its queue and its time of arrival, are ignored.
    """
    known = {*KNOWN, *ABOUT_ROW, *known_columns(journal=True)}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ValueError(f"unknown column: {', '.join(unknown)}; the columns are {', '.join(sorted(KNOWN))}")
    if KNOWN.isdisjoint(names):
        raise ValueError(f"no column belongs to a message: {', '.join(names)}")


def find_result(job: LoadJob) -> tuple[int, int] | None:
    """Return how many rows a job wrote and quarantined, None if it has not run."""
    db = open_database(job.path, read_only=True)
    try:
        return applied_jobs.find(db, LOAD, job.job_id)
    finally:
        db.close()


def load_staged(job: LoadJob, paths: list[str]) -> None:
    """Load files in one transaction, unless the job is done. A load without rows is not recorded as done.

    Raises MQError, and nothing is written then: of the first row that can be no message, or that the queue does not
    take, where there is no quarantine for it; of what would hit any message, a queue that is full or inhibited.
    """
    with connect(job.path, appl_name="mqx") as connection, connection.work() as work:
        if applied_jobs.find(work.db, LOAD, job.job_id) is not None:
            return
        name, _, q_mgr_name = job.queue.partition("@")
        target = resolve_for_put(work.db, work.qmgr, name, q_mgr_name)
        authority.check_queue(connection, target.path[0].name, "PUT", "SETALL")
        loading = _LoadProgress(connection, job)
        for batch in _batches(paths):
            loading.load(batch)
        if not loading.written and not loading.refused:
            return
        loading.write_quarantine()
        applied_jobs.add(work.db, LOAD, job.job_id, work.now_ms, loading.written, len(loading.refused))
        work.durable = True


class _LoadProgress:
    """Progress of a load. written: messages so far.  refused: quarantined rows, with the reasons."""

    def __init__(self, connection: Connection, job: LoadJob) -> None:
        self.written = 0
        self.refused: list[dict[str, object]] = []
        self._connection = connection
        self._job = job
        self._before = 0
        self._shared = DescriptorCache()

    def load(self, given: pa.RecordBatch) -> None:
        """Load the rows of a batch."""
        name, _, q_mgr_name = self._job.queue.partition("@")
        batch = RowBatch(given)
        with self._connection.work() as work:
            loader = Loader(work, name, q_mgr_name)
            columnar = ColumnarBatch(batch, loader, self._shared)
            for is_single, run in columnar.runs():
                together = run[:0] if is_single else run[: max(loader.intake.room, 0)]
                if together:
                    columnar.put(together)
                    self.written += len(together)
                for n in run[len(together) :]:
                    self._load_single(loader, batch, n)
            loader.flush()
        self._before += batch.number

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
            error.text = (
                f"{_place_text(file, number)}: {error.text}; the option quarantine, a folder, sets such rows aside"
            )
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
        number = os.open(self._job.quarantine_file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with os.fdopen(number, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in self.refused)


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
