"""State diagram of a message in plain text, generated from the table of transitions."""

from __future__ import annotations

from collections.abc import Iterator

from mqtools.constants.states import STATE_NAMES
from mqtools.rules.states import (
    COUNTED_STATES,
    DELETED,
    EVENTS,
    NEEDS,
    START,
    TRANSITIONS,
    UNCOMMITTED_STATES,
)

#: State to its name in the diagram and its abbreviation.
NAMES = {
    START: ("(start)", "start"),
    0: ("put unconfirmed", "PU"),
    1: ("unlocked", "U"),
    2: ("locked for browse", "LB"),
    3: ("get unconfirmed", "GU"),
    4: ("browse get unconfirmed", "BGU"),
    5: ("delayed", "D"),
    DELETED: ("(gone)", "gone"),
}

#: State to who can use the message, and to the MQI calls that lead there.
MEANINGS = {
    0: ("The program that put it can still undo the put; no other program sees it.", "MQPUT under syncpoint"),
    1: ("Any program can browse, lock, get or delete it.", "MQPUT, MQCMIT, MQBACK"),
    2: ("Programs with the lock id can use it; no other program sees it.", "MQGET with MQGMO_LOCK"),
    3: ("The program that got it can still undo the get; no other program sees it.", "MQGET under syncpoint"),
    4: (
        "The holder of its lock got it and can still undo the get, which restores the lock.",
        "MQGET under syncpoint of the message under the cursor",
    ),
    5: ("No program finds it before its delivery time.", "a put with a delivery delay (JMS)"),
}

_ARROW_END = 56


def graph() -> Iterator[str]:
    """Yield each state with its events, their conditions, and the next states."""
    for state in (START, *range(len(STATE_NAMES))):
        if state != START:
            yield ""
        yield NAMES[state][0]
        for (before, event), after in TRANSITIONS.items():
            if before == state:
                proof = NEEDS.get((before, event))
                words = f"  +-- {event}{f' [{proof}]' if proof else ''} "
                yield f"{words.ljust(_ARROW_END, '-')}> {NAMES[after][0]}"


def matrix() -> Iterator[str]:
    """Yield the next state for every event and state; a point means that the event is rejected."""
    states = (START, *range(len(STATE_NAMES)))
    yield _row("", [NAMES[state][1] for state in states])
    for event in EVENTS:
        cells = [TRANSITIONS.get((state, event)) for state in states]
        yield _row(event, ["." if after is None else NAMES[after][1] for after in cells])


def _row(title: str, cells: list[str]) -> str:
    return f"{title:<24}{''.join(f'{cell:<7}' for cell in cells)}".rstrip()


def counts(state: int) -> str:
    """Return what a message in a state counts for."""
    depth = "counts in the depth of the queue" if state in COUNTED_STATES else "does not count in the depth"
    return f"{depth}, uncommitted" if state in UNCOMMITTED_STATES else depth
