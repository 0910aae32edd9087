"""The table of transitions, walked whole: what it lists happens, what it does not list is refused."""

from itertools import product

import pytest

from mqtools.constants import states as constants
from mqtools.rules import states
from mqtools.rules.states import (
    DELETED,
    EFFECTS,
    EVENTS,
    START,
    TRANSITIONS,
    IllegalTransition,
)

STORED = range(len(constants.STATE_NAMES))
PAIRS = tuple(product((START, *STORED, DELETED), EVENTS))
REFUSED = tuple(pair for pair in PAIRS if pair not in TRANSITIONS)

#: A row: state, event, whether it is made with a confirm id, next state (LIFE-04 to LIFE-32).
CATALOGUE = """
start           putMessage         no   unlocked
start           putMessage         yes  put_unconfirmed
put_unconfirmed confirmPutMessage  yes  unlocked
put_unconfirmed undo               yes  deleted
unlocked        getMessage         no   deleted
unlocked        getMessage         yes  get_unconfirmed
unlocked        browseWithLock     no   locked_for_browse
unlocked        deleteMessage      no   deleted
locked_for_browse getMessage       no   deleted
locked_for_browse getMessage       yes  browse_get_unconfirmed
locked_for_browse unlockMessage    no   unlocked
locked_for_browse deleteMessage    no   deleted
locked_for_browse undo             yes  unlocked
get_unconfirmed confirmGetMessage  yes  deleted
get_unconfirmed undo               yes  unlocked
browse_get_unconfirmed confirmGetMessage yes deleted
browse_get_unconfirmed undo        yes  locked_for_browse
"""

#: Event of the lifecycle, with or without a confirm id, to ours.
EVENT_OF = {
    ("putMessage", "no"): states.PUT,
    ("putMessage", "yes"): states.PUT_HELD,
    ("confirmPutMessage", "yes"): states.CONFIRM_PUT,
    ("getMessage", "no"): states.GET,
    ("getMessage", "yes"): states.GET_HELD,
    ("confirmGetMessage", "yes"): states.CONFIRM_GET,
    ("browseWithLock", "no"): states.BROWSE_LOCK,
    ("unlockMessage", "no"): states.UNLOCK,
    ("deleteMessage", "no"): states.DELETE,
    ("undo", "yes"): states.UNDO,
}


NUMBERS = {**{name: number for number, name in enumerate(constants.STATE_NAMES)}, "start": START, "deleted": DELETED}
NAMES = {number: name for name, number in NUMBERS.items()}


def name_of(state: int) -> str:
    return NAMES[state]


def rows() -> list[tuple[int, str, int]]:
    found = []
    for line in CATALOGUE.split("\n"):
        if line:
            state, event, has_id, after = line.split()
            found.append((NUMBERS[state], EVENT_OF[event, has_id], NUMBERS[after]))
    return found


@pytest.mark.conformance("LIFE-02")
def test_there_are_the_five_states_of_the_lifecycle_and_delayed():
    assert constants.STATE_NAMES == (
        "put_unconfirmed",
        "unlocked",
        "locked_for_browse",
        "get_unconfirmed",
        "browse_get_unconfirmed",
        "delayed",
    )
    assert [getattr(constants, name.upper()) for name in constants.STATE_NAMES] == [0, 1, 2, 3, 4, 5]


@pytest.mark.conformance("LIFE-01")
def test_start_and_deleted_are_no_states_that_could_be_stored():
    assert START not in STORED
    assert DELETED not in STORED
    assert START != DELETED
    assert START not in TRANSITIONS.values()
    assert not [state for state, _ in TRANSITIONS if state == DELETED]


@pytest.mark.parametrize(
    ("state", "event", "after"), [pytest.param(*row, id=f"{name_of(row[0])}-{row[1]}") for row in rows()]
)
def test_every_transition_of_the_lifecycle_is_made(state, event, after):
    assert EFFECTS[state, event][0] == after


def test_only_expiry_and_delays_are_beside_the_lifecycle():
    ours = {pair for pair in TRANSITIONS if pair not in {(state, event) for state, event, _ in rows()}}
    assert {pair: TRANSITIONS[pair] for pair in ours} == {
        (constants.UNLOCKED, states.EXPIRE): DELETED,
        (START, states.PUT_DELAYED): constants.DELAYED,
        (constants.PUT_UNCONFIRMED, states.CONFIRM_DELAYED): constants.DELAYED,
        (constants.DELAYED, states.DELIVER): constants.UNLOCKED,
        (constants.DELAYED, states.DELETE): DELETED,
    }


@pytest.mark.conformance("LIFE-37")
@pytest.mark.parametrize(
    ("state", "event"), [pytest.param(*pair, id=f"{name_of(pair[0])}-{pair[1]}") for pair in REFUSED]
)
def test_every_pair_that_is_not_listed_is_refused(state, event):
    before = dict(TRANSITIONS)
    with pytest.raises(IllegalTransition) as caught:
        EFFECTS[state, event]
    assert (caught.value.state, caught.value.event) == (state, event)
    assert event in str(caught.value)
    assert before == TRANSITIONS


@pytest.mark.parametrize(("pair", "after"), TRANSITIONS.items(), ids=lambda value: str(value))
def test_the_change_of_depth_is_the_difference_of_what_the_states_count_for(pair, after):
    def counts(state: int) -> tuple[int, int]:
        name = name_of(state)
        return (
            int(name in ("put_unconfirmed", "unlocked", "locked_for_browse", "delayed")),
            int(name in ("put_unconfirmed", "get_unconfirmed", "browse_get_unconfirmed")),
        )

    before = pair[0]
    assert EFFECTS[pair][1:] == (
        counts(after)[0] - counts(before)[0],
        counts(after)[1] - counts(before)[1],
    )
