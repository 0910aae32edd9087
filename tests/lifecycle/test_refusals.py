"""Every event in every state with right and wrong ids: only the table's transitions happen (LIFE-37)."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mqtools.constants.message import MQRO_COA, MQRO_COD
from mqtools.constants.states import (
    BROWSE_GET_UNCONFIRMED,
    DELAYED,
    GET_UNCONFIRMED,
    LOCKED_FOR_BROWSE,
    PUT_UNCONFIRMED,
    STATE_NAMES,
    UNLOCKED,
)
from mqtools.errors import MQError
from mqtools.lifecycle.locks import unlock_message
from mqtools.lifecycle.verbs import confirm, confirm_get_message, confirm_put_message, delete_message, undo
from mqtools.rules import states

from ..rows import assert_counters
from .lifecycle_story import BROWSE_ID, WRONG_LOCK, Clock, Story, story_in

HELD_ID, OTHER_ID, NEW_ID = 7, 8, 9


class Case:
    """One message in some state, with a lock id: its own, or one that is over."""

    def __init__(self, story: Story, msg_id: bytes, lock_id: bytes) -> None:
        self.story = story
        self.connection = story.connection
        self.msg_id = msg_id
        self.lock_id = lock_id
        self.seq = story.seq("A")


Call = Callable[[Case], object]

#: Name of a call: its event, what it proves, and the call itself.
CALLS: dict[str, tuple[str, str, Call]] = {
    "get": (states.GET, "nothing", lambda case: case.story.get(filter={"msg_id": case.msg_id})),
    "get by key": (states.GET, "nothing", lambda case: case.story.get(seq=case.seq)),
    "get held": (states.GET_HELD, "nothing", lambda case: case.story.get(confirm_id=NEW_ID)),
    "get held same id": (states.GET_HELD, "nothing", lambda case: case.story.get(confirm_id=HELD_ID)),
    "get locked": (states.GET, "lock id", lambda case: case.story.get(lock_id=case.lock_id)),
    "get locked by key": (states.GET, "lock id", lambda case: case.story.get(seq=case.seq, lock_id=case.lock_id)),
    "get wrong lock": (states.GET, "wrong", lambda case: case.story.get(lock_id=WRONG_LOCK)),
    "get held locked": (
        states.GET_HELD,
        "lock id",
        lambda case: case.story.get(lock_id=case.lock_id, confirm_id=NEW_ID),
    ),
    "get held wrong lock": (
        states.GET_HELD,
        "wrong",
        lambda case: case.story.get(lock_id=WRONG_LOCK, confirm_id=NEW_ID),
    ),
    "lock": (states.BROWSE_LOCK, "nothing", lambda case: case.story.lock()),
    "lock by key": (states.BROWSE_LOCK, "nothing", lambda case: case.story.lock(seqs=[case.seq])),
    "delete": (states.DELETE, "nothing", lambda case: delete_message(case.connection, "Q", msg_id=case.msg_id)),
    "delete by key": (states.DELETE, "nothing", lambda case: delete_message(case.connection, "Q", seq=case.seq)),
    "delete locked": (
        states.DELETE,
        "lock id",
        lambda case: delete_message(case.connection, "Q", msg_id=case.msg_id, lock_id=case.lock_id),
    ),
    "delete wrong lock": (
        states.DELETE,
        "wrong",
        lambda case: delete_message(case.connection, "Q", msg_id=case.msg_id, lock_id=WRONG_LOCK),
    ),
    "unlock": (states.UNLOCK, "lock id", lambda case: unlock_message(case.connection, "Q", case.lock_id)),
    "unlock one": (
        states.UNLOCK,
        "lock id",
        lambda case: unlock_message(case.connection, "Q", case.lock_id, msg_id=case.msg_id),
    ),
    "unlock other": (
        states.UNLOCK,
        "wrong",
        lambda case: unlock_message(case.connection, "Q", case.lock_id, msg_id=b"X"),
    ),
    "unlock without an id": (states.UNLOCK, "wrong", lambda case: unlock_message(case.connection, "Q", b"")),
    "unlock one wrong": (
        states.UNLOCK,
        "wrong",
        lambda case: unlock_message(case.connection, "Q", WRONG_LOCK, msg_id=case.msg_id),
    ),
    "unlock wrong": (states.UNLOCK, "wrong", lambda case: unlock_message(case.connection, "Q", WRONG_LOCK)),
    "confirm put": (
        states.CONFIRM_PUT,
        "confirm id",
        lambda case: confirm_put_message(case.connection, "Q", HELD_ID, msg_id=case.msg_id),
    ),
    "confirm put wrong": (
        states.CONFIRM_PUT,
        "wrong",
        lambda case: confirm_put_message(case.connection, "Q", OTHER_ID),
    ),
    "confirm put other": (
        states.CONFIRM_PUT,
        "wrong",
        lambda case: confirm_put_message(case.connection, "Q", HELD_ID, msg_id=b"X" * 24),
    ),
    "confirm get": (states.CONFIRM_GET, "confirm id", lambda case: confirm_get_message(case.connection, "Q", HELD_ID)),
    "confirm get wrong": (
        states.CONFIRM_GET,
        "wrong",
        lambda case: confirm_get_message(case.connection, "Q", OTHER_ID),
    ),
    "confirm get other": (
        states.CONFIRM_GET,
        "wrong",
        lambda case: confirm_get_message(case.connection, "Q", HELD_ID, msg_id=b"X" * 24),
    ),
    "confirm": (states.CONFIRM_GET, "confirm id", lambda case: confirm(case.connection, "Q", HELD_ID)),
    "confirm wrong": (states.CONFIRM_GET, "wrong", lambda case: confirm(case.connection, "Q", BROWSE_ID)),
    "undo": (states.UNDO, "confirm id", lambda case: undo(case.connection, "Q", confirm_id=HELD_ID)),
    "undo browse": (states.UNDO, "browse id", lambda case: undo(case.connection, "Q", confirm_id=BROWSE_ID)),
    "undo lock": (states.UNDO, "lock id", lambda case: undo(case.connection, "Q", lock_id=case.lock_id)),
    "undo wrong": (states.UNDO, "wrong", lambda case: undo(case.connection, "Q", confirm_id=OTHER_ID)),
    "undo wrong lock": (states.UNDO, "wrong", lambda case: undo(case.connection, "Q", lock_id=WRONG_LOCK)),
}

#: What must be proved in a state for any event at all.
PROOFS = {
    PUT_UNCONFIRMED: ("confirm id",),
    UNLOCKED: ("nothing",),
    LOCKED_FOR_BROWSE: ("lock id",),
    GET_UNCONFIRMED: ("confirm id",),
    BROWSE_GET_UNCONFIRMED: ("confirm id",),
    DELAYED: ("nothing",),
}


def outcome(state: int, event: str, proof: str) -> int | None:
    """The next state by the table, or None for a refusal."""
    may_undo_browse = (state, event, proof) == (LOCKED_FOR_BROWSE, states.UNDO, "browse id")
    if proof not in PROOFS[state] and not may_undo_browse:
        return None
    return states.TRANSITIONS.get((state, event))


def bring_to(story: Story, state: int) -> Case:
    """Put a message and bring it to a state."""
    msg_id = story.put("A").msg_id
    lock_id = story.lock(confirm_id=BROWSE_ID)
    if state == LOCKED_FOR_BROWSE:
        return Case(story, msg_id, lock_id)
    if state == BROWSE_GET_UNCONFIRMED:
        story.get(confirm_id=HELD_ID, lock_id=lock_id)
        return Case(story, msg_id, lock_id)
    if state in (PUT_UNCONFIRMED, DELAYED):
        story.get(lock_id=lock_id)
        how = {"delay_s": 60} if state == DELAYED else {"confirm_id": HELD_ID}
        return Case(story, story.put("A", **how).msg_id, lock_id)
    unlock_message(story.connection, "Q", lock_id)
    if state == GET_UNCONFIRMED:
        story.get(confirm_id=HELD_ID)
    return Case(story, msg_id, lock_id)


@pytest.mark.conformance(
    "LIFE-04", "LIFE-05", "LIFE-06", "LIFE-07", "LIFE-08", "LIFE-11", "LIFE-13", "LIFE-14", "LIFE-20", "LIFE-21",
    "LIFE-22", "LIFE-23", "LIFE-24", "LIFE-25", "LIFE-26", "LIFE-37",
)  # fmt: skip
@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("state", range(len(STATE_NAMES)), ids=STATE_NAMES)
def test_only_the_transitions_of_the_table_change_anything(story: Story, state: int, name: str) -> None:
    event, proof, call = CALLS[name]
    case = bring_to(story, state)
    story.reopen()
    case.connection = story.connection
    after = outcome(state, event, proof)
    before = story.everything()
    assert story.browse() == (["A"] if state == UNLOCKED else [])
    if after is None:
        with pytest.raises(MQError):
            call(case)
        assert story.everything() == before
    else:
        call(case)
        assert list(story.states().values()) == ([] if after == states.DELETED else [STATE_NAMES[after]])
        assert story.browse() == (["A"] if after == UNLOCKED else [])
    assert_consistent(story)


def test_the_calls_try_every_event_that_can_happen_to_a_stored_message() -> None:
    tried = {event for event, _, _ in CALLS.values()}
    untried = {states.PUT, states.PUT_HELD, states.PUT_DELAYED, states.CONFIRM_DELAYED, states.DELIVER, states.EXPIRE}
    assert tried == set(states.EVENTS) - untried


def test_the_calls_make_every_transition_but_the_queue_managers_own() -> None:
    tried = ((state, event, proof) for state in PROOFS for event, proof, _ in CALLS.values())
    made = {(state, event) for state, event, proof in tried if outcome(state, event, proof) is not None}
    events = (states.EXPIRE, states.DELIVER, states.CONFIRM_DELAYED)  # the last one is the same call: see below
    own = {key for key in states.TRANSITIONS if key[0] == states.START or key[1] in events}
    assert made | own == set(states.TRANSITIONS)


IDS = st.integers(1, 3)
STEPS = st.one_of(
    st.tuples(st.just("put"), IDS | st.just(0), st.sampled_from([0, MQRO_COA, MQRO_COD, MQRO_COA | MQRO_COD])),
    st.tuples(st.just("put delayed"), IDS | st.just(0), st.integers(1, 3)),
    st.tuples(st.just("wait"), st.just(0), st.integers(1, 3)),
    st.tuples(st.just("get"), IDS | st.just(0), st.integers(-1, 3)),
    st.tuples(st.just("lock"), IDS | st.just(0), st.integers(1, 3)),
    st.tuples(st.just("unlock"), st.just(0), st.integers(0, 3)),
    st.tuples(st.just("delete"), st.integers(0, 5), st.integers(-1, 3)),
    st.tuples(st.sampled_from(["confirm put", "confirm get", "undo"]), IDS, st.integers(-1, 5)),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(STEPS, max_size=40))
def test_whatever_happens_counters_agree_and_every_holder_holds_something(steps: list[tuple[str, int, int]]) -> None:
    with tempfile.TemporaryDirectory() as home, pytest.MonkeyPatch.context() as patch:
        for story in story_in(Path(home), patch):
            story.define("REPLIES")
            clock, locks = Clock(patch), list[bytes]()
            for step in steps:
                take(story, clock, locks, *step)
                assert_consistent(story)


def take(story: Story, clock: Clock, locks: list[bytes], verb: str, confirm_id: int, other: int) -> None:
    """Make one step; a refusal is one of the things that happen."""
    before = story.everything()
    lock_id = locks[other % len(locks)] if locks and other >= 0 else b""
    rows = story.rows()
    named = rows[other % len(rows)] if rows and other >= 0 else None
    msg_id = (
        None if named is None else story.connection.db.all("select msg_id from messages where seq=?", named[:1])[0][0]
    )
    try:
        if verb == "put":
            story.put("A", confirm_id=confirm_id, report=other, reply_to_q="REPLIES")
        elif verb == "put delayed":
            story.put("A", confirm_id=confirm_id, delay_s=other)
        elif verb == "wait":
            clock.advance(other)
        elif verb == "get":
            story.get(confirm_id=confirm_id, lock_id=lock_id)
        elif verb == "lock":
            locks.append(story.lock(confirm_id=confirm_id, limit=other))
        elif verb == "unlock":
            unlock_message(story.connection, "Q", lock_id)
        elif verb == "delete":
            delete_message(story.connection, "Q", msg_id=msg_id or b"", lock_id=lock_id)
        elif verb == "confirm put":
            confirm_put_message(story.connection, "Q", confirm_id, msg_id=msg_id)
        elif verb == "confirm get":
            confirm_get_message(story.connection, "Q", confirm_id, msg_id=msg_id)
        else:
            undo(story.connection, "Q", confirm_id=confirm_id)
    except MQError:
        assert story.everything() == before


def assert_consistent(story: Story) -> None:
    db = story.connection.db
    assert_counters(story.path)
    held = {row[0] for row in db.all("select holder_id from messages union select lock_id from messages")} - {None}
    owners: dict[int, int | None] = dict(db.all("select id, connection_id from holders"))
    assert set(owners) == held | {owners[holder_id] for holder_id in held} - {None}
    assert {row[0] for row in db.all("select holder_id from confirm_puts")} <= set(owners)
    for state, holder_id, lock_id in db.all("select state, holder_id, lock_id from messages"):
        assert (holder_id is not None) == (state in states.UNCOMMITTED_STATES)
        assert (lock_id is not None) == (state in (LOCKED_FOR_BROWSE, BROWSE_GET_UNCONFIRMED))
