"""Accounting: a record for each connection and its queues, however the connection ends."""

from __future__ import annotations

import signal
from collections.abc import Callable
from typing import Any

import pytest

from mqtools.admin.mqsc.run import run_mqsc
from mqtools.calls.connections import open_session
from mqtools.constants.options import (
    MQCNO_ACCOUNTING_MQI_DISABLED,
    MQCNO_ACCOUNTING_MQI_ENABLED,
    MQCNO_ACCOUNTING_Q_DISABLED,
    MQCNO_ACCOUNTING_Q_ENABLED,
    MQOO_INPUT_SHARED,
    MQOO_INQUIRE,
    MQOO_OUTPUT,
    MQPMO_SYNCPOINT,
)
from mqtools.message import MQMD, Message
from mqtools.mqi import recovery
from mqtools.mqi.connection import connect

from ..children import start_ready
from ..conftest import QM, fails
from .records import ACCOUNT, QUEUE_ACCOUNT, records

#: Puts two messages, and waits to be killed.
PUTS_TWO = """
connection = connect(path, appl_name="victim")
handle = connection.open("Q", MQOO_OUTPUT)
handle.put(Message(b"one"))
handle.put(Message(b"two"), MQPMO_SYNCPOINT)
print("ready", flush=True)
sys.stdin.read()
"""

DISC_NORMAL = "MQDISCONNECT_NORMAL"


@pytest.fixture
def accounted(qm: QM) -> QM:
    """A queue manager with all accounting on."""
    qm.alter_qmgr(accounting_mqi=1, accounting_q=1)
    return qm


def test_a_connection_has_a_record_of_its_calls_and_one_of_its_queues(
    accounted: QM, advance: Callable[[float], None]
) -> None:
    connection = accounted.connect()
    with connection.open("Q", MQOO_OUTPUT | MQOO_INPUT_SHARED | MQOO_INQUIRE) as handle:
        handle.put(Message(b"12345", MQMD(persistence=1)), MQPMO_SYNCPOINT)
        connection.commit()
        advance(3)
        handle.get()
        with fails(2033):
            handle.get()
        handle.inquire([])
    connection.put1("R", Message(b"1"))
    connection.backout()
    advance(4)
    connection.disconnect()
    (record,) = records(accounted.main, ACCOUNT)
    assert (record["appl_name"], record["user_identifier"], record["disc_type"]) == ("test", "ana", DISC_NORMAL)
    assert (record["put_count"], record["put1_count"], record["put_bytes"]) == ([0, 1], [1, 0], [1, 5])
    assert (record["get_count"], record["get_fail_count"], record["commit_count"]) == ([0, 1], 1, 1)
    assert (record["back_count"], record["open_count"][1], record["close_count"][1]) == (1, 1, 1)
    assert (record["inq_count"][1], record["seq_number"]) == (1, 0)
    (of_queues,) = records(accounted.main, QUEUE_ACCOUNT)
    assert of_queues["connection_id"] == record["connection_id"]
    first, second = of_queues["objects"]
    assert (first["q_name"], second["q_name"], second["put1_count"]) == ("Q", "R", [1, 0])
    assert (first["q_open_count"], first["put_bytes_max"], first["get_bytes_min"]) == (1, [0, 5], [0, 5])
    assert first["time_on_q_min"] == first["time_on_q_avg"] == first["time_on_q_max"] == [0, 3_000_000]
    assert first["open_time"] <= first["close_time"] < record["disc_time"]


def test_a_connection_without_calls_has_a_record(accounted: QM) -> None:
    accounted.connect().disconnect()
    (record,) = records(accounted.main, ACCOUNT)
    assert sum(record["open_count"]) == 0
    assert records(accounted.main, QUEUE_ACCOUNT) == []


def test_a_long_connection_has_a_record_for_each_interval(accounted: QM, advance: Callable[[float], None]) -> None:
    accounted.alter_qmgr(accounting_interval=10)
    with accounted.connect() as connection:
        for number in range(3):
            for _ in range(number + 1):
                connection.put1("Q", Message(b"x"))
            advance(10)
    found = records(accounted.main, ACCOUNT)
    assert [(record["seq_number"], record["put1_count"]) for record in found] == [
        (0, [1, 0]),
        (1, [2, 0]),
        (2, [3, 0]),
        (3, [0, 0]),
    ]
    assert [record.get("disc_type") for record in found] == [None, None, None, DISC_NORMAL]
    assert len({record["connection_id"] for record in found}) == 1


def test_an_interval_of_0_has_one_record_for_a_connection(accounted: QM, advance: Callable[[float], None]) -> None:
    accounted.alter_qmgr(accounting_interval=0)
    with accounted.connect() as connection:
        connection.put1("Q", Message(b"x"))
        advance(1e6)
        connection.put1("Q", Message(b"x"))
    assert [record["put1_count"] for record in records(accounted.main, ACCOUNT)] == [[2, 0]]


def test_the_record_of_a_killed_program_is_written_by_whoever_notices(accounted: QM) -> None:
    child = start_ready(PUTS_TWO, accounted.path)
    child.send_signal(signal.SIGKILL)
    child.wait()
    with accounted.connect() as connection, connection.work() as work:
        recovery.recover(work)
    found = {record["appl_name"]: record for record in records(accounted.main, ACCOUNT)}
    assert (found["victim"]["disc_type"], found["victim"]["put_count"]) == ("MQDISCONNECT_IMPLICIT", [2, 0])
    assert (accounted.depth(), len(found)) == (1, 2)


def test_the_record_of_a_connection_that_an_operator_ends_says_so(accounted: QM) -> None:
    ended = accounted.connect()
    ended.put1("Q", Message(b"x"))
    assert ended.presence is not None
    with accounted.connect() as connection:
        run_mqsc(connection, f"STOP CONN({ended.presence.token[:8].hex().upper()})")
    assert {record["disc_type"] for record in records(accounted.main, ACCOUNT)} == {"MQDISCONNECT_Q_MGR", DISC_NORMAL}


@pytest.mark.parametrize(
    ("override", "on", "options", "is_accounted"),
    [
        (1, 0, MQCNO_ACCOUNTING_MQI_ENABLED | MQCNO_ACCOUNTING_Q_ENABLED, True),
        (0, 0, MQCNO_ACCOUNTING_MQI_ENABLED | MQCNO_ACCOUNTING_Q_ENABLED, False),
        (1, 1, MQCNO_ACCOUNTING_MQI_DISABLED | MQCNO_ACCOUNTING_Q_DISABLED, False),
        (0, 1, MQCNO_ACCOUNTING_MQI_DISABLED | MQCNO_ACCOUNTING_Q_DISABLED, True),
    ],
)
def test_options_of_mqconnx_decide_where_acctcono_allows_it(
    qm: QM, override: int, on: int, options: int, is_accounted: bool
) -> None:
    qm.alter_qmgr(accounting_conn_override=override, accounting_mqi=on, accounting_q=on)
    session = open_session(qm.path, options)
    session.connection.put1("Q", Message(b"x"))
    session.connection.disconnect()
    assert [bool(records(qm.main, kind)) for kind in (ACCOUNT, QUEUE_ACCOUNT)] == [is_accounted] * 2


def test_the_options_of_a_connection_are_displayed(qm: QM) -> None:
    session = open_session(qm.path, MQCNO_ACCOUNTING_Q_ENABLED)
    (report,) = run_mqsc(qm.main, "DISPLAY CONN(*) CONNOPTS").commands
    assert str(MQCNO_ACCOUNTING_Q_ENABLED) in {each.attributes["CONNOPTS"] for each in report.objects}
    session.connection.disconnect()


def test_a_queue_that_is_off_is_in_no_record(accounted: QM) -> None:
    accounted.alter("R", accounting_q=0)
    with accounted.connect() as connection:
        connection.put1("Q", Message(b"x"))
        connection.put1("R", Message(b"x"))
    (record,) = records(accounted.main, QUEUE_ACCOUNT)
    assert [each["q_name"] for each in record["objects"]] == ["Q"]


def test_an_open_by_an_alias_is_one_of_the_local_queue(accounted: QM) -> None:
    accounted.define("A", "QALIAS", base_q_name="Q")
    with accounted.connect() as connection, connection.open("A", MQOO_INPUT_SHARED):
        pass
    (record,) = records(accounted.main, QUEUE_ACCOUNT)
    assert [(each["q_name"], each["q_open_count"]) for each in record["objects"]] == [("Q", 1)]
    assert record["objects"][0]["close_time"]


def test_more_queues_than_a_message_has_groups_for_have_several(accounted: QM) -> None:
    names = [f"Q{number:03}" for number in range(105)]
    for name in names:
        accounted.define(name)
    with connect(accounted.path) as connection:
        for name in names:
            connection.put1(name, Message(b"x"))
    found: list[dict[str, Any]] = records(accounted.main, QUEUE_ACCOUNT)
    assert [record["object_count"] for record in found] == [100, 5]
    assert sorted(each["q_name"] for record in found for each in record["objects"]) == names
