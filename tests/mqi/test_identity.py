"""Identifiers and dates that the queue manager makes, whatever the clock says."""

from __future__ import annotations

import pytest

from mqtools.mqi import identity

_YEAR_S = 365 * 86_400


@pytest.mark.parametrize("year", [-10, 0, 300, 1300, 9000])
def test_a_clock_that_is_far_off_makes_identifiers_and_dates(monkeypatch: pytest.MonkeyPatch, year: int) -> None:
    monkeypatch.setattr(identity.time, "time_ns", lambda: year * _YEAR_S * 1_000_000_000)
    monkeypatch.setattr(identity, "_last_ns", year * _YEAR_S * 1_000_000_000 - 5)
    first, second = identity.new_id("QM1"), identity.new_id("QM1")
    assert (len(first), len(second), first != second) == (24, 24, True)
    put_date, put_time = identity.put_date_and_time(identity.now_ms())
    assert (len(put_date), len(put_time)) == (8, 8)
    assert (put_date + put_time).isdigit()
