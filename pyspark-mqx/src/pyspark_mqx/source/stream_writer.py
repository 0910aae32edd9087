"""Write of a stream to a queue: each batch once, by the identifier of its query and its number.

Spark keeps the identifier in the checkpoint of the query, so that a batch which is repeated after a kill has the same
two. Each batch is a load of its own job id, in one transaction (module ``writer``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyspark import TaskContext
from pyspark.sql.datasource import DataSourceStreamArrowWriter, WriterCommitMessage

from mqtools.constants.reasons import MQRC_OBJECT_CHANGED
from mqtools.errors import MQError
from mqtools.store.database import Database
from mqtools.store.messages import applied_jobs
from mqtools.store.open_database import open_database
from pyspark_mqx.source.load_job import LoadJob
from pyspark_mqx.source.writer import LOAD, MqxWriter, StagedFile, load_staged

if TYPE_CHECKING:
    import pyarrow as pa


#: Local properties of a task of a stream.
_QUERY, _BATCH = "sql.streaming.queryId", "streaming.sql.batchId"


class MqxStreamWriter(DataSourceStreamArrowWriter):
    """``df.writeStream.format("mqx").option("checkpointLocation", …).start("QM1/ORDERS")``.

    Raises MQError and ValueError as ``MqxWriter`` does.
    """

    def __init__(self, options: dict[str, str], names: Sequence[str]) -> None:
        if options.get("job_id"):
            raise ValueError("option job_id: a stream has its own identifier, in its checkpoint")
        self._writer = MqxWriter(options, names)

    def write(self, iterator: Iterator[pa.RecordBatch]) -> StagedFile:
        """Stage the rows of a task in its own file."""
        context = TaskContext.get()
        assert context is not None
        query, batch = (context.getLocalProperty(name) for name in (_QUERY, _BATCH))
        self._writer.job = replace(self._writer.job, job_id=f"{_prefix(str(query))}{batch}")
        return self._writer.write(iterator)

    def commit(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:
        """Load a batch in one transaction, unless it has been loaded.

        Raises MQError: MQRC_OBJECT_CHANGED if a later batch of the query has been.
        """
        staged = [one for one in messages if isinstance(one, StagedFile)]
        if not staged:
            return
        job = replace(self._writer.job, job_id=staged[0].job_id)
        prefix = job.job_id.removesuffix(str(batchId))
        earlier = _check_later(job, prefix, batchId)
        load_staged(job, [one.path for one in sorted(staged, key=lambda one: one.partition)])
        job.delete_staged()
        with closing(open_database(job.path)) as db, db.writing():
            forget(db, earlier)

    def abort(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:  # noqa: ARG002 - Spark's signature
        """Delete the staged files."""
        for one in messages:
            if isinstance(one, StagedFile):
                replace(self._writer.job, job_id=one.job_id).delete_staged()


def _prefix(query: str) -> str:
    return f"query {query} "


def _check_later(job: LoadJob, prefix: str, number: int) -> list[str]:
    """Return the ids of earlier batches. Raises MQError if there is a later one."""
    there = {other: int(other.removeprefix(prefix)) for other in jobs_of(job.path, prefix)}
    is_done({"batch": max(there.values(), default=-1), "end": number}, number, number, job.path)
    return [other for other, its_number in there.items() if its_number < number]


def is_done(before: dict[str, Any] | None, number: int, end: object, where: str) -> bool:
    """Return whether a target has a batch. before: number and end of the last batch of the stream there.

    Raises MQError: MQRC_OBJECT_CHANGED if it has a later batch, or another batch with this number.
    """
    if before is None or before["batch"] < number:
        return False
    if (before["batch"], before["end"]) == (number, end):
        return True
    words = f"{where} has batch {before['batch']} of this stream, the checkpoint is at {number}: is it an older copy?"
    raise MQError(words, MQRC_OBJECT_CHANGED)


def jobs_of(path: str, prefix: str) -> list[str]:
    """Return the ids of the batches of a stream that a queue manager has. path: of its file."""
    with closing(open_database(path, read_only=True)) as db:
        return applied_jobs.with_prefix(db, LOAD, prefix)


def forget(db: Database, earlier: list[str]) -> None:
    """Delete the records of earlier batches, which cannot come again."""
    for other in earlier:
        applied_jobs.forget(db, LOAD, other)
