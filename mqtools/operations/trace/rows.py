"""Rows of a trace: events and gaps in words, in the order of time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mqtools.constants.message import (
    MQFB_COA,
    MQFB_COD,
    MQFB_EXPIRATION,
    MQFB_NAN,
    MQFB_PAN,
    MQMT_REPLY,
    MQMT_REPORT,
)
from mqtools.constants.names import name_or_number
from mqtools.formats.units import rfc3339
from mqtools.operations.trace.lives import is_arrival

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mqtools.operations.trace.lives import Gap, Stay, Story
    from mqtools.store.messages.journal_events import Event

#: The columns of a row, in their order.
COLUMNS = (
    "at",
    "qmgr",
    "queue",
    "event",
    "outcome",
    "holder",
    "appl_name",
    "user_identifier",
    "msg_id",
    "correl_id",
    "detail",
)

UNKNOWN = "unknown"

#: Event to its outcome; any other is committed.
_OUTCOMES = {
    "browse_lock": "locked",
    "unlock": "unlocked",
    "expire": "expired",
    "delete": "deleted",
    "edit": "edited",
    "restore": "restored",
}
_HELD, _BACKED_OUT, _COMMITTED = "held (uncommitted)", "backed out", "committed"

#: Feedback to the word of its report.
_REPORTS = {MQFB_COA: "COA", MQFB_COD: "COD", MQFB_EXPIRATION: "expiration", MQFB_PAN: "PAN", MQFB_NAN: "NAN"}

#: Events in whose rows the waiting time is.
_ENDS_WAIT = ("get", "channel_send")

_LATE = 1 << 62


def rows_of(story: Story) -> list[dict[str, object]]:
    """Return the rows of a story in the order of time."""
    placed = [*_placed_events(story), *_placed_gaps(story)]
    ranks = _ranks(story)
    placed.sort(key=lambda each: (each[0], ranks[each[1].qmgr], each[2]))
    return [row for _, _, _, row in placed]


def _ranks(story: Story) -> dict[str, int]:
    """Return the queue managers in the order in which the messages came to them."""
    ranks: dict[str, int] = {}
    begins = [(stay.first.event_at, stay.first.event == "channel_receive", stay.first.qmgr) for stay in story.stays]
    for _, _, qmgr in sorted(begins):
        ranks.setdefault(qmgr, len(ranks))
    return ranks


_Placed = tuple[int, "Event", int, dict[str, object]]


def _placed_events(story: Story) -> Iterator[_Placed]:
    for stay in story.stays:
        for event in stay.events:
            if event.event == "edit" and event.state_after is None and not _is_exchange(event):
                continue  # the version that was replaced: the row of the new one says what changed
            yield event.event_at, event, event.event_seq or _LATE, _row(event, stay)


def _is_exchange(event: Event) -> bool:
    """Return whether an edited version goes because the one in the trash comes back: no new version follows."""
    return (event.detail or "").startswith("replaced by")


def _placed_gaps(story: Story) -> Iterator[_Placed]:
    for gap in story.gaps:
        place = -1 if gap.is_before else (gap.about.event_seq or _LATE) + 1
        yield gap.at, gap.about, place, _gap_row(gap)


def _row(event: Event, stay: Stay) -> dict[str, object]:
    user, _, _ = event.holder.rpartition(" pid ")
    return {
        "at": rfc3339(event.event_at),
        "qmgr": event.qmgr,
        "queue": event.queue,
        "event": event.undone if event.event == "backout" else event.event,
        "outcome": outcome_of(event),
        "holder": event.holder,
        "appl_name": event.appl_name,
        "user_identifier": user or event.holder,
        "msg_id": event.msg_id.hex().upper(),
        "correl_id": (event.correl_id or bytes(24)).hex().upper(),
        "detail": "; ".join(_details(event, stay)),
    }


def _gap_row(gap: Gap) -> dict[str, object]:
    about = gap.about
    return {
        "at": rfc3339(gap.at),
        "qmgr": about.qmgr,
        "queue": about.queue,
        "event": UNKNOWN,
        "outcome": UNKNOWN,
        "holder": None,
        "appl_name": None,
        "user_identifier": None,
        "msg_id": about.msg_id.hex().upper(),
        "correl_id": (about.correl_id or bytes(24)).hex().upper(),
        "detail": gap.detail,
    }


def outcome_of(event: Event) -> str:
    """Return in words what became of what an event did."""
    if event.event == "backout":
        return _BACKED_OUT
    if event.event_seq == 0:
        return _HELD
    return _OUTCOMES.get(event.event, _COMMITTED)


def _details(event: Event, stay: Stay) -> Iterator[str]:
    if event.detail:
        yield event.detail
    if event.outcome:
        yield f"{name_or_number('MQRC', event.outcome)} {event.outcome}"
    if is_arrival(event) or event.event_seq == 0 or (event.event == "backout" and event.state_after is None):
        yield from _relation(event)
    if event.event in _ENDS_WAIT and event.event_seq:
        arrival = stay.arrival
        begin = event.put_at if arrival is None else arrival.event_at
        yield f"waited {max(0, event.event_at - begin) / 1000:.3f} s"
    if event.event == "backout" and event.undone != "put" and event.state_after is not None:
        yield f"backout count {event.backout_count + 1}"


def _relation(event: Event) -> Iterator[str]:
    """Yield what a message is to the one that its correlation id names."""
    about = (event.correl_id or bytes(24)).hex().upper()
    if event.msg_type == MQMT_REPORT:
        kind = _REPORTS.get(event.feedback)
        if kind is None:
            name = name_or_number("MQRC", event.feedback)
            kind = f"exception ({name})" if name != event.feedback else f"feedback {event.feedback}"
        yield f"{kind} report about {about}"
    elif event.msg_type == MQMT_REPLY:
        yield f"reply to {about}"
