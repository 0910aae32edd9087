"""Latency of requests: the time from each request to its first reply, and whether that is too long."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from mqtools.constants.message import MQMT_REPLY, MQMT_REQUEST, MQRO_PASS_CORREL_ID
from pyspark_mqx.jobs.messages import COMMITTED, messages_of

#: Columns that identify an original.
_OWN = ("qmgr", "queue", "msg_id")


def with_latency(rows: DataFrame, sent: DataFrame, replies: DataFrame, sla_s: float) -> DataFrame:
    """Return the rows of ``reconcile`` with the columns replied_at, latency_s and breach; null for what is no request.

    sent, replies: messages, as of ``reconcile``.  sla_s: seconds within which a reply comes.  breach: it came later, or
    has not come although the time is over. A reply has the MsgId of its request as CorrelId, or its CorrelId where the
    request passes that on.
    """
    key = F.when(F.col("report").bitwiseAND(MQRO_PASS_CORREL_ID) != 0, F.col("correl_id")).otherwise(F.col("msg_id"))
    asked = messages_of(sent, states=COMMITTED).where(F.col("msg_type") == MQMT_REQUEST)
    asked = asked.select(*_OWN, key.alias("key"), F.col("put_at").alias("asked_at"))
    answers = messages_of(replies, states=COMMITTED).where(F.col("msg_type") == MQMT_REPLY)
    first = answers.groupBy(F.col("correl_id").alias("key")).agg(F.min("put_at").alias("replied_at"))
    waited = (F.unix_micros("replied_at") - F.unix_micros("asked_at")) / 1_000_000
    so_far = (F.unix_micros(F.now()) - F.unix_micros("asked_at")) / 1_000_000
    times = (F.min(name).alias(name) for name in ("replied_at", "asked_at"))
    breach = (F.coalesce(waited, so_far) > sla_s).alias("breach")
    found = asked.join(first, "key", "left").groupBy(*_OWN).agg(*times)
    return rows.join(found.select(*_OWN, "replied_at", waited.alias("latency_s"), breach), [*_OWN], "left")
