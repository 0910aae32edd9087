"""MQGMO_MARK_SKIP_BACKOUT, of the profile zos: the one message that a back-out does not give back."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mqtools.constants import reasons as rc
from mqtools.constants.message import (
    MQFB_COD,
    MQFB_EXPIRATION,
    MQMF_LAST_MSG_IN_GROUP,
    MQMF_LAST_SEGMENT,
    MQMF_MSG_IN_GROUP,
    MQMF_SEGMENT,
    MQRO_COD,
    MQRO_EXPIRATION,
)
from mqtools.constants.objects import MQIA_CURRENT_Q_DEPTH
from mqtools.constants.options import (
    MQGMO_BROWSE_FIRST,
    MQGMO_COMPLETE_MSG,
    MQGMO_LOGICAL_ORDER,
    MQGMO_MARK_SKIP_BACKOUT,
    MQGMO_SYNCPOINT,
    MQGMO_WAIT,
    MQPMO_SYNCPOINT,
)
from mqtools.errors import StorageError
from mqtools.message import Message
from mqtools.mqi.handle import Handle

from ..children import kill, start_ready
from ..conftest import QM, fails, take
from ..units_of_work.trouble import no_row_changes
from ..zos_story import ZosQM

G, K = b"G" * 24, b"K" * 24
NOTHING = rc.MQRC_NO_MSG_AVAILABLE
SYNCPOINT, MARKED = MQGMO_SYNCPOINT, MQGMO_SYNCPOINT | MQGMO_MARK_SKIP_BACKOUT
LOGICAL = MQGMO_LOGICAL_ORDER


def everything(qm: QM, q_name: str = "Q") -> list[bytes]:
    """What another connection gets of a queue, all of it."""
    return [result.message.data for result in qm.got(q_name)]


def backed_out(zos: ZosQM, report: int = 0) -> Handle:
    """Get M marked and N, put R, all in one unit of work, and back out; give the handle of the gets.

    report: what M asks for, to be sent to the queue R.
    """
    zos.put("M", report=report, reply_to_q="R" if report else "")
    zos.put("N")
    handle = zos.open()
    assert [take(handle, MARKED), take(handle, SYNCPOINT)] == [b"M", b"N"]
    zos.main.put1("P", Message(b"R"), MQPMO_SYNCPOINT)
    zos.main.backout()
    return handle


def group(qm: QM, group_id: bytes = G, members: int = 3) -> None:
    for seq in range(1, members + 1):
        flags = MQMF_MSG_IN_GROUP | (MQMF_LAST_MSG_IN_GROUP if seq == members else 0)
        qm.put(f"{chr(group_id[0])}{seq}", group_id=group_id, msg_seq_number=seq, msg_flags=flags)


def segments(zos: ZosQM) -> None:
    """Put a logical message of two segments, as if no profile minded."""
    zos.set_profile("distributed")
    for offset, data in ((0, "ab"), (2, "cd")):
        flags = MQMF_SEGMENT | (MQMF_LAST_SEGMENT if offset else 0)
        zos.put(data, group_id=G, offset=offset, msg_flags=flags)
    zos.set_profile("zos")


@pytest.mark.conformance("SYNC-18", "SYNC-33")
def test_a_backout_gives_back_everything_but_the_marked_message(zos: ZosQM) -> None:
    handle = backed_out(zos)
    for each in (handle, zos.open(connection=zos.connect())):
        assert take(each, MQGMO_BROWSE_FIRST) == b"N"
    assert (zos.depth(), zos.depth("P")) == (1, 0)
    assert zos.main.in_unit_of_work


@pytest.mark.conformance("SYNC-19")
def test_committing_the_next_unit_of_work_removes_the_message_for_good(zos: ZosQM) -> None:
    backed_out(zos)
    zos.main.put1("DLQ", Message(b"copy of M"), MQPMO_SYNCPOINT)
    zos.main.put1("R", Message(b"report"), MQPMO_SYNCPOINT)
    zos.main.commit()
    zos.restart()
    assert [everything(zos, name) for name in ("Q", "DLQ", "R")] == [[b"N"], [b"copy of M"], [b"report"]]


@pytest.mark.conformance("SYNC-20")
def test_backing_out_the_next_unit_of_work_gives_the_message_back(zos: ZosQM) -> None:
    handle = backed_out(zos)
    zos.main.put1("DLQ", Message(b"copy of M"), MQPMO_SYNCPOINT)
    zos.main.backout()
    assert not zos.main.in_unit_of_work
    assert (zos.data(), zos.data("DLQ")) == ([b"M", b"N"], [])
    again = handle.get(SYNCPOINT).message
    assert (again.data, again.md.backout_count) == (b"M", 1)


@pytest.mark.conformance("SYNC-20")
def test_a_message_that_was_kept_once_can_be_marked_and_kept_again(zos: ZosQM) -> None:
    handle = backed_out(zos)
    zos.main.backout()
    assert take(handle, MARKED) == b"M"
    zos.main.backout()
    assert zos.data() == [b"N"]
    zos.main.commit()
    assert zos.data() == [b"N"]


@pytest.mark.conformance("SYNC-21")
@pytest.mark.parametrize("more", [0, MQGMO_WAIT])
def test_one_get_of_a_unit_of_work_is_marked_and_no_second(zos: ZosQM, more: int) -> None:
    for name in ("M", "N"):
        zos.put(name)
    handle = zos.open()
    take(handle, MARKED)
    with fails(rc.MQRC_SECOND_MARK_NOT_ALLOWED):
        handle.get(MARKED | more, wait_ms=60_000)
    assert zos.data() == [b"N"]
    assert take(handle, SYNCPOINT) == b"N"
    with fails(rc.MQRC_SECOND_MARK_NOT_ALLOWED):
        zos.open("P").get(MARKED | more, wait_ms=60_000)
    zos.main.backout()
    assert zos.data() == [b"N"]


@pytest.mark.conformance("SYNC-21")
def test_a_marked_get_that_took_nothing_does_not_count(zos: ZosQM) -> None:
    handle = zos.open()
    with fails(NOTHING):
        handle.get(MARKED)
    zos.put("long")
    assert handle.get(MARKED, max_length=1).reason == rc.MQRC_TRUNCATED_MSG_FAILED
    assert take(handle, MARKED) == b"long"


@pytest.mark.conformance("SYNC-22")
def test_the_next_unit_of_work_has_a_mark_of_its_own(zos: ZosQM) -> None:
    handle = backed_out(zos)
    assert take(handle, MARKED) == b"N"
    zos.main.backout()
    assert zos.data() == [b"M"]
    zos.main.commit()
    assert zos.data() == [b"M"]


@pytest.mark.conformance("SYNC-24")
def test_the_others_of_a_group_are_not_marked(zos: ZosQM) -> None:
    group(zos, members=2)
    handle = zos.open()
    assert [take(handle, MARKED), take(handle, SYNCPOINT)] == [b"G1", b"G2"]
    zos.main.backout()
    assert zos.data() == [b"G2"]
    zos.main.backout()
    assert zos.data() == [b"G1", b"G2"]


@pytest.mark.conformance("SYNC-25")
def test_the_other_segments_are_not_marked(zos: ZosQM) -> None:
    segments(zos)
    handle = zos.open()
    assert [take(handle, MARKED), take(handle, SYNCPOINT)] == [b"ab", b"cd"]
    zos.main.backout()
    assert zos.data() == [b"cd"]


@pytest.mark.conformance("SYNC-26")
def test_any_message_of_a_group_may_be_marked(zos: ZosQM) -> None:
    group(zos)
    handle = zos.open()
    found = [take(handle, LOGICAL | options) for options in (SYNCPOINT, MARKED, SYNCPOINT)]
    assert found == [b"G1", b"G2", b"G3"]
    zos.main.backout()
    assert zos.data() == [b"G1", b"G3"]
    zos.main.commit()
    assert zos.data() == [b"G1", b"G3"]


def first_of_group_marked(zos: ZosQM) -> Handle:
    group(zos)
    handle = zos.open()
    assert [take(handle, LOGICAL | options) for options in (MARKED, SYNCPOINT)] == [b"G1", b"G2"]
    zos.main.backout()
    return handle


@pytest.mark.conformance("SYNC-27")
def test_nobody_else_gets_the_rest_of_a_group_whose_first_message_was_kept(zos: ZosQM) -> None:
    first_of_group_marked(zos)
    with fails(NOTHING):
        zos.open(connection=zos.connect()).get(LOGICAL | SYNCPOINT)


@pytest.mark.conformance("SYNC-28")
def test_the_program_that_kept_the_first_message_gets_the_rest_of_the_group(zos: ZosQM) -> None:
    handle = first_of_group_marked(zos)
    assert [take(handle, LOGICAL | SYNCPOINT) for _ in range(2)] == [b"G2", b"G3"]
    zos.main.commit()
    assert zos.depth() == 0
    group(zos, K)
    assert take(handle, LOGICAL | SYNCPOINT) == b"K1"


@pytest.mark.conformance("SYNC-20", "SYNC-28")
@pytest.mark.parametrize("goes_on", [True, False])
def test_when_the_first_message_is_back_the_group_begins_with_it_again(zos: ZosQM, goes_on: bool) -> None:
    handle = first_of_group_marked(zos)
    if goes_on:
        assert take(handle, LOGICAL | SYNCPOINT) == b"G2"
    zos.main.backout()
    assert [take(handle, LOGICAL | SYNCPOINT) for _ in range(3)] == [b"G1", b"G2", b"G3"]


@pytest.mark.conformance("SYNC-25")
def test_a_whole_message_got_in_one_call_is_kept_whole(zos: ZosQM) -> None:
    segments(zos)
    handle = zos.open()
    assert take(handle, MARKED | MQGMO_COMPLETE_MSG) == b"abcd"
    zos.main.backout()
    assert zos.data() == []
    zos.main.backout()
    assert take(handle, SYNCPOINT | MQGMO_COMPLETE_MSG) == b"abcd"


@pytest.mark.conformance("RPT-36")
@pytest.mark.parametrize("commits", [True, False])
def test_the_delivery_report_of_the_marked_message_stays_with_it(zos: ZosQM, commits: bool) -> None:
    backed_out(zos, MQRO_COD)
    assert zos.data("R") == []
    if commits:
        zos.main.commit()
    else:
        zos.main.backout()
    assert [result.message.md.feedback for result in zos.got("R")] == ([MQFB_COD] if commits else [])
    assert zos.data() == ([b"N"] if commits else [b"M", b"N"])


#: Gets M marked and, where asked, backs out once, so that M is carried in the next unit of work; then stays.
HOLDS = """
connection = connect(path)
handle = connection.open("Q", MQOO_INPUT_SHARED)
handle.get(MQGMO_SYNCPOINT | MQGMO_MARK_SKIP_BACKOUT)
if arguments == ["backs out"]:
    connection.backout()
print("holds", flush=True)
sys.stdin.read()
"""


@pytest.mark.conformance("SYNC-29")
@pytest.mark.parametrize("arguments", [[], ["backs out"]])
def test_the_mark_of_a_process_that_died_is_ignored(zos: ZosQM, arguments: list[str]) -> None:
    zos.put("M")
    child = start_ready(HOLDS, zos.path, *arguments, says="holds")
    handle = zos.open()
    with fails(NOTHING):
        handle.get(MQGMO_BROWSE_FIRST)
    kill(child)
    assert take(handle, MQGMO_BROWSE_FIRST) == b"M"


@pytest.mark.conformance("SYNC-29")
@pytest.mark.parametrize("carried", [False, True])
def test_the_mark_is_ignored_when_the_queue_manager_is_ended(zos: ZosQM, carried: bool) -> None:
    zos.put("M")
    take(zos.open(), MARKED)
    if carried:
        zos.main.backout()
    zos.restart()
    assert everything(zos) == [b"M"]


def fail_with_a_marked_message(zos: ZosQM, *, carried: bool) -> None:
    with zos.connect() as connection:
        take(zos.open(connection=connection), MARKED)
        if carried:
            connection.backout()
        raise ZeroDivisionError


@pytest.mark.conformance("SYNC-29", "AMB-19")
@pytest.mark.parametrize("carried", [False, True])
def test_the_mark_is_ignored_when_the_program_fails(zos: ZosQM, carried: bool) -> None:
    zos.put("M")
    with pytest.raises(ZeroDivisionError):
        fail_with_a_marked_message(zos, carried=carried)
    assert everything(zos) == [b"M"]


@pytest.mark.conformance("SYNC-29", "BEY-96")
@pytest.mark.parametrize(("ends", "left"), [("backout", [b"N"]), ("commit", [b"M", b"N"])])
def test_after_an_error_of_the_file_the_mark_counts_only_if_the_program_backs_out(
    zos: ZosQM, ends: str, left: list[bytes]
) -> None:
    for name in ("M", "N"):
        zos.put(name)
    handle = zos.open()
    take(handle, MARKED)
    with no_row_changes(zos), pytest.raises(StorageError):
        handle.get(SYNCPOINT)
    if ends == "backout":
        zos.main.backout()
    else:
        with fails(rc.MQRC_BACKED_OUT):
            zos.main.commit()
    assert zos.data() == left


@pytest.mark.conformance("SYNC-30")
@pytest.mark.parametrize("calls", [True, False])
def test_a_call_between_the_backout_and_the_commit_does_no_harm_and_is_not_needed(zos: ZosQM, calls: bool) -> None:
    handle = backed_out(zos)
    if calls:
        assert handle.inquire([MQIA_CURRENT_Q_DEPTH]) == [1]
    zos.main.commit()
    assert everything(zos) == [b"N"]


@pytest.mark.conformance("SYNC-31")
def test_a_message_that_no_queue_takes_goes_back_where_it_was(zos: ZosQM) -> None:
    backed_out(zos)
    zos.alter("DLQ", max_q_depth=0)
    with fails(rc.MQRC_Q_FULL):
        zos.main.put1("DLQ", Message(b"copy of M"), MQPMO_SYNCPOINT)
    zos.main.backout()
    zos.main.disconnect()
    assert everything(zos) == [b"M", b"N"]


def test_the_expiration_report_of_a_message_met_on_the_way_is_nobodys(
    zos: ZosQM, advance: Callable[[float], None]
) -> None:
    zos.put("old", expiry=1, report=MQRO_EXPIRATION, reply_to_q="R")
    zos.put("M")
    advance(1)
    assert take(zos.open(), MARKED) == b"M"
    for left in ([], [b"M"]):
        zos.main.backout()
        assert zos.data() == left
    assert [result.message.md.feedback for result in zos.got("R")] == [MQFB_EXPIRATION]


def test_disconnecting_commits_the_unit_of_work_that_holds_the_message(zos: ZosQM) -> None:
    backed_out(zos)
    zos.main.disconnect()
    assert everything(zos) == [b"N"]


def test_a_marked_message_that_was_given_back_is_not_kept(zos: ZosQM) -> None:
    zos.put("M")
    handle = zos.open()
    take(handle, MARKED)
    zos.main.backout_last()
    assert take(handle, MARKED) == b"M"
    zos.main.backout_last()
    zos.main.backout()
    assert zos.data() == [b"M"]
