"""Instants as people write them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtools.formats.times import parse_time
from mqtools.formats.units import rfc3339

#: 2026-11-23 10:05:00 UTC.
NOW = 1_795_428_300_000


@pytest.fixture(params=["UTC", "America/New_York"])
def zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A local zone."""
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield request.param
    monkeypatch.undo()
    time.tzset()


def at(*parts: int) -> int:
    """Milliseconds since 1970 of a time in UTC."""
    return int(datetime(*parts, tzinfo=UTC).timestamp()) * 1000


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("2026-11-23T10:05:00Z", at(2026, 11, 23, 10, 5)),
        ("2026-11-23 10:05:00Z", at(2026, 11, 23, 10, 5)),
        ("2026-11-23T10:05Z", at(2026, 11, 23, 10, 5)),
        ("2026-11-23T10:05:00.250Z", at(2026, 11, 23, 10, 5) + 250),
        ("2026-11-23T10:05:00.25Z", at(2026, 11, 23, 10, 5) + 250),
        ("2026-11-23T10:05:00.250999Z", at(2026, 11, 23, 10, 5) + 250),
        ("2026-11-23T10:05:00+01:00", at(2026, 11, 23, 9, 5)),
        ("2026-11-23T10:05:00+0130", at(2026, 11, 23, 8, 35)),
        ("2026-11-23T10:05:00-05", at(2026, 11, 23, 15, 5)),
        ("-15m", NOW - 900_000),
        ("-2s", NOW - 2_000),
        ("-1h30m", NOW - 5_400_000),
        ("-1.5h", NOW - 5_400_000),
        ("-1d", NOW - 86_400_000),
        ("-250ms", NOW - 250),
    ],
)
def test_instants_that_no_zone_changes(text: str, wanted: int, zone: str) -> None:
    assert parse_time(text, NOW) == wanted


def test_a_time_without_a_zone_is_local(zone: str) -> None:
    behind = 0 if zone == "UTC" else 5 * 3_600_000
    assert parse_time("2026-11-23T10:05:00", NOW) == NOW + behind
    assert parse_time("2026-11-23 10:05", NOW) == NOW + behind
    assert parse_time("2026-11-23", NOW) == at(2026, 11, 23) + behind


def test_a_clock_time_is_of_today(zone: str) -> None:
    behind = 0 if zone == "UTC" else 5 * 3_600_000
    assert parse_time("04:05", NOW) == at(2026, 11, 23, 4, 5) + behind
    assert parse_time("04:05:06.007", NOW) == at(2026, 11, 23, 4, 5, 6) + 7 + behind
    assert parse_time("04:05Z", NOW) == at(2026, 11, 23, 4, 5)


@pytest.mark.parametrize(
    "text",
    [
        *("", "yesterday", "10", "25:00", "10:61", "10:05:61", "2026-13-01", "2026-02-30T00:00", "15m", "-", "-15"),
        *("-15x", "-m", "2026-11-23T", "2026-11-23T10:05:00+25:00", "1969-12-31T23:59:00Z", "-9999999w", "１０:05"),
        *("2026-11-23T10:05:00Zjunk", "10:05\n11:05", "-1h 30m", "--1h", "-99999999999999999999999999w"),
    ],
)
def test_what_is_no_time_is_named(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not a time|is before 1970") as refused:
        parse_time(text, NOW)
    assert repr(text) in str(refused.value)


@given(st.integers(0, 253_402_300_799_999))
def test_what_is_shown_is_read_back(ms: int) -> None:
    assert parse_time(rfc3339(ms), NOW) == ms
