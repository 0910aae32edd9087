"""Browse marks: who sets them, for whom they count, and what passes marked messages over."""

from __future__ import annotations

import pytest

from mqtools.constants import reasons as rc
from mqtools.constants.options import (
    MQGMO_BROWSE_CO_OP,
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_HANDLE,
    MQGMO_BROWSE_MSG_UNDER_CURSOR,
    MQGMO_BROWSE_NEXT,
    MQGMO_MARK_BROWSE_CO_OP,
    MQGMO_MARK_BROWSE_HANDLE,
    MQGMO_MSG_UNDER_CURSOR,
    MQGMO_UNMARK_BROWSE_CO_OP,
    MQGMO_UNMARK_BROWSE_HANDLE,
    MQGMO_UNMARKED_BROWSE_MSG,
    MQMO_MATCH_MSG_TOKEN,
    MQOO_BROWSE,
    MQOO_CO_OP,
    MQOO_INPUT_SHARED,
)
from mqtools.mqi.handle import Handle

from ..children import output_of, start_child
from ..conftest import QM, fails, take

#: The clock stands still: marks of the set end after five seconds.
pytestmark = pytest.mark.usefixtures("advance")

FIRST, UNMARKED = MQGMO_BROWSE_FIRST, MQGMO_BROWSE_FIRST | MQGMO_UNMARKED_BROWSE_MSG
MARK, MARK_SET = FIRST | MQGMO_MARK_BROWSE_HANDLE, FIRST | MQGMO_MARK_BROWSE_CO_OP
UNMARK, UNMARK_SET = FIRST | MQGMO_UNMARK_BROWSE_HANDLE, FIRST | MQGMO_UNMARK_BROWSE_CO_OP
CO_OP = MQOO_BROWSE | MQOO_CO_OP
NOTHING = rc.MQRC_NO_MSG_AVAILABLE


def two(qm: QM, options: int = MQOO_BROWSE) -> tuple[Handle, Handle]:
    """Two handles of two connections."""
    return qm.open(options=options), qm.open(options=options, connection=qm.connect())


# Marks of a handle


@pytest.mark.conformance("MARK-01")
def test_a_handle_mark_counts_for_its_handle_alone(qm: QM) -> None:
    qm.put("1")
    qm.put("2")
    ours, other = two(qm)
    assert take(ours, MARK) == b"1"
    assert take(ours, UNMARKED) == b"2"
    assert take(other, UNMARKED) == b"1"


@pytest.mark.conformance("MARK-02")
def test_a_message_is_marked_by_its_token(qm: QM) -> None:
    qm.put("1")
    handle = qm.open()
    token = handle.get(FIRST).msg_token
    by_token = {"match_options": MQMO_MATCH_MSG_TOKEN, "msg_token": token}
    assert take(handle, MARK, **by_token) == b"1"
    for options in (UNMARKED, MQGMO_UNMARKED_BROWSE_MSG):
        with fails(NOTHING):
            handle.get(options)
        with fails(NOTHING):
            handle.get(options, **by_token)
    assert take(handle, FIRST, **by_token) == b"1"


@pytest.mark.conformance("MARK-03", "MARK-15")
@pytest.mark.parametrize("mark", [MARK, MARK_SET], ids=["handle", "set"])
def test_a_mark_leaves_the_message_where_it_is(qm: QM, mark: int) -> None:
    qm.put("1")
    qm.open(options=CO_OP).get(mark)
    assert qm.depth() == 1
    assert take(qm.open(options=MQOO_INPUT_SHARED, connection=qm.connect())) == b"1"


@pytest.mark.conformance("AMB-07")
def test_of_mark_and_unmark_of_a_handle_unmark_wins(qm: QM) -> None:
    qm.put("1")
    handle = qm.open()
    handle.get(MARK | MQGMO_UNMARK_BROWSE_HANDLE)
    assert take(handle, UNMARKED) == b"1"


@pytest.mark.conformance("MARK-08", "MARK-39")
@pytest.mark.parametrize("how", [MQGMO_BROWSE_MSG_UNDER_CURSOR, MQGMO_BROWSE_FIRST], ids=["under cursor", "first"])
def test_a_handle_mark_is_removed_by_its_handle(qm: QM, how: int) -> None:
    qm.put("1")
    handle = qm.open()
    handle.get(MARK)
    assert take(handle, how | MQGMO_UNMARK_BROWSE_HANDLE) == b"1"
    assert take(handle, UNMARKED) == b"1"


@pytest.mark.conformance("MARK-40")
def test_a_handle_removes_no_mark_of_another_one(qm: QM) -> None:
    qm.put("1")
    ours, other = two(qm)
    ours.get(MARK)
    other.get(MARK)
    ours.get(UNMARK)
    with fails(NOTHING):
        other.get(UNMARKED)
    assert take(ours, UNMARKED) == b"1"


@pytest.mark.conformance("MARK-36", "MARK-41")
@pytest.mark.parametrize("options", [UNMARK, UNMARK_SET])
def test_what_is_not_marked_can_be_unmarked(qm: QM, options: int) -> None:
    qm.put("1")
    assert take(qm.open(options=CO_OP), options) == b"1"


@pytest.mark.conformance("MARK-27")
def test_a_handle_does_not_see_what_it_has_marked(qm: QM) -> None:
    qm.put("1")
    handle = qm.open()
    handle.get(MARK)
    for options in (UNMARKED, MQGMO_BROWSE_NEXT | MQGMO_UNMARKED_BROWSE_MSG):
        with fails(NOTHING):
            handle.get(options)
    with fails(rc.MQRC_NO_MSG_UNDER_CURSOR):
        handle.get(MQGMO_BROWSE_MSG_UNDER_CURSOR | MQGMO_UNMARKED_BROWSE_MSG)
    with fails(rc.MQRC_NO_MSG_UNDER_CURSOR):
        handle.get(MQGMO_MSG_UNDER_CURSOR | MQGMO_UNMARKED_BROWSE_MSG)
    assert qm.depth() == 1


@pytest.mark.conformance("MARK-30")
def test_a_browse_that_does_not_ask_sees_marked_messages(qm: QM) -> None:
    qm.put("1")
    handle = qm.open()
    handle.get(MARK)
    assert take(handle, FIRST) == b"1"


@pytest.mark.conformance("MARK-32", "AMB-09")
def test_a_get_that_removes_passes_marked_messages_over_if_asked(qm: QM) -> None:
    qm.put("1")
    qm.put("2")
    handle = qm.open()
    handle.get(MARK)
    assert take(handle, MQGMO_UNMARKED_BROWSE_MSG) == b"2"
    assert qm.data() == [b"1"]


@pytest.mark.conformance("MARK-45", "AMB-10")
def test_a_message_that_does_not_fit_the_buffer_is_not_marked(qm: QM) -> None:
    qm.put("long")
    handle = qm.open()
    assert handle.get(MARK, max_length=2).reason == rc.MQRC_TRUNCATED_MSG_FAILED
    assert take(handle, UNMARKED) == b"long"


@pytest.mark.conformance("MARK-46")
@pytest.mark.parametrize("options", [MQGMO_BROWSE_HANDLE, MQGMO_BROWSE_CO_OP], ids=["handle", "set"])
def test_nothing_is_missed_and_nothing_seen_twice_though_something_more_urgent_comes(qm: QM, options: int) -> None:
    qm.put("A", priority=5)
    qm.put("B", priority=5)
    handle = qm.open(options=CO_OP)
    seen = [take(handle, options)]
    qm.put("H", priority=9)
    seen += [take(handle, options), take(handle, options)]
    assert seen == [b"A", b"H", b"B"]
    with fails(NOTHING):
        handle.get(options)


@pytest.mark.conformance("MARK-46")
def test_the_combinations_are_what_their_names_say() -> None:
    assert MQGMO_BROWSE_HANDLE == FIRST | MQGMO_UNMARKED_BROWSE_MSG | MQGMO_MARK_BROWSE_HANDLE
    assert MQGMO_BROWSE_CO_OP == FIRST | MQGMO_UNMARKED_BROWSE_MSG | MQGMO_MARK_BROWSE_CO_OP


# Marks of the co-operating set


@pytest.mark.conformance("MARK-12", "MARK-20")
def test_a_mark_of_the_set_counts_for_all_its_handles(qm: QM) -> None:
    qm.put("1")
    qm.put("2")
    ours, other = two(qm, CO_OP)
    assert take(ours, MARK_SET) == b"1"
    assert take(other, UNMARKED) == b"2"
    assert take(other, MQGMO_BROWSE_CO_OP) == b"2"
    with fails(NOTHING):
        ours.get(UNMARKED)


@pytest.mark.conformance("MARK-13")
def test_the_set_is_of_all_processes(qm: QM) -> None:
    qm.alter_qmgr(msg_mark_browse_interval=-1)  # a mark lasts, however long the other process takes
    qm.put("1")
    qm.put("2")
    qm.open(options=CO_OP).get(MARK_SET)
    child = start_child(
        """
with connect(path) as connection:
    handle = connection.open("Q", MQOO_BROWSE | MQOO_CO_OP)
    print(handle.get(MQGMO_BROWSE_CO_OP).message.data.decode())
    try:
        handle.get(MQGMO_BROWSE_CO_OP)
    except NoMessageAvailable:
        print("no more")
""",
        qm.path,
    )
    assert output_of(child) == "2\nno more\n"
    with fails(NOTHING):
        qm.open(options=CO_OP).get(MQGMO_BROWSE_CO_OP)


@pytest.mark.conformance("MARK-14", "MARK-34")
def test_a_mark_of_the_set_is_beside_that_of_the_handle(qm: QM) -> None:
    qm.put("1")
    ours, other = two(qm, CO_OP)
    ours.get(MARK)
    ours.get(MARK_SET)
    assert take(other, UNMARK_SET) == b"1"
    with fails(NOTHING):
        ours.get(UNMARKED)
    assert take(other, UNMARKED) == b"1"


@pytest.mark.conformance("MARK-44")
def test_both_marks_can_be_set_at_once(qm: QM) -> None:
    qm.put("1")
    ours, other = two(qm, CO_OP)
    assert take(ours, MARK | MQGMO_MARK_BROWSE_CO_OP) == b"1"
    for handle in (ours, other):
        with fails(NOTHING):
            handle.get(UNMARKED)
    other.get(UNMARK_SET)
    with fails(NOTHING):
        ours.get(UNMARKED)


@pytest.mark.conformance("MARK-19")
@pytest.mark.parametrize("by", ["first", "cursor", "token"])
def test_a_message_is_marked_for_the_set_once(qm: QM, by: str) -> None:
    token = {"match_options": MQMO_MATCH_MSG_TOKEN}
    qm.put("1")
    qm.put("2")
    ours, other = two(qm, CO_OP)
    other.get(FIRST)
    token["msg_token"] = ours.get(MARK_SET).msg_token
    how = MQGMO_BROWSE_MSG_UNDER_CURSOR if by == "cursor" else FIRST
    with fails(rc.MQRC_MSG_MARKED_BROWSE_CO_OP):
        other.get(how | MQGMO_MARK_BROWSE_CO_OP, **(token if by == "token" else {}))
    assert take(other, MQGMO_BROWSE_NEXT) == b"2"  # the cursor has not moved


@pytest.mark.conformance("MARK-28")
def test_a_handle_of_the_set_does_not_see_what_the_set_has_marked(qm: QM) -> None:
    qm.put("1")
    ours, other = two(qm, CO_OP)
    ours.get(MARK_SET)
    for handle in (ours, other):
        with fails(NOTHING):
            handle.get(UNMARKED)


@pytest.mark.conformance("MARK-29")
def test_marks_of_the_set_are_nothing_to_others(qm: QM) -> None:
    qm.put("1")
    qm.open(options=CO_OP).get(MARK_SET)
    assert take(qm.open(options=MQOO_BROWSE), UNMARKED) == b"1"


@pytest.mark.conformance("MARK-23", "MARK-33")
def test_any_handle_of_the_set_removes_its_mark(qm: QM) -> None:
    qm.put("1")
    ours, other = two(qm, CO_OP)
    ours.get(MARK_SET)
    assert take(other, UNMARK_SET) == b"1"
    assert take(ours, UNMARKED) == b"1"
    assert take(other, UNMARKED) == b"1"


@pytest.mark.conformance("MARK-47")
def test_only_a_queue_opened_for_browse_is_opened_for_the_set(qm: QM) -> None:
    with fails(rc.MQRC_OPTIONS_ERROR):
        qm.open(options=MQOO_INPUT_SHARED | MQOO_CO_OP)
