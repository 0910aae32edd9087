"""Filters of the lifecycle verbs: names, values, and what is left to be looked at message by message."""

from __future__ import annotations

import pytest

from mqtools.constants.properties import MQTYPE_BOOLEAN, MQTYPE_LONG, MQTYPE_STRING
from mqtools.constants.reasons import MQRC_SELECTION_STRING_ERROR
from mqtools.message import MQMD, Property
from mqtools.rules.index_fields import INDEX_FIELDS, IndexFilter, build_msg_id, unique_id

from ..errors import fails

ID = bytes(range(1, 25))
MADE = b"AMQ QM1         " + (7_000).to_bytes(8, "big")

#: Every name of the catalogue's table of fields, and the field that it means.
NAMES = {
    "MQe.Msg_OriginQMgr": "origin_q_mgr",
    "MQe.Msg_Time": "msg_time",
    "MQE_MSG_ORIGIN_QMGR": "origin_q_mgr",
    "MQE_MSG_TIME": "msg_time",
    "MQe.Msg_ID": "msg_id",
    "MQE_MSG_MSGID": "msg_id",
    "MQe.Msg_CorrelID": "correl_id",
    "MQE_MSG_CORRELID": "correl_id",
    "MQe.Msg_Priority": "priority",
    "MQE_MSG_PRIORITY": "priority",
}
VALUES: dict[str, object] = {"origin_q_mgr": "QM1", "msg_time": 7, "msg_id": ID, "correl_id": ID, "priority": 5}


def parts(given: dict[str, object]) -> tuple[object, ...]:
    made = IndexFilter(given)
    return made.sought, made.origin_q_mgr, made.msg_time, made.reads_messages


@pytest.mark.conformance("INDEX-02")
def test_the_index_has_four_fields_one_of_them_in_two_parts() -> None:
    assert list(INDEX_FIELDS) == ["origin_q_mgr", "msg_time", "msg_id", "correl_id", "priority"]


@pytest.mark.conformance("INDEX-07", "AMB-29")
@pytest.mark.parametrize("name", NAMES)
def test_the_names_of_both_codebases_mean_the_same_field_as_ours(name: str) -> None:
    value = VALUES[NAMES[name]]
    ours = parts({NAMES[name]: value})
    assert parts({name: value}) == parts({name.removeprefix("MQe."): value}) == ours
    assert ours != parts({})


def test_the_index_serves_identifiers_and_priority_and_no_message_is_looked_at_for_them() -> None:
    made = IndexFilter({"msg_id": ID, "MQE_MSG_PRIORITY": 5, "group_id": b"short"})
    assert made.sought == {"msg_id": ID, "priority": 5, "group_id": b"short".ljust(24, b"\0")}
    assert not made.reads_messages


def test_an_identifier_of_no_value_is_in_no_index_and_looked_for_in_the_messages() -> None:
    made = IndexFilter({"correl_id": bytes(24)})
    assert (made.sought, made.reads_messages) == ({}, True)
    assert made.matches(MQMD(), {}, ("QM1", 1))
    assert not made.matches(MQMD(correl_id=ID), {}, ("QM1", 1))


@pytest.mark.conformance("INDEX-10")
def test_other_names_are_fields_of_the_descriptor_and_properties() -> None:
    made = IndexFilter({"format": "MQSTR", "city": "Rome", "Root.MQMD.MsgType": 8, "usr.old": True})
    properties = {"city": Property(MQTYPE_STRING, "Rome"), "old": Property(MQTYPE_BOOLEAN, True)}
    assert made.sought == {}
    assert made.matches(MQMD(format="MQSTR"), properties, ("QM1", 1))
    assert not made.matches(MQMD(format=""), properties, ("QM1", 1))
    assert not made.matches(MQMD(format="MQSTR", msg_type=1), properties, ("QM1", 1))
    assert not made.matches(MQMD(format="MQSTR"), {**properties, "city": Property(MQTYPE_STRING, "Pisa")}, ("QM1", 1))
    assert not made.matches(MQMD(format="MQSTR"), {**properties, "old": Property(MQTYPE_LONG, 1)}, ("QM1", 1))
    assert not made.matches(MQMD(format="MQSTR"), {}, ("QM1", 1))


@pytest.mark.parametrize(
    ("given", "fits"),
    [
        ({"origin_q_mgr": "QM1"}, True),
        ({"origin_q_mgr": "QM2"}, False),
        ({"msg_time": 7}, True),
        ({"msg_time": 8}, False),
        ({"origin_q_mgr": "QM1", "msg_time": 8}, False),
        ({"origin_q_mgr": "QM2", "msg_time": 7}, False),
    ],
)
def test_each_part_of_the_unique_id_must_be_the_message_s(given: dict[str, object], fits: bool) -> None:
    assert IndexFilter(given).matches(MQMD(), {}, ("QM1", 7)) == fits


@pytest.mark.parametrize(
    "given",
    [
        pytest.param({"priority": "5"}, id="text for a number"),
        pytest.param({"priority": True}, id="a truth value for a number"),
        pytest.param({"msg_id": "00"}, id="text for bytes"),
        pytest.param({"MQE_MSG_TIME": 1.5}, id="a fraction"),
        pytest.param({"": 1}, id="no name"),
        pytest.param({"Root.MQMD.Nothing": 1}, id="no such field"),
        pytest.param({"priority": 5, "Msg_Priority": 6}, id="two values"),
    ],
)
def test_what_cannot_be_is_refused(given: dict[str, object]) -> None:
    with fails(MQRC_SELECTION_STRING_ERROR):
        IndexFilter(given)


def test_one_field_by_two_names_with_one_value_is_no_mistake() -> None:
    assert IndexFilter({"Msg_ID": ID, "msg_id": ID}).sought == {"msg_id": ID}


@pytest.mark.conformance("INDEX-03")
def test_the_unique_id_is_in_an_identifier_that_a_queue_manager_made() -> None:
    assert unique_id(MQMD(msg_id=MADE), 9, "QM2") == ("QM1", 7_000)
    assert build_msg_id("QM1", 7_000) == MADE
    assert unique_id(MQMD(msg_id=ID), 9, "QM2") == ("QM2", 9)


def test_a_long_name_of_a_queue_manager_is_known_by_its_first_twelve_characters() -> None:
    name = "A.QUEUE.MANAGER.OF.OURS"
    made = build_msg_id(name, 1)
    assert made is not None
    assert unique_id(MQMD(msg_id=made), 9, name) == (name, 1)
    assert IndexFilter({"origin_q_mgr": name}).matches(MQMD(), {}, ("A.QUEUE.MANA", 1))


@pytest.mark.parametrize("time", [-1, 1 << 64])
def test_no_identifier_is_made_of_a_time_that_has_no_room_in_it(time: int) -> None:
    assert build_msg_id("QM1", time) is None
