"""A put takes the place in group and message that the product's table gives it, or is refused."""

from __future__ import annotations

from itertools import pairwise, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtools.constants import message as c
from mqtools.constants import reasons as r
from mqtools.constants.structures import MQGI_NONE
from mqtools.errors import MQError
from mqtools.message import MQMD
from mqtools.rules.groups import NO_POSITION, GroupPosition
from mqtools.rules.logical_put import place_logically, place_physically

from ..errors import reason_of
from .entries import entry

G, K, FRESH = b"G" * 24, b"K" * 24, b"F" * 24
IN, LAST = c.MQMF_MSG_IN_GROUP, c.MQMF_MSG_IN_GROUP | c.MQMF_LAST_MSG_IN_GROUP
SEG, LAST_SEG, MAY = c.MQMF_SEGMENT, c.MQMF_SEGMENT | c.MQMF_LAST_SEGMENT, c.MQMF_SEGMENTATION_ALLOWED
PERSISTENT, NOT_PERSISTENT = c.MQPER_PERSISTENT, c.MQPER_NOT_PERSISTENT


def never() -> bytes:
    raise AssertionError("no new group id is wanted")


def current(in_group: bool, in_message: bool, **fields: Any) -> GroupPosition:
    """Group G, message 4, a segment of 12 bytes at 30, put in logical order outside a unit of work."""
    flags = IN * in_group | SEG * in_message
    position = GroupPosition(G, 4 if in_group else 1, 30, 12, in_group, in_message, False, True, flags)
    return position.replace(**fields)


def logically(position: GroupPosition, md: MQMD, length: int = 10, **named: Any) -> tuple[dict[str, Any], Any]:
    settled = md.replace(persistence=named.get("persistence", 0))
    return place_logically(position, settled, length, named.get("sync", False), named.get("ids", lambda: FRESH))


def physically(position: GroupPosition, md: MQMD, length: int = 10, **named: Any) -> tuple[dict[str, Any], Any, int]:
    settled = md.replace(persistence=named.get("persistence", 0))
    return place_physically(position, settled, length, named.get("sync", False), named.get("ids", lambda: FRESH))


def place(fields: dict[str, Any]) -> tuple[bytes, int, int]:
    return fields["group_id"], fields["msg_seq_number"], fields["offset"]


def refusal(position: GroupPosition, md: MQMD, length: int = 10, **named: Any) -> int:
    before = position.replace()
    reason = reason_of(logically, position, md, length, ids=never, **named)
    assert position == before
    return reason


#: In logical order: in group, segment, may be segmented; current group, current message (None: either); the place.
IN_ORDER = [
    (0, 0, 0, 0, 0, (MQGI_NONE, 1, 0)),
    (0, 0, 1, 0, 0, (FRESH, 1, 0)),
    (0, 1, None, 0, 0, (FRESH, 1, 0)),
    (0, 1, None, 0, 1, (G, 1, 42)),
    (1, None, None, 0, 0, (FRESH, 1, 0)),
    (1, None, None, 1, 0, (G, 5, 0)),
    (1, 1, None, 1, 1, (G, 4, 42)),
]
#: Without it, where the caller says group K, message 7, offset 99.
WITHOUT = [
    (0, 0, 0, (MQGI_NONE, 1, 0)),
    (0, 0, 1, (K, 1, 0)),
    (0, 1, None, (K, 1, 99)),
    (1, 0, None, (K, 7, 0)),
    (1, 1, None, (K, 7, 99)),
]
CASES = list(product((0, 1), repeat=5))


def given_row(case: tuple[int, ...]) -> tuple[bytes, int, int] | None:
    for *row, values in IN_ORDER:
        if all(wanted in (None, got) for wanted, got in zip(row, case, strict=True)):
            return values
    return None


@pytest.mark.conformance("BEY-10")
@pytest.mark.parametrize("case", [c for c in CASES if given_row(c)])
def test_place_in_logical_order_whatever_the_caller_says(case: tuple[int, ...]) -> None:
    mig, seg, may, in_group, in_message = case
    md = MQMD(msg_flags=mig * IN | seg * SEG | may * MAY, group_id=K, msg_seq_number=7, offset=99)
    assert place(logically(current(bool(in_group), bool(in_message)), md)[0]) == given_row(case)


@pytest.mark.conformance("BEY-12")
@pytest.mark.parametrize("case", [c for c in CASES if not given_row(c)])
def test_what_does_not_continue_is_refused(case: tuple[int, ...]) -> None:
    mig, seg, may, in_group, in_message = case
    position = current(bool(in_group), bool(in_message))
    expected = r.MQRC_INCOMPLETE_MSG if in_message else r.MQRC_INCOMPLETE_GROUP
    assert refusal(position, MQMD(msg_flags=mig * IN | seg * SEG | may * MAY)) == expected


@pytest.mark.conformance("BEY-20")
@pytest.mark.parametrize(("mig", "seg", "may", "expected"), WITHOUT)
@pytest.mark.parametrize("given_id", [K, MQGI_NONE])
@pytest.mark.parametrize("state", list(product([False, True], repeat=2)))
def test_place_without_logical_order(
    mig: int, seg: int, may: int | None, expected: tuple[bytes, int, int], given_id: bytes, state: tuple[bool, bool]
) -> None:
    for allowed in (0, MAY) if may is None else (may * MAY,):
        md = MQMD(msg_flags=mig * IN | seg * SEG | allowed, group_id=given_id, msg_seq_number=7, offset=99)
        wanted = FRESH if given_id == MQGI_NONE and expected[0] == K else expected[0]
        ids = (lambda: FRESH) if wanted == FRESH else never
        assert place(physically(current(*state), md, ids=ids)[0]) == (wanted, *expected[1:])


class TestOrder:
    @pytest.mark.conformance("LOGORD-41")
    def test_restart_by_a_physical_put_goes_on_in_logical_order(self) -> None:
        md = MQMD(msg_flags=IN, group_id=G, msg_seq_number=3)
        _, position, warning = physically(NO_POSITION, md)
        assert warning == 0
        assert place(logically(position, MQMD(msg_flags=LAST))[0]) == (G, 4, 0)


@pytest.mark.conformance("RSEG-36")
@pytest.mark.parametrize("put", [logically, physically])
@pytest.mark.parametrize(
    ("flags", "msg_type", "original_length"),
    [
        (SEG, c.MQMT_DATAGRAM, 10),
        (0, c.MQMT_DATAGRAM, -1),
        (IN | MAY, c.MQMT_DATAGRAM, -1),
        (SEG, c.MQMT_REPORT, 300),
        (0, c.MQMT_REPORT, -1),
    ],
)
def test_original_length(put: Any, flags: int, msg_type: int, original_length: int) -> None:
    md = MQMD(msg_flags=flags, msg_type=msg_type, original_length=300)
    assert put(NO_POSITION, md, 10)[0]["original_length"] == original_length


@pytest.mark.conformance("RSEG-34")
def test_report_segments_advance_by_original_length() -> None:
    position, offsets = NO_POSITION, []
    for flags, length in ((SEG, 10), (SEG, 20), (LAST_SEG, 5)):
        md = MQMD(msg_flags=flags, msg_type=c.MQMT_REPORT, original_length=length)
        fields, position = logically(position, md, 0)
        offsets.append(fields["offset"])
    assert offsets == [0, 10, 30]


class TestConsistency:
    @pytest.mark.conformance("BEY-15")
    @pytest.mark.parametrize("begun_in", [False, True])
    @pytest.mark.parametrize("state", [(True, False), (False, True), (True, True)])
    def test_unit_of_work(self, begun_in: bool, state: tuple[bool, bool]) -> None:
        position = current(*state, in_unit_of_work=begun_in)
        md = MQMD(msg_flags=position.flags)
        assert refusal(position, md, sync=not begun_in) == r.MQRC_INCONSISTENT_UOW
        assert logically(position, md, sync=begun_in, ids=never)[1].in_unit_of_work == begun_in

    @pytest.mark.conformance("BEY-16")
    @pytest.mark.parametrize("state", [(True, False), (False, True), (True, True)])
    @pytest.mark.parametrize("first", [PERSISTENT, NOT_PERSISTENT])
    def test_persistence(self, state: tuple[bool, bool], first: int) -> None:
        position = current(*state, persistence=first)
        md = MQMD(msg_flags=position.flags)
        assert refusal(position, md, persistence=1 - first) == r.MQRC_INCONSISTENT_PERSISTENCE
        assert logically(position, md, persistence=first)[1].persistence == first

    def test_both_may_change_between_groups(self) -> None:
        position = current(False, False, persistence=PERSISTENT, in_unit_of_work=True)
        logically(position, MQMD(msg_flags=IN), persistence=NOT_PERSISTENT, sync=False)

    @pytest.mark.parametrize("put_before", [IN, LAST])
    def test_segments_agree_on_being_the_last_message(self, put_before: int) -> None:
        position = current(True, True, flags=put_before | SEG)
        other = LAST if put_before == IN else IN
        assert refusal(position, MQMD(msg_flags=other | SEG)) == r.MQRC_INCOMPLETE_MSG
        logically(position, MQMD(msg_flags=put_before | LAST_SEG))


#: What was put in logical order, what comes without it: the caller's place, persistence, syncpoint; the warning.
WARNINGS = [
    entry("BEY-13", (True, False), MQMD(), 0, False, r.MQRC_INCOMPLETE_GROUP),
    entry("BEY-13", (False, True), MQMD(), 0, False, r.MQRC_INCOMPLETE_MSG),
    entry("BEY-13", (True, True), MQMD(), 0, False, r.MQRC_INCOMPLETE_MSG),
    entry("BEY-13", (True, False), MQMD(msg_flags=IN), 0, False, r.MQRC_INCOMPLETE_GROUP),
    entry(
        "BEY-13", (True, False), MQMD(msg_flags=IN, group_id=G, msg_seq_number=6), 0, False, r.MQRC_INCOMPLETE_GROUP
    ),
    entry("BEY-13", (True, False), MQMD(msg_flags=IN, group_id=K, msg_seq_number=5), 1, True, r.MQRC_INCOMPLETE_GROUP),
    entry("BEY-13", (False, True), MQMD(msg_flags=SEG, group_id=G, offset=41), 0, False, r.MQRC_INCOMPLETE_MSG),
    entry("BEY-13", (True, False), MQMD(msg_flags=SEG, group_id=G), 0, False, r.MQRC_INCOMPLETE_GROUP),
    entry(
        "BEY-16", (True, False), MQMD(msg_flags=IN, group_id=G, msg_seq_number=5), 1, True, 2185
    ),
    entry("BEY-15", (True, False), MQMD(msg_flags=IN, group_id=G, msg_seq_number=5), 0, True, 2245),
    entry("BEY-15", (False, True), MQMD(msg_flags=SEG, group_id=G, offset=42), 0, True, 2245),
    pytest.param((True, False), MQMD(msg_flags=IN, group_id=G, msg_seq_number=5), 0, False, 0, id="next in group"),
    pytest.param((False, True), MQMD(msg_flags=LAST_SEG, group_id=G, offset=42), 0, False, 0, id="next segment"),
    pytest.param((False, False), MQMD(), 1, True, 0, id="nothing current"),
]  # fmt: skip


@pytest.mark.parametrize(("state", "md", "persistence", "sync", "warning"), WARNINGS)
def test_put_without_logical_order_warns_after_one_with_it(
    state: tuple[bool, bool], md: MQMD, persistence: int, sync: bool, warning: int
) -> None:
    assert physically(current(*state), md, persistence=persistence, sync=sync)[2] == warning
    before = current(*state, logical=False)
    assert physically(before, md, persistence=persistence, sync=sync)[2] == 0


def test_plain_message_put_physically_leaves_nothing_current() -> None:
    _, position, warning = physically(current(True, True), MQMD())
    assert position == NO_POSITION
    assert warning == r.MQRC_INCOMPLETE_MSG


flags = st.sampled_from([0, IN, LAST, SEG, LAST_SEG, IN | SEG, IN | LAST_SEG, LAST | SEG, LAST | LAST_SEG])
calls = st.lists(st.tuples(flags, st.integers(1, 50), st.sampled_from([0, 0, 0, 1]), st.booleans()), max_size=30)


@given(calls)
def test_logical_puts_that_succeed_never_leave_a_gap(made: list[tuple[int, int, int, bool]]) -> None:
    position, placed, refused, ids = NO_POSITION, [], [], iter(n.to_bytes(24, "big") for n in range(1, 100))
    for msg_flags, length, persistence, sync in made:
        try:
            md = MQMD(msg_flags=msg_flags, persistence=persistence)
            fields, position = place_logically(position, md, length, sync, lambda: next(ids))
        except MQError as error:
            refused.append((position.is_open, error.reason))
            continue
        placed.append((fields, length))
    assert all(is_open and reason in (2241, 2242, 2185, 2245) for is_open, reason in refused)
    for (fields, length), (following, _) in pairwise(placed):
        if fields["group_id"] == following["group_id"] != MQGI_NONE:
            steps = following["msg_seq_number"] - fields["msg_seq_number"], following["offset"]
            assert steps in ((0, fields["offset"] + length), (1, 0))


@given(calls)
def test_forwarding_what_was_put_in_logical_order_changes_nothing(made: list[tuple[int, int, int, bool]]) -> None:
    position, ids = NO_POSITION, iter(n.to_bytes(24, "big") for n in range(1, 100))
    for msg_flags, length, _, _ in made:
        try:
            fields, after = place_logically(position, MQMD(msg_flags=msg_flags), length, False, lambda: next(ids))
        except MQError:
            continue
        again, after_physically, warning = place_physically(position, MQMD(**fields), length, False, never)
        assert (again, warning) == (fields, 0)
        assert after_physically.is_open == after.is_open
        position = after
