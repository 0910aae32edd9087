#!/usr/bin/env python3
"""Data pipeline in a program, on a queue manager of its own; on the command line it is mqx pipeline.

Messages are archived and taken off their queue, loaded back once however often the job is run, and what happened is
counted from the journal, as a stream. Needs Java 17 and the extra "spark": ``python examples/pipeline.py``.
"""

from __future__ import annotations

import os
import sys
import tempfile

from pyspark.sql import SparkSession
from pyspark_mqx.jobs.archive import archive_and_remove
from pyspark_mqx.jobs.inputs import read_input
from pyspark_mqx.session import session

from mqtools.admin import queue_managers
from mqtools.admin.depths import depth
from mqtools.errors import UsageError
from mqtools.message import Message
from mqtools.mqi.connection import connect
from mqtools.mqi.objects.definitions import alter_queue

ORDERS, COPY = "DEV.QUEUE.1", "DEV.QUEUE.2"
JOURNAL_WITH_DATA = 2


def new_qmgr(path: str) -> str:
    """Create a queue manager with 50 orders on a queue that keeps a journal."""
    queue_managers.create(path, developer=True)
    with connect(path) as connection:
        with connection.work() as work:
            alter_queue(work, "QUEUE", ORDERS, {"journal": JOURNAL_WITH_DATA})
        for number in range(50):
            connection.put1(ORDERS, Message(b"order %d" % number))
    return path


def depth_of(path: str, queue: str) -> int:
    with connect(path) as connection:
        return depth(connection.db, queue)


def main(spark: SparkSession, folder: str) -> None:
    """Run the pipeline in a folder."""
    qmgr = new_qmgr(os.path.join(folder, "QM1.db"))
    archive, events = os.path.join(folder, "archive"), os.path.join(folder, "events")

    print(f"archived: {archive_and_remove(spark, archive, qmgr, ORDERS)}, left: {depth_of(qmgr, ORDERS)}")

    for _ in range(2):
        orders = read_input(spark, "parquet", [archive])
        orders.write.format("mqx").mode("append").options(qmgr=qmgr, queue=COPY, job_id="monday").save()
        print(f"loaded: {depth_of(qmgr, COPY)}")

    journal = spark.readStream.format("mqx").schema("event string, queue string").option("qmgr", qmgr).load()
    sink = journal.writeStream.format("parquet").option("checkpointLocation", os.path.join(folder, "checkpoint"))
    sink.trigger(availableNow=True).start(events).awaitTermination()
    for row in spark.read.parquet(events).groupBy("queue", "event").count().orderBy("queue", "event").collect():
        print(f"{row.queue} {row.event}: {row['count']}")


if __name__ == "__main__":
    try:
        session.check()
    except UsageError as missing:
        sys.exit(f"{missing}: {missing.hint}")
    with tempfile.TemporaryDirectory() as home:
        main(session.start(), home)
