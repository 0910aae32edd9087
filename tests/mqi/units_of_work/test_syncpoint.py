"""Units of work: what belongs to one, in each profile, and what becomes of one that is broken or left behind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mqtools.admin import queue_managers
from mqtools.constants import reasons as rc
from mqtools.constants.message import MQMF_SEGMENTATION_ALLOWED, MQRO_COA
from mqtools.constants.options import (
    MQGMO_ACCEPT_TRUNCATED_MSG,
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_MSG_UNDER_CURSOR,
    MQGMO_BROWSE_NEXT,
    MQGMO_NO_SYNCPOINT,
    MQGMO_SYNCPOINT,
    MQGMO_SYNCPOINT_IF_PERSISTENT,
    MQGMO_WAIT,
    MQMO_MATCH_MSG_ID,
    MQOO_BROWSE,
    MQPMO_NO_SYNCPOINT,
    MQPMO_SYNCPOINT,
)
from mqtools.errors import StorageError
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import connect

from ..children import output_of, start_child
from ..conftest import QM, fails, take
from ..zos_story import ZosQM, zos_in
from .trouble import no_row_changes

NOTHING = rc.MQRC_NO_MSG_AVAILABLE
SYNCPOINT, IF_PERSISTENT, OUTSIDE = MQGMO_SYNCPOINT, MQGMO_SYNCPOINT_IF_PERSISTENT, MQGMO_NO_SYNCPOINT
BROWSES = (MQGMO_BROWSE_FIRST, MQGMO_BROWSE_NEXT, MQGMO_BROWSE_MSG_UNDER_CURSOR)


# How many messages belong to the unit of work


@pytest.mark.parametrize("verb", ["put", "put by a handle", "get"])
def test_a_unit_of_work_holds_no_more_than_maxumsgs_messages(qm: QM, verb: str) -> None:
    for _ in range(5):
        qm.put("before")
    qm.alter_qmgr(max_uncommitted_msgs=3)
    handle = qm.open()

    def call() -> object:
        if verb == "get":
            return handle.get(SYNCPOINT)
        return handle.put(Message(b"x"), MQPMO_SYNCPOINT) if "handle" in verb else qm.put(options=MQPMO_SYNCPOINT)

    for end in (qm.main.backout, qm.main.commit):
        for _ in range(3):
            call()
        for _ in range(2):
            with fails(rc.MQRC_SYNCPOINT_LIMIT_REACHED):
                call()
        qm.put("outside", options=MQPMO_NO_SYNCPOINT)
        end()
    assert len(qm.got()) == (4 if verb == "get" else 10)


def test_reports_and_segments_count_for_maxumsgs(qm: QM) -> None:
    qm.alter_qmgr(max_uncommitted_msgs=4)
    qm.alter("Q", max_msg_length=16)
    qm.put(options=MQPMO_SYNCPOINT, report=MQRO_COA, reply_to_q="R")
    qm.put(bytes(32), options=MQPMO_SYNCPOINT, msg_flags=MQMF_SEGMENTATION_ALLOWED)
    with fails(rc.MQRC_SYNCPOINT_LIMIT_REACHED):
        qm.put(options=MQPMO_SYNCPOINT)


def test_a_put_that_fails_does_not_count_for_maxumsgs(qm: QM) -> None:
    qm.alter_qmgr(max_uncommitted_msgs=1)
    with fails(rc.MQRC_MISSING_REPLY_TO_Q):
        qm.put(options=MQPMO_SYNCPOINT, report=MQRO_COA)
    qm.put(options=MQPMO_SYNCPOINT)


# What belongs to the unit of work


@pytest.mark.conformance("MARK-25", "SYNC-01", "SYNC-03")
def test_what_was_got_is_gone_for_all_at_once_and_for_good_after_the_commit(qm: QM) -> None:
    md = qm.put("a", persistence=1)
    take(qm.open(), SYNCPOINT)
    for other in (qm.open(), qm.open(connection=qm.connect())):
        for options in (0, MQGMO_BROWSE_FIRST):
            with fails(NOTHING):
                other.get(options)
        with fails(NOTHING):
            other.get(md=MQMD(msg_id=md.msg_id), match_options=MQMO_MATCH_MSG_ID)
    qm.main.commit()
    queue_managers.end(qm.path, immediate=True)
    queue_managers.start(qm.path)
    with connect(qm.path) as again, again.open("Q", MQOO_BROWSE) as handle, fails(NOTHING):
        handle.get(MQGMO_BROWSE_FIRST)


@pytest.mark.conformance("SYNC-04", "SYNC-13", "SYNC-14")
def test_in_zos_a_get_is_inside_the_unit_of_work_unless_it_browses(zos: ZosQM) -> None:
    zos.put("a")
    handle = zos.open()
    for options in (MQGMO_BROWSE_NEXT, MQGMO_BROWSE_MSG_UNDER_CURSOR, MQGMO_BROWSE_FIRST, MQGMO_BROWSE_FIRST | OUTSIDE):
        assert take(handle, options) == b"a"
    assert not zos.main.in_unit_of_work
    zos.main.backout()
    assert handle.get().message.md.backout_count == 0
    zos.main.backout()
    assert handle.get(OUTSIDE).message.md.backout_count == 1
    zos.main.backout()
    assert zos.depth() == 0


@pytest.mark.conformance("SYNC-05", "SYNC-06")
def test_the_queue_manager_and_not_the_program_decides_what_is_the_default(qm: QM, zos_too: ZosQM) -> None:
    """One process, two queue managers: nothing on the side of the program says zos or distributed."""
    for each, left in ((qm, 0), (zos_too, 1)):
        each.put("a")
        take(each.open())
        each.main.backout()
        assert each.depth() == left


@pytest.fixture
def zos_too(tmp_path: Path) -> Iterator[ZosQM]:
    (tmp_path / "zos").mkdir()
    with zos_in(tmp_path / "zos") as made:
        yield made


@pytest.mark.conformance("BEY-04")
@pytest.mark.parametrize(("options", "kept"), [(0, 0), (MQPMO_SYNCPOINT, 0), (MQPMO_NO_SYNCPOINT, 1)])
def test_in_zos_a_put_is_inside_the_unit_of_work(zos: ZosQM, options: int, kept: int) -> None:
    zos.main.put1("Q", Message(b"one call"), options)
    zos.open().put(Message(b"by a handle"), options)
    assert zos.depth() == 2
    zos.main.backout()
    assert zos.depth() == 2 * kept


@pytest.mark.conformance("BEY-02", "BEY-04")
@pytest.mark.parametrize(("options", "kept"), [(0, 1), (MQPMO_SYNCPOINT, 0), (MQPMO_NO_SYNCPOINT, 1)])
def test_elsewhere_a_put_is_outside_the_unit_of_work(qm: QM, options: int, kept: int) -> None:
    qm.main.put1("Q", Message(b"one call"), options)
    qm.open().put(Message(b"by a handle"), options)
    qm.main.backout()
    assert qm.depth() == 2 * kept


@pytest.mark.conformance("SYNC-08", "SYNC-09", "SYNC-10", "SYNC-12")
@pytest.mark.parametrize("profile", ["distributed", "zos"])
def test_syncpoint_if_persistent_holds_the_persistent_in_every_profile(qm: QM, zos_too: ZosQM, profile: str) -> None:
    chosen = zos_too if profile == "zos" else qm
    for name, persistence in (("lost", 0), ("kept", 1)):
        chosen.put(name, persistence=persistence)
    handle = chosen.open()
    assert [take(handle, IF_PERSISTENT) for _ in range(2)] == [b"lost", b"kept"]
    chosen.main.backout()
    assert chosen.data() == [b"kept"]


# A program that ends without a word


ENDS = """
connection = connect(path)
handle = connection.open("Q", MQOO_OUTPUT | MQOO_INPUT_SHARED)
handle.get(MQGMO_SYNCPOINT)
handle.put(Message(b"put and not committed"), MQPMO_SYNCPOINT)
print("here")
if arguments == ["disconnects"]:
    connection.disconnect()
"""


@pytest.mark.slow
@pytest.mark.conformance("BEY-56")
@pytest.mark.parametrize("profile", ["distributed", "zos"])
def test_a_process_that_ends_without_a_disconnect_is_backed_out(qm: QM, zos_too: ZosQM, profile: str) -> None:
    """In zos too: nobody can tell an end that was meant from one that was not, so only MQDISC says it (AMB-19)."""
    chosen = zos_too if profile == "zos" else qm
    chosen.put("a")
    assert output_of(start_child(ENDS, chosen.path)) == "here\n"
    assert [result.message.data for result in chosen.got()] == [b"a"]


@pytest.mark.conformance("BEY-56", "BEY-54")
@pytest.mark.parametrize("profile", ["distributed", "zos"])
def test_a_process_that_disconnects_commits(qm: QM, zos_too: ZosQM, profile: str) -> None:
    chosen = zos_too if profile == "zos" else qm
    chosen.put("a")
    output_of(start_child(ENDS, chosen.path, "disconnects"))
    assert [result.message.data for result in chosen.got()] == [b"put and not committed"]


# A unit of work that met an error of the file


@pytest.fixture
def broken(qm: QM) -> QM:
    """A queue manager whose main connection has a broken unit of work: A got, R put, B refused."""
    for name in ("A", "B"):
        qm.put(name)
    handle = qm.open()
    take(handle, SYNCPOINT)
    qm.put("R", "R", MQPMO_SYNCPOINT)
    with no_row_changes(qm), pytest.raises(StorageError):
        handle.get(SYNCPOINT)
    return qm


@pytest.mark.conformance("BEY-96")
def test_a_broken_unit_of_work_takes_nothing_more(broken: QM) -> None:
    handle = broken.open()
    for options, wait_ms in ((SYNCPOINT, 0), (SYNCPOINT | MQGMO_WAIT, 60_000)):
        with fails(rc.MQRC_BACKED_OUT):
            handle.get(options, md=MQMD(msg_id=b"none such"), wait_ms=wait_ms)
    with fails(rc.MQRC_BACKED_OUT):
        broken.put("C", options=MQPMO_SYNCPOINT)
    with fails(rc.MQRC_BACKED_OUT):
        handle.put(Message(b"C"), MQPMO_SYNCPOINT)
    assert take(handle) == b"B"


@pytest.mark.conformance("BEY-96")
def test_committing_a_broken_unit_of_work_backs_all_of_it_out_and_says_so(broken: QM) -> None:
    with fails(rc.MQRC_BACKED_OUT):
        broken.main.commit()
    assert (broken.data(), broken.data("R")) == ([b"A", b"B"], [])
    assert take(broken.open(), SYNCPOINT) == b"A"
    broken.main.commit()
    assert broken.data() == [b"B"]


@pytest.mark.conformance("BEY-96")
def test_backing_a_broken_unit_of_work_out_mends_it(broken: QM) -> None:
    broken.main.backout()
    assert (broken.data(), broken.data("R")) == ([b"A", b"B"], [])
    assert take(broken.open(), SYNCPOINT) == b"A"
    broken.main.commit()


@pytest.mark.conformance("BEY-96")
def test_disconnecting_backs_a_broken_unit_of_work_out_and_says_so(broken: QM) -> None:
    with fails(rc.MQRC_BACKED_OUT):
        broken.main.disconnect()
    broken.main.disconnect()
    assert [result.message.data for result in broken.got()] == [b"A", b"B"]
    assert broken.got("R") == []


def test_giving_back_the_last_message_leaves_the_rest_to_be_committed(qm: QM) -> None:
    for name in ("A", "B", "C"):
        qm.put(name)
    handle = qm.open()
    take(handle, SYNCPOINT)
    take(handle, SYNCPOINT)
    with no_row_changes(qm), pytest.raises(StorageError):
        handle.get(SYNCPOINT)
    qm.main.backout_last()
    qm.main.commit()
    assert qm.data() == [b"B", b"C"]


def test_an_error_of_the_file_breaks_no_unit_of_work_that_had_not_begun(qm: QM) -> None:
    qm.put("A")
    handle = qm.open()
    with no_row_changes(qm), pytest.raises(StorageError):
        handle.get(SYNCPOINT)
    assert not qm.main.in_unit_of_work
    assert take(handle, SYNCPOINT) == b"A"
    qm.main.commit()
    assert qm.depth() == 0


def test_a_put_that_is_refused_begins_no_unit_of_work(qm: QM) -> None:
    qm.alter("Q", max_q_depth=0)
    with fails(rc.MQRC_Q_FULL):
        qm.put("A", options=MQPMO_SYNCPOINT)
    assert not qm.main.in_unit_of_work


@pytest.mark.conformance("TRUNC-09")
def test_a_truncated_get_that_takes_nothing_begins_no_unit_of_work(qm: QM) -> None:
    qm.put("long")
    handle = qm.open()
    assert handle.get(SYNCPOINT, max_length=1).reason == rc.MQRC_TRUNCATED_MSG_FAILED
    assert not qm.main.in_unit_of_work
    assert handle.get(SYNCPOINT | MQGMO_ACCEPT_TRUNCATED_MSG, max_length=1).message.data == b"l"
    assert qm.main.in_unit_of_work
