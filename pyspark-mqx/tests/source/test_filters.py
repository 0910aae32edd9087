"""Filters of Spark as conditions of the store, without Spark running: the same rows, or left to Spark."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pyspark.sql.datasource as datasource
import pytest
from pyspark_mqx.source.pushdown import condition_of, push

from mqtools.arrow.read_options import Options
from mqtools.predicates import Condition, any_of, every

MESSAGES, JOURNAL = (Options.parse({"journal": journal}).table for journal in ("false", "true"))

ID = "414D51" + "AB" * 21
At = datetime(2026, 11, 22, 8, 15, 30, 250_000, UTC)


def made(kind: str, column: str, *value: Any) -> Any:
    return getattr(datasource, kind)((column,), *value)


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (made("EqualTo", "priority", 7), Condition("priority", "=", 7)),
        (made("GreaterThanOrEqual", "seq", 5), Condition("seq", ">=", 5)),
        (made("In", "msg_type", (1, 4)), Condition("msg_type", "in", (1, 4))),
        (made("EqualTo", "msg_id", ID), Condition("msg_id", "=", bytes.fromhex(ID))),
        (made("EqualTo", "state", "unlocked"), Condition("state", "=", 1)),
        (made("StringStartsWith", "format", "MQ"), Condition("format", "starts", "MQ")),
        (made("StringContains", "reply_to_q", "a%b_"), Condition("reply_to_q", "contains", "a%b_")),
        (made("EqualTo", "arrived_at", At), Condition("put_at", "=", 1795335330250)),
        (made("IsNotNull", "priority"), Condition("seq", "nothing", None, negated=True)),
        (datasource.Not(made("EqualTo", "priority", 7)), Condition("priority", "=", 7, negated=True)),
    ],
)
def test_what_the_store_can_answer_becomes_a_condition(given: Any, wanted: Condition) -> None:
    assert condition_of(given, MESSAGES) == wanted


@pytest.mark.parametrize(
    "given",
    [
        made("EqualTo", "msg_id", ID.lower()),  # another text, though the same bytes
        made("EqualTo", "msg_id", "41"),
        made("EqualTo", "correl_id", "00" * 24),  # stored as null
        datasource.Not(made("EqualTo", "correl_id", ID)),  # null is not unequal to it
        made("StringStartsWith", "msg_id", "414D51"),
        made("LessThan", "msg_id", ID),
        made("EqualTo", "expiry", -1),  # worked out on reading
        made("EqualTo", "queue", "Q"),
        made("EqualTo", "priority", 1.5),
        made("EqualTo", "state", "no such state"),
        made("EqualTo", "format", "MQ\0STR"),
        made("IsNull", "dlh"),
        made("EqualTo", "arrived_at", At.replace(microsecond=1)),
        made("EqualTo", "put_at", At),  # two texts in the store
        made("IsNotNull", "put_at"),
        made("GreaterThan", "put_at", At.replace(year=1969)),
        datasource.EqualTo(("dlh", "reason"), 2053),
        made("In", "priority", tuple(range(1000))),
        made("EqualTo", "event", "put"),
    ],
)
def test_what_it_cannot_answer_stays_with_spark(given: Any) -> None:
    conditions, left = push([given], MESSAGES)
    assert conditions == []
    assert left[0] is given


def test_a_time_between_two_milliseconds_is_compared_with_the_one_before() -> None:
    between = At.replace(microsecond=250_001)
    assert condition_of(made("GreaterThan", "arrived_at", between), MESSAGES) == Condition("put_at", ">", 1795335330250)
    assert condition_of(made("LessThanOrEqual", "arrived_at", between), MESSAGES) == Condition(
        "put_at", "<=", 1795335330250
    )
    assert condition_of(made("LessThan", "arrived_at", between), MESSAGES) is None


@pytest.mark.parametrize(
    ("kind", "sign", "limit", "time"),
    [
        ("GreaterThan", ">", 1795335330249, "08153024"),
        ("GreaterThanOrEqual", ">", 1795335330249, "08153024"),
        ("LessThan", "<", 1795335330251, "08153025"),
        ("LessThanOrEqual", "<", 1795335330251, "08153025"),
    ],
)
def test_a_put_time_narrows_in_the_store_and_is_compared_by_spark(kind: str, sign: str, limit: int, time: str) -> None:
    test = made(kind, "put_at", At)
    ((narrower,), left) = push([test], MESSAGES)
    assert left == [test]
    on_the_day = every([Condition("put_date", "=", "20261122"), Condition("put_time", f"{sign}=", time)])
    others = [Condition("put_date", sign, "20261122"), on_the_day, Condition("put_at", sign, limit)]
    assert narrower == any_of(others)


def test_events_are_filtered_by_name_and_queue() -> None:
    assert condition_of(made("EqualTo", "event", "put"), JOURNAL) == Condition("event", "=", "put")
    assert condition_of(made("EqualTo", "queue", "Q"), JOURNAL) == Condition("queue", "=", "Q")
    assert condition_of(made("EqualTo", "outcome", "MQRC_NONE"), JOURNAL) is None
