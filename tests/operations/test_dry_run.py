"""Dry runs: verbs have the same results as on the queue manager, and leave it unchanged."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from mqtools.configuration.locate import find
from mqtools.constants import message as c
from mqtools.constants.objects import COMMAND_QUEUE
from mqtools.constants.options import MQOO_INPUT_EXCLUSIVE, MQPMO_SYNCPOINT
from mqtools.constants.reasons import MQRC_MSG_TYPE_ERROR, MQRC_OBJECT_IN_USE, MQRC_Q_FULL
from mqtools.errors import NoMessageAvailable
from mqtools.lifecycle.locks import browse_messages_and_lock
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import Connection
from mqtools.mqi.resolution import find_queue
from mqtools.operations.dry_run import DryRunConnection
from mqtools.operations.reports.generation import Order, generate_from_queue
from mqtools.operations.views.message_view import open_database

from .. import rows
from ..mqi.conftest import QM, fails

PAN = Order(feedback=c.MQFB_PAN)


def begin(qm: QM) -> DryRunConnection:
    db = open_database(find(qm.path), read_only=True)
    return DryRunConnection(Connection(db, appl_name="test", user_identifier="ana"))


@pytest.fixture
def rehearsal(qm: QM) -> Iterator[DryRunConnection]:
    """A dry run on a queue with two messages and room for one more."""
    qm.put("a", reply_to_q="R", correl_id=b"c" * 24, report=c.MQRO_PASS_CORREL_ID)
    qm.put("b" * 300_000)
    qm.alter("Q", max_q_depth=3)
    with begin(qm) as made:
        yield made


def test_puts_count_for_those_after_them_and_leave_nothing_behind(qm: QM, rehearsal: DryRunConnection) -> None:
    message = Message(b"x")
    rehearsal.put1("Q", message)
    assert any(message.md.msg_id)
    with fails(MQRC_Q_FULL):
        rehearsal.put1("Q", Message(b"y"))
    assert qm.depth() == 2


def test_a_unit_of_work_can_be_backed_out(qm: QM, rehearsal: DryRunConnection) -> None:
    before = os.listdir(f"{qm.path}-run")
    for _ in range(2):
        rehearsal.put1("Q", Message(b"x"), MQPMO_SYNCPOINT)
        rehearsal.backout()
    rehearsal.put1("Q", Message(b"x"), MQPMO_SYNCPOINT)
    rehearsal.commit()
    with fails(MQRC_Q_FULL):
        rehearsal.put1("Q", Message(b"x"))
    assert qm.depth() == 2
    assert os.listdir(f"{qm.path}-run") == before


def test_messages_are_there_when_they_were_fetched_and_only_then(qm: QM, rehearsal: DryRunConnection) -> None:
    first, second = qm.seqs()
    assert generate_from_queue(rehearsal, PAN, "Q", [first]) == []
    rehearsal.fetch([first])
    [outcome] = generate_from_queue(rehearsal, PAN, "Q", [first, second], consume=True)
    assert outcome.made is not None
    assert (outcome.made.q_name, outcome.made.derived.msg_id) == ("R", bytes(24))
    assert (outcome.made.message.md.correl_id, any(outcome.made.message.md.msg_id)) == (b"c" * 24, True)
    rehearsal.put1("Q", Message(b"x"))  # in the place of the one that was consumed
    assert (qm.depth(), qm.depth("R")) == (2, 0)


def test_long_messages_are_fetched_whole(qm: QM, rehearsal: DryRunConnection) -> None:
    rehearsal.fetch(qm.seqs())
    with rehearsal.open("Q", MQOO_INPUT_EXCLUSIVE) as handle:
        assert [len(handle.get().message.data) for _ in range(2)] == [1, 300_000]
        with pytest.raises(NoMessageAvailable):
            handle.get()
    assert qm.depth() == 2


def test_what_was_put_is_forgotten_but_counted(rehearsal: DryRunConnection) -> None:
    """A dry run of many messages does not fill the memory."""
    rehearsal.put1("Q", Message(b"x"))
    assert rehearsal.db.all("select count(*) from messages") == [(0,)]
    assert find_queue(rehearsal.db, "Q").depth == 3


def test_a_queue_that_somebody_has_for_himself_is_in_use(qm: QM) -> None:
    qm.put("a")
    with qm.open("Q", MQOO_INPUT_EXCLUSIVE), begin(qm) as rehearsal:
        rehearsal.fetch(qm.seqs())
        with fails(MQRC_OBJECT_IN_USE):
            generate_from_queue(rehearsal, PAN, "Q", qm.seqs(), consume=True)


def test_a_lock_holds_what_is_fetched_after_all_that_was_fetched_before(qm: QM) -> None:
    for data in ("a", "b"):
        qm.put(data, reply_to_q="R")
    locked = browse_messages_and_lock(qm.main, "Q")
    with begin(qm) as rehearsal:
        for seq in rows.keys(qm.main, "Q"):
            rehearsal.fetch([seq])
            [outcome] = generate_from_queue(rehearsal, PAN, "Q", [seq], lock_id=locked.lock_id, consume=True)
            assert outcome.error is None
    assert qm.depth() == 2


def test_a_command_is_taken_and_not_carried_out(qm: QM, rehearsal: DryRunConnection) -> None:
    for options in (0, MQPMO_SYNCPOINT):
        rehearsal.put1(COMMAND_QUEUE, Message(b"no command", MQMD(format="MQADMIN")), options)
        rehearsal.commit()
    assert find_queue(rehearsal.db, COMMAND_QUEUE).depth == 2


def test_what_is_refused_changes_nothing(rehearsal: DryRunConnection) -> None:
    with fails(MQRC_MSG_TYPE_ERROR):
        rehearsal.put1("Q", Message(b"x", MQMD(msg_type=0)))
    assert find_queue(rehearsal.db, "Q").depth == 2
