"""Browse with lock: lock ids, what they keep away from others, what they allow, leases, and who holds what."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from mqtools.constants.message import MQRO_COA, MQRO_COD
from mqtools.constants.options import (
    MQGMO_BROWSE_FIRST,
    MQGMO_LOCK,
    MQGMO_SYNCPOINT,
    MQGMO_WAIT,
    MQOO_BROWSE,
    MQOO_INPUT_SHARED,
    MQPMO_SYNCPOINT,
)
from mqtools.constants.reasons import MQRC_OBJECT_IN_USE, MQRC_OPTIONS_ERROR
from mqtools.constants.states import GET_UNCONFIRMED, LOCKED_FOR_BROWSE, STATE_NAMES
from mqtools.errors import NoMessageAvailable
from mqtools.lifecycle.held_messages import Lock, list_locks
from mqtools.lifecycle.locks import browse_messages_and_lock, extend_lease, unlock_message
from mqtools.lifecycle.verbs import (
    UndoResult,
    confirm_get_message,
    confirm_put_message,
    delete_message,
    get_message,
    undo,
)
from mqtools.message import Message
from mqtools.mqi.identity import now_ms

from ..mqi.children import PATIENCE_S
from ..rows import assert_counters, count
from .lifecycle_story import BROWSE_ID, GET_ID, PUT_ID, WRONG_LOCK, Clock, Story, other_connection, refused


def put(story: Story, texts: str) -> None:
    for text in texts:
        story.put(text)


@pytest.mark.conformance("LIFE-19")
def test_a_browse_with_lock_locks_what_matches_under_one_lock_id(story: Story) -> None:
    for text, priority in (("A", 5), ("B", 1), ("C", 5)):
        story.put(text, priority=priority)
    locked = browse_messages_and_lock(story.connection, "Q", filter={"priority": 5})
    assert [story.data(stored.seq) for stored in locked.messages] == ["A", "C"]
    assert {stored.state for stored in locked.messages} == {LOCKED_FOR_BROWSE}
    assert len(locked.lock_id) == 8
    assert story.states() == {"A": "locked_for_browse", "B": "unlocked", "C": "locked_for_browse"}


def test_the_messages_to_lock_can_be_listed_and_those_gone_are_skipped(story: Story) -> None:
    put(story, "ABCD")
    seqs = [story.seq(text) for text in "DCBA"]
    story.get()
    story.lock(accept=lambda stored: story.data(stored.seq) == "B")
    locked = browse_messages_and_lock(story.connection, "Q", [*seqs, seqs[0], 12345])
    assert [story.data(stored.seq) for stored in locked.messages] == ["D", "C"]


def test_a_limit_locks_the_first_messages(story: Story) -> None:
    put(story, "ABC")
    assert len(browse_messages_and_lock(story.connection, "Q", limit=2).messages) == 2
    assert story.states()["C"] == "unlocked"


def test_more_messages_than_a_page_are_locked_and_got_by_their_lock_id(story: Story) -> None:
    texts = [f"{n:03}" for n in range(150)]
    for text in texts:
        story.put(text)
    lock_id = story.lock()
    last = story.get(lock_id=lock_id, accept=lambda stored: story.data(stored.seq) == "149", confirm_id=GET_ID)
    assert last == "149"
    assert [story.get(lock_id=lock_id) for _ in texts[:-1]] == texts[:-1]


def test_nothing_matched_makes_no_lock(story: Story) -> None:
    story.put("A")
    nothing: tuple[dict[str, object], ...] = (
        {"filter": {"priority": 9}},
        {"seqs": []},
        {"accept": lambda _: False},
        {"limit": 0},
    )
    for how in nothing:
        with pytest.raises(NoMessageAvailable):
            story.lock(**how)  # type: ignore[arg-type]
    assert story.ids() == []


@pytest.mark.conformance("LIFE-22")
def test_the_id_of_one_lock_does_not_open_another(story: Story) -> None:
    put(story, "AB")
    first, second = story.lock(limit=1), story.lock(limit=1)
    with pytest.raises(NoMessageAvailable):
        story.get(seq=story.seq("A"), lock_id=second)
    with pytest.raises(NoMessageAvailable):
        delete_message(story.connection, "Q", seq=story.seq("B"), lock_id=first)
    assert (story.get(lock_id=second), story.get(lock_id=first)) == ("B", "A")


def test_a_lock_id_is_one_of_its_queue(story: Story) -> None:
    story.define("OTHER")
    story.put("A")
    lock_id = story.lock()
    for verb in (
        lambda: unlock_message(story.connection, "OTHER", lock_id),
        lambda: story.get("OTHER", lock_id=lock_id),
    ):
        with refused():
            verb()


@pytest.mark.conformance("LIFE-27")
def test_an_undone_get_of_a_locked_message_is_locked_again_under_the_same_lock_id(story: Story) -> None:
    story.put("A")
    lock_id = story.lock(confirm_id=BROWSE_ID)
    story.get(confirm_id=9, lock_id=lock_id)
    assert undo(story.connection, "Q", confirm_id=9) == UndoResult(gets=1)
    assert story.states() == {"A": "locked_for_browse"}
    assert story.get(confirm_id=9, lock_id=lock_id) == "A"
    undo(story.connection, "Q", confirm_id=9)
    assert undo(story.connection, "Q", confirm_id=BROWSE_ID) == UndoResult(locks=1)
    assert (story.states(), story.ids()) == ({"A": "unlocked"}, [])


@pytest.mark.conformance("LIFE-27")
def test_one_undo_takes_back_one_step_even_when_browse_and_get_share_their_confirm_id(story: Story) -> None:
    put(story, "AB")
    story.get(confirm_id=BROWSE_ID, lock_id=story.lock(confirm_id=BROWSE_ID))
    assert undo(story.connection, "Q", confirm_id=BROWSE_ID) == UndoResult(gets=1, locks=1)
    assert story.states() == {"A": "locked_for_browse", "B": "unlocked"}
    assert undo(story.connection, "Q", confirm_id=BROWSE_ID) == UndoResult(locks=1)


@pytest.mark.conformance("LIFE-28", "LIFE-29")
def test_unlock_frees_one_message_or_all_of_the_lock(story: Story) -> None:
    first = story.put("A").msg_id
    put(story, "BC")
    lock_id = story.lock()
    assert unlock_message(story.connection, "Q", lock_id, msg_id=first) == 1
    assert story.states() == {"A": "unlocked", "B": "locked_for_browse", "C": "locked_for_browse"}
    with refused():
        unlock_message(story.connection, "Q", lock_id, msg_id=first)
    assert unlock_message(story.connection, "Q", lock_id) == 2
    assert (story.browse(), story.ids()) == (["A", "B", "C"], [])


@pytest.mark.conformance("LIFE-32")
def test_a_locked_message_is_deleted_by_its_lock_id_only(story: Story) -> None:
    msg_id = story.put("A").msg_id
    lock_id = story.lock()
    before = story.everything()
    for how in ({"msg_id": msg_id}, {"seq": story.seq("A")}):
        with refused(MQRC_OBJECT_IN_USE) as caught:
            delete_message(story.connection, "Q", **how)
        assert lock_id.hex().upper() in caught.value.text
    assert story.everything() == before
    delete_message(story.connection, "Q", msg_id=msg_id, lock_id=lock_id)
    assert (story.rows(), story.ids()) == ([], [])


@pytest.mark.conformance("LIFE-33")
def test_what_arrives_after_the_browse_is_not_locked(story: Story) -> None:
    story.put("A")
    story.lock()
    story.put("N")
    assert story.get() == "N"


@pytest.mark.conformance("LIFE-34")
def test_a_lock_without_lease_is_not_released_by_time(story: Story, clock: Clock) -> None:
    story.put("A")
    story.lock()
    clock.advance(365 * 24 * 3600)
    with refused():
        unlock_message(story.connection, "Q", WRONG_LOCK)
    assert story.browse() == []
    assert story.states() == {"A": "locked_for_browse"}


def test_a_lease_that_ended_frees_the_messages_and_voids_the_lock_id(story: Story, clock: Clock) -> None:
    put(story, "AB")
    lock_id = story.lock(lease_s=60)
    clock.advance(59)
    assert story.browse() == []
    clock.advance(2)
    with refused():
        story.get(lock_id=lock_id)
    with refused():
        extend_lease(story.connection, "Q", lock_id, 60)
    assert story.browse() == ["A", "B"]
    assert story.get() == "A"
    assert story.ids() == []


def test_a_lease_can_be_extended_and_lifted(story: Story, clock: Clock) -> None:
    story.put("A")
    lock_id = story.lock(lease_s=60)
    clock.advance(50)
    until = extend_lease(story.connection, "Q", lock_id, 60)
    clock.advance(50)
    assert list_locks(story.connection)[0].lease_until == until
    assert extend_lease(story.connection, "Q", lock_id, None) is None
    clock.advance(3600)
    assert unlock_message(story.connection, "Q", lock_id) == 1


def test_a_get_outlives_the_lease_of_its_lock_and_its_undo_unlocks(story: Story, clock: Clock) -> None:
    put(story, "AB")
    lock_id = story.lock(lease_s=60)
    story.get(confirm_id=9, lock_id=lock_id)
    clock.advance(61)
    assert story.browse() == ["B"]
    with refused():
        extend_lease(story.connection, "Q", lock_id, 60)
    undo(story.connection, "Q", confirm_id=9)
    assert (story.states(), story.ids()) == ({"A": "unlocked", "B": "unlocked"}, [])


def test_the_end_of_its_lease_undoes_all_gets_of_a_confirm_id_and_leaves_its_puts(story: Story, clock: Clock) -> None:
    story.define("R")
    put(story, "AB")
    story.put("C", report=MQRO_COD, reply_to_q="R")
    story.put("D", confirm_id=7)
    lock_id = story.lock(filter={"msg_id": story.put("E").msg_id})
    for _ in "ABC":
        story.get(confirm_id=7, lease_s=60)
    story.get(confirm_id=7, lock_id=lock_id)
    clock.advance(59)
    assert (story.browse(), list(story.states("R").values())) == ([], ["put_unconfirmed"])
    (lease,) = {lock.lease_until for lock in list_locks(story.connection) if lock.state == GET_UNCONFIRMED}
    assert lease == now_ms() + 1000
    clock.advance(2)
    with refused():
        confirm_get_message(story.connection, "Q", 7)
    assert story.browse() == ["A", "B", "C"]
    assert story.states() == dict.fromkeys("ABC", "unlocked") | {"D": "put_unconfirmed", "E": "locked_for_browse"}
    assert story.states("R") == {}
    assert confirm_put_message(story.connection, "Q", 7) == 1
    assert unlock_message(story.connection, "Q", lock_id) == 1
    assert get_message(story.connection, "Q").message.md.backout_count == 1
    assert story.ids() == []
    assert_counters(story.path)


def test_a_later_get_extends_the_lease_of_its_confirm_id_and_never_shortens_it(story: Story, clock: Clock) -> None:
    put(story, "ABCD")
    story.get(confirm_id=7)
    for lease_s in (60, 30, None):  # 60 s from 50 s on is the latest
        clock.advance(50 if lease_s == 60 else 0)
        story.get(confirm_id=7, lease_s=lease_s)
    clock.advance(59)
    assert story.browse() == []
    with refused():
        undo(story.connection, "Q", confirm_id=8)
    clock.advance(2)
    with refused():
        undo(story.connection, "Q", confirm_id=7)
    assert story.browse() == list("ABCD")


@pytest.mark.parametrize("lease_s", [0, -1.0, float("nan"), float("inf")])
def test_a_lease_that_is_no_time_is_refused(story: Story, lease_s: float) -> None:
    story.put("A")
    with refused(MQRC_OPTIONS_ERROR):
        story.lock(lease_s=lease_s)
    with refused(MQRC_OPTIONS_ERROR):
        story.get(confirm_id=7, lease_s=lease_s)
    assert story.states() == {"A": "unlocked"}


def test_a_message_that_expires_while_locked_is_got_by_nobody(story: Story, clock: Clock) -> None:
    story.put("A", expiry=10)
    lock_id = story.lock()
    clock.advance(2)
    for how in ({"lock_id": lock_id}, {"lock_id": lock_id, "seq": story.seq("A")}, {}):
        with pytest.raises(NoMessageAvailable):
            story.get(**how)
    unlock_message(story.connection, "Q", lock_id)
    assert story.browse() == []
    with pytest.raises(NoMessageAvailable):
        story.get(seq=story.seq("A"))
    assert story.rows() == []


@pytest.mark.parametrize("cause", ["confirm put", "undo get", "unlock", "lease"])
def test_a_waiting_get_is_woken_when_a_message_becomes_available(story: Story, cause: str) -> None:
    # Given a message that somebody holds
    story.put("A", confirm_id=PUT_ID if cause == "confirm put" else 0)
    if cause == "undo get":
        story.get(confirm_id=GET_ID)
    lock_id = story.lock(lease_s=0.2 if cause == "lease" else None) if cause in ("unlock", "lease") else b""
    # And a get that waits for it
    waiting = other_connection(story)
    handle = waiting.open("Q", MQOO_INPUT_SHARED)
    got: list[bytes] = []
    thread = threading.Thread(target=lambda: got.append(handle.get(MQGMO_WAIT, wait_ms=-1).message.data))
    thread.start()
    while cause != "lease" and not count(story.connection, "waiters"):
        thread.join(0.005)
    # When it is let go
    release: dict[str, Callable[[], object]] = {
        "confirm put": lambda: confirm_put_message(story.connection, "Q", PUT_ID),
        "undo get": lambda: undo(story.connection, "Q", confirm_id=GET_ID),
        "unlock": lambda: unlock_message(story.connection, "Q", lock_id),
        "lease": lambda: None,
    }
    release[cause]()
    # Then the get has it
    thread.join(PATIENCE_S)
    assert got == [b"A"]
    waiting.disconnect()


def test_list_locks_tells_of_every_held_message_once(story: Story) -> None:
    # Given a message held in each way there is
    put(story, "LHUG")
    lock_id = story.lock(limit=1, confirm_id=BROWSE_ID, lease_s=600)
    other = other_connection(story)
    handle = other.open("Q", MQOO_BROWSE | MQOO_INPUT_SHARED)
    handle.get(MQGMO_BROWSE_FIRST | MQGMO_LOCK)
    other.open("Q", MQOO_INPUT_SHARED).get(MQGMO_SYNCPOINT)
    other.put1("Q", Message(b"V"), MQPMO_SYNCPOINT)
    story.get(confirm_id=GET_ID)
    story.put("P", confirm_id=PUT_ID)
    # When the locks are listed
    locks = list_locks(story.connection, "Q")
    # Then each has its holder
    assert sum(lock.number for lock in locks) == 6
    by_text = {story.data(seq): lock for lock in locks for seq in lock.seqs}
    assert {text: (lock.kind, STATE_NAMES[lock.state], lock.confirm_id) for text, lock in by_text.items()} == {
        "L": ("lock", "locked_for_browse", BROWSE_ID),
        "H": ("handle", "locked_for_browse", 0),
        "U": ("connection", "get_unconfirmed", 0),
        "V": ("connection", "put_unconfirmed", 0),
        "G": ("confirm", "get_unconfirmed", GET_ID),
        "P": ("confirm", "put_unconfirmed", PUT_ID),
    }
    assert (by_text["L"].lock_id, by_text["H"].lock_id) == (lock_id.hex().upper(), "")
    assert by_text["L"].lease_until == by_text["L"].since + 600_000
    assert by_text["H"].holder.startswith("bea pid ")
    assert by_text["H"].appl_name == "other"
    assert list_locks(story.connection) == locks


def test_list_locks_lets_go_of_the_dead_and_shows_reports_under_their_confirm_id(story: Story) -> None:
    story.define("REPLIES")
    story.put("A", confirm_id=PUT_ID, report=MQRO_COA, reply_to_q="REPLIES")
    other = other_connection(story)
    other.put1("Q", Message(b"V"), MQPMO_SYNCPOINT)
    assert other.presence is not None
    other.presence.close()
    found: list[Lock] = list_locks(story.connection)
    assert [(lock.q_name, lock.id_q_name, lock.confirm_id) for lock in found] == [
        ("Q", "Q", PUT_ID),
        ("REPLIES", "Q", PUT_ID),
    ]


def test_the_hint_names_the_holder_of_a_message_and_nobody_of_an_unknown_one(story: Story) -> None:
    ids = [story.put(text).msg_id for text in "FL"]
    lock_id = story.lock(seqs=[story.seq("L")])
    other = other_connection(story)
    other.open("Q", MQOO_INPUT_SHARED).get(MQGMO_SYNCPOINT)
    words = []
    for msg_id in (*ids, b"?" * 24):
        with pytest.raises(NoMessageAvailable) as caught:
            get_message(story.connection, "Q", filter={"msg_id": msg_id})
        words.append(caught.value.hint)
    assert str(words[0]).startswith("got but not committed, by bea pid ")
    assert str(words[1]).startswith("locked by ")
    assert str(words[1]).endswith(f"with lock id {lock_id.hex().upper()}")
    assert words[2] is None
