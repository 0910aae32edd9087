"""Loading keeps every byte and field of a message, even damaged headers."""

from __future__ import annotations

import pytest

from mqtools.constants import reasons as rc
from mqtools.constants.properties import (
    MQTYPE_INT32,
)
from mqtools.headers.chain import prefix_dlh
from mqtools.message import MQMD, Message, Property
from mqtools.operations.load import check_message, load_messages

from ..descriptors import FILLED
from ..mqi.conftest import QM, fails
from .loads import RFH2_DATA, RFH2_MD, full, load, unloaded

# -- what may change ----------------------------------------------------------------------------------------


def test_all_of_a_descriptor_stays_context_and_backout_count_too(qm: QM) -> None:
    md = FILLED.replace(expiry=-1)
    load(qm, Message(b"\0\xff", md.replace()))
    assert unloaded(qm) == [Message(b"\0\xff", md)]


def test_only_what_a_queue_manager_must_decide_is_decided(qm: QM) -> None:
    qm.alter("Q", def_priority=6, def_persistence=1)
    load(qm, Message(b"x", MQMD(reply_to_q="R")))
    (found,) = unloaded(qm)
    assert found.md.msg_id != bytes(24)
    assert found.md == MQMD(
        msg_id=found.md.msg_id,
        coded_char_set_id=1208,
        reply_to_q="R",
        reply_to_q_mgr="QM1",
        priority=6,
        persistence=1,
    )


def test_expiry_begins_again_with_what_was_left(qm: QM, advance) -> None:
    load(qm, Message(b"x", full(expiry=100)))
    advance(4)
    (found,) = unloaded(qm)
    assert found.md.expiry in (59, 60)
    load(qm, found, q_name="R")
    advance(5)
    assert [each.md.expiry for each in unloaded(qm, "R")] in ([9], [10])
    advance(2)
    assert unloaded(qm, "R") == []


def test_a_version_1_descriptor_has_no_place_in_a_group(qm: QM) -> None:
    load(qm, Message(b"x", full(version=1, group_id=b"g" * 24, msg_flags=8, msg_seq_number=3)))
    assert unloaded(qm)[0].md == full()


def test_arrival_is_reported_if_asked_for_even_to_the_queue_that_is_loaded(qm: QM) -> None:
    md = full(report=0x100, reply_to_q="Q", reply_to_q_mgr="QM1")
    load(qm, Message(b"x", md), Message(b"y", md.replace()))
    assert [message.md.feedback for message in unloaded(qm)] == [0, 259, 0, 259]


# -- bytes are not looked at --------------------------------------------------------------------------------


@pytest.mark.conformance("BEY-67")
@pytest.mark.parametrize("format_name", ["MQDEAD", "MQXMIT", "MQHRF2", "MQHREF", "MQHMDE", "MQCICS"])
@pytest.mark.parametrize("data", [b"", b"no header at all", b"DLH \1\0\0\0cut"])
def test_a_damaged_header_loads_as_it_is(qm: QM, format_name: str, data: bytes) -> None:
    for version in (1, 2):
        load(qm, Message(data, full(version=version, format=format_name)))
    assert unloaded(qm) == [Message(data, full(format=format_name))] * 2


@pytest.mark.conformance("BEY-67")
def test_a_dead_letter_loads_as_it_is(qm: QM) -> None:
    md, data = prefix_dlh(full(format="MQSTR"), b"order", reason=2053, dest_q_name="Q")
    load(qm, Message(data, md.replace()), q_name="DLQ")
    assert unloaded(qm, "DLQ") == [Message(data, md)]


def test_the_properties_of_an_mqrfh2_in_front_are_those_of_the_message(qm: QM) -> None:
    load(qm, Message(RFH2_DATA, full(**{name: getattr(RFH2_MD, name) for name in ("format", "coded_char_set_id")})))
    (found,) = unloaded(qm, where="colour = 'red'")
    assert (found.data, sorted(found.properties)) == (RFH2_DATA, ["usr.colour"])


def test_options_that_only_other_queue_managers_know_are_left_to_them(qm: QM) -> None:
    md = full(report=0x10000)
    assert check_message(Message(b"x", md)) == rc.MQRC_UNKNOWN_REPORT_OPTION
    load(qm, Message(b"x", md.replace()))
    assert unloaded(qm)[0].md == md


# -- refusals -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"expiry": 0}, rc.MQRC_EXPIRY_ERROR),
        ({"msg_type": 0}, rc.MQRC_MSG_TYPE_ERROR),
        ({"version": 3}, rc.MQRC_MD_ERROR),
        ({"report": 0x100}, rc.MQRC_MISSING_REPLY_TO_Q),
    ],
)
def test_a_descriptor_that_no_queue_manager_can_have_accepted_is_refused(
    qm: QM, fields: dict[str, object], reason: int
) -> None:
    message = Message(b"x", full(**fields))
    with fails(reason):
        check_message(message)
    at, error = load_messages(qm.main, "Q", [Message(b"good"), message])
    assert (at, error and error.reason, qm.depth()) == (1, reason, 0)


def test_properties_that_could_not_be_handed_out_are_refused() -> None:
    with fails(rc.MQRC_PROPERTY_NAME_ERROR):
        check_message(Message(b"x", full(), {"a.b": Property(MQTYPE_INT32, 1), "a.b.c": Property(MQTYPE_INT32, 1)}))


def test_a_unit_is_loaded_whole_or_not_at_all(qm: QM) -> None:
    qm.alter("Q", max_q_depth=3)
    load(qm, Message(b"1"))
    at, error = load_messages(qm.main, "Q", [Message(b"2"), Message(b"3"), Message(b"4")])
    assert (at, error and error.reason) == (2, rc.MQRC_Q_FULL)
    assert qm.data() == [b"1"]


def test_a_report_on_the_queue_that_is_loaded_takes_room_there(qm: QM) -> None:
    qm.alter("Q", max_q_depth=2)
    at, error = load_messages(qm.main, "Q", [Message(b"x", full(report=0x100, reply_to_q="Q")), Message(b"y")])
    assert (at, error and error.reason) == (1, rc.MQRC_Q_FULL)


def test_a_queue_that_is_full_of_what_the_dead_had_uncommitted_takes_as_much_as_it_has_room_for(
    qm: QM, monkeypatch: pytest.MonkeyPatch
) -> None:
    qm.alter("Q", max_q_depth=2)
    other = qm.connect()
    load_messages(other, "Q", [Message(b"1"), Message(b"2")], in_unit_of_work=True)
    monkeypatch.setattr("mqtools.mqi.recovery.is_dead", lambda *_: True)
    load(qm, Message(b"3"), Message(b"4"))
    assert qm.data() == [b"3", b"4"]
    at, error = load_messages(qm.main, "Q", [Message(b"5")])
    assert (at, error and error.reason) == (0, rc.MQRC_Q_FULL)


def test_a_unit_of_work_is_there_when_it_is_committed(qm: QM) -> None:
    load_messages(qm.main, "Q", [Message(b"1")], in_unit_of_work=True)
    load_messages(qm.main, "Q", [Message(b"2")], in_unit_of_work=True)
    assert unloaded(qm) == []
    qm.main.commit()
    assert [message.data for message in unloaded(qm)] == [b"1", b"2"]


def test_what_is_persistent_among_others_is_on_disk_when_the_load_returns(
    qm: QM, monkeypatch: pytest.MonkeyPatch
) -> None:
    flushed: list[object] = []
    monkeypatch.setattr(type(qm.main.db), "sync", lambda db: flushed.append(db))
    load(qm, Message(b"1", full()), Message(b"2", full()))
    assert flushed == []
    load(qm, Message(b"1", full(persistence=1)), Message(b"2", full()))
    assert flushed == [qm.main.db]
