"""Confirm ids beyond their queue: reports, transmission queues, aliases, the disk."""

from __future__ import annotations

import pytest

from mqtools.constants.message import MQRO_COA, MQRO_COD, MQRO_PASS_MSG_ID
from mqtools.constants.objects import MQUS_TRANSMISSION
from mqtools.constants.reasons import (
    MQRC_OBJECT_IN_USE,
)
from mqtools.lifecycle.verbs import UndoResult, confirm_get_message, confirm_put_message, get_message, undo
from mqtools.mqi.get import search
from mqtools.mqi.objects.definitions import delete_queue
from mqtools.mqi.resolution import find_queue

from .lifecycle_story import BROWSE_ID, GET_ID, PUT_ID, Story, refused


@pytest.mark.conformance("LIFE-35")
def test_only_unlocked_messages_are_picked_for_transmission(story: Story) -> None:
    story.define("QM2", usage=MQUS_TRANSMISSION)
    for name in ("FAR", "FARTHER"):
        story.define(name, "QREMOTE", remote_q_name=name, remote_q_mgr_name="QM2", xmit_q_name="QM2")
    story.put("A", "FAR")
    story.put("B", "FAR", confirm_id=PUT_ID)
    story.put("C", "FARTHER")
    sent, _, locked = (row[0] for row in story.rows())
    story.lock("QM2", seqs=[locked])
    with story.connection.work() as work:
        picked = [stored.seq for stored in search.walk(work.db, find_queue(work.db, "QM2").id, {}, None, work.now_ms)]
    assert picked == [sent]


def test_remote_queues_on_one_transmission_queue_have_confirm_ids_of_their_own(story: Story) -> None:
    story.define("QM2", usage=MQUS_TRANSMISSION)
    for name in ("FAR", "FARTHER"):
        story.define(name, "QREMOTE", remote_q_name=name, remote_q_mgr_name="QM2", xmit_q_name="QM2")
        story.put(name, name, confirm_id=PUT_ID)
    assert confirm_put_message(story.connection, "FAR", PUT_ID) == 1
    with refused(MQRC_OBJECT_IN_USE), story.connection.work() as work:
        delete_queue(work, "QREMOTE", "FARTHER")
    assert undo(story.connection, "FARTHER", confirm_id=PUT_ID) == UndoResult(puts=1)
    assert len(story.rows()) == 1


def test_a_confirm_id_given_through_an_alias_is_one_of_its_base_queue(story: Story) -> None:
    story.define("ALIAS", "QALIAS", base_q_name="Q")
    story.put("A", "ALIAS", confirm_id=PUT_ID)
    assert confirm_put_message(story.connection, "Q", PUT_ID) == 1
    assert story.get("ALIAS", confirm_id=GET_ID) == "A"
    assert undo(story.connection, "ALIAS", confirm_id=GET_ID) == UndoResult(gets=1)


@pytest.mark.conformance("RPT-35")
def test_an_arrival_report_becomes_visible_with_the_put_it_is_about(story: Story) -> None:
    story.define("REPLIES")
    asks = {"report": MQRO_COA | MQRO_PASS_MSG_ID, "reply_to_q": "REPLIES", "confirm_id": PUT_ID}
    second = [story.put(text, **asks).msg_id for text in "AB"][1]  # type: ignore[arg-type]
    assert (len(story.rows()), story.browse("REPLIES")) == (4, [])
    assert confirm_put_message(story.connection, "Q", PUT_ID, msg_id=second) == 1
    report = get_message(story.connection, "REPLIES")
    assert (report.message.md.msg_id, story.browse()) == (second, ["B"])
    assert undo(story.connection, "Q", confirm_id=PUT_ID) == UndoResult(puts=1)
    assert (story.states(), story.states("REPLIES"), story.ids()) == ({"B": "unlocked"}, {}, [])


@pytest.mark.conformance("RPT-36")
def test_a_delivery_report_becomes_visible_with_the_get_it_is_about(story: Story) -> None:
    story.define("REPLIES")
    story.put("A", report=MQRO_COD, reply_to_q="REPLIES")
    story.get(confirm_id=GET_ID)
    assert story.browse("REPLIES") == []
    undo(story.connection, "Q", confirm_id=GET_ID)
    assert story.states("REPLIES") == {}
    story.get(confirm_id=GET_ID)
    assert confirm_get_message(story.connection, "Q", GET_ID) == 1
    assert len(story.browse("REPLIES")) == 1
    assert story.ids() == []


def test_puts_and_gets_with_one_confirm_id_are_confirmed_apart_each_with_its_reports(story: Story) -> None:
    story.define("REPLIES")
    story.put("got", report=MQRO_COD, reply_to_q="REPLIES")
    story.get(confirm_id=PUT_ID)
    story.put("put", report=MQRO_COA, reply_to_q="Q", confirm_id=PUT_ID)
    assert confirm_put_message(story.connection, "Q", PUT_ID) == 1
    assert (len(story.browse()), story.browse("REPLIES")) == (2, [])
    assert confirm_get_message(story.connection, "Q", PUT_ID) == 1
    assert len(story.browse("REPLIES")) == 1
    assert story.ids() == []


def test_every_verb_has_a_persistent_message_on_disk_when_it_returns(
    story: Story, monkeypatch: pytest.MonkeyPatch
) -> None:
    flushed: list[str] = []
    monkeypatch.setattr(type(story.connection.db), "sync", lambda database: flushed.append(database.path))

    def flushes(verb: object) -> int:
        flushed.clear()
        verb()  # type: ignore[operator]
        return len(flushed)

    for persistent in (True, False):
        verbs = (
            lambda persistent=persistent: story.put("A", persistent=persistent, confirm_id=PUT_ID),
            lambda: confirm_put_message(story.connection, "Q", PUT_ID),
            lambda: story.get(confirm_id=GET_ID),
            lambda: undo(story.connection, "Q", confirm_id=GET_ID),
            lambda: story.lock(confirm_id=BROWSE_ID),
            lambda: undo(story.connection, "Q", confirm_id=BROWSE_ID),
            lambda: story.get(),
        )
        assert [flushes(verb) for verb in verbs] == [int(persistent)] * len(verbs)
