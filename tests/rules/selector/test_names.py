"""Names in selectors: meaning, and which of them lead to an index."""

import pytest

from mqtools.constants.message import MQMF_MSG_IN_GROUP, MQPER_NOT_PERSISTENT, MQPER_PERSISTENT
from mqtools.constants.properties import MQTYPE_INT32, MQTYPE_NULL, MQTYPE_STRING
from mqtools.errors import SelectorSyntaxError
from mqtools.message import MQMD, Property
from mqtools.rules.selector.selector import compile_selector

ID = bytes(range(1, 25))

MESSAGE = MQMD(
    msg_id=ID,
    correl_id=ID[::-1],
    group_id=b"G" * 24,
    priority=6,
    persistence=MQPER_PERSISTENT,
    format="MQSTR",
    backout_count=2,
    reply_to_q="REPLIES",
    reply_to_q_mgr="QM1",
    user_identifier="alice",
    put_appl_name="billing",
    put_date="20240229",
    put_time="12345678",
    msg_seq_number=3,
    msg_flags=MQMF_MSG_IN_GROUP,
)


def text_property(value):
    return Property(MQTYPE_STRING, value)


def selects(text, md=MESSAGE, properties=None, more=None):
    return compile_selector(text).matches(md, properties or {}, more=more)


def literal(value):
    if isinstance(value, bytes):
        return f'"0x{value.hex()}"'
    return f"'{value}'" if isinstance(value, str) else str(value)


@pytest.mark.conformance("BEY-81")
@pytest.mark.parametrize("field", MQMD.__slots__)
def test_every_descriptor_field_has_its_name(field):
    name = "Root.MQMD." + "".join(word.capitalize() for word in field.split("_"))
    value = getattr(MESSAGE, field)
    other = {bytes: b"\xff" * 24, str: "other", int: 77}[type(value)]

    assert selects(f"{name} = {literal(value)}")
    assert not selects(f"{name} = {literal(other)}")


@pytest.mark.conformance("BEY-81")
def test_priority_selects_only_messages_above():
    selector = compile_selector("Root.MQMD.Priority > 5")

    assert [p for p in range(10) if selector.matches(MQMD(priority=p), {})] == [6, 7, 8, 9]


@pytest.mark.parametrize(
    "text",
    [
        "Root.MQMD.Format = 'MQSTR   '",
        "Root.MQMD.Format IN ('MQSTR   ')",
        "Root.MQMD.PutApplName LIKE 'bill%'",
        f"Root.MQMD.MsgId = 0x{ID.hex().upper()}",
        f"Root.MQMD.MsgId IN (0x{ID.hex()}, 0x00)",
        "Root.MQMD.MsgId <> 0x0102",
        f"JMSMessageID = 'ID:{ID.hex()}'",
        f"JMSMessageID = 'ID:{ID.hex().upper()}'",
        "JMSMessageID LIKE 'ID:0102030405060708090A%'",
        f"JMSCorrelationID = 'ID:{ID[::-1].hex()}'",
        "JMSDeliveryMode = 'PERSISTENT'",
        "JMSPriority = 6",
        "JMSRedelivered",
        "JMSXDeliveryCount = 3",
        "JMSReplyTo = 'queue://QM1/REPLIES'",
        "JMSTimestamp = 1709210096780",
        "JMSExpiration = -1",
        "JMSXAppID = 'billing'",
        "JMSXUserID = 'alice'",
        f"JMSXGroupID = 'ID:{b'G'.hex() * 24}'",
        "JMSXGroupSeq = 3",
        "JMSType IS NULL",
        "JMSDestination IS NULL",
    ],
)
def test_name_from_the_descriptor(text):
    assert selects(text)


@pytest.mark.parametrize(
    ("name", "md"),
    [
        ("JMSMessageID", MQMD()),
        ("JMSCorrelationID", MQMD()),
        ("JMSDeliveryMode", MQMD()),
        ("JMSReplyTo", MQMD()),
        ("JMSTimestamp", MQMD()),
        ("JMSTimestamp", MQMD(put_date="20249901", put_time="00000000")),
        ("JMSTimestamp", MQMD(put_date="2024-2-1", put_time="00000000")),
        ("JMSXGroupID", MQMD(group_id=b"G" * 24)),
        ("JMSXGroupSeq", MQMD(msg_seq_number=3)),
    ],
)
def test_jms_name_is_null_where_the_descriptor_does_not_say(name, md):
    assert selects(f"{name} IS NULL", md)


def test_message_that_is_not_persistent_has_its_jms_word():
    assert selects("JMSDeliveryMode = 'NON_PERSISTENT'", MQMD(persistence=MQPER_NOT_PERSISTENT))


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("jms.Cid", "JMSCorrelationID = 'mine'"),
        ("jms.Dst", "JMSDestination = 'mine'"),
        ("jms.Rto", "JMSReplyTo = 'mine'"),
        ("jms.Gid", "JMSXGroupID = 'mine'"),
        ("mcd.Type", "JMSType = 'mine'"),
        ("JMSType", "JMSType = 'mine'"),
        ("jms.Dst", "jms.Dst = 'mine'"),
        ("mcd.Type", "mcd.Type LIKE 'm%'"),
    ],
)
def test_jms_folder_goes_before_the_descriptor(key, text):
    assert selects(text, properties={key: text_property("mine")})


@pytest.mark.parametrize("stored", ["colour", "usr.colour"])
@pytest.mark.parametrize("called", ["colour", "usr.colour"])
def test_property_of_folder_usr_has_two_names(stored, called):
    assert selects(f"{called} = 'red'", properties={stored: text_property("red")})


def test_names_are_of_one_case():
    properties = {"colour": text_property("red")}

    assert selects("Colour IS NULL AND USR.colour IS NULL AND colour IS NOT NULL", properties=properties)


def test_further_values_are_found_by_name_behind_properties():
    more = {"mqx.state": "locked", "colour": "blue", "strange": object()}
    properties = {"colour": text_property("red"), "empty": Property(MQTYPE_NULL, None)}

    assert selects("mqx.state = 'locked' AND colour = 'red'", properties=properties, more=more)
    assert selects("strange IS NULL AND empty IS NULL", properties=properties, more=more | {"empty": 1})


@pytest.mark.conformance("BEY-82")
def test_one_selector_serves_many_messages():
    selector = compile_selector("colour = 'red' AND Root.MQMD.Priority = 6")

    assert selector.matches(MESSAGE, {"colour": text_property("red")})
    assert not selector.matches(MESSAGE, {"colour": text_property("blue")})
    assert not selector.matches(MQMD(priority=5), {"colour": text_property("red")})


#: Selector to the terms of which an index may be sure.
TERMS = [
    pytest.param(f'Root.MQMD.MsgId = "0x{ID.hex()}"', {"msg_id": ID}, id="INDEX-08"),
    pytest.param(f"JMSMessageID = 'ID:{ID.hex().upper()}'", {"msg_id": ID}, id="INDEX-08-jms"),
    pytest.param(
        f"Root.MQMD.CorrelId = 0x{ID.hex()} AND city = 'Rome'", {"correl_id": ID}, id="INDEX-11"
    ),
    pytest.param(
        "Root.MQMD.Priority = 5 AND (Root.MQMD.MsgSeqNumber = 2 AND 0x0A0B = Root.MQMD.GroupId)",
        {"priority": 5, "msg_seq_number": 2, "group_id": b"\x0a\x0b"},
        id="INDEX-09",
    ),
    pytest.param("JMSPriority = 5", {"priority": 5}, id="synonym"),
    pytest.param("Root.MQMD.Priority = 5.0", {"priority": 5}, id="whole-decimal"),
    pytest.param("Root.MQMD.Priority = -1", {"priority": -1}, id="signed"),
    pytest.param("Root.MQMD.Priority = 0x7FFFFFFF", {"priority": 2147483647}, id="hexadecimal"),
    pytest.param(f'Root.MQMD.CorrelId = "0x{bytes(24).hex()}"', {}, id="no-identifier-is-in-no-index"),
    pytest.param("((Root.MQMD.Priority = 5))", {"priority": 5}, id="parentheses"),
    pytest.param("Root.MQMD.Priority = 5 AND Root.MQMD.Priority = 6", {"priority": 5}, id="first-of-two"),
    pytest.param("Root.MQMD.Priority = 5 OR city = 'Rome'", {}, id="or"),
    pytest.param("NOT Root.MQMD.Priority = 5", {}, id="not"),
    pytest.param("NOT (Root.MQMD.Priority = 5 AND urgent)", {}, id="not-and"),
    pytest.param("Root.MQMD.Priority <> 5", {}, id="not-equal"),
    pytest.param("Root.MQMD.Priority >= 5", {}, id="order"),
    pytest.param("Root.MQMD.Priority = 5.5", {}, id="no-whole-number"),
    pytest.param("Root.MQMD.Priority = 1E300", {}, id="beyond-the-field"),
    pytest.param("Root.MQMD.Priority = TRUE", {}, id="boolean"),
    pytest.param("Root.MQMD.Priority = '5'", {}, id="string"),
    pytest.param("Root.MQMD.Priority = size", {}, id="two-names"),
    pytest.param("Root.MQMD.MsgId = 5", {}, id="number-for-bytes"),
    pytest.param("Root.MQMD.Format = 'MQSTR'", {}, id="field-without-index"),
    pytest.param("MsgId = 0x0A0B", {}, id="property-of-that-name"),
    pytest.param(f"JMSCorrelationID = 'ID:{ID.hex()}'", {}, id="jms-folder-might-say-otherwise"),
    pytest.param("JMSMessageID = 'other'", {}, id="no-identifier"),
    pytest.param("JMSMessageID = 'ID:xyz'", {}, id="no-digits"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "terms"), TERMS)
def test_index_terms_are_what_every_match_must_have(text, terms):
    assert compile_selector(text).index_terms() == terms


def test_index_terms_are_a_copy():
    selector = compile_selector("JMSPriority = 5")
    selector.index_terms().clear()

    assert selector.index_terms() == {"priority": 5}


def test_property_of_any_type_is_read():
    assert selects("size = 4", properties={"size": Property(MQTYPE_INT32, 4)})
    with pytest.raises(SelectorSyntaxError):
        compile_selector("Root.MQMD. = 4")
