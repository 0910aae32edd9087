"""Rows of a trace: events and gaps in words, in the order of time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from mqtools.constants.message import (
    MQFB_COA,
    MQFB_COD,
    MQFB_EXPIRATION,
    MQFB_NAN,
    MQFB_PAN,
    MQFMT_XMIT_Q_HEADER,
    MQMT_REPLY,
    MQMT_REPORT,
)
from mqtools.constants.names import name_or_number
from mqtools.constants.states import LOCKED_FOR_BROWSE, UNLOCKED
from mqtools.formats.units import rfc3339
from mqtools.lifecycle.ids import CONFIRM_ID
from mqtools.mqi.identity import now_ms
from mqtools.mqi.units_of_work import NOT_COUNTED
from mqtools.operations.trace.lives import Stay, Story, is_arrival
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

_HELD, _BACKED_OUT, _COMMITTED = "held (uncommitted)", "backed out", "committed"

#: Event to its outcome; any other is committed.
_OUTCOMES = {
    "browse_lock": "locked",
    "unlock": "unlocked",
    "deliver": "delivered",
    "lease": _BACKED_OUT,
    "expire": "expired",
    "delete": "deleted",
    "edit": "edited",
    "restore": "restored",
}

#: Feedback to the word of its report.
_REPORTS = {MQFB_COA: "COA", MQFB_COD: "COD", MQFB_EXPIRATION: "expiration", MQFB_PAN: "PAN", MQFB_NAN: "NAN"}

#: Events in whose rows the waiting time is.
_ENDS_WAIT = ("get", "channel_send")

_LATE = 1 << 62

#: In the details of what was held under a confirm id, which may take days.
_CONFIRM_ID = re.compile(rf"\b{CONFIRM_ID} \d+")

#: States in which a message can expire.
_ON_QUEUE = (UNLOCKED, LOCKED_FOR_BROWSE)
_NOT_REMOVED = "still on the queue: the next get that finds it removes it"


def rows_of(story: Story) -> list[dict[str, object]]:
    placed = [*_placed_events(story), *_placed_expiries(story), *_placed_gaps(story)]
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
    originals = {
        stay.first.msg_id: stay.first.correl_id
        for stay in story.stays
        if stay.first.format.strip() != MQFMT_XMIT_Q_HEADER
    }
    for stay in story.stays:
        for event in stay.events:
            is_exchange = (event.detail or "").startswith("replaced by")  # the one in the trash comes back, no new one
            if event.event == "edit" and event.state_after is None and not is_exchange:
                continue  # the version that was replaced: the row of the new one says what changed
            if event.held_at is not None and event.event_seq and _CONFIRM_ID.search(event.detail or ""):
                held = replace(event, event_seq=0, event_at=event.held_at, event=event.undone or event.event)
                yield event.held_at, event, event.event_seq, _row(held, stay, originals)
            yield event.event_at, event, event.event_seq or _LATE, _row(event, stay, originals)


def _placed_expiries(story: Story) -> Iterator[_Placed]:
    """Yield the expiries that no journal records yet: of messages on a queue that no get has met yet."""
    now = now_ms()
    for stay in story.stays:
        about = stay.present
        if about is None or about.expires_at is None or about.expires_at > now or about.state_after not in _ON_QUEUE:
            continue
        row = {**_message_row(about), "event": "expire", "outcome": _OUTCOMES["expire"], "detail": _NOT_REMOVED}
        yield about.expires_at, about, _LATE, {**row, "at": rfc3339(about.expires_at)}


def _placed_gaps(story: Story) -> Iterator[_Placed]:
    for gap in story.gaps:
        place = -1 if gap.is_before else (gap.about.event_seq or _LATE) + 1
        row = {**_message_row(gap.about), "at": rfc3339(gap.at), "detail": gap.detail}
        yield gap.at, gap.about, place, row


def _row(event: Event, stay: Stay, originals: Mapping[bytes, bytes | None]) -> dict[str, object]:
    user, _, _ = event.holder.rpartition(" pid ")
    return {
        **_message_row(event),
        "event": event.undone if event.event == "backout" else event.event,
        "outcome": outcome_of(event),
        "holder": event.holder,
        "appl_name": event.appl_name,
        "user_identifier": user or event.holder,
        "detail": "; ".join(_details(event, stay, originals)),
    }


def _message_row(about: Event) -> dict[str, object]:
    """Return the row of an unrecorded part, with the columns of the message."""
    return {
        "at": rfc3339(about.event_at),
        "qmgr": about.qmgr,
        "queue": about.queue,
        "event": UNKNOWN,
        "outcome": UNKNOWN,
        "holder": None,
        "appl_name": None,
        "user_identifier": None,
        "msg_id": about.msg_id.hex().upper(),
        "correl_id": (about.correl_id or bytes(24)).hex().upper(),
        "detail": "",
    }


def outcome_of(event: Event) -> str:
    """Return in words what became of what an event did."""
    if event.event == "backout":
        return _BACKED_OUT
    if event.event_seq == 0:
        return _HELD
    return _OUTCOMES.get(event.event, _COMMITTED)


def _details(event: Event, stay: Stay, originals: Mapping[bytes, bytes | None]) -> Iterator[str]:
    if event.detail:
        yield event.detail
    if event.outcome:
        yield f"{name_or_number('MQRC', event.outcome)} {event.outcome}"
    if is_arrival(event) or event.event_seq == 0 or (event.event == "backout" and event.state_after is None):
        yield from _relation(event, originals)
    if event.event in _ENDS_WAIT and event.event_seq:
        arrival = stay.arrival
        begin = event.put_at if arrival is None else arrival.event_at
        yield f"waited {max(0, event.event_at - begin) / 1000:.3f} s"
    is_undone_get = event.event in ("backout", "lease") and event.undone != "put" and event.state_after is not None
    if is_undone_get and not (event.detail or "").endswith(NOT_COUNTED):
        yield f"backout count {event.backout_count + 1}"


def _relation(event: Event, originals: Mapping[bytes, bytes | None]) -> Iterator[str]:
    """Yield what a message is to the one that its correlation id names.

    originals: message id to correlation id, where that is known, of messages on transmission queues.
    """
    correl_id = event.correl_id
    if event.format.strip() == MQFMT_XMIT_Q_HEADER:  # it names the message that is carried
        correl_id = originals.get(correl_id or b"")
    about = "" if correl_id is None else f" {correl_id.hex().upper()}"
    if event.msg_type == MQMT_REPORT:
        kind = _REPORTS.get(event.feedback)
        if kind is None:
            name = name_or_number("MQRC", event.feedback)
            kind = f"exception ({name})" if name != event.feedback else f"feedback {event.feedback}"
        yield f"{kind} report" + (about and f" about{about}")
    elif event.msg_type == MQMT_REPLY:
        yield "reply" + (about and f" to{about}")
