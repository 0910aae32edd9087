"""Story of traced messages: which events belong to it, and where the record has gaps."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from mqtools.constants.message import MQFMT_XMIT_Q_HEADER, MQMT_REPLY, MQMT_REPORT, MQRO_PASS_CORREL_ID
from mqtools.constants.states import UNLOCKED
from mqtools.operations.trace.gaps import find_gaps
from mqtools.operations.trace.journals import EventSource
from mqtools.operations.trace.lives import Stay, Story, is_one_move
from mqtools.store.messages.journal_events import SNAPSHOTS, Event


def find_story(sources: Sequence[EventSource], ids: Iterable[bytes]) -> Story:
    """Return the story of the messages that carry identifiers, of their reports and replies, of their copies on
    transmission queues, and of their replays.
    """
    search = _Search(sources)
    search.run(set(ids))
    story = Story(search.stays())
    if story.stays:
        story.gaps = find_gaps(story.stays, sources)
    return story


def resolve_prefix(sources: Iterable[EventSource], prefix: bytes, odd: bool) -> list[bytes]:
    """Return the identifiers that begin with a prefix, sorted. odd: only the first half of its last byte counts."""
    low = prefix.ljust(24, b"\0")
    end = prefix[:-1] + bytes([prefix[-1] | 0x0F]) if odd else prefix
    high = end.ljust(24, b"\xff")
    return sorted(set().union(*(source.ids_between(low, high) for source in sources)))


class _Search:
    """Search for the events of a story in all sources."""

    def __init__(self, sources: Sequence[EventSource]) -> None:
        self._sources = sources
        self._events: dict[tuple[object, ...], Event] = {}
        self._present: dict[tuple[str, str, int], Event] = {}

    def run(self, ids: set[bytes]) -> None:
        """Find the messages that carry identifiers, then what belongs to them."""
        carriers: list[Event] = []
        for name in ("msg_id", "correl_id", "group_id"):
            carriers += self._find(name, ids)
        own = {event.msg_id for event in carriers}
        related = [event for event in self._find("correl_id", own) if event.msg_id not in own]
        passed = {event.correl_id for event in carriers if event.report & MQRO_PASS_CORREL_ID and event.correl_id}
        related += [each for each in self._find("correl_id", passed, _ANSWERS)]
        theirs = {event.msg_id for event in related} - own
        copies = [event for event in self._find("correl_id", theirs, None, MQFMT_XMIT_Q_HEADER)]
        rest = {event.msg_id for event in copies}
        replays = {event.msg_id for source in self._sources for event in source.replays(own)} if own else set()
        self._find("msg_id", (own | theirs | rest | replays) - ids)

    def _find(
        self, name: str, ids: set[bytes], types: tuple[int, ...] | None = None, format_: str | None = None
    ) -> list[Event]:
        """Collect the events, and messages on queues, with one of some identifiers; return them."""
        found: list[Event] = []
        if not ids:
            return found
        for source in self._sources:
            for event in source.events(name, ids):
                if _fits(event, types, format_) and event.event not in SNAPSHOTS:
                    found.append(self._events.setdefault(_key(event), event))
            for event in source.on_queues(name, ids):
                if _fits(event, types, format_):
                    self._present[event.qmgr, event.queue, event.seq] = event
                    found.append(event)
        return found

    def stays(self) -> list[Stay]:
        stays: dict[tuple[str, str, int], Stay] = {}
        live = {source.name for source in self._sources if source.is_live}
        for event in self._events.values():
            place = event.qmgr, event.queue, event.seq
            stays.setdefault(place, Stay([], None, event.qmgr in live)).events.append(event)
        for place, event in self._present.items():
            stays.setdefault(place, Stay([], None, True)).present = event
        _add_arrivals(stays)
        for stay in stays.values():
            if any(event.event_seq >= 0 for event in stay.events):  # more than an archive of messages says
                stay.events = [event for event in stay.events if event.event_seq >= 0]
            stay.events.sort(key=lambda event: event.event_seq or (1 << 62))
        return sorted(stays.values(), key=lambda stay: stay.first.event_at)


def _add_arrivals(stays: dict[tuple[str, str, int], Stay]) -> None:
    """Add the arrivals by moves that only the source queues record."""
    for left in list(stays.values()):
        for move in [event for event in left.events if event.event == "move"]:
            found = _TO.match(move.detail or "")
            if found is None:
                continue
            q_name = found[1]
            there = [stay for stay in stays.values() if stay.first.queue == q_name and is_one_move(move, stay.first)]
            stay = there[0] if there else stays.setdefault((move.qmgr, q_name, -move.seq), Stay([], None, left.is_live))
            if stay.arrival is None:
                about = stay.first if there else move
                arrival = replace(move, queue=q_name, msg_id=about.msg_id, correl_id=about.correl_id)
                arrival.put_at, arrival.detail = move.event_at, f"from {move.queue}"
                arrival.state_before, arrival.state_after = None, UNLOCKED
                stay.events.append(arrival)


#: Words of a move that name the other queue.
_TO = re.compile(r"^to ([^\s;]+)")
_ANSWERS = (MQMT_REPLY, MQMT_REPORT)


def _fits(event: Event, types: tuple[int, ...] | None, format_: str | None) -> bool:
    return (types is None or event.msg_type in types) and (format_ is None or event.format.strip() == format_)


def _key(event: Event) -> tuple[object, ...]:
    if event.event_seq:
        return event.qmgr, event.event_seq, event.event_at, event.msg_id
    return event.qmgr, event.queue, event.seq, event.event, event.event_at
