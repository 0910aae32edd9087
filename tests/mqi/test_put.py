"""MQPUT and MQPUT1: identifiers, defaults of the queue, context, units of work."""

from __future__ import annotations

import re

import pytest

from mqtools.constants import reasons as rc
from mqtools.constants.message import (
    MQCCSI_INHERIT,
    MQCCSI_Q_MGR,
    MQENC_INTEGER_NORMAL,
    MQENC_INTEGER_REVERSED,
    MQFMT_DEAD_LETTER_HEADER,
    MQFMT_RF_HEADER_2,
    MQFMT_STRING,
    MQFMT_XMIT_Q_HEADER,
    MQMF_LAST_MSG_IN_GROUP,
    MQMF_MSG_IN_GROUP,
    MQMT_REPORT,
)
from mqtools.constants.options import (
    MQOO_INPUT_SHARED,
    MQOO_OUTPUT,
    MQOO_PASS_ALL_CONTEXT,
    MQOO_SAVE_ALL_CONTEXT,
    MQPMO_NEW_CORREL_ID,
    MQPMO_NEW_MSG_ID,
    MQPMO_NO_CONTEXT,
    MQPMO_PASS_ALL_CONTEXT,
    MQPMO_SET_ALL_CONTEXT,
    MQPMO_SYNCPOINT,
)
from mqtools.constants.properties import MQTYPE_BOOLEAN, MQTYPE_INT32, MQTYPE_STRING
from mqtools.errors import MQError
from mqtools.headers.chain import read_dlh, walk
from mqtools.headers.mqdlh import MQDLH, pack_mqdlh
from mqtools.headers.mqrfh2 import MQRFH2, pack_mqrfh2
from mqtools.headers.mqxqh import MQXQH, pack_mqxqh, unpack_mqxqh
from mqtools.message import MQMD, Message, Property

from .conftest import QM, fails

ID = bytes(range(1, 25))
BIG, LITTLE = MQENC_INTEGER_NORMAL, MQENC_INTEGER_REVERSED


@pytest.mark.parametrize("special", [MQCCSI_Q_MGR, MQCCSI_INHERIT])
def test_a_special_ccsid_is_stored_as_the_one_that_it_stands_for(qm: QM, special: int) -> None:
    qm.alter_qmgr(coded_char_set_id=819)
    assert qm.put(coded_char_set_id=special).coded_char_set_id == 819
    dlh = MQDLH(dest_q_name="Q", encoding=BIG, coded_char_set_id=MQCCSI_INHERIT, format=MQFMT_RF_HEADER_2)
    rfh2 = MQRFH2(encoding=LITTLE, coded_char_set_id=MQCCSI_INHERIT, format=MQFMT_STRING, folders=["<usr><x/></usr>"])
    data = pack_mqdlh(dlh, LITTLE, 819) + pack_mqrfh2(rfh2, BIG, 819) + b"body"
    qm.put(data, format=MQFMT_DEAD_LETTER_HEADER, encoding=LITTLE, coded_char_set_id=special)
    for result in qm.got()[1:]:
        md = result.message.md
        chain = walk(result.message.data, md.format, md.encoding, md.coded_char_set_id)
        ccsids = [header.record.coded_char_set_id for header in chain.headers]  # type: ignore[attr-defined]
        assert (md.coded_char_set_id, ccsids) == (819, [819, 819])
        assert len(result.message.data) == len(data)


def test_inherit_in_a_transmission_header_is_the_character_set_of_that_header(qm: QM) -> None:
    xqh = MQXQH(msg_desc=MQMD(version=1, format=MQFMT_STRING, encoding=LITTLE, coded_char_set_id=MQCCSI_INHERIT))
    qm.put(pack_mqxqh(xqh, BIG, 500) + b"x", format=MQFMT_XMIT_Q_HEADER, encoding=BIG, coded_char_set_id=500)
    (result,) = qm.got()
    assert unpack_mqxqh(result.message.data, BIG, 500).msg_desc.coded_char_set_id == 500


@pytest.mark.conformance("BEY-01")
def test_a_put_under_syncpoint_is_seen_at_commit_and_gone_at_backout(qm: QM) -> None:
    reader = qm.open(connection=qm.connect())
    qm.put("a", options=MQPMO_SYNCPOINT)
    with fails(rc.MQRC_NO_MSG_AVAILABLE):
        reader.get()
    qm.main.commit()
    assert reader.get().message.data == b"a"
    qm.put("b", options=MQPMO_SYNCPOINT)
    qm.main.backout()
    with fails(rc.MQRC_NO_MSG_AVAILABLE):
        reader.get()


@pytest.mark.conformance("BEY-05")
def test_a_message_id_is_made_when_none_is_given_or_a_new_one_is_asked_for(qm: QM) -> None:
    first, second = qm.put(), qm.put(msg_id=ID, options=MQPMO_NEW_MSG_ID)
    ids = {first.msg_id, second.msg_id}
    assert len(ids) == 2
    assert ID not in ids
    assert all(len(one) == 24 and any(one) for one in ids)
    assert {result.message.md.msg_id for result in qm.got()} == ids


@pytest.mark.conformance("BEY-06", "LOGORD-01")
def test_a_given_message_id_is_kept_even_twice(qm: QM) -> None:
    qm.put(msg_id=ID)
    qm.put(msg_id=ID)
    assert [result.message.md.msg_id for result in qm.got()] == [ID, ID]


@pytest.mark.conformance("BEY-07")
def test_a_new_correlation_id_replaces_the_one_given(qm: QM) -> None:
    md = qm.put(correl_id=ID, options=MQPMO_NEW_CORREL_ID)
    assert md.correl_id != ID
    assert any(md.correl_id)


@pytest.mark.conformance("BEY-45")
def test_priority_and_persistence_as_the_queue_has_them_when_put(qm: QM) -> None:
    qm.alter("Q", def_priority=4, def_persistence=1)
    md = qm.put()
    qm.alter("Q", def_priority=7, def_persistence=0)
    assert (md.priority, md.persistence) == (4, 1)
    found = qm.got()[0].message.md
    assert (found.priority, found.persistence) == (4, 1)


@pytest.mark.conformance("BEY-45")
def test_the_first_definition_on_the_way_gives_the_defaults(qm: QM) -> None:
    qm.define("A", "QALIAS", base_q_name="Q", def_priority=6)
    assert qm.put(q_name="A").priority == 6


@pytest.mark.conformance("BEY-44")
def test_a_priority_above_nine_is_put_with_a_warning_and_ordered_at_nine(qm: QM) -> None:
    qm.put("nine", priority=9)
    result = qm.main.put1("Q", Message(b"twelve", MQMD(priority=12)))
    assert (result.comp_code, result.reason) == (rc.MQCC_WARNING, rc.MQRC_PRIORITY_EXCEEDS_MAXIMUM)
    qm.put("eight", priority=8)
    assert qm.data() == [b"nine", b"twelve", b"eight"]


@pytest.mark.conformance("BEY-95")
def test_default_context_tells_who_put_it_and_when(qm: QM) -> None:
    md = qm.put()
    assert (md.user_identifier, md.put_appl_name, md.put_appl_type) == ("ana", "test", 6)
    assert re.fullmatch(r"\d{8}", md.put_date)
    assert re.fullmatch(r"\d{8}", md.put_time)
    blank = qm.put(options=MQPMO_NO_CONTEXT, user_identifier="me", appl_origin_data="abcd")
    assert (blank.user_identifier, blank.put_appl_name, blank.put_appl_type) == ("", "", 0)
    assert (blank.put_date, blank.put_time, blank.appl_origin_data) == ("", "", "")


def test_set_all_context_keeps_what_the_caller_gives(qm: QM) -> None:
    given = {"user_identifier": "bo", "put_appl_name": "x", "put_appl_type": 28, "put_date": "20200101",
             "put_time": "11223344", "appl_origin_data": "orig", "appl_identity_data": "ident",
             "accounting_token": b"t" * 32}  # fmt: skip
    qm.put(options=MQPMO_SET_ALL_CONTEXT, **given)
    found = qm.got()[0].message.md
    assert {name: getattr(found, name) for name in given} == given


def test_pass_all_context_hands_on_the_context_of_the_message_got(qm: QM) -> None:
    qm.put("a", options=MQPMO_SET_ALL_CONTEXT, user_identifier="bo", put_appl_name="far", put_date="20200101")
    source = qm.open("Q", MQOO_INPUT_SHARED | MQOO_SAVE_ALL_CONTEXT)
    sink = qm.open("R", MQOO_OUTPUT | MQOO_PASS_ALL_CONTEXT)
    message = source.get().message
    sink.put(Message(message.data), MQPMO_PASS_ALL_CONTEXT, context=source)
    found = qm.got("R")[0].message.md
    assert (found.user_identifier, found.put_appl_name, found.put_date) == ("bo", "far", "20200101")


def test_passing_context_without_a_handle_to_take_it_from_is_an_error(qm: QM) -> None:
    sink = qm.open("R", MQOO_OUTPUT | MQOO_PASS_ALL_CONTEXT)
    with fails(rc.MQRC_CONTEXT_HANDLE_ERROR):
        sink.put(Message(), MQPMO_PASS_ALL_CONTEXT)
    qm.put()
    saves_none, saves = qm.open("Q", MQOO_INPUT_SHARED), qm.open("Q", MQOO_INPUT_SHARED | MQOO_SAVE_ALL_CONTEXT)
    saves_none.get()
    with fails(rc.MQRC_CONTEXT_HANDLE_ERROR):
        sink.put(Message(), MQPMO_PASS_ALL_CONTEXT, context=saves_none)
    with fails(rc.MQRC_CONTEXT_NOT_AVAILABLE):
        sink.put(Message(), MQPMO_PASS_ALL_CONTEXT, context=saves)


@pytest.mark.conformance("BEY-50")
def test_a_put_needs_a_handle_that_is_open_for_it(qm: QM) -> None:
    reader = qm.open(options=MQOO_INPUT_SHARED)
    with fails(rc.MQRC_NOT_OPEN_FOR_OUTPUT):
        reader.put(Message(b"x"))
    with fails(rc.MQRC_NOT_OPEN_FOR_OUTPUT):
        reader.put_many([Message(b"x")])
    assert qm.depth() == 0


def test_a_refused_put_changes_nothing_the_descriptor_included(qm: QM) -> None:
    message = Message(b"x", MQMD(expiry=0))
    before = message.md.replace()
    with fails(rc.MQRC_EXPIRY_ERROR):
        qm.main.put1("Q", message)
    assert message.md == before
    assert qm.depth() == 0


@pytest.mark.conformance("BEY-20", "BEY-18")
def test_a_group_message_without_group_id_gets_one_and_the_flag_that_last_implies(qm: QM) -> None:
    md = qm.put(msg_flags=MQMF_LAST_MSG_IN_GROUP, msg_seq_number=3)
    assert any(md.group_id)
    found = qm.got()[0].message.md
    assert found.msg_flags == MQMF_MSG_IN_GROUP | MQMF_LAST_MSG_IN_GROUP
    assert (found.group_id, found.msg_seq_number, found.offset) == (md.group_id, 3, 0)


@pytest.mark.conformance("LOGORD-05")
def test_a_message_outside_groups_has_no_group_fields_whatever_was_given(qm: QM) -> None:
    found = qm.put(group_id=ID, msg_seq_number=5, offset=0)
    assert (found.group_id, found.msg_seq_number, found.offset) == (bytes(24), 1, 0)


def test_ccsid_zero_becomes_the_queue_managers_and_a_reply_queue_gets_its_queue_manager(qm: QM) -> None:
    md = qm.put(reply_to_q="R")
    assert (md.coded_char_set_id, md.reply_to_q_mgr) == (1208, "QM1")


@pytest.mark.conformance("RPT-30")
def test_an_application_may_put_a_report_with_its_own_feedback(qm: QM) -> None:
    qm.put(msg_type=MQMT_REPORT, feedback=65600)
    assert qm.got()[0].message.md.feedback == 65600


@pytest.mark.conformance("TYPES-01", "TYPES-02")
@pytest.mark.parametrize("msg_type", [1, 2, 4, 8, 65536, 999999999])
def test_the_type_of_a_message_survives(qm: QM, msg_type: int) -> None:
    qm.put(msg_type=msg_type, reply_to_q="R")
    assert qm.got()[0].message.md.msg_type == msg_type


def test_put_each_stops_at_the_first_that_fails_and_keeps_what_came_before(qm: QM) -> None:
    qm.alter("Q", max_q_depth=2)
    results, error = qm.main.put_each("Q", [Message(data) for data in (b"a", b"b", b"c", b"d")])
    assert len(results) == 2
    assert isinstance(error, MQError)
    assert error.reason == rc.MQRC_Q_FULL
    assert qm.data() == [b"a", b"b"]


@pytest.mark.conformance("BEY-67")
def test_what_a_queue_refuses_can_go_to_the_dead_letter_queue_with_its_reason(qm: QM) -> None:
    results, error = qm.main.put_each("NO.SUCH.Q", [Message(b"x", MQMD(format="MQSTR"))], dead_letter=True)
    assert error is None
    assert results[0].reason == rc.MQRC_UNKNOWN_OBJECT_NAME
    dead = qm.got("DLQ")[0].message
    dlh = read_dlh(dead.md, dead.data)
    assert (dlh.reason, dlh.dest_q_name, dlh.dest_q_mgr_name) == (rc.MQRC_UNKNOWN_OBJECT_NAME, "NO.SUCH.Q", "QM1")
    assert (dlh.format, dead.md.format, dead.data[172:]) == ("MQSTR", "MQDEAD", b"x")


def test_a_message_that_is_wrong_in_itself_is_not_dead_lettered(qm: QM) -> None:
    _, error = qm.main.put_each("Q", [Message(b"x", MQMD(expiry=0))], dead_letter=True)
    assert error is not None
    assert error.reason == rc.MQRC_EXPIRY_ERROR
    assert qm.depth("DLQ") == 0


def test_properties_come_back_as_they_were_put(qm: QM) -> None:
    given = {
        "colour": Property(MQTYPE_STRING, "red"),
        "count": Property(MQTYPE_INT32, 7),
        "usr.urgent": Property(MQTYPE_BOOLEAN, True, copy_options=0),
    }
    qm.main.put1("Q", Message(b"", MQMD(), dict(given)))
    assert qm.got()[0].message.properties == given


def test_a_body_longer_than_a_chunk_comes_back_whole(qm: QM) -> None:
    body = bytes(range(256)) * 3000
    qm.put(body)
    assert qm.data() == [body]
    assert qm.got()[0].message.data == body
    row = qm.main.db.one("select count(*) from message_chunks")
    assert row == (0,)
