"""A message listed for people."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from mqtools.constants.properties import MQTYPE_BYTE_STRING, MQTYPE_STRING
from mqtools.formats.message_listing import describe
from mqtools.message import MQMD, Message, Property


def test_every_field_has_a_line_with_its_mq_name() -> None:
    lines = list(describe(Message()))
    names = [line.split()[0] for line in lines if line.startswith("  ")]
    assert names[:5] == ["StrucId", "Version", "Report", "MsgType", "Expiry"]
    assert names[-1] == "OriginalLength"
    assert len(names) == 1 + len(MQMD.__slots__)
    assert {"ReplyToQMgr", "CodedCharSetId", "ApplIdentityData", "MsgSeqNumber"} <= set(names)


def test_numbers_carry_their_names_as_a_comment() -> None:
    text = "\n".join(describe(Message(b"", MQMD(report=0x300, feedback=2053, msg_type=77))))
    assert "  Report           : 768  * MQRO_COA_WITH_DATA\n" in text
    assert "  Feedback         : 2053  * MQRC_Q_FULL\n" in text
    assert "  MsgType          : 77\n" in text


def test_identifiers_are_hex_and_names_stand_in_quotes() -> None:
    text = "\n".join(describe(Message(b"", MQMD(msg_id=b"A" * 24, format="MQSTR"))))
    assert f"  MsgId            : X'{'41' * 24}'\n" in text
    assert "  Format           : 'MQSTR   '\n" in text


def test_data_is_listed_in_hex_and_characters() -> None:
    assert list(describe(Message(b"hello")))[-1].split() == ["00000000:", "6865", "6C6C", "6F", "'hello", "'"]


def test_data_of_an_ebcdic_ccsid_has_an_ebcdic_column() -> None:
    message = Message("HELLO".encode("cp500"), MQMD(coded_char_set_id=500))
    assert "'HELLO" in list(describe(message))[-1]


def test_properties_have_a_section_of_their_own() -> None:
    properties = {"colour": Property(MQTYPE_STRING, "r\x1bed"), "raw": Property(MQTYPE_BYTE_STRING, b"\xff")}
    lines = list(describe(Message(b"", None, properties)))
    at = lines.index("****Message properties****")
    assert lines[at + 2 : at + 4] == ["  colour : 'r␛ed'  * string", "  raw : FF  * bytes"]
    assert not any("properties" in line for line in describe(Message()))


@given(st.text(), st.text(), st.binary())
def test_nothing_in_a_message_reaches_the_terminal_raw(name: str, value: str, data: bytes) -> None:
    message = Message(data, MQMD(reply_to_q=name, put_appl_name=value), {name: Property(MQTYPE_STRING, value)})
    shown = "".join(describe(message))
    assert not [char for char in shown if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp")]
