"""``mqx qmgr transactions``: prepared units of work, and what an operator decides of them."""

from __future__ import annotations

import json

import pytest

from mqtools.constants.options import MQPMO_SYNCPOINT
from mqtools.message import Message
from mqtools.mqi.connection import connect
from mqtools.mqi.xa import Xid

Q, XID = "DEV.QUEUE.1", Xid(7, b"\x0a", b"\x01")


@pytest.fixture
def prepared(qm):
    with connect(qm) as connection:
        connection.put1(Q, Message(b"x"), MQPMO_SYNCPOINT)
        connection.prepare(XID)


def listed(mqx):
    return json.loads(mqx("qmgr", "transactions", "-o", "json", check=True).out)


def numbers(mqx):
    """Return the numbers in the error log, and check that each about a transaction names it."""
    found = mqx("log", "-o", "jsonl", check=True).rows
    assert all("7:0A:01" in row["text"] for row in found if row["amq"].startswith("AMQ7"))
    return [row["amq"] for row in found]


def test_without_transactions_the_status_is_3(qm, mqx):
    assert mqx("qmgr", "transactions").status == 3


@pytest.mark.parametrize(("option", "state", "depth"), [("--commit", "committed", 1), ("--backout", "backed out", 0)])
def test_a_prepared_transaction_is_listed_and_resolved_once(qm, mqx, bodies, prepared, option, state, depth):
    (row,) = listed(mqx)
    assert (row["xid"], row["state"], row["puts"], row["gets"], row["queues"]) == ("7:0A:01", "prepared", 1, 0, [Q])
    assert mqx("qmgr", "transactions", option, row["xid"]).status == 0
    assert (listed(mqx)[0]["state"], len(bodies(Q))) == (state, depth)
    assert numbers(mqx)[-1] == {"committed": "AMQ7105I", "backed out": "AMQ7106I"}[state]
    assert mqx("qmgr", "transactions", option, str(row["id"])).status == 6
    assert mqx("qmgr", "transactions", "--forget", str(row["id"])).status == 0
    assert mqx("qmgr", "transactions", "--forget", str(row["id"])).status == 5


def test_two_decisions_are_refused(qm, mqx, prepared):
    assert mqx("qmgr", "transactions", "--commit", "1", "--backout", "1").status == 2


def test_the_error_log_names_transactions_that_are_prepared_at_the_start(qm, mqx, prepared):
    assert "AMQ7104W" not in numbers(mqx)
    mqx("qmgr", "end", check=True)
    mqx("qmgr", "start", check=True)
    assert numbers(mqx)[-2:] == ["AMQ8003I", "AMQ7104W"]
