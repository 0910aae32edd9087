"""Rules of performance events: which occur, and that those of the depth come in turn."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtools.constants import reasons as rc
from mqtools.constants.names import name_or_number
from mqtools.rules.events import CHANGES, EVENT_QUEUES, EVENTS, performance_events

from ..project import ROOT

OFF: dict[str, Any] = {
    "max_q_depth": 20, "q_depth_high_limit": 80, "q_depth_low_limit": 20, "q_depth_high_event": 0,
    "q_depth_low_event": 0, "q_depth_max_event": 1, "q_service_interval": 1000, "q_service_interval_event": 0,
}  # fmt: skip
HIGH, LOW = rc.MQRC_Q_DEPTH_HIGH, rc.MQRC_Q_DEPTH_LOW
LATE, ON_TIME = rc.MQRC_Q_SERVICE_INTERVAL_HIGH, rc.MQRC_Q_SERVICE_INTERVAL_OK


def of_walk(queue: dict[str, Any], steps: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the events of changes of the depth, each with the depth. steps: change, and ms that have passed."""
    depth, waited, found = 0, 0, []
    for change, passed in steps:
        if not 0 <= depth + change <= queue["max_q_depth"]:
            continue
        since = waited + passed if depth else None
        depth += change
        for reason in performance_events(queue, depth, change, since):
            queue |= CHANGES[reason]
            found.append((reason, depth))
        waited = 0 if change < 0 or since is None else since
    return found


CHANGE = st.integers(-6, 6).filter(bool)
STEPS = st.lists(st.tuples(CHANGE, st.integers(0, 3000)), max_size=80)


@given(STEPS)
def test_high_and_low_depths_come_in_turn_and_at_their_marks(steps: list[tuple[int, int]]) -> None:
    found = of_walk({**OFF, "q_depth_high_event": 1}, steps)
    assert [reason for reason, _ in found] == [HIGH if at % 2 == 0 else LOW for at in range(len(found))]
    assert all(depth >= 16 if reason == HIGH else depth <= 4 for reason, depth in found)


@given(STEPS)
def test_late_and_timely_gets_come_in_turn(steps: list[tuple[int, int]]) -> None:
    found = [reason for reason, _ in of_walk({**OFF, "q_service_interval_event": 1}, steps)]
    assert found == [LATE if at % 2 == 0 else ON_TIME for at in range(len(found))]


@given(STEPS)
def test_nothing_occurs_where_nothing_is_enabled(steps: list[tuple[int, int]]) -> None:
    assert of_walk(dict(OFF), steps) == []


@pytest.mark.parametrize("reason", EVENTS)
def test_each_event_is_in_the_reference(reason: int) -> None:
    page = (ROOT / "docs/reference/events.md").read_text(encoding="utf-8")
    event = EVENTS[reason]
    rows = [line for line in page.splitlines() if line.startswith(f"| {event.name}") and f" {reason} " in line]
    assert len(rows) >= 1
    assert str(name_or_number("MQRC", reason)) in rows[0]
    assert EVENT_QUEUES[event.command] in page
