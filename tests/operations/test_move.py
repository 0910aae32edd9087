"""Move and copy: complete messages, one transaction, no loss and no duplicates."""

from __future__ import annotations

from threading import Thread

import pytest

from mqtools.constants.message import MQMF_LAST_MSG_IN_GROUP, MQMF_MSG_IN_GROUP, MQRO_COA, MQRO_COD
from mqtools.constants.options import MQGMO_SYNCPOINT, MQOO_INPUT_EXCLUSIVE, MQPMO_SET_ALL_CONTEXT
from mqtools.constants.properties import MQTYPE_STRING
from mqtools.constants.reasons import (
    MQRC_GET_INHIBITED,
    MQRC_MSG_TOO_BIG_FOR_Q,
    MQRC_OBJECT_IN_USE,
    MQRC_PUT_INHIBITED,
    MQRC_Q_FULL,
    MQRC_UNKNOWN_OBJECT_NAME,
)
from mqtools.headers.chain import prefix_dlh
from mqtools.lifecycle.locks import browse_messages_and_lock
from mqtools.message import MQMD, Message, Property
from mqtools.mqi.resolution import find_queue
from mqtools.operations.dry_run import DryRunConnection
from mqtools.operations.move import Route, carry_batch, group_keys, is_same_queue
from mqtools.operations.selection import Selection, select

from ..mqi.children import PATIENCE_S, until
from ..mqi.conftest import fails

TO_R = Route("Q", "R")
COPY_TO_R = Route("Q", "R", keeps_original=True)


def keys(qm, q_name: str = "Q", **choice: object) -> list[int]:
    db = qm.main.db
    return [stored.seq for stored in select(db, find_queue(db, q_name).id, Selection(**choice))]


#: What a new place may change of a row; the rest is the message.
PLACE = ("seq", "queue_id", "state", "completeness", "order_key", "holder_id", "lock_id", "put_at")


def contents(qm, q_name: str) -> list[dict[str, object]]:
    names = [row[0] for row in qm.main.db.all("select name from pragma_table_info('messages')")]
    rows = qm.main.db.all(
        "select messages.* from messages join queues on queues.id = queue_id where queues.name = ? order by seq",
        (q_name,),
    )
    return [
        {name: value for name, value in zip(names, row, strict=True) if name not in (*PLACE, "expires_at", "checksum")}
        for row in rows
    ]


def put_rich(qm) -> None:
    """Return a message with all fields that a put can keep, and a dead letter with a damaged header."""
    md = MQMD(
        msg_id=b"M" * 24,
        correl_id=b"C" * 24,
        group_id=b"G" * 24,
        msg_seq_number=3,
        msg_flags=MQMF_MSG_IN_GROUP,
        priority=7,
        persistence=1,
        expiry=36_000,
        format="MQSTR",
        reply_to_q="R",
        reply_to_q_mgr="QM9",
        user_identifier="bob",
        accounting_token=b"T" * 32,
        appl_identity_data="identity",
        put_appl_type=6,
        put_appl_name="their program",
        put_date="20200102",
        put_time="03040506",
        appl_origin_data="orig",
        report=MQRO_COD,
        backout_count=4,
    )
    message = Message(b"\xff\x00body", md, {"colour": Property(MQTYPE_STRING, "red")})
    _, error = qm.main.put_each("Q", [message], MQPMO_SET_ALL_CONTEXT, keep_backout_count=True)
    assert error is None
    dead_md, dead = prefix_dlh(MQMD(format="MQSTR"), b"x", reason=2053, dest_q_name="NOPE", dest_q_mgr_name="QM1")
    qm.main.put1("Q", Message(dead, dead_md))


@pytest.mark.parametrize(("route", "left"), [(TO_R, 0), (COPY_TO_R, 2)], ids=["move", "copy"])
def test_a_message_keeps_everything_but_its_place(qm, route, left):
    put_rich(qm)
    before = contents(qm, "Q")
    assert before[0]["backout_count"] == 4
    done = carry_batch(qm.main, route, keys(qm))
    assert (done.number, done.gone, done.error) == (2, 0, None)
    assert contents(qm, "R") == before
    assert contents(qm, "Q") == (before if left else [])
    assert (qm.depth("Q"), qm.depth("R")) == (left, 2)


def test_what_is_left_of_the_time_goes_along(qm, advance):
    qm.put("a", expiry=100)
    advance(4)
    carry_batch(qm.main, TO_R, keys(qm))
    assert 55 <= qm.got("R")[0].message.md.expiry <= 60


def test_a_moved_message_is_the_last_arrival(qm):
    qm.put("there", "R")
    qm.put("moved")
    carry_batch(qm.main, TO_R, keys(qm))
    assert qm.data("R") == [b"there", b"moved"]


def test_long_data_goes_along(qm):
    data = bytes(range(256)) * 3000
    qm.put(data)
    carry_batch(qm.main, TO_R, keys(qm))
    assert qm.data("R") == [data]
    assert qm.main.db.one("select count(*) from message_chunks") == (3,)


@pytest.mark.parametrize("route", [TO_R, COPY_TO_R], ids=["move", "copy"])
def test_arrival_is_reported_as_of_any_put_and_delivery_is_not(qm, route):
    qm.define("REPORTS")
    qm.put("a", report=MQRO_COA | MQRO_COD, reply_to_q="REPORTS")
    assert qm.depth("REPORTS") == 1
    carry_batch(qm.main, route, keys(qm))
    assert [got.message.md.feedback for got in qm.got("REPORTS")] == [259, 259]


def test_what_came_before_a_full_queue_stays_moved(qm):
    for data in "abc":
        qm.put(data)
    qm.alter("R", max_q_depth=2)
    done = carry_batch(qm.main, TO_R, keys(qm))
    assert (done.number, done.error.reason) == (2, MQRC_Q_FULL)
    assert (qm.data("Q"), qm.data("R")) == ([b"c"], [b"a", b"b"])


def test_a_batch_that_goes_whole_goes_not_at_all(qm):
    for data in "abc":
        qm.put(data)
    qm.alter("R", max_q_depth=2)
    done = carry_batch(qm.main, TO_R, keys(qm), whole=True)
    assert (done.number, done.error.reason) == (0, MQRC_Q_FULL)
    assert (qm.data("Q"), qm.data("R"), qm.depth("R")) == ([b"a", b"b", b"c"], [], 0)


def test_a_report_on_the_target_counts_in_its_depth(qm):
    qm.alter("R", max_q_depth=3)
    for data in "ab":
        qm.put(data, report=MQRO_COA, reply_to_q="R")  # two reports lie there already
    done = carry_batch(qm.main, TO_R, keys(qm))
    assert (done.number, done.error.reason, qm.depth("R")) == (1, MQRC_Q_FULL, 3)


@pytest.mark.parametrize(
    ("attributes", "reason"),
    [({"inhibit_put": 1}, MQRC_PUT_INHIBITED), ({"max_msg_length": 2}, MQRC_MSG_TOO_BIG_FOR_Q)],
)
def test_a_target_that_refuses_leaves_the_message(qm, attributes, reason):
    qm.put("abc")
    qm.alter("R", **attributes)
    done = carry_batch(qm.main, TO_R, keys(qm))
    assert (done.number, done.error.reason) == (0, reason)
    assert (qm.data(), qm.depth("R")) == ([b"abc"], 0)


def test_an_unknown_target_leaves_the_message(qm):
    qm.put("abc")
    done = carry_batch(qm.main, Route("Q", "NOPE"), keys(qm))
    assert (done.error.reason, qm.data()) == (MQRC_UNKNOWN_OBJECT_NAME, [b"abc"])


def test_what_was_got_or_locked_meanwhile_is_passed_over(qm):
    for data in "abcd":
        qm.put(data)
    wanted = keys(qm)
    browse_messages_and_lock(qm.main, "Q", [wanted[1]])
    other = qm.connect()
    with qm.open(connection=other) as handle:
        handle.get()
        handle.get(MQGMO_SYNCPOINT)
        done = carry_batch(qm.main, TO_R, wanted)
    assert (done.number, done.gone, qm.data("R")) == (1, 3, [b"d"])


def test_a_source_that_may_not_be_got_from(qm):
    qm.put("a")
    wanted = keys(qm)
    with qm.open(options=MQOO_INPUT_EXCLUSIVE, connection=qm.connect()), fails(MQRC_OBJECT_IN_USE):
        carry_batch(qm.main, TO_R, wanted)
    qm.alter("Q", inhibit_get=1)
    with fails(MQRC_GET_INHIBITED):
        carry_batch(qm.main, TO_R, wanted)


def test_another_queue_manager_is_reached_through_its_transmission_queue(qm):
    qm.define("QM2", usage=1)
    qm.put("a", msg_id=b"M" * 24)
    carry_batch(qm.main, Route("Q", "THEIRS", "QM2"), keys(qm))
    (sent,) = qm.got("QM2")
    assert sent.message.md.format == "MQXMIT"
    assert b"THEIRS" in sent.message.data
    assert b"M" * 24 in sent.message.data
    assert qm.depth() == 0


def test_an_alias_that_leads_back_is_noticed(qm):
    qm.define("A", "QALIAS", base_q_name="Q")
    assert is_same_queue(qm.main, Route("Q", "A"))
    assert not is_same_queue(qm.main, TO_R)


def put_group(qm, order: tuple[int, ...]) -> None:
    for number in order:
        flags = MQMF_LAST_MSG_IN_GROUP if number == max(order) else MQMF_MSG_IN_GROUP
        qm.put(str(number), group_id=b"G" * 24, msg_seq_number=number, msg_flags=flags)


def test_a_group_has_its_own_order(qm):
    put_group(qm, (2, 3, 1))
    done = carry_batch(qm.main, TO_R, group_keys(qm.main, "Q", b"G" * 24), whole=True, is_group=True)
    assert (done.number, qm.data("R")) == (3, [b"1", b"2", b"3"])


def test_a_group_of_which_a_message_has_gone_is_left(qm):
    put_group(qm, (1, 2, 3))
    wanted = group_keys(qm.main, "Q", b"G" * 24)
    browse_messages_and_lock(qm.main, "Q", [wanted[2]])
    done = carry_batch(qm.main, TO_R, wanted, whole=True, is_group=True)
    assert (done.number, done.gone, qm.depth("Q"), qm.depth("R")) == (0, 3, 3, 0)
    assert group_keys(qm.main, "Q", b"G" * 24) is None


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
    foreseen, done = dry_run_and_run(qm, keys(qm), route, **how)
    assert foreseen == done == (number, 0, MQRC_Q_FULL)


def test_a_dry_run_passes_over_what_is_locked_gone_or_expired(qm, advance):
    qm.put("short", expiry=10)
    for data in "ab":
        qm.put(data)
    wanted = [*keys(qm), 0]
    browse_messages_and_lock(qm.main, "Q", [wanted[1]])
    advance(2)
    foreseen, done = dry_run_and_run(qm, wanted)
    assert foreseen == done == (1, 3, None)


def test_a_dry_run_of_groups_gives_back_the_room_of_one_that_is_left(qm):
    qm.put("a")
    qm.alter("R", max_q_depth=1)
    (key,) = keys(qm)
    with DryRunConnection(qm.connect()) as stage:
        assert rehearse(stage, [key, 0], is_group=True).gone == 2
        assert rehearse(stage, [key], is_group=True).number == 1


def test_a_dry_run_is_refused_where_a_run_is(qm):
    qm.put("a")
    foreseen, done = dry_run_and_run(qm, keys(qm), Route("Q", "NOPE"))
    assert foreseen == done == (0, 0, MQRC_UNKNOWN_OBJECT_NAME)
    with qm.open(options=MQOO_INPUT_EXCLUSIVE, connection=qm.connect()), DryRunConnection(qm.connect()) as stage:
        with fails(MQRC_OBJECT_IN_USE):
            rehearse(stage, keys(qm))
        assert rehearse(stage, keys(qm), COPY_TO_R).number == 1


def test_a_waiting_get_is_woken_after_the_commit(qm):
    got = []
    with qm.open("R", connection=qm.connect()) as handle:
        waiting = Thread(target=lambda: got.append(handle.get(1, wait_ms=-1).message.data))
        waiting.start()
        until(lambda: bool(qm.main.db.all("select * from waiters")))
        qm.put("a")
        carry_batch(qm.main, TO_R, keys(qm))
        waiting.join(PATIENCE_S)
    assert got == [b"a"]
