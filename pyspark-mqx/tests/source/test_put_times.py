"""Put times as timestamps: what the descriptor says, and when a message came where it says nothing."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtools.arrow.put_times import put_times
from mqtools.formats.units import put_at_ms
from mqtools.message import MQMD, Message
from mqtools.operations.load import load_messages

CAME = 1_795_335_330_257
KIND = pa.timestamp("us", "UTC")
#: What is a date or a time, and what a program may have put in its place.
DATES = ["20261116", "19691231", "00010101", "99991231", "20260230", "", "2026111", "0x202611", "２０２６１１１６"]
TIMES = ["08153025", "00000000", "23595999", "24000000", "08600000", "08156000", "", "-8153025", "+8153025", "123456٣"]


def micros(made: Any) -> list[int]:
    return [value // 1000 for value in made.cast(pa.int64()).to_pylist()]


@given(st.lists(st.tuples(st.sampled_from(DATES[:4]), st.sampled_from(TIMES[:3])), min_size=1))
def test_times_in_columns_are_those_of_each_row(rows: list[tuple[str, str]]) -> None:
    check(rows)


@given(st.lists(st.tuples(st.sampled_from(DATES), st.sampled_from(TIMES))))
def test_what_is_no_time_is_the_arrival(rows: list[tuple[str, str]]) -> None:
    check(rows)


def check(rows: list[tuple[str, str]]) -> None:
    dates, times, came = [row[0] for row in rows], [row[1] for row in rows], [CAME] * len(rows)
    wanted = [CAME if (said := put_at_ms(*row)) is None else said for row in rows]
    assert micros(put_times(dates, times, came, KIND)) == wanted
    arrays = (pa.array(dates, pa.string()), pa.array(times, pa.string()), pa.array(came, pa.int64()))
    assert micros(put_times(*arrays, KIND)) == wanted
    for date in set(dates):
        own = [time for said, time in rows if said == date]
        wanted = [CAME if (said := put_at_ms(date, time)) is None else said for time in own]
        assert micros(put_times(date, own, [CAME] * len(own), KIND)) == wanted


@pytest.mark.parametrize(("date", "time"), [(b"20261116", "08153025"), ("20261116", b"08153025")])
def test_what_is_no_text_is_damaged(date: Any, time: Any) -> None:
    for dates in (date, [date]):
        with pytest.raises(ValueError, match="not text"):
            put_times(dates, [time], [CAME], KIND)


@pytest.mark.parametrize("pushed", ["true", "false"])
def test_a_message_that_was_loaded_is_put_when_its_descriptor_says(spark: Any, read: Any, qm: Any, pushed: str) -> None:
    said = [("20261116", "08153025"), ("20261116", "08153026"), ("20261117", "00000000"), ("20260230", "08153025")]
    before = datetime.now(UTC)
    load_messages(qm.main, "Q", [Message(b"x", MQMD(put_date=date, put_time=time)) for date, time in said])
    names = "seq bigint, put_at timestamp, arrived_at timestamp"
    spark.conf.set("spark.sql.python.filterPushdown.enabled", pushed)
    try:
        rows = read(names, queue="Q").orderBy("seq").collect()
        at = "timestamp'2026-11-16 08:15:30.26Z'"
        kept = {
            sign: [row.put_at for row in read(names, queue="Q").where(f"put_at {sign} {at}").orderBy("seq").collect()]
            for sign in ("<", "<=", "=", ">=", ">", "<>")
        }
    finally:
        spark.conf.unset("spark.sql.python.filterPushdown.enabled")
    first, second, third, fourth = (row.put_at for row in rows)
    assert [each.astimezone(UTC) for each in (first, third)] == [
        datetime(2026, 11, 16, 8, 15, 30, 250_000, UTC),
        datetime(2026, 11, 17, tzinfo=UTC),
    ]
    assert all(before.timestamp() - 0.001 <= row.arrived_at.timestamp() for row in rows)
    assert fourth == rows[3].arrived_at
    after = [third, fourth] if fourth > second else [third]
    early = [fourth] if fourth < second else []
    assert kept == {
        "<": [first, *early],
        "<=": [first, second, *early],
        "=": [second],
        ">=": [second, *after],
        ">": after,
        "<>": [first, third, fourth],
    }
