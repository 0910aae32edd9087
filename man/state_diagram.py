"""The states of a message as pictures in plain text, made from the table of transitions."""

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

#: State to what it is called in the pictures and to its abbreviation.
NAMES = {
    START: ("(start)", "start"),
    0: ("put unconfirmed", "PU"),
    1: ("unlocked", "U"),
    2: ("locked for browse", "LB"),
    3: ("get unconfirmed", "GU"),
    4: ("browse get unconfirmed", "BGU"),
    DELETED: ("(gone)", "gone"),
}

#: State to who has the message, and to what leads there through the MQI.
MEANINGS = {
    0: ("Whoever put it may still take it back; nobody else sees it.", "MQPUT under syncpoint"),
    1: ("Anybody can browse, lock, get or delete it.", "MQPUT, MQCMIT, MQBACK"),
    2: ("Whoever has the lock id looks at it; nobody else sees it.", "MQGET with MQGMO_LOCK"),
    3: ("Whoever got it may still give it back; nobody else sees it.", "MQGET under syncpoint"),
    4: (
        "The holder of its lock got it, and may still give it back, to the lock.",
        "MQGET under syncpoint of the message under the cursor",
    ),
}

_ARROW_END = 56


def graph() -> Iterator[str]:
    """Each state with the events that lead out of it, what must be proved for them, and where they lead."""
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
    """Every event in every state: the next state, or a point where it is refused."""
    states = (START, *range(len(STATE_NAMES)))
    yield _row("", [NAMES[state][1] for state in states])
    for event in EVENTS:
        cells = [TRANSITIONS.get((state, event)) for state in states]
        yield _row(event, ["." if after is None else NAMES[after][1] for after in cells])


def _row(title: str, cells: list[str]) -> str:
    return f"{title:<24}{''.join(f'{cell:<7}' for cell in cells)}".rstrip()


def counts(state: int) -> str:
    """Say what a message in a state counts for."""
    depth = "counts in the depth of the queue" if state in COUNTED_STATES else "does not count in the depth"
    return f"{depth}, uncommitted" if state in UNCOMMITTED_STATES else depth
