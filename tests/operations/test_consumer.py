"""Consumer loop: units of work, poison messages, MQFB_QUIT."""

from __future__ import annotations

import pytest

from mqtools.constants import message as c
from mqtools.constants import reasons as rc
from mqtools.constants.objects import MQIA_OPEN_INPUT_COUNT
from mqtools.constants.options import MQOO_INPUT_SHARED, MQOO_INQUIRE, MQOO_SAVE_ALL_CONTEXT, MQPMO_SYNCPOINT
from mqtools.headers.chain import read_dlh
from mqtools.message import Message
from mqtools.mqi.get.request import GetResult
from mqtools.mqi.handle import Handle
from mqtools.operations.consumer import consume, retry_delay_s

from ..mqi.conftest import QM, fails


def serving(qm: QM) -> Handle:
    return qm.open("Q", MQOO_INPUT_SHARED | MQOO_SAVE_ALL_CONTEXT | MQOO_INQUIRE)


def failing(_: GetResult) -> None:
    raise RuntimeError("cannot do this one")


def test_each_message_is_processed_in_a_unit_of_work(qm: QM) -> None:
    for name in "abc":
        qm.put(name)

    def answer(result: GetResult) -> None:
        qm.main.put1("R", Message(result.message.data.upper()), MQPMO_SYNCPOINT)
        if result.message.data == b"b" and result.message.md.backout_count == 0:
            raise RuntimeError

    qm.alter("Q", backout_threshold=3)
    assert consume(serving(qm), answer) == 3
    assert sorted(qm.data("R")) == [b"A", b"B", b"C"]


@pytest.mark.conformance("BEY-35")
def test_a_message_that_fails_every_time_goes_to_the_backout_requeue_queue(qm: QM) -> None:
    qm.define("BQ")
    qm.alter("Q", backout_threshold=2, backout_req_q_name="BQ")
    md = qm.put("poison", correl_id=b"C" * 24)
    qm.put("good")
    seen = []

    def process(result: GetResult) -> None:
        seen.append(result.message.data)
        if result.message.data == b"poison":
            raise RuntimeError

    assert consume(serving(qm), process) == 1
    assert seen == [b"poison", b"poison", b"good"]
    (moved,) = qm.got("BQ")
    assert (moved.message.md.msg_id, moved.message.md.correl_id) == (md.msg_id, b"C" * 24)
    assert (moved.message.md.put_date, moved.message.md.put_time) == (md.put_date, md.put_time)
    assert qm.depth() == 0


@pytest.mark.conformance("BEY-36")
def test_without_a_requeue_queue_it_is_dead_lettered(qm: QM) -> None:
    qm.alter("Q", backout_threshold=2)
    qm.put("poison", format="MQSTR")
    assert consume(serving(qm), failing) == 0
    dead = qm.got("DLQ")[0].message
    dlh = read_dlh(dead.md, dead.data)
    assert (dlh.reason, dlh.dest_q_name, dlh.format) == (rc.MQRC_BACKOUT_THRESHOLD_REACHED, "Q", "MQSTR")


@pytest.mark.conformance("BEY-36")
def test_one_that_asks_for_it_is_discarded_and_reported(qm: QM) -> None:
    qm.alter("Q", backout_threshold=1)
    qm.put("poison", report=c.MQRO_DISCARD_MSG | c.MQRO_EXCEPTION, reply_to_q="R")
    consume(serving(qm), failing)
    (report,) = qm.got("R")
    assert report.message.md.feedback == rc.MQRC_BACKOUT_THRESHOLD_REACHED
    assert (qm.depth(), qm.depth("DLQ")) == (0, 0)


def test_when_nobody_takes_it_it_stays_and_the_caller_hears_of_it(qm: QM) -> None:
    qm.alter("Q", backout_threshold=1)
    qm.alter("DLQ", max_q_depth=0)
    qm.put("poison")
    with fails(rc.MQRC_Q_FULL):
        consume(serving(qm), failing)
    assert qm.data() == [b"poison"]


def test_without_a_threshold_the_failure_goes_to_the_caller(qm: QM) -> None:
    qm.put("poison")
    with pytest.raises(RuntimeError):
        consume(serving(qm), failing)
    assert qm.data() == [b"poison"]


@pytest.mark.conformance("RPT-32")
def test_the_word_to_quit_ends_one_of_several_servers(qm: QM) -> None:
    servers = [qm.connect().open("Q", MQOO_INPUT_SHARED | MQOO_SAVE_ALL_CONTEXT) for _ in range(3)]
    monitor = qm.open("Q", MQOO_INQUIRE)
    assert monitor.inquire([MQIA_OPEN_INPUT_COUNT]) == [3]
    qm.put(msg_type=c.MQMT_REPORT, feedback=c.MQFB_QUIT)
    for server in servers:
        before = qm.depth()
        assert consume(server, failing) == 0
        if qm.depth() < before:
            server.close()
    assert monitor.inquire([MQIA_OPEN_INPUT_COUNT]) == [2]


def test_pauses_between_tries_double_up_to_a_minute() -> None:
    assert [retry_delay_s(1, count) for count in (0, 1, 2, 5, 6, 1_000_000)] == [1, 2, 4, 32, 60, 60]
    assert [retry_delay_s(300, count) for count in (0, 5)] == [300, 300]
    assert retry_delay_s(0, 999) == 0
