"""Reassembly: segments into logical messages, and the gaps in messages and groups; other messages pass through."""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from mqtools.constants.message import MQMF_LAST_MSG_IN_GROUP, MQMF_LAST_SEGMENT, MQMT_REPORT
from mqtools.constants.structures import MQGI_NONE
from mqtools.rules.descriptor import GROUP_FLAGS, SEGMENT_FLAGS
from pyspark_mqx.jobs.messages import messages_of

#: Columns of a message that are used.
_NEEDED = (
    "qmgr queue seq state msg_type msg_id group_id msg_seq_number offset msg_flags original_length data_length data"
)
NEEDED = tuple(_NEEDED.split())

#: Identity of a logical message: a group belongs to one queue manager.
_KEY = ("qmgr", "group_id", "msg_seq_number")
_GROUP = ("qmgr", "group_id")

_NONE = "cast(array() as array<bigint>)"

#: A segment of a message, and a message of a group, or a segment of one; a report about one is no part of it.
_IS_SEGMENT, _IS_IN_GROUP = (
    f"coalesce(msg_flags & {flags} != 0 and group_id != '{MQGI_NONE.hex()}' and msg_type != {MQMT_REPORT}, false)"
    for flags in (SEGMENT_FLAGS, GROUP_FLAGS)
)

#: Bytes of application data of a segment. Offsets are of these; as numbers that cannot overflow, whatever is given.
_LENGTH = "cast(if(original_length >= 0, original_length, data_length) as bigint) as length"

#: Bytes of headers in front of a segment's data, and how much of its data is there: less where it was cut off, and
#: nothing where it is not in the archive.
_HEADERS = "greatest(data_length - length, 0) as headers"
_THERE = "least(length, greatest(coalesce(octet_length(data), 0) - headers, 0)) as there"

#: First byte of a segment after ``reached``; a segment that comes twice adds nothing. Headers do not count, and stay in
#: front of the whole. ``reached`` is null before the first segment.
_FROM = "headers + greatest(reached - offset, 0) + 1"
_PIECE = f"if(reached is null and offset = 0, data, substring(data, cast(least({_FROM}, {2**31 - 1}) as int)))"

#: Where data is missing in front of a segment, and behind the last.
_GAP = "named_struct('begin', {}, 'end', {})"
_GAP_BEFORE = f"if(offset > reached, {_GAP.format('reached', 'offset')}, null)"
_GAP_INSIDE = f"if(reached < end, array({_GAP.format('reached', 'end')}), array())"
_GAPS_BEHIND = f"concat({_GAP_INSIDE}, if(ended, array(), array({_GAP.format('end', 'cast(null as bigint)')})))"


def reassemble(messages: DataFrame) -> DataFrame:
    """Return a row for each logical message.

    Columns: qmgr, group_id, msg_seq_number, data, complete, missing, missing_to, queue, msg_id, to_seq_number.
    missing: the offsets where data is missing, with the end if the last segment is missing; then data is null.
    missing_to: where each of these gaps ends, which is the offset behind it; null if the last segment is missing.
    msg_id: of its first segment.
    Each gap in a group adds a row, as a message that is missing entirely, from msg_seq_number to to_seq_number; for
    messages these are equal. The latter is null if the last message of the group is missing.
    """
    messages = messages_of(messages)
    whole = messages.where(f"not ({_IS_SEGMENT})").selectExpr(
        *_KEY, "data", "true as complete", f"{_NONE} as missing", f"{_NONE} as missing_to", "queue", "msg_id"
    )
    found = whole.unionByName(_joined(messages.where(_IS_SEGMENT))).withColumn("to_seq_number", F.col("msg_seq_number"))
    return found.unionByName(_gaps_in_groups(messages.where(_IS_IN_GROUP)))


def _gaps_in_groups(members: DataFrame) -> DataFrame:
    """Return a row for each gap in a group: before the first message, between two, after one that is not the last."""
    last = F.bool_or(F.col("msg_flags").bitwiseAND(MQMF_LAST_MSG_IN_GROUP) != 0).alias("last")
    numbers = members.groupBy(*_KEY).agg(last, F.min("queue").alias("queue"))
    before = F.lag("msg_seq_number", 1, 0).over(Window.partitionBy(*_GROUP).orderBy("msg_seq_number"))
    between = numbers.withColumn("first", before + 1).selectExpr(
        *_GROUP, "first as msg_seq_number", "msg_seq_number - 1 as to_seq_number", "queue"
    )
    ends = numbers.groupBy(*_GROUP).agg(
        F.bool_or("last").alias("last"), F.max("msg_seq_number").alias("reached"), F.min("queue").alias("queue")
    )
    behind = ends.where("not last").selectExpr(
        *_GROUP, "reached + 1 as msg_seq_number", "cast(null as int) as to_seq_number", "queue"
    )
    gaps = between.where("msg_seq_number <= to_seq_number").unionByName(behind)
    return gaps.selectExpr(
        *_KEY,
        "cast(null as binary) as data",
        "false as complete",
        "array(0L) as missing",
        "array(cast(null as bigint)) as missing_to",
        "queue",
        "cast(null as string) as msg_id",
        "to_seq_number",
    )


def _joined(segments: DataFrame) -> DataFrame:
    in_order = Window.partitionBy(*_KEY).orderBy("offset", F.desc("there"), F.desc(F.octet_length("data")), "seq")
    # Of the segments at one offset, the one with most data comes first.
    so_far = F.max(F.col("offset") + F.col("there")).over(in_order.rowsBetween(Window.unboundedPreceding, -1))
    pieces = (
        segments.selectExpr("*", _LENGTH)
        .selectExpr("*", _HEADERS)
        .selectExpr("*", _THERE)
        .withColumn("reached", so_far)
        .selectExpr("*", f"{_PIECE} as piece")
        .withColumn("reached", F.coalesce("reached", F.lit(0)))
        .selectExpr("*", f"{_GAP_BEFORE} as gap_before")
    )
    joined = pieces.groupBy(*_KEY).agg(
        F.expr("listagg(piece) within group (order by offset) as data"),
        F.expr("collect_list(gap_before) as gaps"),
        F.expr(f"max(msg_flags & {MQMF_LAST_SEGMENT} != 0) as ended"),
        F.expr("max(offset + there) as reached"),
        F.expr("max(offset + length) as end"),
        F.expr("min_by(queue, offset) as queue"),
        F.expr("min_by(msg_id, offset) as msg_id"),
    )
    missing = f"sort_array(concat(gaps, {_GAPS_BEHIND})) as missing"
    return joined.selectExpr(*_KEY, "data", "queue", "msg_id", missing).selectExpr(
        *_KEY,
        "if(size(missing) = 0, data, null) as data",
        "size(missing) = 0 as complete",
        "missing.begin as missing",
        "missing.end as missing_to",
        "queue",
        "msg_id",
    )
