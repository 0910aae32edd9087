"""Writing to a queue, once by job id: the tasks stage files, and one transaction loads them all.

The note that a job is done is in that transaction. A job that was killed before has written nothing, and one that is
run again after it writes nothing more.
"""

from __future__ import annotations

import json
import os
import shutil
from hashlib import sha256
from itertools import islice
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSourceArrowWriter, WriterCommitMessage

from mqtools.errors import MQError
from mqtools.pipeline.ranges import paths_of
from mqtools.pipeline.rows import PLACE, message_of
from mqtools.qmgr.connection import connect
from mqtools.qmgr.loading import load_messages
from mqtools.records import Record
from mqtools.store import applied
from mqtools.store.database import open_database

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from mqtools.message import Message
    from mqtools.qmgr.connection import Connection

LOAD = "load"

#: Messages that are put together.
_CHUNK = 1000


class Job(Record):
    """One load. path: of the queue manager.  quarantine: folder for what can be no message, empty to refuse it."""

    __slots__ = ("path", "queue", "job_id", "quarantine")

    def __init__(self, path: str, queue: str, job_id: str, quarantine: str) -> None:
        self.path = path
        self.queue = queue
        self.job_id = job_id
        self.quarantine = quarantine

    @property
    def staging(self) -> str:
        """Where its files are staged: the same folder for the same job."""
        name = sha256(self.job_id.encode("utf-8", "surrogatepass")).hexdigest()[:32]
        return os.path.join(f"{self.path}-run", f"load-{name}")

    @property
    def quarantine_file(self) -> str:
        """Where its rows that can be no messages go."""
        name = "".join(sign if sign.isalnum() or sign in "-_." else "_" for sign in self.job_id)
        return os.path.join(self.quarantine, f"{name}.jsonl")


class Staged(WriterCommitMessage):
    """One task's file. partition: its number, by which the files are in order."""

    def __init__(self, partition: int, path: str) -> None:
        self.partition = partition
        self.path = path


class MqxWriter(DataSourceArrowWriter):
    """``df.write.format("mqx").mode("append").option("qmgr", …).option("queue", …).option("job_id", …).save()``.

    Without a job id a run is a job of its own: tasks that Spark repeats are not doubled, a second run is.
    """

    def __init__(self, options: dict[str, str]) -> None:
        paths = paths_of(options.get("qmgr", ""))
        if len(paths) != 1 or not options.get("queue"):
            raise ValueError("a write needs one queue manager and one queue: options qmgr and queue")
        job_id = options.get("job_id") or os.urandom(16).hex()
        self.job = Job(paths[0], options["queue"], job_id, options.get("quarantine", ""))

    def write(self, iterator: Iterator[pa.RecordBatch]) -> Staged:
        """Stage the rows of a task in a file of its own."""
        import pyarrow as pa
        from pyspark import TaskContext

        context = TaskContext.get()
        number, attempt = (context.partitionId(), context.taskAttemptId()) if context is not None else (0, 0)
        os.makedirs(self.job.staging, mode=0o700, exist_ok=True)
        path = os.path.join(self.job.staging, f"{number}-{attempt}-{os.getpid()}.arrow")
        opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        file: Any = None
        with os.fdopen(opened, "wb") as sink:
            for batch in iterator:
                file = file or pa.ipc.new_file(sink, batch.schema)
                file.write_batch(batch)
            if file is not None:
                file.close()
        return Staged(number, path)

    def commit(self, messages: list[WriterCommitMessage | None]) -> None:
        """Load everything that was staged, in one transaction."""
        staged = sorted((one for one in messages if isinstance(one, Staged)), key=lambda one: one.partition)
        try:
            load_staged(self.job, [one.path for one in staged])
        finally:
            shutil.rmtree(self.job.staging, ignore_errors=True)

    def abort(self, messages: list[WriterCommitMessage | None]) -> None:  # noqa: ARG002 - Spark's signature
        """Forget what was staged."""
        shutil.rmtree(self.job.staging, ignore_errors=True)


def done_before(job: Job) -> tuple[int, int] | None:
    """Give what a job wrote and set aside, None where it has not been done."""
    db = open_database(job.path, read_only=True)
    try:
        return applied.find(db, LOAD, job.job_id)
    finally:
        db.close()


def load_staged(job: Job, paths: list[str]) -> None:
    """Load files in one transaction, unless the job is done. Raises MQError: of the first put that is refused."""
    with connect(job.path, appl_name="mqx") as connection, connection.work() as work:
        if applied.find(work.db, LOAD, job.job_id) is not None:
            return
        loading = _Loading(connection, job)
        messages = loading.messages(paths)
        while chunk := list(islice(messages, _CHUNK)):
            at, error = load_messages(connection, loading.queue, chunk, q_mgr_name=loading.q_mgr)
            if error is not None:
                error.text = f"message {loading.written + at + 1}: {error.text}"
                raise error
            loading.written += len(chunk)
        loading.settle()
        applied.add(work.db, LOAD, job.job_id, work.now_ms, loading.written, len(loading.refused))
        work.durable = True


class _Loading:
    """Rows on their way onto a queue. written: how many are there.  refused: those that can be no messages."""

    def __init__(self, connection: Connection, job: Job) -> None:
        self.written = 0
        self.refused: list[dict[str, object]] = []
        self.queue, _, self.q_mgr = job.queue.partition("@")
        self._connection = connection
        self._job = job

    def messages(self, paths: list[str]) -> Iterator[Message]:
        """Give the messages of staged files; what can be none is set aside."""
        for number, row in enumerate(_rows(paths), 1):
            try:
                yield message_of(row)
            except MQError as error:
                place = {name: row.get(name) for name in PLACE}
                self.refused.append({"file": place["file"], "row": place["row"] or number, "reason": str(error)})
                if not self._job.quarantine:
                    raise

    def settle(self) -> None:
        """Write down what was set aside, before anything is committed."""
        if not self.refused:
            return
        os.makedirs(self._job.quarantine, mode=0o700, exist_ok=True)
        number = os.open(self._job.quarantine_file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with os.fdopen(number, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in self.refused)


def _rows(paths: list[str]) -> Iterator[dict[str, Any]]:
    import pyarrow as pa

    for path in paths:
        if not os.path.getsize(path):
            continue
        with pa.memory_map(path) as source:
            reader = pa.ipc.open_file(source)
            for number in range(reader.num_record_batches):
                yield from reader.get_batch(number).to_pylist()
