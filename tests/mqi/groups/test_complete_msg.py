"""MQGMO_COMPLETE_MSG: segments put together, what the result is like, what is left, and units of work."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mqtools.constants import reasons as rc
from mqtools.constants.message import (
    MQENC_NATIVE,
    MQFMT_RF_HEADER_2,
    MQMF_LAST_MSG_IN_GROUP,
    MQMF_LAST_SEGMENT,
    MQMF_MSG_IN_GROUP,
    MQMF_SEGMENT,
    MQRO_COD,
)
from mqtools.constants.options import (
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_MSG_UNDER_CURSOR,
    MQGMO_BROWSE_NEXT,
    MQGMO_CONVERT,
    MQGMO_LOCK,
    MQGMO_MSG_UNDER_CURSOR,
    MQGMO_SYNCPOINT,
    MQGMO_SYNCPOINT_IF_PERSISTENT,
    MQGMO_WAIT,
    MQMO_MATCH_CORREL_ID,
    MQMO_MATCH_GROUP_ID,
    MQMO_MATCH_MSG_ID,
    MQMO_MATCH_MSG_TOKEN,
    MQMO_MATCH_OFFSET,
    MQOO_BROWSE,
    MQOO_INPUT_SHARED,
    MQPMO_SYNCPOINT,
)
from mqtools.errors import MQError, StorageError
from mqtools.headers.mqrfh2 import MQRFH2, pack_mqrfh2
from mqtools.message import MQMD, Message
from mqtools.mqi.get import removal

from ..children import getter, output_of, start_child, start_waiting, until, waiters
from ..conftest import QM, fails, take
from .group_story import (
    ALL_MSGS,
    ALL_SEGMENTS,
    COMPLETE,
    LOGICAL,
    G,
    K,
    L,
    failing,
    nothing,
    part,
    parts,
    take_all,
    take_by,
)

LAST_IN = MQMF_MSG_IN_GROUP | MQMF_LAST_MSG_IN_GROUP
TWO = ("ab", "cd")
DAMAGE = StorageError("the disk cannot be read", rc.MQRC_OBJECT_DAMAGED)


# -- what is put together


@pytest.mark.conformance("COMPL-03")
@pytest.mark.parametrize("options", [0, ALL_SEGMENTS, ALL_MSGS, LOGICAL])
def test_no_other_option_puts_segments_together(qm: QM, options: int) -> None:
    parts(qm, G, "ab", "cd", "e")
    assert take(qm.open(), options) == b"ab"
    assert qm.depth() == 2


@pytest.mark.conformance("COMPL-18", "COMPL-04", "COMPL-02")
def test_the_descriptor_is_that_of_the_first_segment(qm: QM) -> None:
    part(qm, G, 2, "cd", last=True, correl_id=b"2" * 24, priority=9, report=MQRO_COD, reply_to_q="R")
    first = part(qm, G, 0, "ab", correl_id=b"1" * 24, priority=3)
    result = qm.open().get(COMPLETE)
    md = result.message.md
    assert (md.msg_id, md.correl_id, md.priority) == (first.msg_id, b"1" * 24, 3)
    assert (result.message.data, result.segment_status, qm.depth(), qm.depth("R")) == (b"abcd", "L", 0, 0)


@pytest.mark.conformance("COMPL-19")
def test_the_flags_say_that_it_is_the_only_segment_and_keep_those_of_the_group(qm: QM) -> None:
    parts(qm, G, *TWO, flags=LAST_IN)
    assert qm.open().get(COMPLETE).message.md.msg_flags == LAST_IN | MQMF_SEGMENT | MQMF_LAST_SEGMENT


def test_mq_headers_in_front_are_kept_once_and_count_in_no_offset(qm: QM) -> None:
    header = pack_mqrfh2(MQRFH2(format="MQSTR", coded_char_set_id=1208), MQENC_NATIVE, 1208)
    part(qm, G, 0, header + b"abc", format=MQFMT_RF_HEADER_2, encoding=MQENC_NATIVE, coded_char_set_id=1208)
    part(qm, G, 3, b"def", last=True, format="MQSTR", encoding=MQENC_NATIVE, coded_char_set_id=1208)
    handle = qm.open()
    assert take(handle, ALL_SEGMENTS | MQGMO_BROWSE_FIRST).endswith(b"abc")
    assert take(handle, COMPLETE) == header + b"abcdef"


@pytest.mark.conformance("COMPL-20", "COMPL-21", "COMPL-22", "COMPL-23")
@pytest.mark.parametrize("convert", [0, MQGMO_CONVERT])
@pytest.mark.parametrize(
    ("field", "values", "given", "reason"),
    [
        ("coded_char_set_id", (1208, 1208, 819), b"abcd", rc.MQRC_INCONSISTENT_CCSIDS),
        ("coded_char_set_id", (1208, 819, 1208), b"ab", rc.MQRC_INCONSISTENT_CCSIDS),
        ("encoding", (546, 546, 273), b"abcd", rc.MQRC_INCONSISTENT_ENCODINGS),
        ("encoding", (546, 273, 546), b"ab", rc.MQRC_INCONSISTENT_ENCODINGS),
    ],
)
def test_only_the_first_segments_that_are_written_alike_go_together(
    qm: QM, convert: int, field: str, values: tuple[int, ...], given: bytes, reason: int
) -> None:
    for number, (data, value) in enumerate(zip(("ab", "cd", "ef"), values, strict=True)):
        fields = {"coded_char_set_id": 1208, "encoding": 546, "format": "MQSTR", field: value}
        part(qm, G, number * 2, data, last=number == 2, **fields)
    result = qm.open().get(COMPLETE | convert)
    assert (result.message.data, result.reason, result.comp_code) == (given, reason, rc.MQCC_WARNING)
    assert qm.depth() == 3 - len(given) // 2


@pytest.mark.conformance("COMPL-24")
@pytest.mark.parametrize("before", [0, LOGICAL])
def test_what_was_left_comes_singly_in_logical_order(qm: QM, before: int) -> None:
    part(qm, G, 0, "ab")
    part(qm, G, 4, "ef", last=True, coded_char_set_id=819)
    part(qm, G, 2, "cd")
    handle = qm.open()
    assert take(handle, COMPLETE | before) == b"abcd"
    with nothing():
        handle.get(COMPLETE)
    result = handle.get(LOGICAL)
    assert (result.message.data, result.message.md.offset) == (b"ef", 4)


@pytest.mark.conformance("COMPL-25")
def test_a_segment_that_was_converted_on_its_way_does_not_go_with_the_others(qm: QM) -> None:
    part(qm, G, 0, "ab", format="MQSTR", coded_char_set_id=1208)
    part(qm, G, 2, "cd", q_name="DLQ", format="MQSTR", coded_char_set_id=1208, last=True)
    got = qm.open("DLQ").get(MQGMO_CONVERT, md=MQMD(coded_char_set_id=819), match_options=0).message
    qm.main.put1("Q", Message(got.data, got.md))
    result = qm.open().get(COMPLETE)
    assert (result.message.data, result.reason) == (b"ab", rc.MQRC_INCONSISTENT_CCSIDS)


# -- what is complete


@pytest.mark.conformance("COMPL-30", "COMPL-07", "COMPL-08", "COMPL-10")
@pytest.mark.parametrize("options", [COMPLETE, COMPLETE | ALL_SEGMENTS])
def test_complete_msg_needs_no_all_segments_available(qm: QM, options: int) -> None:
    part(qm, G, 0, "incomplete")
    parts(qm, K, *TWO)
    qm.put("X")
    assert take_all(qm.open(), options) == [b"abcd", b"X"]
    assert qm.depth() == 1


@pytest.mark.conformance("COMPL-36")
def test_a_segment_that_another_has_is_missing(qm: QM) -> None:
    handle, other = qm.open(), qm.connect()
    part(qm, G, 0, "ab")
    flags = MQMF_SEGMENT | MQMF_LAST_SEGMENT
    other.put1("Q", Message(b"cd", MQMD(group_id=G, offset=2, msg_flags=flags)), MQPMO_SYNCPOINT)
    with nothing():
        handle.get(COMPLETE)
    other.commit()
    locker = other.open("Q", MQOO_INPUT_SHARED | MQOO_BROWSE)
    locker.get(MQGMO_BROWSE_FIRST)
    locker.get(MQGMO_BROWSE_NEXT | MQGMO_LOCK)
    with nothing():
        handle.get(COMPLETE)
    assert take(locker, MQGMO_MSG_UNDER_CURSOR | MQGMO_SYNCPOINT) == b"cd"
    with nothing():
        handle.get(COMPLETE)
    other.backout()
    assert take(handle, COMPLETE) == b"abcd"


@pytest.mark.conformance("COMPL-36")
def test_a_segment_that_the_handle_has_locked_itself_is_there(qm: QM) -> None:
    parts(qm, K, *TWO)
    parts(qm, G, "gh", "ij")
    handle = qm.open()
    handle.get(MQGMO_BROWSE_FIRST)
    assert take(handle, MQGMO_BROWSE_NEXT | MQGMO_LOCK) == b"cd"
    assert take(handle, COMPLETE) == b"abcd"
    assert take(qm.open(), COMPLETE) == b"ghij"


@pytest.mark.conformance("COMPL-37")
@pytest.mark.parametrize("options", [COMPLETE, ALL_SEGMENTS, ALL_MSGS])
def test_a_segment_that_has_expired_leaves_its_message_incomplete(
    qm: QM, advance: Callable[[float], None], options: int
) -> None:
    part(qm, G, 0, "ab")
    part(qm, G, 2, "cd", last=True, expiry=5)
    advance(1)
    handle = qm.open()
    with nothing():
        handle.get(options)
    assert qm.depth() == 1
    assert take(handle) == b"ab"


@pytest.mark.conformance("COMPL-33")
def test_match_options_are_about_the_first_segment(qm: QM) -> None:
    parts(qm, G, *TWO)
    wanted = parts(qm, K, "ef", "gh", correl_id=b"c" * 24)
    parts(qm, L, "ij", "kl")
    handle = qm.open()
    assert take_by(handle, COMPLETE, MQMO_MATCH_GROUP_ID, group_id=L).message.data == b"ijkl"
    with nothing():
        take_by(handle, COMPLETE, MQMO_MATCH_MSG_ID, msg_id=wanted[1].msg_id)
    result = take_by(handle, COMPLETE, MQMO_MATCH_CORREL_ID, correl_id=b"c" * 24)
    assert (result.message.data, result.message.md.msg_id) == (b"efgh", wanted[0].msg_id)


def test_of_two_messages_in_one_group_the_one_asked_for_comes(qm: QM) -> None:
    parts(qm, G, *TWO)
    copy = parts(qm, G, "AB", "CD")
    result = take_by(qm.open(), COMPLETE, MQMO_MATCH_MSG_ID, msg_id=copy[0].msg_id)
    assert (result.message.md.msg_id, result.message.data[:2]) == (copy[0].msg_id, b"AB")
    assert len(take(qm.open(), COMPLETE)) == 4


def test_a_token_of_an_incomplete_message_finds_nothing(qm: QM) -> None:
    part(qm, G, 0, "ab")
    token = qm.open().get(MQGMO_BROWSE_FIRST).msg_token
    with nothing():
        qm.open().get(COMPLETE, match_options=MQMO_MATCH_MSG_TOKEN, msg_token=token)


@pytest.mark.conformance("COMPL-31", "COMPL-32")
def test_options_that_exclude_complete_msg(qm: QM) -> None:
    parts(qm, G, *TWO)
    handle = qm.open()
    with fails(rc.MQRC_OPTIONS_ERROR):
        handle.get(COMPLETE | MQGMO_SYNCPOINT_IF_PERSISTENT)
    with fails(rc.MQRC_MATCH_OPTIONS_ERROR):
        take_by(handle, COMPLETE, MQMO_MATCH_OFFSET, offset=0)
    assert qm.depth() == 2


@pytest.mark.conformance("COMPL-29", "BROWSE-52")
@pytest.mark.parametrize("under", [MQGMO_MSG_UNDER_CURSOR, MQGMO_BROWSE_MSG_UNDER_CURSOR])
def test_the_cursor_has_to_be_on_the_first_segment(qm: QM, under: int) -> None:
    parts(qm, G, *TWO)
    handle = qm.open()
    handle.get(MQGMO_BROWSE_FIRST)
    assert take(handle, COMPLETE | MQGMO_BROWSE_MSG_UNDER_CURSOR) == b"abcd"
    handle.get(MQGMO_BROWSE_NEXT)
    with fails(rc.MQRC_INVALID_MSG_UNDER_CURSOR):
        handle.get(COMPLETE | under)


# -- waiting


@pytest.mark.conformance("COMPL-09")
def test_a_waiting_get_is_satisfied_by_the_missing_segment(qm: QM) -> None:
    part(qm, G, 0, "ab")
    part(qm, G, 4, "ef", last=True)
    (waiting,) = start_waiting(qm.path, qm.main, getter(MQGMO_WAIT | COMPLETE))
    qm.put("elsewhere", "R")
    waiting.is_still_waiting()
    part(qm, G, 2, "cd")
    assert waiting.finish() == b"abcdef"


@pytest.mark.conformance("COMPL-09")
def test_a_get_that_waits_in_another_process_is_satisfied_by_a_commit(qm: QM) -> None:
    part(qm, G, 0, "ab")
    child = start_child(
        """
with connect(path) as connection:
    handle = connection.open("Q", MQOO_INPUT_SHARED)
    print(handle.get(MQGMO_WAIT | MQGMO_COMPLETE_MSG, wait_ms=-1).message.data.decode())
""",
        qm.path,
    )
    until(lambda: waiters(qm.main.db) == 1)
    part(qm, G, 2, "cd", last=True, options=MQPMO_SYNCPOINT)
    assert waiters(qm.main.db) == 1
    qm.main.commit()
    assert output_of(child) == "abcd\n"


# -- units of work


@pytest.mark.conformance("COMPL-12")
def test_segments_that_cannot_be_put_together_leave_the_unit_of_work_whole(
    qm: QM, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts(qm, G, "ab", "cd", "ef", persistence=1)
    qm.put("other", "R", options=MQPMO_SYNCPOINT)
    handle = qm.open()
    with monkeypatch.context() as patch:
        patch.setattr(removal.messages, "set_state", failing(removal.messages.set_state, 3, DAMAGE))
        with pytest.raises(MQError, match="cannot be read"):
            handle.get(COMPLETE | MQGMO_SYNCPOINT)
    qm.main.commit()
    assert qm.data("R") == [b"other"]
    assert take(qm.open(connection=qm.connect()), COMPLETE) == b"abcdef"


@pytest.mark.conformance("COMPL-13")
def test_without_a_unit_of_work_the_segments_are_gone_for_good(qm: QM) -> None:
    parts(qm, G, *TWO, persistence=1)
    child = start_child(
        """
handle = connect(path).open("Q", MQOO_INPUT_SHARED)
print(handle.get(MQGMO_COMPLETE_MSG | MQGMO_NO_SYNCPOINT).message.data.decode(), flush=True)
os._exit(0)
""",
        qm.path,
    )
    assert output_of(child) == "abcd\n"
    assert qm.depth() == 0
    with nothing():
        qm.open().get()


@pytest.mark.conformance("COMPL-14")
def test_without_a_unit_of_work_a_failure_leaves_all_segments_to_everyone(
    qm: QM, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts(qm, G, "ab", "cd", "ef", persistence=1)
    handle = qm.open()
    with monkeypatch.context() as patch:
        patch.setattr(removal.messages, "remove", failing(removal.messages.remove, 3, DAMAGE))
        with pytest.raises(MQError, match="cannot be read"):
            handle.get(COMPLETE)
    assert qm.depth() == 3
    assert take(qm.open(connection=qm.connect()), COMPLETE) == b"abcdef"


@pytest.mark.conformance("COMPL-16", "COMPL-17")
def test_beside_a_unit_of_work_what_needs_none_of_its_own_is_given(qm: QM) -> None:
    parts(qm, G, *TWO, persistence=0)
    qm.put("X", persistence=1)
    qm.put("other", "R", options=MQPMO_SYNCPOINT)
    assert take_all(qm.open(), COMPLETE) == [b"abcd", b"X"]
    qm.main.backout()
    assert qm.depth() == 0


@pytest.mark.conformance("COMPL-15")
def test_a_browse_removes_nothing_and_needs_no_unit_of_work(qm: QM) -> None:
    parts(qm, G, *TWO, persistence=1)
    qm.put("other", "R", options=MQPMO_SYNCPOINT)
    handle = qm.open()
    assert take(handle, COMPLETE | MQGMO_BROWSE_FIRST) == b"abcd"
    with fails(rc.MQRC_UOW_NOT_AVAILABLE):
        handle.get(COMPLETE)
