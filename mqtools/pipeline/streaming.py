"""The journal followed into Parquet or onto a queue, each event once, however often it is killed and begun again."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F

from mqtools.constants.reasons import MQRC_OBJECT_CHANGED
from mqtools.errors import MQError
from mqtools.pipeline import columns
from mqtools.pipeline.archive import finish_unfinished, message_names, write
from mqtools.pipeline.landing import Target

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

#: Which streams wrote the last batch into a folder: identifier to number.
_BATCHES = "stream"

#: Events by which a message comes to a queue: these are what goes on to another one.
ARRIVALS = ("put", "report", "channel_receive")


def events(spark: SparkSession, qmgr: str, queue: str = "") -> DataFrame:
    """Give the journals as a stream, with all that keeps a message exact."""
    reader = spark.readStream.format("mqx").schema(columns.ddl(message_names(journal=True), journal=True))
    return reader.options(qmgr=qmgr, queue=queue).load()


def stream_id(checkpoint: str) -> str:
    """Give the identifier of a checkpoint folder, by which batches are known; it is made with the folder."""
    path = os.path.join(checkpoint, "_mqx.json")
    try:
        with open(path, encoding="utf-8") as file:
            return str(json.load(file)["id"])
    except FileNotFoundError:
        os.makedirs(checkpoint, mode=0o700, exist_ok=True)
        made = os.urandom(16).hex()
        with open(f"{path}.new", "w", encoding="utf-8") as file:
            json.dump({"id": made}, file)
            file.flush()
            os.fsync(file.fileno())
        os.rename(f"{path}.new", path)
        return made


def to_folder(folder: str, identifier: str) -> Callable[[DataFrame, int], None]:
    """Give what writes a batch into an archive of events, once."""

    def write_batch(batch: DataFrame, number: int) -> None:
        with Target(folder) as target:
            finish_unfinished(target)
            done = target.note(_BATCHES)
            if int(done.get(identifier, -1)) >= number:
                return
            run = target.begin({})
            write(batch, run.data)
            run.seal({_BATCHES: {**done, identifier: number}})
            run.publish()
            run.end()

    return write_batch


def to_queue(qmgr: str, queue: str, identifier: str) -> Callable[[DataFrame, int], None]:
    """Give what puts the messages that came, of a batch, onto a queue, once; not those of that queue."""

    def write_batch(batch: DataFrame, number: int) -> None:
        came = batch.where(F.col("event").isin(*ARRIVALS) & (F.col("queue") != queue.partition("@")[0]))
        if came.where("data is null and data_length > 0").limit(1).count():
            raise MQError("the journal has no data: the queues need JOURNAL(BODY)", MQRC_OBJECT_CHANGED)
        writer = came.orderBy("qmgr", "event_seq").write.format("mqx").mode("append")
        writer.options(qmgr=qmgr, queue=queue, job_id=f"stream {identifier} {number}").save()

    return write_batch


def start(
    frame: DataFrame, write_batch: Callable[[DataFrame, int], None], checkpoint: str, *, available_now: bool
) -> StreamingQuery:
    """Start a stream. available_now: end when all that is there now has been written."""
    trigger: dict[str, Any] = {"availableNow": True} if available_now else {"processingTime": "1 second"}
    writer = frame.writeStream.foreachBatch(write_batch).option("checkpointLocation", checkpoint)
    return writer.trigger(**trigger).start()
