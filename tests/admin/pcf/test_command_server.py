"""The command server: PCF commands on its queue, and the replies."""

from __future__ import annotations

from typing import Any

import pytest

from mqtools.admin.pcf import command_server
from mqtools.constants import cmqcfc as c
from mqtools.constants import objects as o
from mqtools.constants.cmqc import MQRO_PASS_DISCARD_AND_EXPIRY
from mqtools.constants.message import MQENC_NATIVE, MQMT_DATAGRAM, MQMT_REQUEST
from mqtools.constants.options import MQOO_OUTPUT, MQPMO_SYNCPOINT
from mqtools.headers.pcf import CFGR, CFH, CFIN, CFIN64, CFST
from mqtools.headers.pcf_bytes import pack_pcf, unpack_pcf
from mqtools.message import MQMD, Message
from mqtools.mqi import units_of_work
from mqtools.mqi.identity import now_ms

from .asking import LOCAL, named, names_in

COMMANDS = "SYSTEM.ADMIN.COMMAND.QUEUE"
BIG = 273

# The server


def test_a_command_is_answered_before_the_put_returns(server: Any) -> None:
    (reply,) = server.send(c.MQCMD_PING_Q_MGR)
    header, parameters = unpack_pcf(reply.data, reply.md.encoding)
    assert (header.type, header.version, header.msg_seq_number, header.control, parameters) == (2, 1, 1, 1, [])
    assert (reply.md.format, reply.md.msg_type, reply.md.put_appl_name) == ("MQADMIN", 2, "QM1")
    assert server.qm.depth(COMMANDS) == 0


def test_the_expiry_of_replies_begins_when_they_are_put(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command_server, "now_ms", lambda: now_ms() + 30_000)  # execution takes half a minute
    (reply,) = server.send(c.MQCMD_PING_Q_MGR, expiry=600, report=MQRO_PASS_DISCARD_AND_EXPIRY)
    assert 600 < reply.md.expiry <= 900
    (reply,) = server.send(c.MQCMD_PING_Q_MGR, expiry=600)
    assert reply.md.expiry == -1


def test_a_command_in_a_unit_of_work_is_carried_out_by_the_commit(server: Any) -> None:
    body = pack_pcf(CFH(c.MQCMD_DELETE_Q), [named("Q")], MQENC_NATIVE)
    message = Message(body, MQMD(msg_type=MQMT_REQUEST, format="MQADMIN", reply_to_q="R"))
    server.qm.main.put1(COMMANDS, message, MQPMO_SYNCPOINT)
    assert server.qm.depth("Q") == 0
    server.qm.main.commit()
    assert len(server.qm.got("R")) == 1
    assert server.reason(c.MQCMD_INQUIRE_Q, named("Q"), LOCAL)[0] == 2085


def test_a_command_that_is_backed_out_is_not_carried_out(server: Any) -> None:
    body = pack_pcf(CFH(c.MQCMD_DELETE_Q), [named("Q")], MQENC_NATIVE)
    message = Message(body, MQMD(msg_type=MQMT_REQUEST, format="MQADMIN", reply_to_q="R"))
    server.qm.main.put1(COMMANDS, message, MQPMO_SYNCPOINT)
    server.qm.main.backout()
    server.qm.put(b"x")
    assert (server.qm.got("R"), server.qm.depth("Q")) == ([], 1)


def test_a_command_waits_for_the_commit_of_its_own_unit_of_work(server: Any) -> None:
    body = pack_pcf(CFH(c.MQCMD_PING_Q_MGR), [], MQENC_NATIVE)
    message = Message(body, MQMD(msg_type=MQMT_REQUEST, format="MQADMIN", reply_to_q="R"))
    server.qm.main.put1(COMMANDS, message, MQPMO_SYNCPOINT)
    with server.qm.main.work() as work:
        units_of_work.commit(work, 999)
    assert server.qm.got("R") == []
    server.qm.main.commit()
    assert len(server.qm.got("R")) == 1


def test_a_command_inside_another_transaction_is_carried_out_when_that_is_through(server: Any) -> None:
    body = pack_pcf(CFH(c.MQCMD_PING_Q_MGR), [], MQENC_NATIVE)
    with server.qm.main.work():
        server.qm.main.put1(COMMANDS, Message(body, MQMD(msg_type=MQMT_REQUEST, format="MQADMIN", reply_to_q="R")))
        assert server.qm.depth("R") == 0
    assert len(server.qm.got("R")) == 1


def test_a_command_leaves_the_unit_of_work_of_the_program_alone(server: Any) -> None:
    server.qm.put(b"mine", options=MQPMO_SYNCPOINT)
    server.ask(c.MQCMD_PING_Q_MGR)
    server.qm.main.backout()
    assert server.qm.depth("Q") == 0


def test_a_command_through_an_open_handle_is_answered_too(server: Any) -> None:
    body = pack_pcf(CFH(c.MQCMD_PING_Q_MGR), [], MQENC_NATIVE)
    with server.qm.open(COMMANDS, MQOO_OUTPUT) as handle:
        handle.put(Message(body, MQMD(msg_type=MQMT_REQUEST, format="MQADMIN", reply_to_q="R")))
    assert len(server.qm.got("R")) == 1


def test_the_reply_answers_to_the_request_as_its_report_says(server: Any) -> None:
    wanted = b"\1" * 24
    (reply,) = server.send(c.MQCMD_PING_Q_MGR, msg_id=wanted)
    assert reply.md.correl_id == wanted
    (reply,) = server.send(c.MQCMD_PING_Q_MGR, msg_id=wanted, correl_id=b"\2" * 24, report=0x80 | 0x40)
    assert (reply.md.msg_id, reply.md.correl_id) == (wanted, b"\2" * 24)
    (reply,) = server.send(c.MQCMD_PING_Q_MGR, report=0x4000 | 0x8000000, expiry=600)
    assert 0 < reply.md.expiry <= 600
    assert reply.md.report == 0x8000000


def test_a_command_in_the_other_byte_order_is_understood(server: Any) -> None:
    (reply,) = server.send(c.MQCMD_CREATE_Q, named("NEW"), LOCAL, encoding=BIG)
    assert unpack_pcf(reply.data, reply.md.encoding)[0].reason == 0
    assert server.qm.depth("NEW") == 0


def test_names_in_ebcdic_are_understood(server: Any) -> None:
    server.send(c.MQCMD_CREATE_Q, CFST(o.MQCA_Q_NAME, "NEW".encode("cp500")), LOCAL, coded_char_set_id=500)
    server.send(c.MQCMD_CREATE_Q, CFST(o.MQCA_Q_NAME, "NEW2".encode("cp500"), 500), LOCAL)
    assert names_in(server.ask(c.MQCMD_INQUIRE_Q, named("NEW*"))) == ["NEW", "NEW2"]


def test_several_replies_are_numbered_and_only_the_last_is_the_last(server: Any) -> None:
    replies = server.send(c.MQCMD_INQUIRE_Q, named("*Q"))
    headers = [unpack_pcf(reply.data, reply.md.encoding)[0] for reply in replies]
    assert [(header.msg_seq_number, header.control) for header in headers] == [(1, 0), (2, 0), (3, 1)]


def test_an_unknown_command_is_refused(server: Any) -> None:
    assert server.reason(9999) == (c.MQRCCF_CFH_COMMAND_ERROR, None)


def test_a_damaged_command_says_where(server: Any) -> None:
    body = bytearray(pack_pcf(CFH(c.MQCMD_INQUIRE_Q), [named("*")], MQENC_NATIVE))
    body[52:56] = (99).to_bytes(4, "little")
    (reply,) = server.send_body(bytes(body))
    header, parameters = unpack_pcf(reply.data, reply.md.encoding)
    assert (header.command, header.reason) == (c.MQCMD_INQUIRE_Q, c.MQRCCF_CFST_STRING_LENGTH_ERR)
    assert parameters == [CFIN(c.MQIACF_PARAMETER_ID, o.MQCA_Q_NAME), CFIN(c.MQIACF_ERROR_OFFSET, 36)]


@pytest.mark.parametrize(
    ("body", "fields", "reason"),
    [
        (b"DELETE QLOCAL(Q)", {"format": "MQSTR"}, c.MQRCCF_MD_FORMAT_ERROR),
        (b"", {}, c.MQRCCF_MSG_LENGTH_ERROR),
        (pack_pcf(CFH(c.MQCMD_PING_Q_MGR, type=2), [], 546), {}, c.MQRCCF_CFH_TYPE_ERROR),
        (pack_pcf(CFH(c.MQCMD_PING_Q_MGR, control=0), [], 546), {}, c.MQRCCF_CFH_CONTROL_ERROR),
        (pack_pcf(CFH(c.MQCMD_PING_Q_MGR, msg_seq_number=2), [], 546), {}, c.MQRCCF_CFH_MSG_SEQ_NUMBER_ERR),
    ],
)
def test_what_is_no_command_is_refused(server: Any, body: bytes, fields: dict[str, Any], reason: int) -> None:
    (reply,) = server.send_body(body, **fields)
    assert unpack_pcf(reply.data, reply.md.encoding)[0].reason == reason


def test_a_message_that_is_no_request_goes_to_the_dead_letter_queue(server: Any) -> None:
    server.send_body(b"x", msg_type=MQMT_DATAGRAM)
    assert (server.qm.depth(COMMANDS), server.qm.depth("DLQ")) == (0, 1)


def test_without_a_dead_letter_queue_it_stays_and_is_in_nobodys_way(server: Any) -> None:
    server.qm.alter_qmgr(dead_letter_q_name="")
    server.send_body(b"x", msg_type=MQMT_DATAGRAM)
    assert server.ask(c.MQCMD_PING_Q_MGR) == [{}]
    assert server.qm.depth(COMMANDS) == 1


def test_a_server_whose_queue_inhibits_gets_does_nothing_until_it_allows_them(server: Any) -> None:
    server.qm.alter(COMMANDS, inhibit_get=1)
    assert server.send(c.MQCMD_PING_Q_MGR) == []
    server.qm.alter(COMMANDS, inhibit_get=0)
    assert len(server.send(c.MQCMD_PING_Q_MGR)) == 2


def test_a_parameter_that_is_missing_twice_or_strange_is_named(server: Any) -> None:
    assert server.reason(c.MQCMD_INQUIRE_Q) == (c.MQRCCF_PARM_COUNT_TOO_SMALL, o.MQCA_Q_NAME)
    assert server.reason(c.MQCMD_INQUIRE_Q, LOCAL) == (c.MQRCCF_CFST_PARM_ID_ERROR, o.MQCA_Q_NAME)
    assert server.reason(c.MQCMD_PING_Q_MGR, LOCAL) == (c.MQRCCF_CFIN_PARM_ID_ERROR, o.MQIA_Q_TYPE)
    twice = server.reason(c.MQCMD_INQUIRE_Q, named("Q"), named("Q"))
    assert twice == (c.MQRCCF_CFST_DUPLICATE_PARM, o.MQCA_Q_NAME)
    assert server.reason(c.MQCMD_INQUIRE_Q, CFIN(o.MQCA_Q_NAME, 1))[0] == c.MQRCCF_CFIN_PARM_ID_ERROR
    assert server.reason(c.MQCMD_CREATE_Q, named("N"), CFIN64(o.MQIA_Q_TYPE, 1))[0] == c.MQRCCF_CFIN_PARM_ID_ERROR
    assert server.reason(c.MQCMD_PING_Q_MGR, CFGR(8001))[0] == c.MQRCCF_CFGR_PARM_ID_ERROR
    assert server.reason(c.MQCMD_INQUIRE_Q, named("N" * 49))[0] == c.MQRCCF_CFST_STRING_LENGTH_ERR
    assert server.reason(c.MQCMD_INQUIRE_Q, CFST(o.MQCA_Q_NAME, b"\xff"))[0] == c.MQRCCF_CCSID_ERROR
