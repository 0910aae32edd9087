"""Datasets of the pipeline: events of a journal as they come, and views that Spark keeps up to date.

The queue manager is QM1, where ``mqx qmgr list`` finds it; a name and a queue are all that the source needs.
"""

from __future__ import annotations

from pyspark import pipelines as dp
from pyspark.sql import DataFrame, SparkSession
from pyspark_mqx import stats

spark = SparkSession.active()
ORDERS = "QM1/DEV.QUEUE.1"
EVENTS = "qmgr, queue, seq, event, event_at, event_seq, put_at, arrived_at, msg_id"


@dp.table(comment="Each event of the queue once, from the checkpoint that the pipeline keeps in its storage")
def events() -> DataFrame:
    return spark.readStream.format("mqx").option("journal", "true").option("columns", EVENTS).load(ORDERS)


@dp.materialized_view(comment="Puts, gets, waiting times and depth by hour")
def throughput() -> DataFrame:
    journal = spark.read.format("mqx").option("journal", "true").option("columns", EVENTS).load(ORDERS)
    return stats(journal)


@dp.materialized_view(comment="What is on the queue now, by priority; the data is not read")
def waiting() -> DataFrame:
    messages = spark.read.format("mqx").option("columns", "qmgr, queue, priority").load(ORDERS)
    return messages.groupBy("qmgr", "queue", "priority").count()
