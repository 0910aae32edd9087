"""Depths, definitions and groups are those of the file in each call, whoever has changed them in between."""

from __future__ import annotations

import pytest

from mqtools.constants.message import MQMF_LAST_MSG_IN_GROUP, MQMF_MSG_IN_GROUP
from mqtools.constants.options import MQGMO_SYNCPOINT, MQPMO_SYNCPOINT
from mqtools.constants.reasons import MQRC_PUT_INHIBITED, MQRC_Q_FULL
from mqtools.errors import MQError
from mqtools.message import MQMD, Message

from ..rows import queue_id, rows
from .conftest import QM


def depth(qm: QM) -> int:
    return int(qm.main.db.all("select depth from queue_status join queues on id = queue_id where name = 'Q'")[0][0])


def test_what_another_connection_puts_and_gets_is_counted_by_the_next_call(qm: QM) -> None:
    qm.alter("Q", max_q_depth=4)
    here, there = qm.open(), qm.open(connection=qm.connect())
    for number in range(20):
        for handle in (here, there):
            handle.put(Message(b"%d" % number))
        assert depth(qm) == 2
        assert (there.get().message.data, here.get().message.data) == (b"%d" % number, b"%d" % number)
    for handle in (here, there, here, there):
        handle.put(Message(b"x"))
    for handle in (here, there):
        with pytest.raises(MQError) as error:
            handle.put(Message(b"x"))
        assert error.value.reason == MQRC_Q_FULL
    assert depth(qm) == 4


def test_what_another_connection_defines_is_obeyed_by_the_next_call(qm: QM) -> None:
    handle, other = qm.open(), QM(qm.path)
    handle.put(Message(b"x"))
    handle.put(Message(b"x"))
    other.alter("Q", inhibit_put=1)
    with pytest.raises(MQError) as error:
        handle.put(Message(b"x"))
    assert error.value.reason == MQRC_PUT_INHIBITED
    other.main.disconnect()


def test_what_a_backed_out_unit_of_work_counted_is_counted_no_more(qm: QM) -> None:
    handle = qm.open()
    handle.put(Message(b"x"))
    handle.get(MQGMO_SYNCPOINT)
    for _ in range(3):
        handle.put(Message(b"y"), MQPMO_SYNCPOINT)
    qm.main.backout()
    handle.put(Message(b"z"))
    assert depth(qm) == 2
    assert [handle.get().message.data for _ in range(2)] == [b"x", b"z"]
    assert depth(qm) == 0


def test_the_counters_are_read_where_there_are_groups(qm: QM) -> None:
    """A message that leaves a group changes more than the depth (``groups.sql``)."""
    handle, flags = qm.open(), MQMF_MSG_IN_GROUP | MQMF_LAST_MSG_IN_GROUP
    handle.put(Message(b"x"))
    handle.put(Message(b"in a group", MQMD(group_id=b"g" * 24, msg_flags=flags)))
    handle.put(Message(b"x"))
    assert rows(qm.main, "select grouped from queue_status where queue_id = ?", queue_id(qm.main, "Q")) == [(1,)]
    for _ in range(3):
        handle.get()
    handle.put(Message(b"x"))
    with qm.main.work():
        pass
    assert rows(qm.main, "select grouped, depth from queue_status where queue_id = ?", queue_id(qm.main, "Q")) == [
        (0, 1)
    ]
