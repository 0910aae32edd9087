"""Life cycle of a stored message: six states, the events that change it, and the table of transitions.

A message is *put unconfirmed* while its putter may still take it back. It is *unlocked* while any program can get it,
and *locked for browse* while one holder looks at it. It is *get unconfirmed* while the program that got it may still
back out. After a get by the holder of its lock it is *browse get unconfirmed*. It is *delayed* until its delivery time:
it counts, and no get or browse finds it. There is no state for a message that is gone: it has no row (LIFE-01).

Two front doors lead to the same states. In MQ Everyplace's lifecycle the holder is a confirm id or a lock
id, and outlives its process. In the MQI the holder is a connection (a unit of work) or a handle (a browse
lock), and dies with it: MQPUT under syncpoint is a put with a confirm id, MQCMIT the confirm, MQBACK the
undo, MQGMO_LOCK the browse with lock.

Rule 1: every change of a message's state goes through ``EFFECTS``. Rule 2: an event that the
table does not list for a state is refused and changes nothing.
"""

from __future__ import annotations

from mqtools.constants.states import (
    BROWSE_GET_UNCONFIRMED,
    DELAYED,
    GET_UNCONFIRMED,
    LOCKED_FOR_BROWSE,
    PUT_UNCONFIRMED,
    STATE_NAMES,
    UNLOCKED,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

#: Entry and exit of the model. They are no states: nothing stored is ever in them (LIFE-01).
START = -1
DELETED = -2

PUT = "put"
PUT_HELD = "put with a confirm id"
PUT_DELAYED = "put with a delay"
CONFIRM_PUT = "confirm put"
CONFIRM_DELAYED = "confirm put with a delay"
DELIVER = "deliver"
GET = "get"
GET_HELD = "get with a confirm id"
CONFIRM_GET = "confirm get"
BROWSE_LOCK = "browse with lock"
UNLOCK = "unlock"
DELETE = "delete"
UNDO = "undo"
EXPIRE = "expire"
#: Undo of the gets whose lease has ended. The table has UNDO for it.
LEASE = "lease"

EVENTS = (
    *(PUT, PUT_HELD, PUT_DELAYED, CONFIRM_PUT, CONFIRM_DELAYED, DELIVER, GET, GET_HELD, CONFIRM_GET, BROWSE_LOCK),
    *(UNLOCK, DELETE, UNDO, EXPIRE),
)


class IllegalTransition(Exception):
    """Raised when an event is not allowed in a state; nothing has changed."""

    def __init__(self, state: int, event: str) -> None:
        name = STATE_NAMES[state] if state >= 0 else "start"
        super().__init__(f"{event} is not possible on a message that is {name.replace('_', ' ')}")
        self.state = state
        self.event = event


#: (state, event) to the next state. A pair not listed is refused and the state stays (LIFE-37).
#: Source: the seed's state flow; LIFE-04 to LIFE-36. EXPIRE and DELIVER are the queue manager's own events (BEY-30),
#: DELIVER when the delivery time has come. A delay is of JMS 2.0.
TRANSITIONS = {
    (START, PUT): UNLOCKED,  # LIFE-04
    (START, PUT_HELD): PUT_UNCONFIRMED,  # LIFE-05
    (START, PUT_DELAYED): DELAYED,
    (PUT_UNCONFIRMED, CONFIRM_PUT): UNLOCKED,  # LIFE-07
    (PUT_UNCONFIRMED, CONFIRM_DELAYED): DELAYED,
    (PUT_UNCONFIRMED, UNDO): DELETED,  # LIFE-09
    (DELAYED, DELIVER): UNLOCKED,
    (DELAYED, DELETE): DELETED,  # of a message that is named by its id
    (UNLOCKED, GET): DELETED,  # LIFE-12
    (UNLOCKED, GET_HELD): GET_UNCONFIRMED,  # LIFE-13
    (UNLOCKED, BROWSE_LOCK): LOCKED_FOR_BROWSE,  # LIFE-19
    (UNLOCKED, DELETE): DELETED,  # LIFE-31
    (UNLOCKED, EXPIRE): DELETED,  # BEY-30
    (LOCKED_FOR_BROWSE, GET): DELETED,  # LIFE-23
    (LOCKED_FOR_BROWSE, GET_HELD): BROWSE_GET_UNCONFIRMED,  # LIFE-24
    (LOCKED_FOR_BROWSE, UNLOCK): UNLOCKED,  # LIFE-28
    (LOCKED_FOR_BROWSE, DELETE): DELETED,  # LIFE-32
    (LOCKED_FOR_BROWSE, UNDO): UNLOCKED,  # LIFE-30
    (GET_UNCONFIRMED, CONFIRM_GET): DELETED,  # LIFE-15
    (GET_UNCONFIRMED, UNDO): UNLOCKED,  # LIFE-17
    (BROWSE_GET_UNCONFIRMED, CONFIRM_GET): DELETED,  # LIFE-26
    (BROWSE_GET_UNCONFIRMED, UNDO): LOCKED_FOR_BROWSE,  # LIFE-27, AMB-26
}

#: Required proof of the caller of an event, by state, as in the manual. A pair not listed needs no proof (LIFE-14,
#: LIFE-22).
NEEDS = {
    (PUT_UNCONFIRMED, CONFIRM_PUT): "confirm id",
    (PUT_UNCONFIRMED, CONFIRM_DELAYED): "confirm id",
    (PUT_UNCONFIRMED, UNDO): "confirm id",
    (LOCKED_FOR_BROWSE, GET): "lock id",
    (LOCKED_FOR_BROWSE, GET_HELD): "lock id",
    (LOCKED_FOR_BROWSE, UNLOCK): "lock id",
    (LOCKED_FOR_BROWSE, DELETE): "lock id",
    (LOCKED_FOR_BROWSE, UNDO): "confirm id of the browse, or lock id",
    (GET_UNCONFIRMED, CONFIRM_GET): "confirm id",
    (GET_UNCONFIRMED, UNDO): "confirm id",
    (BROWSE_GET_UNCONFIRMED, CONFIRM_GET): "confirm id",
    (BROWSE_GET_UNCONFIRMED, UNDO): "confirm id",
}

#: States whose messages count in CURDEPTH: a put counts at once, a get no longer does (BEY-39, LOCK-38).
COUNTED_STATES = frozenset((PUT_UNCONFIRMED, UNLOCKED, LOCKED_FOR_BROWSE, DELAYED))

#: States that wait for a confirm or an undo (the UNCOM of a queue).
UNCOMMITTED_STATES = frozenset((PUT_UNCONFIRMED, GET_UNCONFIRMED, BROWSE_GET_UNCONFIRMED))


class _Effects(dict[tuple[int, str], tuple[int, int, int]]):
    """Effects by state and event. A pair without a row raises IllegalTransition."""

    def __missing__(self, pair: tuple[int, str]) -> NoReturn:
        raise IllegalTransition(*pair)


#: (state, event) to the next state, and what it adds to the depth and to the number of uncommitted messages.
EFFECTS = _Effects(
    {
        (state, event): (
            after,
            (after in COUNTED_STATES) - (state in COUNTED_STATES),
            (after in UNCOMMITTED_STATES) - (state in UNCOMMITTED_STATES),
        )
        for (state, event), after in TRANSITIONS.items()
    }
)
