"""Gaps in the story of a message: parts of its life that no journal holds, each with the reason."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from mqtools.constants.message import MQFMT_XMIT_Q_HEADER
from mqtools.formats.units import rfc3339
from mqtools.operations.trace.journals import EventSource, JournalSource
from mqtools.operations.trace.lives import Gap, Stay, is_arrival, is_one_move
from mqtools.store.messages.journal_events import Event

#: Words of details that name another queue, or another queue manager.
_FROM = re.compile(r"^from ([^\s;]+)")
_FOR_AT = re.compile(r"for (\S*) at ([^\s;]+)")
_CHANNEL_FROM = re.compile(r"^channel (\S+) from ([^\s;]+)")


def find_gaps(stays: Sequence[Stay], sources: Sequence[EventSource]) -> list[Gap]:
    """Return the parts of the lives of messages that no journal holds."""
    journals = [source for source in sources if isinstance(source, JournalSource)]
    levels = {journal.name: journal.levels() for journal in journals}
    removed = {journal.name: journal.removed_at() for journal in journals}
    gaps: list[Gap] = []
    for stay in stays:
        first = stay.first
        history = levels.get(first.qmgr, {}).get(first.queue, [])
        gaps += _at_the_ends(stay, history, removed.get(first.qmgr, 0))
        gaps += _while_off(stay, history)
        gaps += _elsewhere(stay, stays)
    return gaps


def _at_the_ends(stay: Stay, history: list[tuple[int, int]], removed_at: int) -> Iterator[Gap]:
    """Yield the gaps before the first event and behind the last one."""
    first = stay.first
    if not stay.events:
        yield Gap(first.event_at, first, f"on the queue without an event: {_why(first, history, removed_at)}", False)
        return
    is_end_of_put = first.event == "backout" and first.state_after is None
    if not is_arrival(first) and stay.arrival is None and not is_end_of_put:
        why = _why(first, history, removed_at) if stay.is_live else "the archive begins later"
        yield Gap(first.put_at, first, f"how it came to the queue is not recorded: {why}", True)
    last = stay.events[-1]
    if stay.is_live and stay.departure is None and stay.present is None and last.event_seq:
        why = _off_since(last, history) or "no journal holds it"
        yield Gap(last.event_at, last, f"how it left the queue is not recorded: {why}", False)


def _why(event: Event, history: list[tuple[int, int]], removed_at: int) -> str:
    """Return why the arrival of a message is not recorded."""
    if not history or all(level == 0 for level, _ in history):
        return f"queue {event.queue} has no journal, JOURNAL(NO)"
    if event.put_at <= removed_at:
        return f"older than the journal keeps, which is complete since {rfc3339(removed_at)}"
    for level, since in history:
        if level and since > event.put_at:
            return f"the journal of {event.queue} was off until {rfc3339(since)}"
    return "no journal holds it"


def _off_since(event: Event, history: list[tuple[int, int]]) -> str | None:
    if not history:
        return f"queue {event.queue} has no journal, JOURNAL(NO)"
    for level, since in history:
        if level == 0 and since >= event.event_at:
            return f"JOURNAL(NO) since {rfc3339(since)}"
    return None


def _while_off(stay: Stay, history: list[tuple[int, int]]) -> Iterator[Gap]:
    """Yield the times in which the journal of the queue was off while the message was there."""
    if not stay.events or not stay.is_live or not history:
        return
    begin = stay.first.event_at
    departure = stay.departure
    for (level, since), following in zip(history, [*history[1:], None], strict=True):
        until = None if following is None else following[1]
        ends_before = departure is not None and departure.event_at < since
        if level or since < begin or ends_before or (departure is None and stay.present is None):
            continue
        words = f"until {rfc3339(until)}" if until is not None else "until now"
        yield Gap(since, stay.first, f"JOURNAL(NO) from {rfc3339(since)} {words}", False)


def _elsewhere(stay: Stay, stays: Sequence[Stay]) -> Iterator[Gap]:
    """Yield what another queue, or another queue manager, does not record of the way to and from this queue."""
    for event in stay.events:
        found = _FROM.match(event.detail or "") if event.event == "move" else None
        if found and not any(is_one_move(other, event) for there in stays for other in there.events):
            yield Gap(event.put_at, event, f"queue {found[1]} has no record of it before the move", True)
        if event.event == "channel_send" and not _was_received(stays, event):
            yield Gap(
                event.event_at, event, f"no journal that was read records its arrival at {_destination(stay)}", False
            )
        if event.event == "channel_receive" and not _was_sent(stays, event):
            found = _CHANNEL_FROM.match(event.detail or "")
            where = found[2] if found else "the other queue manager"
            yield Gap(event.event_at, event, f"no journal of {where} that was read records it before", True)


def _was_received(stays: Iterable[Stay], sent: Event) -> bool:
    """Return whether the arrival of a message that was sent is recorded, as a message or as a dead letter."""
    return any(
        event.qmgr != sent.qmgr and event.msg_id == sent.correl_id and is_arrival(event)
        for stay in stays
        for event in stay.events
    )


def _was_sent(stays: Iterable[Stay], received: Event) -> bool:
    return any(
        event.qmgr != received.qmgr and event.event == "channel_send" and event.correl_id == received.msg_id
        for stay in stays
        for event in stay.events
    )


def _destination(stay: Stay) -> str:
    """Return the queue manager for which a message lay on a transmission queue."""
    for event in stay.events:
        found = _FOR_AT.search(event.detail or "")
        if event.format.strip() == MQFMT_XMIT_Q_HEADER and found:
            return found[2]
    return "the other queue manager"
