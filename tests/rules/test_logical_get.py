"""Gets among groups and segments look for, refuse, warn and retain what the product's tables say."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from mqtools.constants import message as c
from mqtools.constants import options as mq
from mqtools.constants import reasons as r
from mqtools.constants.structures import MQGI_NONE
from mqtools.message import MQMD
from mqtools.rules import groups, logical_get, logical_put, reassembly
from mqtools.rules.groups import NO_POSITION, GroupPosition, close_warning

from ..errors import reason_of
from .entries import entry

G, K, L = b"G" * 24, b"K" * 24, b"L" * 24
PLAIN, IN, LAST = 0, c.MQMF_MSG_IN_GROUP, c.MQMF_MSG_IN_GROUP | c.MQMF_LAST_MSG_IN_GROUP
SEG, LAST_SEG = c.MQMF_SEGMENT, c.MQMF_SEGMENT | c.MQMF_LAST_SEGMENT
LOGICAL = mq.MQGMO_LOGICAL_ORDER
ALL_MSGS, ALL_SEGMENTS = mq.MQGMO_ALL_MSGS_AVAILABLE, mq.MQGMO_ALL_SEGMENTS_AVAILABLE
COMPLETE, FIRST, NEXT = mq.MQGMO_COMPLETE_MSG, mq.MQGMO_BROWSE_FIRST, mq.MQGMO_BROWSE_NEXT
MATCH_ALL = sum(option for option, _, _ in logical_get.MATCHED_FIELDS)


def message(group_id: bytes = MQGI_NONE, seq: int = 1, flags: int = PLAIN, **fields: Any) -> tuple[MQMD, int]:
    """Return a descriptor and a length of 10 bytes."""
    return MQMD(**{"msg_id": b"M" * 24, "group_id": group_id, "msg_seq_number": seq, "msg_flags": flags, **fields}), 10


X = message(msg_id=b"X" * 24)
G2, K3 = message(G, 2, IN), message(K, 3, LAST)
S1 = message(L, flags=SEG)

#: what is current, then what is looked for; None: nothing of its own. Group G, sequence 4, offset 30, length 12.
VALUES = [
    entry("LOGORD-24", LOGICAL, False, False, {"msg_seq_number": 1, "offset": 0}, "msg_id correl_id group_id"),
    entry("LOGORD-25", LOGICAL, False, True, {"group_id": G, "msg_seq_number": 1, "offset": 42}, ""),
    entry("LOGORD-26", LOGICAL, True, False, {"group_id": G, "msg_seq_number": 5, "offset": 0}, ""),
    entry("LOGORD-27", LOGICAL, True, True, {"group_id": G, "msg_seq_number": 4, "offset": 42}, ""),
    *(
        entry("LOGORD-28", 0, in_group, in_message, {}, "msg_id correl_id group_id msg_seq_number offset")
        for in_group, in_message in product([False, True], repeat=2)
    ),
]


@pytest.mark.parametrize(("options", "in_group", "in_message", "wanted", "by_match"), VALUES)
@pytest.mark.parametrize("kind", [0, pytest.param(NEXT, marks=pytest.mark.conformance("LOGORD-29"))])
def test_values_looked_for(
    options: int, in_group: bool, in_message: bool, wanted: dict[str, object], by_match: str, kind: int
) -> None:
    position = GroupPosition(G, 4, 30, 12, in_group, in_message)
    options |= kind
    assert logical_get.wanted_by_logical_order(position, options) == wanted
    chosen = logical_get.selection_match_options(position, options, MATCH_ALL)
    assert [f for option, f, _ in logical_get.MATCHED_FIELDS if chosen & option] == by_match.split()


def test_every_state_has_its_row_and_every_row_its_fields() -> None:
    assert set(logical_get.LOOKED_FOR) == set(product([False, True], repeat=2))
    fields = {field for _, field, _ in logical_get.MATCHED_FIELDS}
    assert all(set(row) == fields for row in logical_get.LOOKED_FOR.values())


def test_token_chooses_only_where_nothing_is_current() -> None:
    token = mq.MQMO_MATCH_MSG_TOKEN
    assert logical_get.selection_match_options(NO_POSITION, LOGICAL, token) == token
    assert logical_get.selection_match_options(GroupPosition(G, in_group=True), LOGICAL, token) == 0
    assert logical_get.selection_match_options(GroupPosition(G, in_group=True), 0, token) == token


class TestUnitOfWork:
    def test_where_only_the_message_can_tell_nothing_is_refused_before_it_is_found(self) -> None:
        position = GroupPosition(G, in_group=True, in_unit_of_work=True, logical=True)
        logical_get.check_get(position, LOGICAL, 0, None, None)
        assert reason_of(logical_get.check_found, position, LOGICAL, 0, None, G2[0], False) == 2245


class TestMatchOptions:
    @pytest.mark.parametrize(("option", "field", "any_value"), logical_get.MATCHED_FIELDS)
    def test_each_field_is_compared(self, option: int, field: str, any_value: object) -> None:
        position = GroupPosition(G, 1, in_group=True, logical=True)
        other = MQMD().replace(**{field: b"?" * 24 if isinstance(any_value, bytes) else 77})
        assert reason_of(logical_get.check_found, position, LOGICAL, option, other, G2[0], False) == 2247
        logical_get.check_found(position, LOGICAL, option, G2[0], G2[0], False)
        logical_get.check_found(position, LOGICAL, 0, other, G2[0], False)
        logical_get.check_found(position, LOGICAL, option, None, G2[0], False)

    def test_null_identifiers_match_any_message(self) -> None:
        position = GroupPosition(G, 1, in_group=True, logical=True)
        ids = mq.MQMO_MATCH_MSG_ID | mq.MQMO_MATCH_CORREL_ID | mq.MQMO_MATCH_GROUP_ID
        logical_get.check_found(position, LOGICAL, ids, MQMD(), G2[0], False)

    def test_what_cannot_match_is_refused_before_anything_is_looked_for(self) -> None:
        position = GroupPosition(G, 1, in_group=True, logical=True)
        option = mq.MQMO_MATCH_MSG_SEQ_NUMBER
        assert reason_of(logical_get.check_get, position, LOGICAL, option, MQMD(msg_seq_number=3), False) == 2247
        assert reason_of(logical_get.check_get, NO_POSITION, LOGICAL, option, MQMD(msg_seq_number=3), False) == 2247
        logical_get.check_get(position, LOGICAL, option, MQMD(msg_seq_number=2), False)

    def test_they_do_not_count_under_the_cursor(self) -> None:
        options = LOGICAL | mq.MQGMO_MSG_UNDER_CURSOR
        position = GroupPosition(G, 1, in_group=True, logical=True)
        other = MQMD(group_id=K)
        logical_get.check_get(position, options, mq.MQMO_MATCH_GROUP_ID, other, False)
        logical_get.check_found(position, options, mq.MQMO_MATCH_GROUP_ID, other, G2[0], False)


@pytest.mark.parametrize(
    ("position", "reason"),
    [
        (GroupPosition(G, 1, in_group=True), r.MQRC_INCOMPLETE_GROUP),
        (GroupPosition(L, 1, 0, 10, in_message=True), r.MQRC_INCOMPLETE_MSG),
        (GroupPosition(G, 1, 0, 10, in_group=True, in_message=True), r.MQRC_INCOMPLETE_MSG),
    ],
)
@pytest.mark.parametrize("logical", [False, True])
@pytest.mark.conformance("LOGORD-49")
def test_message_out_of_order_under_the_cursor_is_refused_in_logical_order(
    position: GroupPosition, reason: int, logical: bool
) -> None:
    position = position.replace(logical=logical)
    options = LOGICAL | mq.MQGMO_MSG_UNDER_CURSOR
    assert reason_of(logical_get.check_found, position, options, 0, None, X[0], False) == reason
    logical_get.check_found(position, options & ~LOGICAL, 0, None, X[0], False)
    logical_get.check_found(NO_POSITION, options, 0, None, X[0], False)


#: What was current, in which unit of work; the message got without logical order, its syncpoint; the warning.
WARNINGS = [
    entry("LOGORD-45", (True, False), False, X, False, r.MQRC_INCOMPLETE_GROUP),
    entry("LOGORD-28", (True, False), False, K3, False, r.MQRC_INCOMPLETE_GROUP),
    entry("LOGORD-46", (True, True), False, X, False, r.MQRC_INCOMPLETE_MSG),
    entry("LOGORD-46", (False, True), False, X, False, r.MQRC_INCOMPLETE_MSG),
    entry("LOGORD-47", (True, False), True, G2, False, r.MQRC_INCONSISTENT_UOW),
    entry("LOGORD-47", (True, False), False, G2, True, r.MQRC_INCONSISTENT_UOW),
    entry("LOGORD-48", (True, False), False, G2, False, 0),
    entry("LOGORD-48", (True, False), True, G2, True, 0),
    pytest.param((True, False), True, X, False, r.MQRC_INCOMPLETE_GROUP, id="both inconsistent"),
    pytest.param((False, False), True, X, False, 0, id="nothing current"),
]


class TestOutcome:
    @pytest.mark.parametrize(("current", "begun_in", "found", "sync", "warning"), WARNINGS)
    def test_get_without_logical_order_warns_after_one_with_it(
        self, current: tuple[bool, bool], begun_in: bool, found: tuple[MQMD, int], sync: bool, warning: int
    ) -> None:
        position = GroupPosition(G, 1, 0, 10, *current, begun_in, logical=True)
        assert logical_get.after_get(position, 0, *found, sync)[1] == warning
        physical = position.replace(logical=False)
        assert logical_get.after_get(physical, 0, *found, sync)[1] == 0

    @pytest.mark.parametrize("options", [FIRST, NEXT, mq.MQGMO_BROWSE_MSG_UNDER_CURSOR])
    @pytest.mark.parametrize("logical", [0, LOGICAL])
    @pytest.mark.conformance("LOGORD-51")
    def test_browse_is_never_checked(self, options: int, logical: int) -> None:
        position = GroupPosition(G, 1, 0, 10, True, True, True, True)
        match, md = MATCH_ALL, MQMD(group_id=K, msg_seq_number=9, offset=9)
        logical_get.check_get(position, options | logical, match, md, False)
        logical_get.check_found(position, options | logical, match, md, X[0], False)


INPUT, BROWSE, OUTPUT = mq.MQOO_INPUT_SHARED, mq.MQOO_BROWSE, mq.MQOO_OUTPUT
IN_GROUP = GroupPosition(G, in_group=True, logical=True)
IN_MESSAGE = GroupPosition(L, in_message=True, logical=True)
IN_BOTH = GroupPosition(G, in_group=True, in_message=True, logical=True)


@pytest.mark.parametrize(
    ("got", "put", "open_options", "warning"),
    [
        entry("LOGORD-53", IN_GROUP, NO_POSITION, INPUT, r.MQRC_INCOMPLETE_GROUP),
        entry("LOGORD-49", IN_MESSAGE, NO_POSITION, mq.MQOO_INPUT_EXCLUSIVE, r.MQRC_INCOMPLETE_MSG),
        entry("LOGORD-19", IN_BOTH, NO_POSITION, INPUT | BROWSE, r.MQRC_INCOMPLETE_MSG),
        entry("LOGORD-52", IN_BOTH, NO_POSITION, BROWSE, 0),
        entry("LOGORD-54", IN_BOTH.replace(logical=False), NO_POSITION, INPUT, 0),
        entry("LOGORD-18", NO_POSITION, NO_POSITION, INPUT | OUTPUT, 0),
        entry("BEY-14", NO_POSITION, IN_GROUP, OUTPUT, r.MQRC_INCOMPLETE_GROUP),
        entry("BEY-14", NO_POSITION, IN_MESSAGE, OUTPUT, r.MQRC_INCOMPLETE_MSG),
        pytest.param(NO_POSITION, IN_GROUP.replace(logical=False), OUTPUT, 0, id="put without"),
        pytest.param(IN_MESSAGE, IN_GROUP, INPUT | OUTPUT, r.MQRC_INCOMPLETE_MSG, id="message before group"),
        pytest.param(IN_GROUP, IN_MESSAGE, INPUT | OUTPUT, r.MQRC_INCOMPLETE_MSG, id="group after message"),
    ],
)
def test_close_warns_of_what_is_unfinished(
    got: GroupPosition, put: GroupPosition, open_options: int, warning: int
) -> None:
    assert close_warning(got, put, open_options) == warning


@pytest.mark.parametrize(
    ("flags", "ended"),
    [
        entry("LOGORD-17", LAST, (True, False)),
        entry("LOGORD-18", LAST | LAST_SEG, (True, True)),
        entry("LOGORD-19", LAST | SEG, (False, False)),
        entry("LOGORD-20", LAST_SEG, (False, True)),
        pytest.param(c.MQMF_LAST_SEGMENT, (False, True), id="implied segment"),
        pytest.param(c.MQMF_LAST_MSG_IN_GROUP, (True, False), id="implied group"),
        pytest.param(IN | LAST_SEG, (False, True), id="last segment of an inner message"),
        *(pytest.param(flags, (False, False), id=f"{flags:#x}") for flags in (PLAIN, IN, SEG, IN | SEG, 1)),
    ],
)
def test_termination(flags: int, ended: tuple[bool, bool]) -> None:
    assert groups.ends_group_and_message(flags) == ended
    position = groups.position_after(message(G, flags=flags)[0], 10, uses_syncpoint=False, logical=True)
    flags = logical_put.resolve_flags(flags)
    assert position.in_group == (bool(flags & IN) and not ended[0])
    assert position.in_message == (bool(flags & SEG) and not ended[1])


NOTHING, MESSAGE, GROUP = (False, False), (False, True), (True, True)


class TestAvailability:
    #: Options, current group, current message, whether the group and the message must be complete.
    @pytest.mark.parametrize(
        ("options", "in_group", "in_message", "needed"),
        [
            entry("AVAIL-01", ALL_MSGS, False, False, GROUP),
            entry("AVAIL-05", ALL_MSGS | LOGICAL, True, False, NOTHING),
            entry("AVAIL-05", ALL_MSGS | LOGICAL, False, True, NOTHING),
            entry("AVAIL-05", ALL_MSGS | LOGICAL, True, True, NOTHING),
            entry("AVAIL-06", ALL_MSGS | LOGICAL, False, False, GROUP),
            *(entry("AVAIL-07", ALL_MSGS, a, b, GROUP) for a, b in product([False, True], repeat=2)),
            *(entry("AVAIL-10", LOGICAL, a, b, NOTHING) for a, b in product([False, True], repeat=2)),
            entry("AVAIL-16", ALL_SEGMENTS, False, False, MESSAGE),
            entry("AVAIL-19", ALL_SEGMENTS | LOGICAL, False, True, NOTHING),
            entry("AVAIL-19", ALL_SEGMENTS | LOGICAL, True, True, NOTHING),
            entry("AVAIL-20", ALL_SEGMENTS | LOGICAL, True, False, MESSAGE),
            *(entry("AVAIL-22", ALL_SEGMENTS, a, b, MESSAGE) for a, b in product([False, True], repeat=2)),
            entry("AVAIL-23", 0, False, False, NOTHING),
            entry("COMPL-24", COMPLETE | LOGICAL, False, True, MESSAGE),
            *(entry("COMPL-30", COMPLETE | x, False, False, MESSAGE) for x in (0, ALL_SEGMENTS)),
            entry("COMPL-35", COMPLETE | LOGICAL, True, False, MESSAGE),
            entry("BROWSE-23", ALL_MSGS | LOGICAL | FIRST, True, True, GROUP),
        ],
    )
    def test_what_must_be_complete(
        self, options: int, in_group: bool, in_message: bool, needed: tuple[bool, bool]
    ) -> None:
        position = GroupPosition(G, in_group=in_group, in_message=in_message)
        assert (
            logical_get.needs_group_complete(options, position),
            logical_get.needs_message_complete(options, position),
        ) == needed


def test_partly_reassembled_report_counts_by_what_was_returned() -> None:
    report = S1[0].replace(msg_type=c.MQMT_REPORT, original_length=10)
    assert logical_get.after_get(NO_POSITION, COMPLETE, report, 30, False)[0].segment_length == 30
    assert logical_get.after_get(NO_POSITION, 0, report, 0, False)[0].segment_length == 10
    assert logical_get.after_browse(COMPLETE, report, 30).segment_length == 30


@pytest.mark.conformance("COMPL-35")
def test_reassembled_message_ends_its_logical_message_and_not_its_group() -> None:
    md = reassembly.assembled_descriptor(message(G, 2, IN | SEG)[0], 0)
    after = logical_get.after_get(GroupPosition(G, 1, in_group=True, logical=True), COMPLETE | LOGICAL, md, 30, False)
    assert logical_get.wanted_by_logical_order(after[0], LOGICAL) == {"group_id": G, "msg_seq_number": 3, "offset": 0}
