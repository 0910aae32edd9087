"""Calls that do not go with what is retained of groups and segments, browsing, closing, forwarding, platforms."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from mqtools.admin import queue_managers
from mqtools.constants import reasons as rc
from mqtools.constants.message import MQMF_LAST_MSG_IN_GROUP, MQMF_MSG_IN_GROUP
from mqtools.constants.objects import MQIT_GROUP_ID, MQIT_NONE
from mqtools.constants.options import (
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_NEXT,
    MQGMO_LOCK,
    MQGMO_MSG_UNDER_CURSOR,
    MQGMO_NO_SYNCPOINT,
    MQGMO_SYNCPOINT,
    MQMO_MATCH_GROUP_ID,
    MQMO_MATCH_MSG_ID,
    MQMO_MATCH_MSG_SEQ_NUMBER,
    MQMO_MATCH_MSG_TOKEN,
    MQOO_BROWSE,
)
from mqtools.message import MQMD, Message
from mqtools.mqi.handle import Handle

from ..conftest import QM, fails, take
from .group_story import (
    ALL_MSGS,
    ALL_SEGMENTS,
    COMPLETE,
    LOGICAL,
    G,
    K,
    member,
    members,
    part,
    parts,
    take_all,
    take_by,
)

LAST_IN = MQMF_MSG_IN_GROUP | MQMF_LAST_MSG_IN_GROUP

OK, WARNING, FAILED = rc.MQCC_OK, rc.MQCC_WARNING, rc.MQCC_FAILED

#: The call, the options of the get before it, and how it completes when the two do not go together.
OUTCOMES = [
    ("get in logical order", LOGICAL, FAILED),
    ("get in logical order", 0, FAILED),
    ("get without", LOGICAL, WARNING),
    ("get without", 0, OK),
    ("close", LOGICAL, WARNING),
    ("close", 0, OK),
]


def inconsistent_call(name: str, handle: Handle) -> int:
    """Make a call that does not go with a group begun outside a unit of work; give its completion code."""
    if name == "close":
        return WARNING if handle.close() else OK
    if name == "get without":
        return take_by(handle, MQGMO_SYNCPOINT, MQMO_MATCH_GROUP_ID, group_id=K).comp_code
    with fails(rc.MQRC_INCONSISTENT_UOW) as failure:
        handle.get(LOGICAL | MQGMO_SYNCPOINT)
    return failure.value.comp_code


@pytest.mark.conformance("LOGORD-49")
@pytest.mark.parametrize(("name", "before", "completion"), OUTCOMES)
def test_an_inconsistent_call_fails_warns_or_passes(qm: QM, name: str, before: int, completion: int) -> None:
    members(qm, G)
    members(qm, K)
    handle = qm.open()
    assert take(handle, before | MQGMO_NO_SYNCPOINT) == b"G1"
    assert inconsistent_call(name, handle) == completion


@pytest.mark.conformance("LOGORD-50")
def test_consistent_gets_of_a_group_all_succeed(qm: QM) -> None:
    members(qm, G)
    handle = qm.open()
    assert [handle.get(LOGICAL).comp_code for _ in range(3)] == [OK] * 3


@pytest.mark.conformance("LOGORD-51", "LOGORD-52")
def test_browsing_is_never_checked(qm: QM) -> None:
    members(qm, G)
    handle = qm.open("Q", MQOO_BROWSE)
    handle.get(LOGICAL | MQGMO_BROWSE_FIRST)
    result = handle.get(MQGMO_BROWSE_FIRST)
    assert (result.message.data, result.reason) == (b"G1", rc.MQRC_NONE)
    handle.get(LOGICAL | MQGMO_BROWSE_FIRST)
    assert handle.close() == rc.MQRC_NONE


@pytest.mark.conformance("LOGORD-53")
def test_a_close_that_warns_has_closed(qm: QM) -> None:
    members(qm, G)
    handle = qm.open()
    handle.get(LOGICAL)
    assert handle.close() == rc.MQRC_INCOMPLETE_GROUP
    with fails(rc.MQRC_HOBJ_ERROR):
        handle.get(LOGICAL)


@pytest.mark.conformance("LOGORD-54")
def test_a_close_after_a_get_without_logical_order_does_not_warn(qm: QM) -> None:
    members(qm, G)
    handle = qm.open()
    handle.get()
    assert handle.close() == rc.MQRC_NONE


@pytest.mark.conformance("LOGORD-55")
def test_a_forwarder_keeps_groups_together_without_knowing_them(qm: QM) -> None:
    members(qm, G, 3, 1)
    parts(qm, G, "2a", "2b", flags=MQMF_MSG_IN_GROUP, msg_seq_number=2)
    source = qm.open()
    for _ in range(4):
        got = source.get().message
        qm.main.put1("R", Message(got.data, got.md))
    assert qm.open("R").get(MQGMO_BROWSE_FIRST).message.md.group_id == G
    assert qm.data("R") == [b"G3", b"G1", b"2a", b"2b"]
    assert take_all(qm.open("R"), LOGICAL) == [b"G1", b"2a", b"2b", b"G3"]


@pytest.mark.conformance("LOGORD-61", "BEY-97")
def test_the_status_fields_tell_the_place(qm: QM) -> None:
    member(qm, G, 1)
    parts(qm, G, "2a", "2b", flags=LAST_IN, msg_seq_number=2)
    member(qm, K, 1, last=True)
    qm.put("X")
    handle = qm.open()
    found = [handle.get(LOGICAL) for _ in range(5)]
    places = [(result.group_status, result.segment_status) for result in found]
    assert places == [("G", " "), ("L", "S"), ("L", "L"), ("L", " "), (" ", " ")]


def test_under_the_cursor_only_the_next_of_the_group_is_given_in_logical_order(qm: QM) -> None:
    members(qm, G)
    handle = qm.open()
    handle.get(LOGICAL)
    assert [take(handle, MQGMO_BROWSE_FIRST), take(handle, MQGMO_BROWSE_NEXT)] == [b"G2", b"G3"]
    with fails(rc.MQRC_INCOMPLETE_GROUP):
        handle.get(LOGICAL | MQGMO_MSG_UNDER_CURSOR)
    handle.get(MQGMO_BROWSE_FIRST)
    assert take(handle, LOGICAL | MQGMO_MSG_UNDER_CURSOR) == b"G2"


def test_a_lock_on_a_later_message_does_not_begin_its_group(qm: QM) -> None:
    members(qm, G, 2, 1, size=2)
    handle = qm.open()
    assert take(handle, MQGMO_BROWSE_FIRST | MQGMO_LOCK) == b"G2"
    assert take_all(handle, LOGICAL) == [b"G1", b"G2"]


# -- platforms


GROUP_OPTIONS = [
    pytest.param(LOGICAL, id="LOGICAL_ORDER", marks=[pytest.mark.conformance("LOGORD-57", "LOGORD-59")]),
    pytest.param(COMPLETE, id="COMPLETE_MSG", marks=[pytest.mark.conformance("COMPL-38", "COMPL-39")]),
    pytest.param(ALL_MSGS, id="ALL_MSGS_AVAILABLE", marks=[pytest.mark.conformance("AVAIL-15")]),
    pytest.param(ALL_SEGMENTS, id="ALL_SEGMENTS_AVAILABLE", marks=[pytest.mark.conformance("AVAIL-29")]),
]


@pytest.fixture
def in_profile(tmp_path: Path) -> Callable[[str, int], QM]:
    def make(profile: str, index_type: int) -> QM:
        made = QM(queue_managers.create(str(tmp_path / f"{profile}{index_type}.db"), profile=profile))
        made.define("Q", index_type=index_type)
        member(made, G, 1, last=True)
        made.main.commit()  # on z/OS the put is part of a unit of work
        return made

    return make


@pytest.mark.parametrize("options", GROUP_OPTIONS)
def test_on_z_os_groups_need_a_queue_indexed_by_group_id(in_profile: Callable[[str, int], QM], options: int) -> None:
    qm = in_profile("zos", MQIT_NONE)
    with fails(rc.MQRC_Q_INDEX_TYPE_ERROR):
        qm.open().get(options)
    assert take(qm.open()) == b"G1"
    qm.main.disconnect()
    indexed = in_profile("zos", MQIT_GROUP_ID)
    assert take(indexed.open(), options) == b"G1"
    indexed.main.disconnect()


@pytest.mark.parametrize("options", GROUP_OPTIONS)
@pytest.mark.parametrize("index_type", [MQIT_NONE, MQIT_GROUP_ID])
def test_elsewhere_any_local_queue_will_do(in_profile: Callable[[str, int], QM], options: int, index_type: int) -> None:
    qm = in_profile("distributed", index_type)
    assert take(qm.open(), options) == b"G1"
    qm.main.disconnect()


def test_an_empty_queue_of_z_os_is_refused_as_well(in_profile: Callable[[str, int], QM]) -> None:
    qm = in_profile("zos", MQIT_NONE)
    take(qm.open())
    qm.main.commit()
    with fails(rc.MQRC_Q_INDEX_TYPE_ERROR):
        qm.open().get(LOGICAL)
    qm.main.disconnect()


def test_a_message_under_a_token_still_has_to_match(qm: QM) -> None:
    part(qm, G, 2, "b")
    token = qm.open().get(MQGMO_BROWSE_FIRST).msg_token
    by_both = MQMO_MATCH_MSG_TOKEN | MQMO_MATCH_MSG_ID
    with fails(rc.MQRC_NO_MSG_AVAILABLE):
        qm.open().get(md=MQMD(msg_id=b"?" * 24), match_options=by_both, msg_token=token)
    with fails(rc.MQRC_NO_MSG_AVAILABLE):
        qm.open().get(COMPLETE, match_options=MQMO_MATCH_MSG_TOKEN, msg_token=token)
    assert qm.open().get(match_options=MQMO_MATCH_MSG_TOKEN, msg_token=token).message.data == b"b"


def test_numbers_are_found_by_the_whole_queue_where_no_group_is_named(qm: QM) -> None:
    members(qm, G)
    assert take_by(qm.open(), 0, MQMO_MATCH_MSG_SEQ_NUMBER, msg_seq_number=3).message.data == b"G3"
