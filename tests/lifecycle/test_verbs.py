"""The lifecycle of a message as an application sees it: put, get, confirm, undo, delete, by confirm id and lock id."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mqtools.constants.message import MQRO_COD
from mqtools.constants.objects import MQQA_GET_INHIBITED
from mqtools.constants.options import MQOO_INPUT_EXCLUSIVE, MQOO_INPUT_SHARED, MQPMO_SYNCPOINT
from mqtools.constants.properties import MQTYPE_STRING
from mqtools.constants.reasons import (
    MQRC_GET_INHIBITED,
    MQRC_NO_MSG_AVAILABLE,
    MQRC_OBJECT_IN_USE,
    MQRC_OPTIONS_ERROR,
    MQRC_UNKNOWN_OBJECT_NAME,
)
from mqtools.constants.states import STATE_NAMES
from mqtools.errors import NoMessageAvailable
from mqtools.lifecycle import verbs as lifecycle
from mqtools.lifecycle.locks import unlock_message
from mqtools.lifecycle.verbs import (
    UndoResult,
    confirm,
    confirm_get_message,
    confirm_put_message,
    delete_message,
    get_message,
    put_message,
    undo,
)
from mqtools.message import MQMD, Message, Property
from mqtools.mqi.objects.definitions import alter_queue
from mqtools.rules import states

from .lifecycle_story import (
    BROWSE_ID,
    GET_ID,
    PUT_ID,
    WRONG_ID,
    WRONG_LOCK,
    Clock,
    Story,
    other_connection,
    refused,
)


def in_every_state(story: Story) -> tuple[dict[str, MQMD], bytes]:
    """Put one message in each state; give their descriptors by the state's name, and the lock id."""
    made = {
        name: story.put(name, correl_id=b"C" * 24) for name in STATE_NAMES if name not in ("put_unconfirmed", "delayed")
    }
    made["delayed"] = story.put("delayed", correl_id=b"C" * 24, delay_s=3600)
    made["put_unconfirmed"] = story.put("put_unconfirmed", correl_id=b"C" * 24, confirm_id=PUT_ID)
    locked = [story.seq("locked_for_browse"), story.seq("browse_get_unconfirmed")]
    lock_id = story.lock(seqs=locked, confirm_id=BROWSE_ID)
    story.get(filter={"msg_id": made["get_unconfirmed"].msg_id}, confirm_id=GET_ID)
    story.get(seq=locked[1], confirm_id=GET_ID, lock_id=lock_id)
    return made, lock_id


@pytest.mark.conformance("LIFE-01")
def test_only_the_states_are_stored_and_a_removed_message_has_no_row(story: Story) -> None:
    in_every_state(story)
    assert story.states() == {name: name for name in STATE_NAMES}
    undo(story.connection, "Q", confirm_id=PUT_ID)
    assert "put_unconfirmed" not in story.states()


@pytest.mark.conformance("LIFE-02")
def test_there_are_five_states_and_delayed() -> None:
    reached = {state for state in states.TRANSITIONS.values() if state != states.DELETED}
    assert reached == set(range(6)) == set(range(len(STATE_NAMES)))


@pytest.mark.conformance("LIFE-03")
@pytest.mark.parametrize("again", [Story.reopen, Story.restart])
def test_states_and_ids_survive_a_restart(story: Story, again: object) -> None:
    _, lock_id = in_every_state(story)
    before, ids = story.rows(), story.ids()
    again(story)  # type: ignore[operator]
    assert (story.rows(), story.ids()) == (before, ids)
    assert confirm_put_message(story.connection, "Q", PUT_ID) == 1
    assert undo(story.connection, "Q", confirm_id=GET_ID) == UndoResult(gets=2)
    assert unlock_message(story.connection, "Q", lock_id) == 2
    assert set(story.states().values()) == {"unlocked", "delayed"}


@pytest.mark.conformance("LIFE-03")
def test_a_start_that_discards_nonpersistent_messages_leaves_no_empty_ids(story: Story) -> None:
    story.put("A", persistent=False, confirm_id=PUT_ID)
    story.put("B", persistent=False)
    story.lock()
    story.put("C", confirm_id=WRONG_ID)
    story.restart()
    assert story.states() == {"C": "put_unconfirmed"}
    assert story.ids() == [("confirm", WRONG_ID)]


def test_recovery_from_the_dead_leaves_confirm_ids_and_lock_ids_alone(story: Story) -> None:
    in_every_state(story)
    dead = other_connection(story)
    handle = dead.open("Q", MQOO_INPUT_SHARED)
    assert dead.presence is not None
    before = story.rows()
    dead.presence.close()
    with story.connection.work() as work:
        from mqtools.mqi.recovery import recover

        assert recover(work)
    assert story.rows() == before
    assert handle.id not in [row[0] for row in story.connection.db.all("select id from holders")]


@pytest.mark.conformance("LIFE-09")
def test_undo_removes_an_unconfirmed_put_with_its_data(story: Story) -> None:
    story.put("A" * 300_000, confirm_id=PUT_ID)
    story.put("B")
    assert undo(story.connection, "Q", confirm_id=PUT_ID) == UndoResult(puts=1)
    assert story.states() == {"B": "unlocked"}
    assert story.connection.db.all("select * from message_chunks") == []
    assert story.ids() == []


@pytest.mark.conformance("LIFE-10")
def test_confirmed_puts_arrive_in_the_order_of_confirmation(story: Story) -> None:
    story.put("A", confirm_id=1)
    for text in ("B1", "B2"):
        story.put(text, confirm_id=2)
    story.put("between")
    confirm_put_message(story.connection, "Q", 2)
    story.put("after")
    confirm_put_message(story.connection, "Q", 1)
    assert story.get_all() == ["between", "B1", "B2", "after", "A"]


@pytest.mark.conformance("LIFE-10")
def test_priority_comes_before_the_order_of_confirmation(story: Story) -> None:
    story.put("low", priority=1, confirm_id=1)
    story.put("high", priority=8, confirm_id=2)
    story.put("high first", priority=8)
    confirm_put_message(story.connection, "Q", 1)
    confirm_put_message(story.connection, "Q", 2)
    assert story.browse() == ["high first", "high", "low"]


@pytest.mark.conformance("LIFE-12", "INDEX-12")
def test_a_get_without_ids_and_filter_removes_the_first_message(story: Story) -> None:
    story.put("A")
    story.put("B")
    assert get_message(story.connection, "Q", filter={}).message.data == b"A"
    assert story.states() == {"B": "unlocked"}


def test_a_get_gives_the_whole_message(story: Story, clock: Clock) -> None:
    message = Message(b"body", MQMD(expiry=600, correl_id=b"C" * 24), {"colour": Property(MQTYPE_STRING, "red")})
    put = put_message(story.connection, "Q", message, confirm_id=PUT_ID)
    confirm_put_message(story.connection, "Q", PUT_ID)
    clock.advance(10)
    taken = get_message(story.connection, "Q", accept=lambda stored: stored.seq == put.seq, confirm_id=GET_ID)
    assert (taken.seq, taken.q_name, taken.data_length) == (put.seq, "Q", 4)
    assert taken.message.properties["colour"].value == "red"
    assert taken.message.md.msg_id == message.md.msg_id
    assert 490 <= taken.message.md.expiry <= 500


@pytest.mark.parametrize(
    "settle",
    [
        pytest.param(confirm_get_message, id="LIFE-15"),
        pytest.param(confirm, id="LIFE-16"),
    ],
)
def test_a_confirmed_get_is_gone_also_after_a_restart(story: Story, settle: object) -> None:
    story.put("A")
    story.get(confirm_id=GET_ID)
    assert settle(story.connection, "Q", GET_ID) == 1  # type: ignore[operator]
    story.restart()
    assert (story.rows(), story.ids()) == ([], [])


@pytest.mark.conformance("LIFE-15")
def test_a_get_is_confirmed_by_its_message_id_alone(story: Story) -> None:
    first = story.put("A").msg_id
    story.put("B")
    for _ in range(2):
        story.get(confirm_id=GET_ID)
    assert confirm_get_message(story.connection, "Q", GET_ID, msg_id=first) == 1
    assert story.states() == {"B": "get_unconfirmed"}


@pytest.mark.conformance("LIFE-17", "LIFE-18")
def test_a_lost_reply_is_undone_and_got_again(story: Story) -> None:
    story.put("A")
    story.get(confirm_id=GET_ID)
    with pytest.raises(NoMessageAvailable):
        story.get(confirm_id=GET_ID)
    assert undo(story.connection, "Q", confirm_id=GET_ID) == UndoResult(gets=1)
    taken = get_message(story.connection, "Q", confirm_id=GET_ID)
    assert (taken.message.data, taken.message.md.backout_count) == (b"A", 1)


@pytest.mark.conformance("LIFE-31")
def test_delete_removes_an_unlocked_message_and_makes_no_report(story: Story) -> None:
    story.define("REPLIES")
    md = story.put("A", report=MQRO_COD, reply_to_q="REPLIES")
    delete_message(story.connection, "Q", msg_id=md.msg_id)
    assert story.rows() == []
    with refused(MQRC_OPTIONS_ERROR):
        delete_message(story.connection, "Q")


@pytest.mark.conformance("LIFE-36")
def test_an_undo_that_matches_nothing_is_refused_and_touches_nothing(story: Story) -> None:
    story.put("A", confirm_id=1)
    story.put("B", confirm_id=2)
    before = story.everything()
    with refused():
        undo(story.connection, "Q", confirm_id=3)
    with refused():
        undo(story.connection, "Q", lock_id=WRONG_LOCK)
    for ids in ({}, {"confirm_id": 1, "lock_id": WRONG_LOCK}):
        with refused(MQRC_OPTIONS_ERROR):
            undo(story.connection, "Q", **ids)  # type: ignore[arg-type]
    assert story.everything() == before


@pytest.mark.conformance("INDEX-13")
def test_a_search_by_index_fields_finds_only_the_unlocked_message(story: Story) -> None:
    in_every_state(story)
    wanted: dict[str, object] = {"correl_id": b"C" * 24}
    assert story.browse(filter=wanted) == ["unlocked"]
    assert story.get(filter=wanted) == "unlocked"
    with pytest.raises(NoMessageAvailable):
        story.get(filter=wanted)


def test_gets_and_deletes_respect_an_inhibited_queue_and_an_exclusive_open(story: Story) -> None:
    story.put("A")
    seq = story.seq("A")
    owner = other_connection(story)
    owner.open("Q", MQOO_INPUT_EXCLUSIVE)
    for verb in (lambda: story.get(), lambda: delete_message(story.connection, "Q", seq=seq)):
        with refused(MQRC_OBJECT_IN_USE):
            verb()
    assert owner.presence is not None
    owner.presence.close()  # the process dies
    story.lock()
    with story.connection.work() as work:
        alter_queue(work, "QLOCAL", "Q", {"inhibit_get": MQQA_GET_INHIBITED})
    inhibited: tuple[Callable[[], object], ...] = (story.get, story.lock, story.browse)
    for refusal in inhibited:
        with refused(MQRC_GET_INHIBITED):
            refusal()
    assert story.states() == {"A": "locked_for_browse"}


@pytest.mark.parametrize("confirm_id", [-1, 1 << 63])
def test_a_number_that_is_no_confirm_id_is_refused(story: Story, confirm_id: int) -> None:
    for verb in (
        lambda: story.put("A", confirm_id=confirm_id),
        lambda: story.get(confirm_id=confirm_id),
        lambda: story.lock(confirm_id=confirm_id),
        lambda: confirm_put_message(story.connection, "Q", confirm_id),
        lambda: undo(story.connection, "Q", confirm_id=confirm_id),
    ):
        with refused(MQRC_OPTIONS_ERROR):
            verb()


def test_a_lifecycle_put_is_in_no_unit_of_work(story: Story) -> None:
    with refused(MQRC_OPTIONS_ERROR):
        put_message(story.connection, "Q", Message(b"A"), options=MQPMO_SYNCPOINT)
    with refused(MQRC_UNKNOWN_OBJECT_NAME):
        story.put("A", "NOWHERE", confirm_id=PUT_ID)
    assert story.ids() == []


def test_what_is_asked_for_by_id_and_not_there_comes_with_a_word_on_its_holder(story: Story) -> None:
    made, lock_id = in_every_state(story)
    words = {
        "put_unconfirmed": f"put but not confirmed, confirm id {PUT_ID}",
        "get_unconfirmed": f"got but not confirmed, confirm id {GET_ID}",
        "browse_get_unconfirmed": f"got but not confirmed, confirm id {GET_ID}",
    }
    for name, hint in words.items():
        for ask in ({"filter": {"msg_id": made[name].msg_id}}, {"seq": story.seq(name)}):
            with refused(MQRC_NO_MSG_AVAILABLE) as caught:
                story.get(**ask)
            assert caught.value.hint == hint
    with refused(MQRC_NO_MSG_AVAILABLE) as caught:
        story.get(seq=story.seq("locked_for_browse"))
    assert str(caught.value.hint).endswith(f"with lock id {lock_id.hex().upper()}")


def test_every_verb_is_in_the_package_and_in_the_table_of_all_of_them() -> None:
    import mqtools.lifecycle

    verbs = [name for name in mqtools.lifecycle.__all__ if name != "list_locks"]
    assert len(verbs) == 11
    for name in verbs:
        assert callable(getattr(mqtools.lifecycle, name))
        assert name in str(lifecycle.__doc__)
    with pytest.raises(AttributeError):
        mqtools.lifecycle.nothing  # noqa: B018
