"""Reconciliation: the outcome of each original, or of each group, according to the reports about it.

A report without a position in a group is matched by its identifiers, one with a position by that: it may cover several
segments. Reports made by applications often have no position, even about an original that has one; they are matched by
identifiers too. If originals share a CorrelId that they pass on, reports count for all of them or for none, since
nothing distinguishes them. Reports are aggregated before the join, so that each original joins one row. Only a few
columns of the descriptors are shuffled, identifiers as bytes.
"""

from __future__ import annotations

import functools

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F

from mqtools.constants.message import (
    MQFB_SYSTEM_FIRST,
    MQFB_SYSTEM_LAST,
    MQMF_LAST_SEGMENT,
    MQMT_REPORT,
    MQRO_PASS_CORREL_ID,
    MQRO_PASS_MSG_ID,
)
from mqtools.constants.structures import MQGI_NONE
from mqtools.rules.descriptor import GROUP_FLAGS, SEGMENT_FLAGS
from mqtools.rules.report_outcomes import DELIVERED, FAILED, LOST, PENDING, PROOFS, REACHED, SILENT, UNASKED
from mqtools.rules.reports import REPORT_KINDS, kind_of_feedback
from pyspark_mqx.jobs import report_positions
from pyspark_mqx.jobs.messages import COMMITTED, messages_of
from pyspark_mqx.jobs.names import reason_name

_NONE = MQGI_NONE.hex()
_BOTH_IDS = MQRO_PASS_MSG_ID | MQRO_PASS_CORREL_ID
_KINDS = tuple(PROOFS)

#: Columns of a message that are used, of both sides.
_NEEDED = (
    "qmgr queue seq state msg_type report feedback format msg_id correl_id group_id msg_seq_number offset msg_flags"
    " original_length data_length put_at"
)
NEEDED = tuple(_NEEDED.split())
#: The same of those reports whose place is in their data: ``report_positions.is_extended``.
EXTENDED = (*NEEDED, *report_positions.NEEDED)

#: What is known of the reports about one original: column to how it is added up over several of them. All are numbers
#: and times, which Spark adds up in place; with a text among them it would sort the reports first. So the queue manager
#: where they are is a number too, its hash.
_SUMS = {
    "proof": F.min,
    "code": F.min,
    "arrived_at": F.min,
    "delivered_at": F.min,
    "reported_at": F.max,
    "reports": F.sum,
    "reporter": F.min,
}

#: Offset behind the application data of a message, or of what a report covers; always a bigint.
_END = "offset + cast(if(original_length >= 0, original_length, data_length) as bigint)"

#: Position of an original in its group, and the part of it that a report covers.
_PLACE = ("group_id", "msg_seq_number")
_PART = ("about_offset", "about_end", "about_last")


def reconcile(sent: DataFrame, reports: DataFrame, extended: DataFrame | None = None) -> DataFrame:
    """Return a row for each original, and one for each missing original that reports are about.

    sent, reports: messages; non-reports are ignored in ``reports``, reports in ``sent``.
    The ``qmgr`` of a row is that of the original, in a row without one that of the report.
    extended: the reports again with the columns EXTENDED, used for those with an MQMDE in their data; None for
    ``reports``. Without these columns they are matched by identifiers, as reports about no segment.  Source: RSEG-30.
    sent, reports: of an archive of events, those that arrived; of queues, those that are committed.
    Runs one small query first, so that Spark plans only the cases that occur.
    """
    if extended is None and set(EXTENDED) <= set(reports.columns):
        extended = reports
    sent, reports = (messages_of(each, states=COMMITTED) for each in (sent, reports))
    extended = None if extended is None else messages_of(extended, states=COMMITTED)
    at = reports.select("qmgr").distinct().select(F.col("qmgr").alias("report_qmgr"), F.xxhash64("qmgr").alias("hash"))
    originals = _originals(sent)
    passes_both, passes_one, has_place, is_extended = _find_cases(originals, reports)
    about = _reports(reports)
    if extended is not None and is_extended:
        with_place = _reports(report_positions.with_extension(extended.where(report_positions.is_extended())))
        about = _reports(reports.where(~report_positions.is_extended())).unionByName(with_place)
    by_id = about.where(F.col("group_id") == _NONE)
    if passes_both:
        passing = originals.where("passes_both").select(F.hex(F.substring("key", 1, 24)).alias("msg_id"))
        by_id = _with_both_ids(by_id, passing.distinct())
    if not has_place and not is_extended:
        return _match_by_ids(originals, by_id, passes_one=passes_one).transform(_result_columns, at)
    placed, alone = originals.where("has_place"), originals.where("not has_place")
    by_place = about.where(F.col("group_id") != _NONE)
    if not reports.where(f"msg_type = {MQMT_REPORT} and (group_id is null or group_id = '{_NONE}')").isEmpty():
        by_id = _with_place(by_id, placed)
        by_place = by_place.unionByName(by_id.where(F.col("group_id") != _NONE))
    found = _match_by_ids(alone, by_id.where(F.col("group_id") == _NONE), passes_one=passes_one)
    in_groups = _match_by_place(placed, by_place)
    return found.transform(_result_columns, at).unionByName(in_groups.transform(_result_columns, at))


def _find_cases(originals: DataFrame, reports: DataFrame) -> Row:
    """Return which cases occur: originals that pass both identifiers on, originals that pass only their CorrelId on,
    messages with a position, reports with it in their data.

    Cheap on Parquet: few columns of the originals, and no rows of files whose statistics tell.
    """
    places = reports.where(f"msg_type = {MQMT_REPORT}").select(
        F.lit(False).alias("passes_both"),
        F.lit(False).alias("passes_one"),
        (F.col("group_id") != _NONE).alias("has_place"),
        report_positions.is_extended().alias("is_extended"),
    )
    looked_at = ("passes_both", "other_id is not null as passes_one", "has_place", "false as is_extended")
    both = originals.selectExpr(*looked_at).unionByName(places.where("has_place or is_extended"))
    return both.agg(*(F.bool_or(name) for name in both.columns)).collect()[0]


def _originals(sent: DataFrame) -> DataFrame:
    """Return the originals with the key of the reports about them: the CorrelId that these have.

    key: as bytes, half as long as hex; with a zero behind it the message identifier of reports that have both.
    other_id: the original's own identifier, where the key is another one.  asks: a bit for each kind of PROOFS.
    """
    passes = f"report & {_BOTH_IDS}"
    key = (
        f"case {passes} when {_BOTH_IDS} then concat(msg_id, '00')"
        f" when {MQRO_PASS_CORREL_ID} then correl_id else msg_id end"
    )
    return sent.where(f"msg_type != {MQMT_REPORT}").selectExpr(
        f"unhex({key}) as key",
        f"{passes} = {_BOTH_IDS} as passes_both",
        f"coalesce(msg_flags & {GROUP_FLAGS | SEGMENT_FLAGS} != 0 and group_id != '{_NONE}', false) as has_place",
        f"if({passes} = {MQRO_PASS_CORREL_ID}, unhex(msg_id), null) as other_id",
        *_PLACE,
        "offset",
        "qmgr",
        "queue",
        "put_at as sent_at",
        f"{_END} as end",
        f"{_asked_expression()} as asks",
    )


def _asked_expression() -> str:
    """Return an expression for the reports that a Report field asks for, of those that prove something."""
    kinds = [(1 << n, REPORT_KINDS[kind]) for n, kind in enumerate(_KINDS)]
    return " | ".join(f"if(report & {one.mask} in ({', '.join(map(str, one.values))}), {bit}, 0)" for bit, one in kinds)


def _reports(reports: DataFrame) -> DataFrame:
    """Return the reports: what each proves, and about which original."""
    is_segment = f"msg_flags & {SEGMENT_FLAGS} != 0"
    known = reports.where(f"msg_type = {MQMT_REPORT}").selectExpr("*", f"{_proof_expression()} as proof")
    return known.selectExpr(
        "unhex(correl_id) as key",
        "msg_id",
        f"coalesce(group_id, '{_NONE}') as group_id",
        "msg_seq_number",
        f"if({is_segment}, offset, 0) as about_offset",
        f"if({is_segment}, {_END}, null) as about_end",
        f"msg_flags & {MQMF_LAST_SEGMENT} != 0 as about_last",
        "proof",
        f"if(proof = {_KINDS.index('exception')}, feedback, null) as code",
        f"if(proof = {_KINDS.index('coa')}, put_at, null) as arrived_at",
        f"if(proof = {_KINDS.index('cod')}, put_at, null) as delivered_at",
        "put_at as reported_at",
        "1 as reports",
        "xxhash64(qmgr) as reporter",
    )


@functools.cache  # looks at each of the 65,535 codes of the system
def _proof_expression() -> str:
    """Return an expression for the index in PROOFS of a feedback code; null for one that proves nothing."""
    own = {REPORT_KINDS[kind].feedback: n for n, kind in enumerate(_KINDS) if REPORT_KINDS[kind].feedback is not None}
    system = range(MQFB_SYSTEM_FIRST, MQFB_SYSTEM_LAST + 1)
    nothing = [code for code in system if code not in own and kind_of_feedback(code) != "exception"]
    return (
        f"case {' '.join(f'when feedback = {code} then {number}' for code, number in own.items())}"
        f" when feedback between {MQFB_SYSTEM_FIRST} and {MQFB_SYSTEM_LAST}"
        f" and feedback not in ({', '.join(map(str, nothing))}) then {_KINDS.index('exception')} end"
    )


def _with_both_ids(about: DataFrame, passing: DataFrame) -> DataFrame:
    """Key by their MsgId the reports about originals that pass both identifiers on.

    passing: the identifiers of these originals.
    """
    known = passing.withColumnRenamed("msg_id", "passed")
    joined = about.join(known, F.col("msg_id") == F.col("passed"), "left")
    return joined.withColumn("key", F.coalesce(F.unhex(F.concat("passed", F.lit("00"))), "key")).drop("passed")


def _with_place(about: DataFrame, placed: DataFrame) -> DataFrame:
    """Add the position of the original to reports that identify exactly one original with a position.

    Source: RSEG-31.
    """
    values = {
        **{name: F.col(name) for name in _PLACE},
        "about_offset": F.col("offset"),
        "about_end": F.col("end"),
        "about_last": F.col("end") == F.col("offset"),
    }
    named = placed.join(about.select("key"), "key", "left_semi")  # few: queue managers say the place
    places = named.select("key", F.struct(*(value.alias(name) for name, value in values.items())).alias("place"))
    of_one = places.groupBy("key").agg(F.min("place").alias("place"), F.max("place").alias("other"))
    joined = about.join(of_one.where("place = other"), "key", "left")
    return joined.withColumns({name: F.coalesce(f"place.{name}", name) for name in values}).drop("place", "other")


def _aggregate(about: DataFrame, *keys: str) -> DataFrame:
    """Aggregate the reports about the same original."""
    return about.groupBy(*keys).agg(*(how(name).alias(name) for name, how in _SUMS.items()))


def _with_sums(originals: DataFrame, about: DataFrame, condition: str) -> DataFrame:
    """Return originals with what the reports about each add up to. condition: that a report (r) is about one (o)."""
    o, r = originals.withColumn("row", F.monotonically_increasing_id()).alias("o"), about.alias("r")
    own = [F.col(f"o.{name}") for name in (*originals.columns, "row")]
    sums = [how(f"r.{name}").alias(name) for name, how in _SUMS.items()]
    return o.join(r, F.expr(condition), "left").groupBy(*own).agg(*sums).drop("row")


def _match_by_ids(alone: DataFrame, by_id: DataFrame, *, passes_one: bool) -> DataFrame:
    """Return each message without a position with the reports about it, and the reports about none.

    passes_one: whether there are messages that pass their CorrelId on alone, which they may share.
    """
    if not passes_one:
        return alone.join(_aggregate(by_id, "key"), "key", "full_outer")
    shared = _shared_keys(alone)
    own = _match_by_ids(
        alone.join(shared, "key", "left_anti"), by_id.join(shared, "key", "left_anti"), passes_one=False
    )
    common = _match_shared(alone.join(shared, "key", "left_semi"), by_id.join(shared, "key", "left_semi"))
    return own.unionByName(common, allowMissingColumns=True)


#: The identifier of an original.
_OWN_ID = "coalesce(other_id, substring(key, 1, 24))"


def _shared_keys(alone: DataFrame) -> DataFrame:
    """Return the keys of reports that may be about several messages: a CorrelId passed on that another has too."""
    passed = alone.where("other_id is not null").select("key").distinct()
    named = alone.join(passed, "key", "left_semi").groupBy("key")
    return named.agg(F.count_distinct(F.expr(_OWN_ID)).alias("sharing")).where("sharing > 1").select("key")


def _match_shared(sharing: DataFrame, about: DataFrame) -> DataFrame:
    """Return messages that share keys with the reports that prove something of each of them, and the other reports.

    A queue manager makes one report of a kind about a message. So as many reports as messages that request the kind
    prove the outcome of all of them; fewer prove it of none. A report that was archived twice counts once. Times are
    those of the last report; the code counts if all have it.
    """
    bits = ", ".join(f"if(asks & {1 << n} != 0, {n}, null)" for n in range(len(_KINDS)))
    asking = sharing.selectExpr("key", f"{_OWN_ID} as id", f"explode(array_compact(array({bits}))) as proof")
    wanted = asking.groupBy("key", "proof").agg(F.count_distinct("id").alias("wanted"))
    times = [F.max(name).alias(name) for name in ("arrived_at", "delivered_at", "reported_at")]
    times.append(F.min("reporter").alias("reporter"))
    code = F.when(F.min("code") == F.max("code"), F.min("code")).alias("code")
    found = about.groupBy("key", "proof").agg(F.count_distinct("msg_id").alias("found"), code, *times)
    proved = found.join(wanted, ["key", "proof"]).where("found >= wanted").withColumn("reports", F.lit(1))
    proved_of = _with_sums(sharing, proved, "o.key = r.key and o.asks & shiftleft(1, r.proof) != 0")
    unproved = _aggregate(about.join(proved, ["key", "proof"], "left_anti"), "key")
    return proved_of.unionByName(unproved, allowMissingColumns=True)


#: Condition: a report (r) covers an original (o). An empty last segment begins where the one before it ends.
_COVERS = """
o.group_id = r.group_id and o.msg_seq_number = r.msg_seq_number and o.offset >= r.about_offset and (
    r.about_end is null
    or o.end < r.about_end
    or o.end = r.about_end and (r.about_last or o.end > o.offset)
)
"""


def _match_by_place(placed: DataFrame, by_place: DataFrame) -> DataFrame:
    """Return each segment and group message with the reports that cover it, and the reports that cover none."""
    about = _aggregate(by_place, *_PLACE, *_PART, "key")
    orphans = about.alias("r").join(placed.alias("o"), F.expr(_COVERS), "left_anti")
    unmatched = _aggregate(orphans.withColumnRenamed("about_offset", "offset"), *_PLACE, "offset", "key")
    return _with_sums(placed, about, _COVERS).unionByName(unmatched, allowMissingColumns=True)


def _result_columns(found: DataFrame, at: DataFrame) -> DataFrame:
    """Return the columns of the result. at: the queue managers with reports, by their hash."""
    proofs = ", ".join(f"'{PROOFS[kind]}'" for kind in _KINDS)
    is_orphan = F.expr("sent_at is null and reporter = hash")
    named = found.join(F.broadcast(at), is_orphan, "left").withColumn("name", reason_name(F.col("code")))
    return named.selectExpr(
        f"hex({_OWN_ID}) as msg_id",
        f"coalesce(group_id, '{_NONE}') as group_id",
        "coalesce(msg_seq_number, 1) as msg_seq_number",
        "coalesce(offset, 0) as offset",
        "coalesce(qmgr, report_qmgr) as qmgr",
        "queue",
        "sent_at",
        f"case when proof is not null then get(array({proofs}), proof)"
        f" when sent_at is null or asks != 0 then '{SILENT}' else '{UNASKED}' end as outcome",
        f"if(proof = {_KINDS.index('exception')}, name, null) as reason",
        "arrived_at",
        "delivered_at",
        "reported_at",
        "cast(coalesce(reports, 0) as int) as reports",
        "sent_at is null as orphan",
    )


def by_group(rows: DataFrame) -> DataFrame:
    """Return a row for each group of the result of ``reconcile``: its parts, and how many are accounted for.

    Groups of two queue managers are two, also if their identifiers are equal.
    """
    outcomes = F.collect_set("outcome")
    grouped = rows.where((F.col("group_id") != _NONE) & ~F.col("orphan")).groupBy("qmgr", "group_id")
    added = grouped.agg(
        F.count("*").cast("int").alias("parts"),
        F.count_if(F.col("reports") > 0).cast("int").alias("accounted"),
        F.count_if(F.col("reports") == 0).cast("int").alias("missing"),
        outcomes.alias("outcomes"),
    )
    reached = F.array(*(F.lit(name) for name in REACHED))
    lost = F.array(*(F.lit(name) for name in LOST))
    outcome = (
        F.when(F.size("outcomes") == 1, F.get("outcomes", F.lit(0)))
        .when(F.size(F.array_except("outcomes", reached)) == 0, F.lit(DELIVERED))
        .when(F.arrays_overlap("outcomes", lost), F.lit(FAILED))
        .otherwise(F.lit(PENDING))
    )
    return added.select("qmgr", "group_id", "parts", "accounted", "missing", outcome.alias("outcome"))
