"""Statistics by queue manager, queue and hour from the events of a journal: throughput, waiting times, depth."""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

#: Columns of an event that are used. An archive of messages has no events: each message counts as put.
_NEEDED = "qmgr queue seq event event_at event_seq put_at arrived_at"
NEEDED = tuple(_NEEDED.split())

#: Events that add a message to a queue, and events that remove one.
_COMES = ("put", "report", "channel_receive", "dead_letter", "copy", "restore", "replay")
_LEAVES = ("get", "channel_send", "expire", "delete")

#: Accuracy of the percentiles: the largest error is the number of values divided by it.
_ACCURACY = 10_000


def stats(events: DataFrame) -> DataFrame:
    """Return a row for each queue and hour: puts, gets, put_to_get_p50_s, p99_s, depth at the end of the hour.

    Depth counts from the first event available. Queues of two queue managers are two, also if their names are equal.
    """
    known = events.select(
        "qmgr",
        "queue",
        "seq",
        F.coalesce("event", F.lit("put")).alias("event"),
        F.coalesce("event_at", "put_at").alias("at"),
        "event_seq",
        F.coalesce("arrived_at", "put_at").alias("arrived_at"),  # older archives have put_at alone, which was this
    )
    first = F.row_number().over(Window.partitionBy("qmgr", "seq").orderBy("event_seq")) == 1
    marked = known.withColumn("first", first).withColumn("hour", F.date_trunc("hour", "at"))
    # A move is an event of both queues. On that which it leads to a message is put then, and nothing was before.
    is_moved = F.col("event") == "move"
    is_moved_here = is_moved & F.col("first") & (F.col("arrived_at") >= F.col("at"))
    comes = F.col("event").isin(*_COMES) | is_moved_here
    leaves = F.col("event").isin(*_LEAVES) | (is_moved & ~is_moved_here)
    waited = F.when(F.col("event") == "get", (F.unix_micros("at") - F.unix_micros("arrived_at")) / 1_000_000)
    hours = marked.groupBy("qmgr", "queue", "hour").agg(
        F.count_if(comes).alias("puts"),
        F.count_if(F.col("event") == "get").alias("gets"),
        F.percentile_approx(waited, [0.5, 0.99], _ACCURACY).alias("waited"),
        (F.count_if(comes) - F.count_if(leaves)).alias("change"),
    )
    so_far = Window.partitionBy("qmgr", "queue").orderBy("hour")
    return hours.select(
        "qmgr",
        "queue",
        "hour",
        "puts",
        "gets",
        F.get("waited", F.lit(0)).alias("put_to_get_p50_s"),
        F.get("waited", F.lit(1)).alias("p99_s"),
        F.sum("change").over(so_far).alias("depth"),
    )
