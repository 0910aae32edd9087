"""Puts under a confirm id made again by somebody who does not know how far an earlier attempt came."""

from __future__ import annotations

import pytest

from mqtools.constants.message import MQRO_COA, MQRO_NONE
from mqtools.constants.objects import MQQA_PUT_INHIBITED, MQUS_TRANSMISSION
from mqtools.constants.options import MQPMO_NEW_CORREL_ID
from mqtools.constants.properties import MQTYPE_STRING
from mqtools.lifecycle.verbs import UndoResult, confirm_put_message, put_message, undo
from mqtools.message import MQMD, Message, Property
from mqtools.mqi.objects.definitions import alter_queue
from mqtools.mqi.put import PutResult

from .lifecycle_story import PUT_ID, WRONG_ID, Story


def put(story: Story, text: str, q_name: str = "Q", confirm_id: int = PUT_ID, **fields: object) -> PutResult:
    message = Message(text.encode(), MQMD(persistence=1, **fields))  # type: ignore[arg-type]
    return put_message(story.connection, q_name, message, confirm_id=confirm_id)


def confirmed(story: Story) -> list[str]:
    confirm_put_message(story.connection, "Q", PUT_ID)
    return story.get_all()


def test_put_twice_and_confirmed_once_delivers_once(story: Story) -> None:
    first = put(story, "A")
    story.reopen()
    before = story.rows()
    again = put(story, "A")
    assert (first.repeated, again.repeated) == (False, True)
    assert again == PutResult(0, 0, "Q", story.connection.name, first.seq, repeated=True)
    assert story.rows() == before
    assert confirmed(story) == ["A"]


def test_within_one_connection_each_put_is_a_message(story: Story) -> None:
    assert not put(story, "A").repeated
    assert not put(story, "A").repeated
    assert confirmed(story) == ["A", "A"]


def test_an_attempt_that_was_cut_short_is_completed_in_its_order(story: Story) -> None:
    for text in "AAB":
        put(story, text)
    story.reopen()
    assert [put(story, text).repeated for text in "AABAC"] == [True, True, True, False, False]
    story.reopen()
    assert [put(story, text).repeated for text in "AABAC"] == [True] * 5
    assert confirmed(story) == ["A", "A", "B", "A", "C"]


@pytest.mark.parametrize(
    "other",
    [
        pytest.param({"text": "B"}, id="data"),
        pytest.param({"priority": 7}, id="priority"),
        pytest.param({"msg_id": b"M" * 24}, id="message id"),
        pytest.param({"correl_id": b"C" * 24}, id="correlation id"),
        pytest.param({"format": "MQSTR"}, id="format"),
        pytest.param({"confirm_id": WRONG_ID}, id="confirm id"),
    ],
)
def test_what_differs_in_anything_is_another_message(story: Story, other: dict[str, object]) -> None:
    put(story, "A")
    story.reopen()
    assert not put(story, **{"text": "A", **other}).repeated  # type: ignore[arg-type]
    assert len(story.rows()) == 2


def test_properties_and_options_tell_messages_apart_too(story: Story) -> None:
    def put_one(city: str, options: int) -> bool:
        message = Message(b"A", MQMD(), {"city": Property(MQTYPE_STRING, city)})
        story.reopen()
        return put_message(story.connection, "Q", message, confirm_id=PUT_ID, options=options).repeated

    asked = [("Rome", 0), ("Pisa", 0), ("Rome", MQPMO_NEW_CORREL_ID)]
    assert [put_one(*each) for each in asked] == [False] * 3
    assert [put_one(*each) for each in asked] == [True] * 3


def test_the_message_that_is_there_already_gives_its_id(story: Story) -> None:
    first, again = Message(b"A"), Message(b"A")
    put_message(story.connection, "Q", first, confirm_id=PUT_ID)
    story.reopen()
    put_message(story.connection, "Q", again, confirm_id=PUT_ID)
    assert again.md.msg_id == first.md.msg_id != bytes(24)
    assert confirm_put_message(story.connection, "Q", PUT_ID, msg_id=again.md.msg_id) == 1


@pytest.mark.parametrize("end", ["confirm", "undo"])
def test_a_put_that_was_settled_is_known_no_more(story: Story, end: str) -> None:
    put(story, "A")
    if end == "confirm":
        confirm_put_message(story.connection, "Q", PUT_ID)
    else:
        undo(story.connection, "Q", confirm_id=PUT_ID)
    assert story.connection.db.all("select * from confirm_puts") == []
    story.reopen()
    assert not put(story, "A").repeated


def test_one_of_several_that_was_confirmed_alone_is_known_no_more(story: Story) -> None:
    first = story.put("A", confirm_id=PUT_ID).msg_id
    put(story, "B")
    confirm_put_message(story.connection, "Q", PUT_ID, msg_id=first)
    story.reopen()
    assert [put(story, text).repeated for text in "AB"] == [False, True]


def test_a_get_with_the_same_confirm_id_is_not_taken_for_a_put(story: Story) -> None:
    put(story, "A")
    confirm_put_message(story.connection, "Q", PUT_ID)
    story.get(confirm_id=PUT_ID)
    story.reopen()
    assert not put(story, "A").repeated


def test_a_put_again_succeeds_where_a_new_one_would_not(story: Story) -> None:
    put(story, "A")
    with story.connection.work() as work:
        alter_queue(work, "QUEUE", "Q", {"max_q_depth": 1, "inhibit_put": MQQA_PUT_INHIBITED})
    story.reopen()
    assert put(story, "A").repeated
    assert confirmed(story) == ["A"]


def test_what_goes_to_another_queue_manager_is_known_again(story: Story) -> None:
    story.define("QM2", usage=MQUS_TRANSMISSION)
    story.define("FAR", "QREMOTE", remote_q_name="FAR", remote_q_mgr_name="QM2", xmit_q_name="QM2")
    messages = [Message(b"A", MQMD(persistence=1)) for _ in range(2)]
    for message in messages:
        result = put_message(story.connection, "FAR", message, confirm_id=PUT_ID)
        story.reopen()
    assert result.repeated
    assert (result.resolved_q_name, result.resolved_q_mgr_name) == ("FAR", "QM2")
    assert messages[0].md.msg_id == messages[1].md.msg_id
    assert confirm_put_message(story.connection, "FAR", PUT_ID) == 1
    assert len(story.rows()) == 1


def test_the_report_about_a_put_made_again_is_one(story: Story) -> None:
    story.define("REPLIES")
    for _ in range(2):
        put(story, "A", report=MQRO_COA, reply_to_q="REPLIES")
        story.reopen()
    assert not put(story, "A", report=MQRO_NONE, reply_to_q="REPLIES").repeated
    undo(story.connection, "Q", confirm_id=PUT_ID)
    put(story, "A", report=MQRO_COA, reply_to_q="REPLIES")
    story.reopen()
    put(story, "A", report=MQRO_COA, reply_to_q="REPLIES")
    assert confirm_put_message(story.connection, "Q", PUT_ID) == 1
    assert len(story.browse("REPLIES")) == 1
    assert story.ids() == []


def test_a_put_made_again_is_on_disk_even_if_the_first_one_was_not(
    story: Story, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(story, "A")
    story.reopen()
    flushed: list[str] = []
    monkeypatch.setattr(type(story.connection.db), "sync", lambda database: flushed.append(database.path))
    put(story, "A")
    assert len(flushed) == 1


class Stop(Exception):
    """What undoes a transaction here."""


def put_and_stop(story: Story) -> None:
    with story.connection.work():
        put(story, "A")
        raise Stop


def test_a_put_that_was_undone_with_its_transaction_is_not_known(story: Story) -> None:
    with pytest.raises(Stop):
        put_and_stop(story)
    assert (story.rows(), story.ids()) == ([], [])
    story.reopen()
    assert not put(story, "A").repeated
    assert undo(story.connection, "Q", confirm_id=PUT_ID) == UndoResult(puts=1)
