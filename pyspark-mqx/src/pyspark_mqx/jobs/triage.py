"""Triage of dead letters: groups, and what a rules table would do; the rules of ``mqx dlq-handle`` as columns."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from mqtools.dlq.keywords import CHAR_PATTERNS, NUMBER_PATTERNS
from mqtools.dlq.rule import Pattern, Rule, RulesTable
from mqtools.dlq.rules_table import parse_rules_table
from mqtools.dlq.selection import SUBSTITUTES, target_words
from pyspark_mqx.jobs.messages import DEAD, messages_of
from pyspark_mqx.jobs.names import reason_name

#: Columns of a message that are used.
_NEEDED = (
    "qmgr queue seq state msg_id correl_id msg_type feedback persistence put_appl_type put_appl_name user_identifier"
    " appl_identity_data reply_to_q reply_to_q_mgr put_date put_time put_at data_length dlh_exact"
)
NEEDED = tuple(_NEEDED.split())

_HEADER = "dlh_exact"


def fields() -> dict[str, Column]:
    """Return the columns to group by, by the names of ``dlq-handle --by``; null without a dead-letter header."""
    hour = F.concat_ws(":", F.substring("put_time", 1, 2), F.lit("00"), F.lit("00"))
    day = F.concat_ws("-", F.substring("put_date", 1, 4), F.substring("put_date", 5, 2), F.substring("put_date", 7, 2))
    digits = F.concat("put_date", F.substring("put_time", 1, 6))
    known = F.col("put_date").rlike("^(?!0000)[0-9]{8}$") & F.col("put_time").rlike("^[0-9]{8}$")
    known &= F.try_to_timestamp(digits, F.lit("yyyyMMddHHmmss")).isNotNull()
    given = {
        "reason": reason_name(F.col(f"{_HEADER}.reason")),
        "destq": _without_nul(F.col(f"{_HEADER}.dest_q_name")),
        "destqm": _without_nul(F.col(f"{_HEADER}.dest_q_mgr_name")),
        "applname": F.col("put_appl_name"),
        "format": _without_nul(F.col(f"{_HEADER}.format")),
        "hour": F.when(known, F.concat(day, F.lit("T"), hour, F.lit(".000Z"))),
    }
    return {name: F.when(F.col(_HEADER).isNotNull(), column) for name, column in given.items()}


def _letters(frame: DataFrame) -> DataFrame:
    """Return the messages of a frame with their dead-letter header in the exact form where the frame lacks it."""
    found = messages_of(frame, DEAD)
    return found if _HEADER in found.columns else found.withColumn(_HEADER, F.col("dlh"))


def _without_nul(text: Column) -> Column:
    return F.rtrim(F.substring_index(text, "\0", 1))


def groups(letters: DataFrame, by: Sequence[str] = ("reason",)) -> DataFrame:
    """Return count, bytes and age of dead letters by queue manager and some of ``fields``, the largest group first."""
    known, letters = fields(), _letters(letters)
    return (
        letters.groupBy("qmgr", *(known[name].alias(name) for name in by))
        .agg(
            F.count("*").alias("count"),
            F.sum("data_length").alias("bytes"),
            F.min("put_at").alias("oldest"),
            F.max("put_at").alias("newest"),
        )
        .orderBy(F.desc("count"), "qmgr", *(F.col(name).asc_nulls_last() for name in by))
    )


def triage(letters: DataFrame, rules: RulesTable | str | None = None) -> DataFrame:
    """Return a row for each dead letter: its fields, and the first action of a handler that starts now.

    rules: rules table or its text. Raises RulesTableError.
    rule_line, action, target, target_q_mgr are null if no rule matches, or without a dead-letter header.
    """
    known, letters = fields(), _letters(letters)
    table = parse_rules_table(rules) if isinstance(rules, str) else rules
    ruled = [] if table is None else _rule_columns(table.rules)
    return letters.select(
        "qmgr",
        "queue",
        "seq",
        "msg_id",
        "correl_id",
        "put_at",
        "data_length",
        *(known[name].alias(name) for name in known),
        *ruled,
    )


def _rule_columns(rules: Sequence[Rule]) -> list[Column]:
    columns = [F.lit(None).cast(kind) for kind in ("int", "string", "string", "string")]
    for rule in reversed(rules):
        found = matches(rule)
        values = (F.lit(rule.line), F.lit(rule.action), *map(_name, target_words(rule)))
        columns = [F.when(found, value).otherwise(other) for value, other in zip(values, columns, strict=True)]
    names = ("rule_line", "action", "target", "target_q_mgr")
    return [column.alias(name) for column, name in zip(columns, names, strict=True)]


def matches(rule: Rule) -> Column:
    """Return a condition: every pattern of a rule matches, by the handler's expressions on blank-padded fields."""
    found = F.col(_HEADER).isNotNull()
    for pattern in rule.patterns:
        if pattern.compiled is not None:
            found = found & _is_true(pattern)
    return found


def _is_true(pattern: Pattern) -> Column:
    wanted = pattern.compiled
    if isinstance(wanted, int):
        structure, field, _ = NUMBER_PATTERNS[pattern.keyword]
        return _column(structure, field) == wanted
    assert wanted is not None
    structure, field, length = CHAR_PATTERNS[pattern.keyword]
    text = _column(structure, field)
    padded = F.when(F.length(text) >= length, text).otherwise(F.rpad(text, length, " "))
    return padded.rlike(rf"(?s)\A(?:{wanted.pattern})\z")


def _column(structure: str, field: str) -> Column:
    return F.col(f"{_HEADER}.{field}" if structure == "dlh" else field)


def _name(text: str) -> Column:
    return _without_nul(_column(*SUBSTITUTES[text])) if text in SUBSTITUTES else F.lit(text)
