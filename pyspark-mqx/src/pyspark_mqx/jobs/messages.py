"""Messages of a frame that a job is about: arrived ones of journals, committed ones of queues."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

#: Events of a message that arrives on a queue, and of a dead letter. A moved message has arrived before.
ARRIVALS = ("put", "report", "channel_receive", "copy", "replay")
DEAD = (*ARRIVALS, "dead_letter")

#: States of messages that a program could get, and of all that have been put.
FREE = ("unlocked",)
COMMITTED = ("unlocked", "locked_for_browse", "get_unconfirmed", "browse_get_unconfirmed", "delayed")


def messages_of(frame: DataFrame, events: Sequence[str] = ARRIVALS, states: Sequence[str] = FREE) -> DataFrame:
    """Return each message of a frame once.

    A frame with the column ``event`` is an archive: its messages, and some events of journals. Any other is read from
    queues: the messages in some states.
    """
    if "event" in frame.columns:
        return frame.where(F.col("event").isNull() | F.col("event").isin(*events)).drop("event")
    return frame.where(F.col("state").isNull() | F.col("state").isin(*states)) if "state" in frame.columns else frame
