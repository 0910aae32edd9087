"""Segments to logical messages, the gaps named; what is no segment passes through."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import Window
from pyspark.sql import functions as F

from mqtools.constants.message import MQMF_LAST_SEGMENT
from mqtools.rules.groups import SEGMENT_FLAGS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

#: Columns of a message that are looked at.
_NEEDED = "qmgr queue seq state msg_id group_id msg_seq_number offset msg_flags original_length data_length data"
NEEDED = tuple(_NEEDED.split())

_KEY = ("group_id", "msg_seq_number")

#: Walks the pieces in order of offset: where the data reaches, and where it does not.
_GAPS = """
aggregate(
    pieces,
    named_struct('reached', 0, 'gaps', cast(array() as array<int>)),
    (so_far, piece) -> named_struct(
        'reached', greatest(so_far.reached, piece.offset + piece.length),
        'gaps', if(piece.offset > so_far.reached, concat(so_far.gaps, array(so_far.reached)), so_far.gaps)
    ),
    whole -> if(ended, whole.gaps, concat(whole.gaps, array(whole.reached)))
)
"""


def reassemble(messages: DataFrame) -> DataFrame:
    """Give one row for each logical message: group_id, msg_seq_number, data, complete, missing, queue, msg_id.

    missing: the offsets where data is missing, the end too where the last segment is not there; data is null then.
    msg_id: of its first segment.
    """
    is_segment = (F.col("msg_flags").bitwiseAND(SEGMENT_FLAGS) != 0) & (F.col("group_id") != "00" * 24)
    whole = messages.where(~is_segment).select(
        *_KEY, "data", F.lit(True).alias("complete"), F.array().cast("array<int>").alias("missing"), "queue", "msg_id"
    )
    return whole.unionByName(_joined(messages.where(is_segment)))


def _joined(segments: DataFrame) -> DataFrame:
    # Headers stand in front of the first segment's data only, and are not counted.
    length = F.when(F.col("original_length") >= 0, F.col("original_length")).otherwise(F.col("data_length"))
    own = F.expr("substring(data, data_length - length + 1, length)")
    piece = F.when((F.col("offset") == 0) & (F.col("data_length") >= F.col("length")), F.col("data")).otherwise(
        F.when(F.col("data_length") >= F.col("length"), own).otherwise(F.expr("rpad(data, length, x'00')"))
    )
    once = Window.partitionBy(*_KEY, "offset").orderBy("qmgr", "seq")
    pieces = (
        segments.withColumn("length", length)
        .withColumn("again", F.row_number().over(once))
        .where("again = 1")
        .withColumn("piece", piece)
        .groupBy(*_KEY)
        .agg(
            F.expr("listagg(piece) within group (order by offset)").alias("data"),
            F.sort_array(F.collect_list(F.struct("offset", "length"))).alias("pieces"),
            F.max(F.col("msg_flags").bitwiseAND(MQMF_LAST_SEGMENT) != 0).alias("ended"),
            F.min_by("queue", "offset").alias("queue"),
            F.min_by("msg_id", "offset").alias("msg_id"),
        )
        .withColumn("missing", F.expr(_GAPS))
    )
    complete = F.size("missing") == 0
    return pieces.select(
        *_KEY, F.when(complete, F.col("data")).alias("data"), complete.alias("complete"), "missing", "queue", "msg_id"
    )
