"""Move and copy: complete messages, one transaction, no loss and no duplicates."""

from __future__ import annotations

from threading import Thread

import pytest

from mqtools.constants import reasons as rc
from mqtools.constants.message import MQMF_LAST_MSG_IN_GROUP, MQMF_MSG_IN_GROUP, MQRO_COA, MQRO_COD
from mqtools.constants.options import MQGMO_SYNCPOINT, MQOO_INPUT_EXCLUSIVE, MQPMO_SET_ALL_CONTEXT, MQPMO_SYNCPOINT
from mqtools.constants.properties import MQTYPE_STRING
from mqtools.headers.chain import prefix_dlh
from mqtools.lifecycle.locks import browse_messages_and_lock
from mqtools.lifecycle.verbs import delete_message
from mqtools.message import MQMD, Message, Property
from mqtools.operations import remote_move
from mqtools.operations.browsed_queue import BrowsedQueue
from mqtools.operations.dry_run import DryRunConnection
from mqtools.operations.move import Route, carry_batch

from ..descriptors import FILLED
from ..mqi.children import PATIENCE_S, until
from ..mqi.conftest import fails
from ..rows import messages

TO_R = Route("Q", "R")
COPY_TO_R = Route("Q", "R", keeps_original=True)


#: What a new place may change of a row; the rest is the message.
PLACE = ("seq", "queue_id", "state", "completeness", "order_key", "holder_id", "lock_id", "put_at", "expires_at")


def contents(qm, q_name: str) -> list[dict[str, object]]:
    return [{name: row[name] for name in row if name not in PLACE} for row in messages(qm.main, q_name)]


@pytest.mark.parametrize(("route", "left"), [(TO_R, 0), (COPY_TO_R, 2)], ids=["move", "copy"])
def test_a_message_keeps_everything_but_its_place(qm, route, left):
    message = Message(b"\xff\x00body", FILLED.replace(), {"colour": Property(MQTYPE_STRING, "red")})
    assert qm.main.put_each("Q", [message], MQPMO_SET_ALL_CONTEXT, keep_backout_count=True)[1] is None
    dead_md, dead = prefix_dlh(MQMD(format="MQSTR"), b"x", reason=2053, dest_q_name="NOPE", dest_q_mgr_name="QM1")
    qm.main.put1("Q", Message(dead, dead_md))
    before = contents(qm, "Q")
    assert before[0]["backout_count"] == FILLED.backout_count
    done = carry_batch(qm.main, route, qm.seqs())
    assert (done.number, done.gone, done.error) == (2, 0, None)
    assert contents(qm, "R") == before
    assert contents(qm, "Q") == (before if left else [])
    assert (qm.depth("Q"), qm.depth("R")) == (left, 2)


def test_what_is_left_of_the_time_goes_along(qm, advance):
    qm.put("a", expiry=100)
    advance(4)
    carry_batch(qm.main, TO_R, qm.seqs())
    assert 55 <= qm.got("R")[0].message.md.expiry <= 60


def test_a_group_elsewhere_is_whole_held_in_part_or_gone(qm):
    part, whole, gone = (letter * 24 for letter in (b"P", b"W", b"G"))
    for group_id, flags in ((part, 0), (whole, MQMF_LAST_MSG_IN_GROUP), (gone, 0)):
        msg_id = qm.put("a", group_id=group_id, msg_flags=MQMF_MSG_IN_GROUP | flags).msg_id
    with BrowsedQueue(qm.main, "Q") as queue:
        chosen = list(queue.select())
    delete_message(qm.main, "Q", msg_id=msg_id)
    found = {part: [chosen[0].seq], whole: [chosen[1].seq], gone: []}
    assert dict(remote_move.groups(qm.main, "Q", chosen)) == found
    qm.put("held", options=MQPMO_SYNCPOINT)
    assert dict(remote_move.groups(qm.main, "Q", chosen)) == {**found, part: None}


def test_a_moved_message_is_the_last_arrival(qm):
    qm.put("there", "R")
    qm.put("moved")
    carry_batch(qm.main, TO_R, qm.seqs())
    assert qm.data("R") == [b"there", b"moved"]


def test_long_data_goes_along(qm):
    data = bytes(range(256)) * 3000
    qm.put(data)
    carry_batch(qm.main, TO_R, qm.seqs())
    assert qm.data("R") == [data]
    assert qm.main.db.one("select count(*) from message_chunks") == (3,)


@pytest.mark.parametrize("route", [TO_R, COPY_TO_R], ids=["move", "copy"])
def test_arrival_is_reported_as_of_any_put_and_delivery_is_not(qm, route):
    qm.define("REPORTS")
    qm.put("a", report=MQRO_COA | MQRO_COD, reply_to_q="REPORTS")
    assert qm.depth("REPORTS") == 1
    carry_batch(qm.main, route, qm.seqs())
    assert [got.message.md.feedback for got in qm.got("REPORTS")] == [259, 259]


def test_a_report_on_the_target_counts_in_its_depth(qm):
    qm.alter("R", max_q_depth=3)
    for data in "ab":
        qm.put(data, report=MQRO_COA, reply_to_q="R")  # two reports lie there already
    done = carry_batch(qm.main, TO_R, qm.seqs())
    assert (done.number, done.error.reason, qm.depth("R")) == (1, rc.MQRC_Q_FULL, 3)


@pytest.mark.parametrize(
    ("attributes", "reason"),
    [({"inhibit_put": 1}, rc.MQRC_PUT_INHIBITED), ({"max_msg_length": 2}, rc.MQRC_MSG_TOO_BIG_FOR_Q)],
)
def test_a_target_that_refuses_leaves_the_message(qm, attributes, reason):
    qm.put("abc")
    qm.alter("R", **attributes)
    done = carry_batch(qm.main, TO_R, qm.seqs())
    assert (done.number, done.error.reason) == (0, reason)
    assert (qm.data(), qm.depth("R")) == ([b"abc"], 0)


def test_an_unknown_target_leaves_the_message(qm):
    qm.put("abc")
    done = carry_batch(qm.main, Route("Q", "NOPE"), qm.seqs())
    assert (done.error.reason, qm.data()) == (rc.MQRC_UNKNOWN_OBJECT_NAME, [b"abc"])


def test_what_was_got_or_locked_meanwhile_is_passed_over(qm):
    for data in "abcd":
        qm.put(data)
    wanted = qm.seqs()
    browse_messages_and_lock(qm.main, "Q", [wanted[1]])
    other = qm.connect()
    with qm.open(connection=other) as handle:
        handle.get()
        handle.get(MQGMO_SYNCPOINT)
        done = carry_batch(qm.main, TO_R, wanted)
    assert (done.number, done.gone, qm.data("R")) == (1, 3, [b"d"])


def test_a_source_that_may_not_be_got_from(qm):
    qm.put("a")
    wanted = qm.seqs()
    with qm.open(options=MQOO_INPUT_EXCLUSIVE, connection=qm.connect()), fails(rc.MQRC_OBJECT_IN_USE):
        carry_batch(qm.main, TO_R, wanted)
    qm.alter("Q", inhibit_get=1)
    with fails(rc.MQRC_GET_INHIBITED):
        carry_batch(qm.main, TO_R, wanted)


def test_another_queue_manager_is_reached_through_its_transmission_queue(qm):
    qm.define("QM2", usage=1)
    qm.put("a", msg_id=b"M" * 24)
    carry_batch(qm.main, Route("Q", "THEIRS", "QM2"), qm.seqs())
    (sent,) = qm.got("QM2")
    assert sent.message.md.format == "MQXMIT"
    assert b"THEIRS" in sent.message.data
    assert b"M" * 24 in sent.message.data
    assert qm.depth() == 0


def rehearse(stage, wanted, route=TO_R, **how):
    stage.fetch(wanted)
    return carry_batch(stage, route, wanted, **how)


def dry_run_and_run(qm, wanted, route=TO_R, **how):
    """Return the results of a dry run and of the move, as numbers and reason."""
    lay = (qm.data("Q"), qm.data("R"))
    with DryRunConnection(qm.connect()) as stage:
        foreseen = rehearse(stage, wanted, route, **how)
    assert (qm.data("Q"), qm.data("R")) == lay
    done = carry_batch(qm.main, route, wanted, **how)
    return [(each.number, each.gone, each.error and each.error.reason) for each in (foreseen, done)]


@pytest.mark.parametrize("route", [TO_R, COPY_TO_R])
@pytest.mark.parametrize(("how", "number"), [({}, 2), ({"whole": True}, 0)])
def test_a_dry_run_counts_up_to_a_full_queue_as_a_run_does(qm, route, how, number):
    for data in "abc":
        qm.put(data)
    qm.alter("R", max_q_depth=2)
    foreseen, done = dry_run_and_run(qm, qm.seqs(), route, **how)
    assert foreseen == done == (number, 0, rc.MQRC_Q_FULL)


def test_a_dry_run_passes_over_what_is_locked_gone_or_expired(qm, advance):
    qm.put("short", expiry=10)
    for data in "ab":
        qm.put(data)
    wanted = [*qm.seqs(), 0]
    browse_messages_and_lock(qm.main, "Q", [wanted[1]])
    advance(2)
    foreseen, done = dry_run_and_run(qm, wanted)
    assert foreseen == done == (1, 3, None)


def test_a_dry_run_of_groups_gives_back_the_room_of_one_that_is_left(qm):
    qm.put("a")
    qm.alter("R", max_q_depth=1)
    (key,) = qm.seqs()
    with DryRunConnection(qm.connect()) as stage:
        assert rehearse(stage, [key, 0], is_group=True).gone == 2
        assert rehearse(stage, [key], is_group=True).number == 1


def test_a_dry_run_is_refused_where_a_run_is(qm):
    qm.put("a")
    foreseen, done = dry_run_and_run(qm, qm.seqs(), Route("Q", "NOPE"))
    assert foreseen == done == (0, 0, rc.MQRC_UNKNOWN_OBJECT_NAME)
    with qm.open(options=MQOO_INPUT_EXCLUSIVE, connection=qm.connect()), DryRunConnection(qm.connect()) as stage:
        with fails(rc.MQRC_OBJECT_IN_USE):
            rehearse(stage, qm.seqs())
        assert rehearse(stage, qm.seqs(), COPY_TO_R).number == 1


def test_a_waiting_get_is_woken_after_the_commit(qm):
    got = []
    with qm.open("R", connection=qm.connect()) as handle:
        waiting = Thread(target=lambda: got.append(handle.get(1, wait_ms=-1).message.data))
        waiting.start()
        until(lambda: bool(qm.main.db.all("select * from waiters")))
        qm.put("a")
        carry_batch(qm.main, TO_R, qm.seqs())
        waiting.join(PATIENCE_S)
    assert got == [b"a"]
