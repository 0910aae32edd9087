"""Connections that end from outside: by an operator, with their channel, or with the queue manager."""

from __future__ import annotations

import select

import pytest

from mqtools.admin import queue_managers
from mqtools.admin.commands.connections import connections
from mqtools.admin.mqsc.run import run_mqsc
from mqtools.calls import messages, outstanding_gets
from mqtools.calls.connections import Application, open_session
from mqtools.calls.outstanding_gets import OutstandingGet
from mqtools.constants import cmqc
from mqtools.errors import MQError
from mqtools.headers.structures_message import GMO, MD, OD, PMO
from mqtools.message import MQMD
from mqtools.mqi import recovery
from mqtools.mqi.connection import connect

from .conftest import made

PATIENCE_S = 10
CHANNEL = "DEV.APP.SVRCONN"
WAITS = cmqc.MQGMO_WAIT | cmqc.MQGMO_NO_SYNCPOINT | cmqc.MQGMO_FAIL_IF_QUIESCING


@pytest.fixture(params=["", CHANNEL])
def waiting(request):
    """A session with a message in its unit of work and an outstanding get."""
    session = open_session("QM1", 0, Application(name="waits", channel=request.param))
    put1(session, cmqc.MQPMO_SYNCPOINT)
    values = {**GMO.initial(), "Version": 4, "Options": WAITS, "WaitInterval": -1}
    outstanding = OutstandingGet(
        session, session.connection.open("DEV.QUEUE.2", cmqc.MQOO_INPUT_SHARED), values, MQMD()
    )
    assert outstanding.look() is None
    yield session, outstanding
    if not session.connection.has_ended:
        session.connection.abandon()


def put1(session, options):
    messages.put1(session, made(OD, ObjectName=b"DEV.QUEUE.1"), made(MD), made(PMO, Options=options), b"held")


def ended_with(session, outstanding):
    """Wait for the bell; return the reasons of the wait and of the next call."""
    assert select.select([outstanding_gets.bell(session)], [], [], PATIENCE_S)[0]
    reasons = []
    for call in (outstanding.look, lambda: put1(session, cmqc.MQPMO_FAIL_IF_QUIESCING)):
        with pytest.raises(MQError) as caught:
            call()
        reasons.append(caught.value.reason)
    return reasons


def depth_of(connection):
    return run_mqsc(connection, "DISPLAY QLOCAL(DEV.QUEUE.1) CURDEPTH").commands[0].objects[0].attributes["CURDEPTH"]


def test_an_operator_ends_a_connection_which_is_backed_out(waiting):
    with connect("QM1") as operator:
        with operator.work() as work:
            (found,) = [one for one in connections(work.db, "*") if one.appl_name == "waits"]
            recovery.end_connection(work, found, "STOP CONN")
        assert ended_with(*waiting) == [cmqc.MQRC_CONNECTION_BROKEN] * 2
        assert depth_of(operator) == "0"


@pytest.mark.parametrize("waiting", [CHANNEL], indirect=True)
@pytest.mark.parametrize(
    ("mode", "reason"), [("QUIESCE", cmqc.MQRC_CONNECTION_QUIESCING), ("FORCE", cmqc.MQRC_CONNECTION_BROKEN)]
)
def test_a_stopped_channel_ends_its_connections(waiting, mode, reason):
    with connect("QM1") as operator:
        run_mqsc(operator, f"STOP CHANNEL({CHANNEL}) MODE({mode})")
    assert ended_with(*waiting) == [reason] * 2


@pytest.mark.parametrize(
    ("immediate", "reason"), [(False, cmqc.MQRC_Q_MGR_QUIESCING), (True, cmqc.MQRC_CONNECTION_BROKEN)]
)
def test_a_queue_manager_that_ends_ends_waits(waiting, immediate, reason):
    session, outstanding = waiting
    queue_managers.end(session.connection.path, immediate=immediate)
    assert ended_with(session, outstanding) == [reason] * 2
