"""The command server: commands in PCF put on its queue, and what comes back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from mqtools.constants import objects as o
from mqtools.constants import pcf as c
from mqtools.constants.administration import MQCFOP_GREATER, MQCFOP_LIKE, MQCFT_COMMAND_XR
from mqtools.constants.message import MQENC_NATIVE, MQMT_DATAGRAM, MQMT_REQUEST
from mqtools.constants.options import MQOO_INPUT_SHARED, MQOO_OUTPUT, MQPMO_SYNCPOINT
from mqtools.headers.pcf import CFBF, CFBS, CFGR, CFH, CFIF, CFIL, CFIN, CFSF, CFSL, CFST
from mqtools.headers.pcf_bytes import pack_pcf, unpack_pcf
from mqtools.message import MQMD, Message

COMMANDS = "SYSTEM.ADMIN.COMMAND.QUEUE"
BIG = 273


class Server:
    """Sends commands and reads the replies."""

    def __init__(self, qm: Any) -> None:
        self.qm = qm
        qm.define(COMMANDS)

    def send(self, command: int, *parameters: Any, encoding: int = MQENC_NATIVE, **fields: Any) -> list[Message]:
        body = pack_pcf(CFH(command, type=MQCFT_COMMAND_XR, version=3), parameters, encoding)
        return self.send_body(body, encoding=encoding, **fields)

    def send_body(self, body: bytes, **fields: Any) -> list[Message]:
        values = {"msg_type": MQMT_REQUEST, "format": "MQADMIN", "reply_to_q": "R", **fields}
        self.qm.main.put1(COMMANDS, Message(body, MQMD(**values)))
        return [result.message for result in self.qm.got("R")]

    def ask(self, command: int, *parameters: Any) -> list[dict[int, Any]]:
        """Send a command that succeeds; give the parameters of each reply."""
        found = []
        for reply in self.send(command, *parameters):
            header, given = unpack_pcf(reply.data, reply.md.encoding)
            assert (header.comp_code, header.reason, header.command) == (0, 0, command)
            found.append({parameter.parameter: value_of(parameter) for parameter in given})
        return found

    def reason(self, command: int, *parameters: Any) -> tuple[int, int | None]:
        """Send a command that fails; give the reason and the parameter it is about."""
        (reply,) = self.send(command, *parameters)
        header, given = unpack_pcf(reply.data, reply.md.encoding)
        assert (header.comp_code, header.control) == (2, 1)
        about = {parameter.parameter: value_of(parameter) for parameter in given}
        return header.reason, about.get(c.MQIACF_PARAMETER_ID)


def value_of(parameter: Any) -> Any:
    match parameter:
        case CFIN():
            return parameter.value
        case CFST():
            return parameter.string.decode()
        case CFIL():
            return parameter.values
        case CFSL():
            return [string.decode().rstrip() for string in parameter.strings]
        case CFBS():
            return parameter.string
    raise AssertionError(parameter)


def named(name: str, number: int = o.MQCA_Q_NAME) -> CFST:
    return CFST(number, name.encode())


def names_in(replies: Sequence[dict[int, Any]], number: int = o.MQCA_Q_NAME) -> list[str]:
    return [reply[number].rstrip() for reply in replies]


LOCAL = CFIN(o.MQIA_Q_TYPE, o.MQQT_LOCAL)
ALIAS = CFIN(o.MQIA_Q_TYPE, o.MQQT_ALIAS)


@pytest.fixture
def server(qm: Any) -> Server:
    return Server(qm)


# The server


def test_a_command_is_answered_before_the_put_returns(server: Server) -> None:
    (reply,) = server.send(c.MQCMD_PING_Q_MGR)
    header, parameters = unpack_pcf(reply.data, reply.md.encoding)
    assert (header.type, header.version, header.msg_seq_number, header.control, parameters) == (2, 1, 1, 1, [])
    assert (reply.md.format, reply.md.msg_type, reply.md.put_appl_name) == ("MQADMIN", 2, "QM1")
    assert server.qm.depth(COMMANDS) == 0


def test_a_command_in_a_unit_of_work_is_carried_out_by_the_commit(server: Server) -> None:
    body = pack_pcf(CFH(c.MQCMD_DELETE_Q), [named("Q")], MQENC_NATIVE)
    message = Message(body, MQMD(msg_type=MQMT_REQUEST, format="MQADMIN", reply_to_q="R"))
    server.qm.main.put1(COMMANDS, message, MQPMO_SYNCPOINT)
    assert server.qm.depth("Q") == 0
    server.qm.main.commit()
    assert len(server.qm.got("R")) == 1
    assert names_in(server.ask(c.MQCMD_INQUIRE_Q, named("*"), LOCAL)) == ["DLQ", "R", COMMANDS]


def test_a_command_that_is_backed_out_is_not_carried_out(server: Server) -> None:
    body = pack_pcf(CFH(c.MQCMD_DELETE_Q), [named("Q")], MQENC_NATIVE)
    message = Message(body, MQMD(msg_type=MQMT_REQUEST, format="MQADMIN", reply_to_q="R"))
    server.qm.main.put1(COMMANDS, message, MQPMO_SYNCPOINT)
    server.qm.main.backout()
    server.qm.put(b"x")
    assert (server.qm.got("R"), server.qm.depth("Q")) == ([], 1)


def test_a_command_leaves_the_unit_of_work_of_the_program_alone(server: Server) -> None:
    server.qm.put(b"mine", options=MQPMO_SYNCPOINT)
    server.ask(c.MQCMD_PING_Q_MGR)
    server.qm.main.backout()
    assert server.qm.depth("Q") == 0


def test_a_command_through_an_open_handle_is_answered_too(server: Server) -> None:
    body = pack_pcf(CFH(c.MQCMD_PING_Q_MGR), [], MQENC_NATIVE)
    with server.qm.open(COMMANDS, MQOO_OUTPUT) as handle:
        handle.put(Message(body, MQMD(msg_type=MQMT_REQUEST, format="MQADMIN", reply_to_q="R")))
    assert len(server.qm.got("R")) == 1


def test_the_reply_answers_to_the_request_as_its_report_says(server: Server) -> None:
    wanted = b"\1" * 24
    (reply,) = server.send(c.MQCMD_PING_Q_MGR, msg_id=wanted)
    assert reply.md.correl_id == wanted
    (reply,) = server.send(c.MQCMD_PING_Q_MGR, msg_id=wanted, correl_id=b"\2" * 24, report=0x80 | 0x40)
    assert (reply.md.msg_id, reply.md.correl_id) == (wanted, b"\2" * 24)
    (reply,) = server.send(c.MQCMD_PING_Q_MGR, report=0x4000 | 0x8000000, expiry=600)
    assert 0 < reply.md.expiry <= 600
    assert reply.md.report == 0x8000000


def test_a_command_in_the_other_byte_order_is_understood(server: Server) -> None:
    (reply,) = server.send(c.MQCMD_CREATE_Q, named("NEW"), LOCAL, encoding=BIG)
    assert unpack_pcf(reply.data, reply.md.encoding)[0].reason == 0
    assert server.qm.depth("NEW") == 0


def test_names_in_ebcdic_are_understood(server: Server) -> None:
    server.send(c.MQCMD_CREATE_Q, CFST(o.MQCA_Q_NAME, "NEW".encode("cp500")), LOCAL, coded_char_set_id=500)
    server.send(c.MQCMD_CREATE_Q, CFST(o.MQCA_Q_NAME, "NEW2".encode("cp500"), 500), LOCAL)
    assert names_in(server.ask(c.MQCMD_INQUIRE_Q, named("NEW*"))) == ["NEW", "NEW2"]


def test_several_replies_are_numbered_and_only_the_last_is_the_last(server: Server) -> None:
    replies = server.send(c.MQCMD_INQUIRE_Q, named("*"))
    headers = [unpack_pcf(reply.data, reply.md.encoding)[0] for reply in replies]
    assert [(header.msg_seq_number, header.control) for header in headers] == [(1, 0), (2, 0), (3, 0), (4, 1)]


def test_an_unknown_command_is_refused(server: Server) -> None:
    assert server.reason(9999) == (c.MQRCCF_CFH_COMMAND_ERROR, None)


def test_a_damaged_command_says_where(server: Server) -> None:
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
def test_what_is_no_command_is_refused(server: Server, body: bytes, fields: dict[str, Any], reason: int) -> None:
    (reply,) = server.send_body(body, **fields)
    assert unpack_pcf(reply.data, reply.md.encoding)[0].reason == reason


def test_a_message_that_is_no_request_goes_to_the_dead_letter_queue(server: Server) -> None:
    server.send_body(b"x", msg_type=MQMT_DATAGRAM)
    assert (server.qm.depth(COMMANDS), server.qm.depth("DLQ")) == (0, 1)


def test_without_a_dead_letter_queue_it_stays_and_is_in_nobodys_way(server: Server) -> None:
    server.qm.alter_qmgr(dead_letter_q_name="")
    server.send_body(b"x", msg_type=MQMT_DATAGRAM)
    assert server.ask(c.MQCMD_PING_Q_MGR) == [{}]
    assert server.qm.depth(COMMANDS) == 1


def test_a_server_whose_queue_inhibits_gets_does_nothing_until_it_allows_them(server: Server) -> None:
    server.qm.alter(COMMANDS, inhibit_get=1)
    assert server.send(c.MQCMD_PING_Q_MGR) == []
    server.qm.alter(COMMANDS, inhibit_get=0)
    assert len(server.send(c.MQCMD_PING_Q_MGR)) == 2


def test_a_parameter_that_is_missing_twice_or_strange_is_named(server: Server) -> None:
    assert server.reason(c.MQCMD_INQUIRE_Q) == (c.MQRCCF_PARM_COUNT_TOO_SMALL, o.MQCA_Q_NAME)
    assert server.reason(c.MQCMD_INQUIRE_Q, LOCAL) == (c.MQRCCF_CFST_PARM_ID_ERROR, o.MQCA_Q_NAME)
    assert server.reason(c.MQCMD_PING_Q_MGR, LOCAL) == (c.MQRCCF_CFIN_PARM_ID_ERROR, o.MQIA_Q_TYPE)
    twice = server.reason(c.MQCMD_INQUIRE_Q, named("Q"), named("Q"))
    assert twice == (c.MQRCCF_CFST_DUPLICATE_PARM, o.MQCA_Q_NAME)
    assert server.reason(c.MQCMD_INQUIRE_Q, CFIN(o.MQCA_Q_NAME, 1))[0] == c.MQRCCF_CFIN_PARM_ID_ERROR
    assert server.reason(c.MQCMD_PING_Q_MGR, CFGR(8001))[0] == c.MQRCCF_CFGR_PARM_ID_ERROR
    assert server.reason(c.MQCMD_INQUIRE_Q, named("N" * 49))[0] == c.MQRCCF_CFST_STRING_LENGTH_ERR
    assert server.reason(c.MQCMD_INQUIRE_Q, CFST(o.MQCA_Q_NAME, b"\xff"))[0] == c.MQRCCF_CCSID_ERROR


# Queues


def test_create_queue_with_attributes(server: Server) -> None:
    depth = CFIN(o.MQIA_MAX_Q_DEPTH, 7)
    assert server.ask(c.MQCMD_CREATE_Q, named("NEW"), LOCAL, depth, named("words", o.MQCA_Q_DESC)) == [{}]
    (reply,) = server.ask(c.MQCMD_INQUIRE_Q, named("NEW"))
    assert (reply[o.MQIA_MAX_Q_DEPTH], reply[o.MQCA_Q_DESC]) == (7, "words".ljust(64))
    assert reply[o.MQCA_Q_NAME] == "NEW".ljust(48)
    assert (reply[o.MQIA_Q_TYPE], reply[o.MQIA_CURRENT_Q_DEPTH]) == (o.MQQT_LOCAL, 0)


def test_create_queue_refuses_what_is_there_unless_it_replaces(server: Server) -> None:
    assert server.reason(c.MQCMD_CREATE_Q, named("Q"), LOCAL)[0] == c.MQRCCF_OBJECT_ALREADY_EXISTS
    server.qm.put(b"stays")
    server.ask(c.MQCMD_CREATE_Q, named("Q"), LOCAL, CFIN(c.MQIACF_REPLACE, 1), CFIN(o.MQIA_MAX_Q_DEPTH, 5))
    assert server.ask(c.MQCMD_INQUIRE_Q, named("Q"))[0][o.MQIA_MAX_Q_DEPTH] == 5
    assert server.qm.depth("Q") == 1
    assert server.reason(c.MQCMD_CREATE_Q, named("N"), LOCAL, CFIN(c.MQIACF_REPLACE, 2)) == (
        c.MQRCCF_REPLACE_VALUE_ERROR,
        c.MQIACF_REPLACE,
    )


def test_create_queue_refuses_values_that_cannot_be(server: Server) -> None:
    new = named("NEW")
    assert server.reason(c.MQCMD_CREATE_Q, new, LOCAL, CFIN(o.MQIA_MAX_Q_DEPTH, -1)) == (
        c.MQRCCF_ATTR_VALUE_ERROR,
        o.MQIA_MAX_Q_DEPTH,
    )
    assert server.reason(c.MQCMD_CREATE_Q, new, LOCAL, CFIN(o.MQIA_DEF_PRIORITY, 10))[0] == c.MQRCCF_ATTR_VALUE_ERROR
    assert server.reason(c.MQCMD_CREATE_Q, new, LOCAL, CFIN(o.MQIA_INHIBIT_GET, 2))[0] == c.MQRCCF_ATTR_VALUE_ERROR
    assert server.reason(c.MQCMD_CREATE_Q, named("NO NAME"), LOCAL)[0] == c.MQRCCF_OBJECT_NAME_ERROR
    assert server.reason(c.MQCMD_CREATE_Q, new, CFIN(o.MQIA_Q_TYPE, 99)) == (c.MQRCCF_Q_TYPE_ERROR, o.MQIA_Q_TYPE)
    assert server.reason(c.MQCMD_CREATE_Q, new, ALIAS, CFIN(o.MQIA_MAX_Q_DEPTH, 1))[0] == c.MQRCCF_CFIN_PARM_ID_ERROR
    assert server.reason(c.MQCMD_INQUIRE_Q, new)[0] == 2085


def test_change_queue(server: Server) -> None:
    server.ask(c.MQCMD_CHANGE_Q, named("Q"), LOCAL, CFIN(o.MQIA_INHIBIT_PUT, 1))
    assert server.ask(c.MQCMD_INQUIRE_Q, named("Q"))[0][o.MQIA_INHIBIT_PUT] == 1
    assert server.reason(c.MQCMD_CHANGE_Q, named("NONE"), LOCAL)[0] == 2085
    assert server.reason(c.MQCMD_CHANGE_Q, named("Q"), ALIAS)[0] == c.MQRCCF_OBJECT_WRONG_TYPE


def test_copy_queue(server: Server) -> None:
    server.qm.alter("Q", max_q_depth=9)
    names = named("Q", c.MQCACF_FROM_Q_NAME), named("COPY", c.MQCACF_TO_Q_NAME)
    server.ask(c.MQCMD_COPY_Q, *names, LOCAL, CFIN(o.MQIA_DEF_PRIORITY, 3))
    (reply,) = server.ask(c.MQCMD_INQUIRE_Q, named("COPY"))
    assert (reply[o.MQIA_MAX_Q_DEPTH], reply[o.MQIA_DEF_PRIORITY]) == (9, 3)
    assert server.reason(c.MQCMD_COPY_Q, *names, LOCAL)[0] == c.MQRCCF_OBJECT_ALREADY_EXISTS
    assert server.reason(c.MQCMD_COPY_Q, *names, ALIAS)[0] == c.MQRCCF_LIKE_OBJECT_WRONG_TYPE


def test_delete_queue_keeps_messages_unless_it_purges(server: Server) -> None:
    server.qm.put(b"x")
    assert server.reason(c.MQCMD_DELETE_Q, named("Q"))[0] == 2055
    server.ask(c.MQCMD_DELETE_Q, named("Q"), LOCAL, CFIN(c.MQIACF_PURGE, 1))
    assert server.reason(c.MQCMD_DELETE_Q, named("Q"))[0] == 2085


def test_queues_that_are_open_are_neither_deleted_nor_cleared(server: Server) -> None:
    with server.qm.open("Q"):
        assert server.reason(c.MQCMD_DELETE_Q, named("Q"))[0] == c.MQRCCF_OBJECT_OPEN
        assert server.reason(c.MQCMD_CLEAR_Q, named("Q"))[0] == c.MQRCCF_OBJECT_OPEN
    server.qm.put(b"x")
    assert server.ask(c.MQCMD_CLEAR_Q, named("Q")) == [{}]
    assert server.qm.depth("Q") == 0


def test_inquire_queue_by_pattern_and_type(server: Server) -> None:
    server.qm.define("A1", "QALIAS", base_q_name="Q")
    assert names_in(server.ask(c.MQCMD_INQUIRE_Q, named("*"))) == ["A1", "DLQ", "Q", "R", COMMANDS]
    assert names_in(server.ask(c.MQCMD_INQUIRE_Q, named("*"), ALIAS)) == ["A1"]
    assert names_in(server.ask(c.MQCMD_INQUIRE_Q, named("*Q"), CFIN(o.MQIA_Q_TYPE, o.MQQT_ALL))) == ["DLQ", "Q"]
    assert server.reason(c.MQCMD_INQUIRE_Q, named("NONE*")) == (2085, o.MQCA_Q_NAME)
    assert server.reason(c.MQCMD_INQUIRE_Q, named("NONE")) == (2085, None)


def test_inquire_queue_gives_the_attributes_asked_for_with_name_and_type(server: Server) -> None:
    asked = CFIL(c.MQIACF_Q_ATTRS, [o.MQIA_CURRENT_Q_DEPTH, o.MQCA_BASE_Q_NAME])
    server.qm.put(b"x")
    assert server.ask(c.MQCMD_INQUIRE_Q, named("Q"), asked) == [
        {o.MQCA_Q_NAME: "Q".ljust(48), o.MQIA_Q_TYPE: o.MQQT_LOCAL, o.MQIA_CURRENT_Q_DEPTH: 1}
    ]
    one = CFIN(c.MQIACF_Q_ATTRS, o.MQIA_CURRENT_Q_DEPTH)
    assert set(server.ask(c.MQCMD_INQUIRE_Q, named("Q"), one)[0]) == {2016, 20, 3}
    everything = server.ask(c.MQCMD_INQUIRE_Q, named("Q"), CFIL(c.MQIACF_Q_ATTRS, [c.MQIACF_ALL]))
    assert everything == server.ask(c.MQCMD_INQUIRE_Q, named("Q"))
    assert server.reason(c.MQCMD_INQUIRE_Q, named("Q"), CFIL(c.MQIACF_Q_ATTRS, [-5]))[0] == 2067


def test_inquire_queue_by_filters(server: Server) -> None:
    server.qm.put(b"x")
    server.qm.alter("R", q_desc="for replies")
    deep = CFIF(o.MQIA_CURRENT_Q_DEPTH, MQCFOP_GREATER, 0)
    assert names_in(server.ask(c.MQCMD_INQUIRE_Q, named("*"), LOCAL, deep)) == ["Q"]
    like = CFSF(o.MQCA_Q_DESC, MQCFOP_LIKE, b"for *")
    (reply,) = server.ask(c.MQCMD_INQUIRE_Q, named("*"), like, CFIL(c.MQIACF_Q_ATTRS, [o.MQIA_USAGE]))
    assert reply[o.MQCA_Q_DESC].rstrip() == "for replies"
    assert server.reason(c.MQCMD_INQUIRE_Q, named("*"), CFIF(o.MQIA_CURRENT_Q_DEPTH, MQCFOP_GREATER, 5))[0] == 2085


def test_filters_that_make_no_sense_are_refused(server: Server) -> None:
    bad = CFIF(o.MQIA_CURRENT_Q_DEPTH, MQCFOP_LIKE, 0)
    assert server.reason(c.MQCMD_INQUIRE_Q, named("*"), bad)[0] == c.MQRCCF_CFIF_OPERATOR_ERROR
    strange = CFIF(1999, MQCFOP_GREATER, 0)
    assert server.reason(c.MQCMD_INQUIRE_Q, named("*"), strange) == (c.MQRCCF_CFIF_PARM_ID_ERROR, 1999)
    one = CFIF(o.MQIA_CURRENT_Q_DEPTH, MQCFOP_GREATER, 0)
    assert server.reason(c.MQCMD_INQUIRE_Q, named("*"), one, one)[0] == c.MQRCCF_TOO_MANY_FILTERS
    assert server.reason(c.MQCMD_PING_Q_MGR, one)[0] == c.MQRCCF_CFIF_PARM_ID_ERROR


def test_inquire_queue_names(server: Server) -> None:
    assert server.ask(c.MQCMD_INQUIRE_Q_NAMES, named("*Q"), LOCAL) == [
        {c.MQCACF_Q_NAMES: ["DLQ", "Q"], c.MQIACF_Q_TYPES: [o.MQQT_LOCAL] * 2}
    ]
    assert server.ask(c.MQCMD_INQUIRE_Q_NAMES, named("X*")) == [{c.MQCACF_Q_NAMES: [], c.MQIACF_Q_TYPES: []}]


def test_inquire_queue_status(server: Server) -> None:
    server.qm.put(b"x")
    with server.qm.open("Q", MQOO_INPUT_SHARED):
        (reply,) = server.ask(c.MQCMD_INQUIRE_Q_STATUS, named("Q"))
    assert (reply[o.MQIA_CURRENT_Q_DEPTH], reply[o.MQIA_OPEN_INPUT_COUNT]) == (1, 1)
    assert reply[c.MQIACF_Q_STATUS_TYPE] == c.MQIACF_Q_STATUS
    assert len(reply[c.MQCACF_LAST_PUT_DATE].strip()) == 10
    assert reply[c.MQCACF_LAST_GET_DATE] == " " * 12
    assert server.reason(c.MQCMD_INQUIRE_Q_STATUS, named("NONE"))[0] == 2085
    asked = CFIL(c.MQIACF_Q_STATUS_ATTRS, [c.MQIACF_OLDEST_MSG_AGE])
    assert set(server.ask(c.MQCMD_INQUIRE_Q_STATUS, named("Q"), asked)[0]) == {2016, 1103, 1227}


def test_inquire_the_handles_of_a_queue(server: Server) -> None:
    handles = CFIN(c.MQIACF_Q_STATUS_TYPE, c.MQIACF_Q_HANDLE)
    assert server.reason(c.MQCMD_INQUIRE_Q_STATUS, named("Q"), handles)[0] == c.MQRCCF_Q_STATUS_NOT_FOUND
    with server.qm.open("Q", MQOO_INPUT_SHARED):
        (reply,) = server.ask(c.MQCMD_INQUIRE_Q_STATUS, named("*"), handles)
    assert (reply[c.MQIACF_OPEN_INPUT_TYPE], reply[c.MQIACF_OPEN_BROWSE]) == (c.MQQSO_SHARED, c.MQQSO_NO)
    assert reply[c.MQCACF_APPL_TAG].rstrip() == "test"


def test_reset_queue_statistics(server: Server) -> None:
    counts = (o.MQIA_MSG_ENQ_COUNT, o.MQIA_MSG_DEQ_COUNT, o.MQIA_HIGH_Q_DEPTH)

    def reset() -> list[int]:
        (reply,) = server.ask(c.MQCMD_RESET_Q_STATS, named("Q"))
        return [reply[number] for number in counts]

    for _ in range(3):
        server.qm.put(b"x")
    assert reset() == [3, 0, 3]
    server.qm.got("Q")
    server.qm.put(b"x")
    assert reset() == [1, 3, 3]
    assert reset() == [0, 0, 1]


# The queue manager


def test_inquire_queue_manager(server: Server) -> None:
    (reply,) = server.ask(c.MQCMD_INQUIRE_Q_MGR)
    assert (reply[o.MQCA_Q_MGR_NAME].rstrip(), reply[o.MQCA_DEAD_LETTER_Q_NAME].rstrip()) == ("QM1", "DLQ")
    assert reply[o.MQCA_COMMAND_INPUT_Q_NAME].rstrip() == COMMANDS
    asked = CFIL(c.MQIACF_Q_MGR_ATTRS, [o.MQIA_COMMAND_LEVEL, o.MQCA_VERSION])
    assert server.ask(c.MQCMD_INQUIRE_Q_MGR, asked) == [
        {o.MQCA_Q_MGR_NAME: "QM1".ljust(48), o.MQIA_COMMAND_LEVEL: 940, o.MQCA_VERSION: "09040000"}
    ]


def test_change_queue_manager(server: Server) -> None:
    server.ask(c.MQCMD_CHANGE_Q_MGR, named("Q", o.MQCA_DEAD_LETTER_Q_NAME), CFIN(o.MQIA_MAX_HANDLES, 9))
    (reply,) = server.ask(c.MQCMD_INQUIRE_Q_MGR)
    assert (reply[o.MQCA_DEAD_LETTER_Q_NAME].rstrip(), reply[o.MQIA_MAX_HANDLES]) == ("Q", 9)


def test_inquire_queue_manager_status(server: Server) -> None:
    with server.qm.open("Q"):
        (reply,) = server.ask(c.MQCMD_INQUIRE_Q_MGR_STATUS)
    assert (reply[c.MQIACF_Q_MGR_STATUS], reply[c.MQIACF_CONNECTION_COUNT]) == (c.MQQMSTA_RUNNING, 1)


def test_inquire_connection(server: Server) -> None:
    everyone = CFBS(c.MQBACF_GENERIC_CONNECTION_ID, b"")
    with server.qm.open("Q"):
        (reply,) = server.ask(c.MQCMD_INQUIRE_CONNECTION, everyone)
        own = reply[c.MQBACF_CONNECTION_ID]
        assert (len(own), reply[c.MQCACF_APPL_TAG].rstrip()) == (24, "test")
        assert len(server.ask(c.MQCMD_INQUIRE_CONNECTION, CFBS(c.MQBACF_CONNECTION_ID, own))) == 1
        equal = CFBF(c.MQBACF_CONNECTION_ID, 2, own)
        assert len(server.ask(c.MQCMD_INQUIRE_CONNECTION, everyone, equal)) == 1
        other = CFBF(c.MQBACF_CONNECTION_ID, 5, own)
        assert server.reason(c.MQCMD_INQUIRE_CONNECTION, everyone, other)[0] == c.MQRCCF_CONNECTION_ID_ERROR
    strange = CFBS(c.MQBACF_GENERIC_CONNECTION_ID, b"none")
    assert server.reason(c.MQCMD_INQUIRE_CONNECTION, strange)[0] == c.MQRCCF_CONNECTION_ID_ERROR
