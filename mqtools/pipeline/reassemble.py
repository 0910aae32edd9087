"""Segments to logical messages, the gaps named; what is no segment passes through."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import Window
from pyspark.sql import functions as F

from mqtools.constants.message import MQMF_LAST_SEGMENT, MQMT_REPORT
from mqtools.constants.structures import MQGI_NONE
from mqtools.rules.groups import SEGMENT_FLAGS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

#: Columns of a message that are looked at.
_NEEDED = (
    "qmgr queue seq state msg_type msg_id group_id msg_seq_number offset msg_flags original_length data_length data"
)
NEEDED = tuple(_NEEDED.split())

_KEY = ("group_id", "msg_seq_number")

#: A segment of a message; a report about one is no part of it.
_IS_SEGMENT = (
    f"coalesce(msg_flags & {SEGMENT_FLAGS} != 0 and group_id != '{MQGI_NONE.hex()}' and msg_type != {MQMT_REPORT},"
    " false)"
)

#: Bytes of application data of a segment. Offsets are of these; as numbers that cannot overflow, whatever is given.
_LENGTH = "cast(if(original_length >= 0, original_length, data_length) as bigint) as length"

#: Bytes of headers in front of a segment's data, and how much of its data is there: less where it was cut off, and
#: nothing where it is not in the archive.
_HEADERS = "greatest(data_length - length, 0) as headers"
_THERE = "least(length, greatest(coalesce(octet_length(data), 0) - headers, 0)) as there"

#: What a segment adds to what is there up to ``reached``: of one that comes twice, nothing. Headers are not counted,
#: and stay in front of the whole. ``reached`` is null in front of the first.
_FROM = "headers + greatest(reached - offset, 0) + 1"
_PIECE = f"if(reached is null and offset = 0, data, substring(data, cast(least({_FROM}, {2**31 - 1}) as int)))"

#: Where data is missing in front of a segment, and behind the last.
_GAP_BEFORE = "if(offset > reached, reached, null)"
_GAPS_BEHIND = "concat(if(reached < end, array(reached), array()), if(ended, array(), array(end)))"


def reassemble(messages: DataFrame) -> DataFrame:
    """Give one row for each logical message: group_id, msg_seq_number, data, complete, missing, queue, msg_id.

    missing: the offsets where data is missing, the end too where the last segment is not there; data is null then.
    msg_id: of its first segment.
    """
    whole = messages.where(f"not ({_IS_SEGMENT})").selectExpr(
        *_KEY, "data", "true as complete", "cast(array() as array<bigint>) as missing", "queue", "msg_id"
    )
    return whole.unionByName(_joined(messages.where(_IS_SEGMENT)))


def _joined(segments: DataFrame) -> DataFrame:
    in_order = Window.partitionBy(*_KEY).orderBy(
        "offset", F.desc("there"), F.desc(F.octet_length("data")), "qmgr", "seq"
    )
    # What has most data of those that begin at one place goes first, before its copies.
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
        "missing",
        "queue",
        "msg_id",
    )
