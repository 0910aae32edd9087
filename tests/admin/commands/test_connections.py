"""Connections and applications in MQSC and PCF: what is shown of them, and STOP CONN."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from mqtools.admin.mqsc.run import run_mqsc
from mqtools.constants import cmqc
from mqtools.constants import cmqcfc as c
from mqtools.constants.options import MQGMO_WAIT, MQOO_INPUT_SHARED, MQOO_OUTPUT, MQPMO_SYNCPOINT
from mqtools.constants.reasons import MQRC_CONNECTION_BROKEN
from mqtools.errors import MQError
from mqtools.headers.pcf import CFBS, CFIL, CFIN, CFST
from mqtools.message import Message
from mqtools.mqi import xa
from mqtools.mqi.connection import connect
from mqtools.mqi.xa import Xid

from ..pcf.conftest import server as server

EVERYONE = CFBS(c.MQBACF_GENERIC_CONNECTION_ID, b"")
PATIENCE_S = 10


def mqsc(server: Any, text: str) -> list[dict[str, str | None]]:
    (report,) = run_mqsc(server.qm.main, text).commands
    assert report.outcome == "ok", report.messages
    return [item.attributes for item in report.objects]


def id_of(server: Any, application: str) -> str:
    (found,) = mqsc(server, f"DISPLAY CONN(*) WHERE(APPLTAG EQ '{application}')")
    return str(found["CONN"])


def test_all_of_a_connection_is_shown_in_both_faces(server: Any) -> None:
    with connect(server.qm.main.path, appl_name="worker") as other, other.open("Q", MQOO_OUTPUT) as handle:
        handle.put(Message(b"x"), MQPMO_SYNCPOINT)
        own = id_of(server, "worker")
        connection, opened = mqsc(server, f"DISPLAY CONN({own}) TYPE(ALL)")
        sent = CFBS(c.MQBACF_CONNECTION_ID, bytes.fromhex(own).ljust(24, b"\0"))
        replies = server.ask(c.MQCMD_INQUIRE_CONNECTION, sent, CFIN(c.MQIACF_CONN_INFO_TYPE, c.MQIACF_CONN_INFO_ALL))
        assert [reply[c.MQIACF_CONN_INFO_TYPE] for reply in replies] == [
            c.MQIACF_CONN_INFO_CONN,
            c.MQIACF_CONN_INFO_HANDLE,
        ]
        other.commit()
        (after,) = mqsc(server, f"DISPLAY CONN({own}) UOWSTATE")
    assert (connection["UOWSTATE"], after["UOWSTATE"]) == ("ACTIVE", "NONE")
    assert len(str(connection["UOWSTDA"])) == 10
    assert (connection["TID"], connection["APPLTYPE"], connection["CHANNEL"]) == ("1", "USER", "")
    assert (opened["OBJNAME"], opened["OPENOPTS"], opened["HSTATE"]) == ("Q", str(MQOO_OUTPUT), "INACTIVE")
    assert replies[0][c.MQIACF_UOW_STATE] == c.MQUOWST_ACTIVE
    assert replies[1][c.MQIACF_OPEN_OPTIONS] == MQOO_OUTPUT


def test_the_threads_of_a_process_are_told_apart(server: Any) -> None:
    with connect(server.qm.main.path, appl_name="a") as first, connect(server.qm.main.path, appl_name="b") as second:
        first.announce()
        second.announce()
        shown = mqsc(server, "DISPLAY CONN(*) PID TID")
    assert len({(each["PID"], each["TID"]) for each in shown}) == len(shown) == 3


def test_a_connection_that_is_stopped_is_backed_out_and_its_next_call_fails(server: Any) -> None:
    with connect(server.qm.main.path, appl_name="worker") as other:
        other.put1("Q", Message(b"x"), MQPMO_SYNCPOINT)
        assert server.qm.depth("Q") == 1
        server.ask(c.MQCMD_STOP_CONNECTION, CFBS(c.MQBACF_CONNECTION_ID, bytes.fromhex(id_of(server, "worker"))))
        assert server.qm.depth("Q") == 0
        with pytest.raises(MQError) as caught:
            other.put1("Q", Message(b"y"))
        assert caught.value.reason == MQRC_CONNECTION_BROKEN
        other.abandon()
    assert server.reason(c.MQCMD_STOP_CONNECTION, CFBS(c.MQBACF_CONNECTION_ID, b"\1" * 24))[0] == 3174
    own = mqsc(server, "DISPLAY CONN(*)")[0]["CONN"]
    (itself,) = run_mqsc(server.qm.main, f"STOP CONN({own})").commands
    assert itself.reason == cmqc.MQRC_CONNECTION_ERROR


def test_the_wait_of_a_connection_that_is_stopped_ends(server: Any) -> None:
    reasons = []
    is_open = threading.Event()

    def wait() -> None:
        with connect(server.qm.main.path, appl_name="waiter") as other:
            try:
                with other.open("Q", MQOO_INPUT_SHARED) as handle:
                    is_open.set()
                    handle.get(MQGMO_WAIT, wait_ms=PATIENCE_S * 1000)
            except MQError as error:
                reasons.append(error.reason)
            other.abandon()

    thread = threading.Thread(target=wait)
    thread.start()
    assert is_open.wait(PATIENCE_S)
    while mqsc(server, "DISPLAY QSTATUS(Q) TYPE(HANDLE)")[0]["HSTATE"] != "ACTIVE":
        pass
    run_mqsc(server.qm.main, f"STOP CONN({id_of(server, 'waiter')})")
    thread.join(PATIENCE_S)
    assert reasons == [MQRC_CONNECTION_BROKEN]


def test_applications_are_counted_by_name(server: Any) -> None:
    with connect(server.qm.main.path, appl_name="a") as first, connect(server.qm.main.path, appl_name="a") as second:
        first.announce()
        second.announce()
        (shown,) = mqsc(server, "DISPLAY APSTATUS('a')")
        assert (shown["COUNT"], shown["MOVCOUNT"], shown["BALANCED"]) == ("2", "0", "NOTAPPLIC")
        name = CFST(c.MQCACF_APPL_NAME, b"a")
        (local,) = server.ask(
            c.MQCMD_INQUIRE_APPL_STATUS, name, CFIN(c.MQIACF_APPL_INFO_TYPE, c.MQIACF_APPL_INFO_LOCAL)
        )
        assert local[c.MQIACF_CONNECTION_COUNT] == 2
        asked = CFIL(c.MQIACF_APPL_INFO_ATTRS, [c.MQIACF_APPL_COUNT])
        assert server.ask(c.MQCMD_INQUIRE_APPL_STATUS, name, asked)[0][c.MQIACF_APPL_COUNT] == 2
    assert server.reason(c.MQCMD_INQUIRE_APPL_STATUS, name)[0] == 2085


def test_a_prepared_branch_is_shown_without_a_connection_and_an_active_one_with_its_own(server: Any) -> None:
    xid = Xid(7, b"global", b"b")
    with connect(server.qm.main.path, appl_name="worker") as other:
        assert xa.start(other, xid) == xa.XA_OK
        other.put1("Q", Message(b"x"), MQPMO_SYNCPOINT)
        shown = "UOWSTATE URTYPE EXTURID APPLTAG"
        (active,) = mqsc(server, f"DISPLAY CONN({id_of(server, 'worker')}) {shown}")
        assert xa.end(other, xid) == xa.prepare(other, xid) == xa.XA_OK
    (prepared,) = mqsc(server, f"DISPLAY CONN(*) WHERE(UOWSTATE EQ PREPARED) {shown}")
    assert prepared == {**active, "CONN": "0" * 16, "UOWSTATE": "PREPARED"}
    assert (active["UOWSTATE"], active["URTYPE"], active["EXTURID"]) == ("ACTIVE", "XA", "0000000706676C6F62616C62")
    assert mqsc(server, f"DISPLAY CONN({prepared['CONN']}) UOWSTATE")[0]["UOWSTATE"] == "PREPARED"
    (report,) = run_mqsc(server.qm.main, f"STOP CONN({prepared['CONN']})").commands
    assert report.outcome != "ok"
    (reply,) = (
        each for each in server.ask(c.MQCMD_INQUIRE_CONNECTION, EVERYONE)
        if each[c.MQIACF_UOW_STATE] == c.MQUOWST_PREPARED
    )  # fmt: skip
    assert (reply[c.MQIACF_UOW_TYPE], reply[c.MQBACF_EXTERNAL_UOW_ID]) == (c.MQUOWT_XA, xid.token.ljust(24, b"\0"))
