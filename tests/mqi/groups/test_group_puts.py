"""Puts of groups and segments: what is refused, what the descriptor says afterwards, and how messages are cut."""

from __future__ import annotations

import pytest

from mqtools.constants import reasons as rc
from mqtools.constants.message import (
    MQENC_NATIVE,
    MQFMT_RF_HEADER_2,
    MQMF_LAST_MSG_IN_GROUP,
    MQMF_LAST_SEGMENT,
    MQMF_MSG_IN_GROUP,
    MQMF_SEGMENT,
    MQMF_SEGMENTATION_ALLOWED,
    MQOL_UNDEFINED,
)
from mqtools.constants.options import (
    MQGMO_BROWSE_FIRST,
    MQGMO_CONVERT,
    MQOO_OUTPUT,
    MQPMO_LOGICAL_ORDER,
    MQPMO_NO_SYNCPOINT,
    MQPMO_SYNCPOINT,
)
from mqtools.constants.properties import MQTYPE_STRING
from mqtools.headers.mqrfh2 import MQRFH2, pack_mqrfh2
from mqtools.message import MQMD, Message, Property

from ..conftest import QM, fails, take
from .group_story import COMPLETE, LOGICAL, G, part, put, take_all

IN, LAST_IN, SEG, LAST_SEG = MQMF_MSG_IN_GROUP, MQMF_LAST_MSG_IN_GROUP, MQMF_SEGMENT, MQMF_LAST_SEGMENT
CUT = MQMF_SEGMENTATION_ALLOWED
ORDERED = MQPMO_LOGICAL_ORDER


@pytest.mark.conformance("BEY-09")
def test_a_single_put_knows_no_logical_order(qm: QM) -> None:
    with fails(rc.MQRC_OPTIONS_ERROR):
        qm.put("x", options=ORDERED, msg_flags=IN)
    assert qm.depth() == 0


@pytest.mark.conformance("BEY-10", "BEY-11")
def test_in_logical_order_the_place_is_not_the_callers_to_choose(qm: QM) -> None:
    handle = qm.open("Q", MQOO_OUTPUT)
    wrong = {"group_id": G, "msg_seq_number": 7, "offset": 9}
    places = [
        (md.msg_seq_number, md.offset)
        for md in (
            put(handle, IN | SEG, b"12", **wrong),
            put(handle, IN | SEG | LAST_SEG, b"3", **wrong),
            put(handle, LAST_IN, b"4", **wrong),
        )
    ]
    assert places == [(1, 0), (1, 2), (2, 0)]
    assert G not in {result.message.md.group_id for result in qm.got()}


@pytest.mark.conformance("BEY-10")
def test_a_second_group_has_another_id(qm: QM) -> None:
    handle = qm.open("Q", MQOO_OUTPUT)
    ids = [put(handle, flags).group_id for flags in (IN, LAST_IN, IN, LAST_IN)]
    assert ids[0] == ids[1] != ids[2] == ids[3]


@pytest.mark.conformance("BEY-12")
def test_in_a_logical_message_only_its_segments_may_follow(qm: QM) -> None:
    handle = qm.open("Q", MQOO_OUTPUT)
    put(handle, IN | SEG)
    for flags in (IN, SEG, 0):
        with fails(rc.MQRC_INCOMPLETE_MSG):
            put(handle, flags)
    assert qm.depth() == 1
    assert put(handle, IN | LAST_SEG).offset == 1


@pytest.mark.conformance("BEY-12", "BEY-13", "BEY-14")
def test_leaving_an_open_group_fails_warns_and_warns_again_at_the_close(qm: QM) -> None:
    handle = qm.open("Q", MQOO_OUTPUT)
    put(handle, IN)
    with fails(rc.MQRC_INCOMPLETE_GROUP):
        put(handle, 0)
    result = handle.put(Message(b"plain"))
    assert (result.comp_code, result.reason) == (rc.MQCC_WARNING, rc.MQRC_INCOMPLETE_GROUP)
    other = qm.open("Q", MQOO_OUTPUT)
    put(other, IN)
    assert other.close() == rc.MQRC_INCOMPLETE_GROUP


@pytest.mark.conformance("BEY-15")
def test_a_group_begun_outside_a_unit_of_work_is_not_put_in_one(qm: QM) -> None:
    handle = qm.open("Q", MQOO_OUTPUT)
    put(handle, IN, options=ORDERED | MQPMO_NO_SYNCPOINT)
    with fails(rc.MQRC_INCONSISTENT_UOW):
        put(handle, LAST_IN, options=ORDERED | MQPMO_SYNCPOINT)
    assert put(handle, LAST_IN, options=ORDERED | MQPMO_NO_SYNCPOINT).msg_seq_number == 2


@pytest.mark.conformance("BEY-16")
@pytest.mark.parametrize("flags", [IN, SEG])
def test_the_queues_default_counts_as_the_persistence_it_is(qm: QM, flags: int) -> None:
    qm.alter("Q", def_persistence=1)
    handle = qm.open("Q", MQOO_OUTPUT)
    put(handle, flags, persistence=1)
    put(handle, flags, persistence=2)
    with fails(rc.MQRC_INCONSISTENT_PERSISTENCE):
        put(handle, flags, persistence=0)


@pytest.mark.conformance("BEY-17")
@pytest.mark.parametrize("options", [0, ORDERED])
def test_only_the_last_segment_may_be_empty(qm: QM, options: int) -> None:
    handle = qm.open("Q", MQOO_OUTPUT)
    with fails(rc.MQRC_SEGMENT_LENGTH_ZERO):
        put(handle, SEG, b"", options)
    put(handle, SEG, b"ab", ORDERED)
    put(handle, LAST_SEG, b"", ORDERED)
    assert take(qm.open(), COMPLETE) == b"ab"


@pytest.mark.conformance("BEY-18")
@pytest.mark.parametrize("options", [0, ORDERED])
@pytest.mark.parametrize(("given", "stored"), [(LAST_IN, IN | LAST_IN), (LAST_SEG, SEG | LAST_SEG)])
def test_the_last_is_also_one_of_them(qm: QM, options: int, given: int, stored: int) -> None:
    put(qm.open("Q", MQOO_OUTPUT), given, options=options)
    assert qm.open().get().message.md.msg_flags == stored


@pytest.mark.conformance("BEY-19")
@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"msg_seq_number": 0}, rc.MQRC_MSG_SEQ_NUMBER_ERROR),
        ({"msg_seq_number": 1_000_000_000}, rc.MQRC_MSG_SEQ_NUMBER_ERROR),
        ({"offset": -1}, rc.MQRC_OFFSET_ERROR),
        ({"offset": 1_000_000_000}, rc.MQRC_OFFSET_ERROR),
    ],
)
def test_numbers_and_offsets_have_limits(qm: QM, fields: dict[str, int], reason: int) -> None:
    with fails(reason):
        qm.put("x", group_id=G, msg_flags=IN | SEG, **fields)
    assert qm.depth() == 0


@pytest.mark.conformance("BEY-20", "LOGORD-04")
@pytest.mark.parametrize("flags", [IN, LAST_IN, SEG, LAST_SEG, CUT])
def test_a_group_id_is_made_where_one_is_needed_and_none_is_given(qm: QM, flags: int) -> None:
    assert any(qm.put("x", msg_flags=flags).group_id)
    assert qm.put("x", msg_flags=flags, group_id=G).group_id == G
    assert not any(qm.put("x", group_id=G).group_id)


@pytest.mark.conformance("RSEG-36")
def test_the_original_length_is_that_of_the_segment(qm: QM) -> None:
    part(qm, G, 0, "abc", original_length=99)
    qm.put("x", original_length=99)
    assert [result.message.md.original_length for result in qm.got()] == [3, MQOL_UNDEFINED]


# -- messages cut by the queue manager


@pytest.mark.conformance("BEY-21", "BEY-22")
@pytest.mark.parametrize("length", [100, 101, 192, 1000])
def test_a_message_is_cut_only_when_it_is_too_long_and_comes_back_as_it_was(qm: QM, length: int) -> None:
    qm.alter("Q", max_msg_length=100)
    body = bytes(number % 251 for number in range(length))
    md = qm.put(body, msg_flags=CUT, correl_id=b"c" * 24, priority=3)
    assert (md.msg_flags, md.offset, qm.depth() > 1) == (CUT, 0, length > 100)
    result = qm.open().get(COMPLETE)
    assert result.message.data == body
    assert (result.message.md.msg_id, result.message.md.correl_id) == (md.msg_id, b"c" * 24)
    assert result.segmentation == "A"


@pytest.mark.conformance("BEY-21")
def test_the_queue_managers_own_limit_cuts_too(qm: QM) -> None:
    qm.alter_qmgr(max_msg_length=100)
    qm.put(b"z" * 150, msg_flags=CUT)
    assert qm.depth() == 2


@pytest.mark.conformance("BEY-21")
def test_a_message_of_a_group_is_cut_inside_the_group(qm: QM) -> None:
    qm.alter("Q", max_msg_length=100)
    handle = qm.open("Q", MQOO_OUTPUT)
    put(handle, IN, b"1")
    put(handle, LAST_IN | CUT, b"2" * 150)
    places = [(md.msg_seq_number, md.offset, md.msg_flags & LAST_IN) for md in
              (result.message.md for result in qm.got())]  # fmt: skip
    assert places == [(1, 0, 0), (2, 0, LAST_IN), (2, 96, LAST_IN)]


@pytest.mark.conformance("BEY-21")
def test_a_group_that_was_cut_comes_back_in_order(qm: QM) -> None:
    qm.alter("Q", max_msg_length=100)
    handle = qm.open("Q", MQOO_OUTPUT)
    for number, flags in enumerate((IN, IN, LAST_IN)):
        put(handle, flags | CUT, b"%d" % number * 150)
    assert qm.depth() == 6
    assert take_all(qm.open(), COMPLETE | LOGICAL) == [b"%d" % number * 150 for number in range(3)]


@pytest.mark.conformance("BEY-21")
def test_a_segment_can_be_cut_again(qm: QM) -> None:
    qm.alter("Q", max_msg_length=100)
    handle = qm.open("Q", MQOO_OUTPUT)
    put(handle, SEG | CUT, b"a" * 150)
    put(handle, LAST_SEG | CUT, b"b" * 50)
    assert [md.offset for md in (result.message.md for result in qm.got())] == [0, 96, 150]
    put(handle, SEG | CUT, b"a" * 150)
    put(handle, LAST_SEG | CUT, b"b" * 50)
    assert take(qm.open(), COMPLETE) == b"a" * 150 + b"b" * 50


@pytest.mark.conformance("BEY-21")
def test_mq_headers_stay_with_the_first_segment(qm: QM) -> None:
    qm.alter("Q", max_msg_length=100)
    header = pack_mqrfh2(MQRFH2(format="MQSTR", coded_char_set_id=1208), MQENC_NATIVE, 1208)
    body = header + b"z" * 200
    qm.put(body, format=MQFMT_RF_HEADER_2, encoding=MQENC_NATIVE, coded_char_set_id=1208, msg_flags=CUT)
    handle = qm.open()
    assert take(handle, COMPLETE | MQGMO_BROWSE_FIRST) == body
    mds = [result.message.md for result in qm.got()]
    assert mds[0].format == MQFMT_RF_HEADER_2
    assert [md.offset for md in mds] == [0, 64, 160]


@pytest.mark.conformance("BEY-22")
def test_text_that_was_cut_is_converted_as_a_whole(qm: QM) -> None:
    qm.alter("Q", max_msg_length=16)
    qm.put("ü" * 20, format="MQSTR", coded_char_set_id=1208, msg_flags=CUT)
    got = qm.open().get(COMPLETE | MQGMO_CONVERT, md=MQMD(coded_char_set_id=819), match_options=0)
    assert (got.message.data, got.reason) == (b"\xfc" * 20, rc.MQRC_NONE)


@pytest.mark.conformance("BEY-22")
def test_properties_come_once(qm: QM) -> None:
    qm.alter("Q", max_msg_length=100)
    message = Message(b"z" * 150, MQMD(msg_flags=CUT), {"colour": Property(MQTYPE_STRING, "red")})
    qm.main.put1("Q", message)
    got = qm.open().get(COMPLETE).message
    assert (got.data, {name: each.value for name, each in got.properties.items()}) == (b"z" * 150, {"colour": "red"})


@pytest.mark.conformance("BEY-23")
def test_without_permission_nothing_is_cut(qm: QM) -> None:
    qm.alter("Q", max_msg_length=100)
    with fails(rc.MQRC_MSG_TOO_BIG_FOR_Q):
        qm.put(b"z" * 101)
    assert qm.depth() == 0


@pytest.mark.conformance("BEY-24")
def test_a_cut_that_is_refused_leaves_nothing(qm: QM) -> None:
    qm.alter("Q", max_msg_length=100)
    qm.put("other", "R", options=MQPMO_SYNCPOINT)
    with fails(rc.MQRC_UOW_NOT_AVAILABLE):
        qm.put(b"z" * 250, msg_flags=CUT)
    assert qm.depth() == 0
    qm.put(b"z" * 100, msg_flags=CUT)
    qm.put(b"z" * 250, msg_flags=CUT, options=MQPMO_SYNCPOINT)
    qm.main.backout()
    assert qm.data() == [b"z" * 100]


@pytest.mark.conformance("BEY-25")
@pytest.mark.parametrize(("limit", "offsets"), [(20, [0, 16, 32]), (16, [0, 16, 32, 48]), (33, [0, 32])])
def test_segments_have_a_multiple_of_sixteen_bytes(qm: QM, limit: int, offsets: list[int]) -> None:
    qm.alter("Q", max_msg_length=limit)
    qm.put(b"z" * 50, msg_flags=CUT)
    assert [result.message.md.offset for result in qm.got()] == offsets


@pytest.mark.conformance("BEY-25")
def test_where_not_even_sixteen_bytes_fit_nothing_is_cut(qm: QM) -> None:
    qm.alter("Q", max_msg_length=15)
    with fails(rc.MQRC_MSG_TOO_BIG_FOR_Q):
        qm.put(b"z" * 50, msg_flags=CUT)


@pytest.mark.conformance("BEY-26")
def test_the_segments_of_one_message_may_pass_the_depth_limit(qm: QM) -> None:
    qm.alter("Q", max_msg_length=100, max_q_depth=2)
    qm.put(b"x" * 250, msg_flags=CUT)
    assert qm.depth() == 3


@pytest.mark.conformance("BEY-26")
def test_a_full_queue_takes_no_message_that_is_to_be_cut(qm: QM) -> None:
    qm.alter("Q", max_msg_length=100, max_q_depth=1)
    qm.put("x")
    with fails(rc.MQRC_Q_FULL):
        qm.put(b"z" * 250, msg_flags=CUT)
    assert qm.depth() == 1


def test_the_place_of_a_put_is_given_back_only_by_its_own_unit_of_work(qm: QM) -> None:
    inside, outside = qm.open("Q", MQOO_OUTPUT), qm.open("R", MQOO_OUTPUT)
    put(inside, IN, options=ORDERED | MQPMO_SYNCPOINT)
    put(outside, IN)
    qm.main.backout()
    assert put(inside, IN, options=ORDERED | MQPMO_SYNCPOINT).msg_seq_number == 1
    assert put(outside, LAST_IN).msg_seq_number == 2
    qm.main.commit()
    assert put(inside, LAST_IN, options=ORDERED | MQPMO_SYNCPOINT).msg_seq_number == 2
