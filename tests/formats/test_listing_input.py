"""Browse listings as they are read: those of amqsbcg, and our own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtools.formats.message_input import read_messages
from mqtools.formats.message_listing import describe
from mqtools.formats.mistakes import Findings
from mqtools.message import MQMD, Message

MSG_ID = bytes(range(24))

#: A listing as the browse sample prints it: several fields a line, bytes on a line of their own, numbers in quotes.
LISTING = f"""
AMQSBCG0 - starts here
**********************

 MQOPEN - 'ORDERS'


 MQGET of message number 1, CompCode:0 Reason:0
****Message descriptor****

  StrucId  : 'MD  '  Version : 2
  Report   : 0  MsgType : 8
  Expiry   : -1  Feedback : 0
  Encoding : 273  CodedCharSetId : 1208
  Format : 'MQSTR   '
  Priority : 4  Persistence : 1
  MsgId : X'{MSG_ID.hex().upper()}'
  CorrelId : X'{"00" * 24}'
  BackoutCount : 2
  ReplyToQ       : '{"IT'S : A * Q":48}'
  ReplyToQMgr    : '{"QM1":48}'
  ** Identity Context
  UserIdentifier : 'ana         '
  AccountingToken :
   X'{"AB" * 32}'
  ApplIdentityData : '{"":32}'
  ** Origin Context
  PutApplType    : '6'
  PutApplName    : '{"amqsput":28}'
  PutDate  : '20261110'    PutTime  : '14021100'
  ApplOriginData : '    '

  GroupId : X'{"00" * 24}'
  MsgSeqNumber   : '1'
  Offset         : '0'
  MsgFlags       : '0'
  OriginalLength : '-1'

****   Message      ****

 length - 20 of 20 bytes

00000000:  6865 6C6C 6F20 3A20 2761 2720 2D20 6465  'hello : 'a' - de'
00000010:  6164 2E0A                                'ad..            '



 MQGET of message number 2, CompCode:0 Reason:0
****Message descriptor****

  StrucId  : 'MD  '  Version : 2
  Report   : 0  MsgType : 8
****Message properties****

  colour : 'red'
  00000000: 4142 'xx'

****   Message      ****

 length - 0 of 0 bytes

 No more messages
 MQCLOSE
 MQDISC
""".encode()


def read(text: bytes) -> tuple[list[Message], Findings]:
    findings = Findings("f")
    return [each.message for each in read_messages(text.splitlines(keepends=True), findings)], findings


def test_the_listing_of_the_browse_sample_gives_its_messages() -> None:
    (first, second), findings = read(LISTING)
    assert findings.mistakes == []
    assert first.data == b"hello : 'a' - dead.\n"
    assert first.md == MQMD(
        encoding=273,
        coded_char_set_id=1208,
        format="MQSTR",
        priority=4,
        persistence=1,
        msg_id=MSG_ID,
        backout_count=2,
        reply_to_q="IT'S : A * Q",
        reply_to_q_mgr="QM1",
        user_identifier="ana",
        accounting_token=b"\xab" * 32,
        put_appl_type=6,
        put_appl_name="amqsput",
        put_date="20261110",
        put_time="14021100",
    )
    assert second == Message(b"")


def test_properties_are_not_read_and_that_is_said() -> None:
    _, findings = read(LISTING)
    assert ["properties" in warning.text for warning in findings.warnings] == [True]


def test_cr_lf_is_read_like_lf() -> None:
    assert read(LISTING.replace(b"\n", b"\r\n"))[0] == read(LISTING)[0]


@pytest.mark.parametrize(
    ("there", "instead", "column", "words"),
    [
        (b"  Priority : 4", b"  Prio : 4", 3, "no field Prio"),
        (b"  Priority : 4", b"  Priority : high", 14, "number"),
        (b"  Priority : 4", b"  Priority : 9999999999", 14, "MQLONG"),
        (b"  Priority : 4", b"  Priority 4", 3, "Name : value"),
        (b"MsgId : X'00", b"MsgId : X'**", 11, "hexadecimal"),
        (b"MsgId : X'0001", b"MsgId : X'01", 11, "24 bytes"),
        (b"Format : 'MQSTR   '", b"Format : MQSTR", 12, "quotes"),
        (b"6865 6C6C", b"6865 **6C", 17, "'*' is not a hexadecimal"),
        (b"6865 6C6C", b"6865 6C6", 49, "second one"),
        (b"6865 6C6C", b"6865", 1, "20 bytes, 18 of them"),
        (b"20 of 20", b"20 of 200", 1, "200 bytes, 20 of them"),
    ],
)
def test_a_mistake_is_said_with_its_line_and_column(there: bytes, instead: bytes, column: int, words: str) -> None:
    messages, findings = read(LISTING.replace(there, instead, 1))
    assert len(messages) == 1
    (mistake,) = findings.mistakes
    assert (mistake.column, words in mistake.text) == (column, True), mistake
    line = LISTING.replace(there, instead, 1).splitlines()[mistake.line - 1]
    assert instead in line or line.startswith(b" length")


def test_our_own_listing_of_several_messages_is_read() -> None:
    messages = [Message(b"one", MQMD(format="MQSTR")), Message(b"", MQMD(reply_to_q="R")), Message(b"\0" * 40)]
    text = "\n\n".join("\n".join(describe(message)) for message in messages)
    found, findings = read(text.encode())
    assert (found, findings.mistakes) == (messages, [])


@given(st.binary(max_size=200), st.binary(min_size=24, max_size=24), st.integers(-(1 << 31), (1 << 31) - 1))
def test_a_listing_of_ours_gives_the_bytes_and_numbers_again(data: bytes, msg_id: bytes, number: int) -> None:
    message = Message(data, MQMD(msg_id=msg_id, report=number, expiry=number, feedback=number, put_appl_type=number))
    (found,), findings = read("\n".join(describe(message)).encode())
    assert (found, findings.mistakes) == (message, [])
