"""Lives of traced messages: the events of each on a queue, gaps between them, and where they come from."""

from __future__ import annotations

from dataclasses import dataclass, field

from mqtools.store.messages.journal_events import Event, Step


@dataclass(slots=True)
class Stay:
    """The events of one message on one queue, in their order. present: it is there now, None if that is unknown."""

    events: list[Event]
    present: Event | None = None
    is_live: bool = False

    @property
    def first(self) -> Event:
        first = self.events[0] if self.events else self.present
        assert first is not None
        return first

    @property
    def arrival(self) -> Event | None:
        """Return the event of the arrival, None if it is not recorded."""
        for event in self.events:
            if is_arrival(event):
                return event
        return None

    @property
    def departure(self) -> Event | None:
        return self.events[-1] if self.events and is_departure(self.events[-1]) else None


@dataclass(slots=True)
class Gap:
    """A part of a life that no journal holds. at: its place, milliseconds.  about: an event next to it."""

    at: int
    about: Event
    detail: str
    is_before: bool


@dataclass(slots=True)
class Story:
    """All that is known of traced messages."""

    stays: list[Stay] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)


#: Events of version 3 of the schema, which did not record the states: those that are arrivals, and departures.
_ARRIVALS = frozenset(("put", "report", "dead_letter", "channel_receive", "copy", "restore", "replay"))
_DEPARTURES = frozenset(("get", "delete", "expire", "channel_send"))


def is_arrival(event: Event | Step) -> bool:
    """Return whether an event brings a message to its queue, its commit included."""
    if event.event == "backout":
        return False
    if event.state_before is None and event.state_after is None:
        return event.event in _ARRIVALS
    return event.state_before is None or (event.state_before == 0 and event.state_after is not None)


def is_departure(event: Event | Step) -> bool:
    """Return whether an event removes a message from its queue for good."""
    if event.event_seq == 0:
        return False
    if event.state_before is None and event.state_after is None:
        return event.event in _DEPARTURES
    return event.state_after is None


def is_one_move(departure: Event, arrival: Event) -> bool:
    """Return whether a message left one queue and came to another by one move, to a transmission queue too.

    arrival: its event, or the message on the queue.
    """
    return (
        departure.event == "move"
        and is_departure(departure)
        and (departure.qmgr, departure.event_at) == (arrival.qmgr, arrival.put_at)
        and (
            departure.msg_id == arrival.msg_id
            or departure.correl_id == arrival.msg_id
            or departure.msg_id == arrival.correl_id
        )
    )
