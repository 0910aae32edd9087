"""A get's other fields are checked with its options, and its options say what kind of get it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtools.constants import options as mq
from mqtools.constants import reasons
from mqtools.constants.message import MQPER_NOT_PERSISTENT, MQPER_PERSISTENT
from mqtools.errors import MQError
from mqtools.message import MQMD
from mqtools.rules.options.get import browses, effective_match_options, effective_wait, is_destructive, uses_syncpoint

from ..entries import entry
from .get_checks import get, gmo, refusal

NUMBERS = st.integers(-(2**31), 2**31 - 1) | st.integers(0, 64)


class TestOtherFieldsOfTheGet:
    @pytest.mark.parametrize("unknown", [0x00080000, 0x20000000, 0x80000000, -1, 1 << 40])
    def test_unknown_option_bit_is_refused(self, unknown: int) -> None:
        assert refusal(unknown).reason == reasons.MQRC_OPTIONS_ERROR

    @pytest.mark.parametrize("match_options", [entry("BEY-62", 0x1000), 0x40, -1])
    def test_unknown_match_option_bit_is_refused(self, match_options: int) -> None:
        assert refusal(0, match_options=match_options).reason == reasons.MQRC_MATCH_OPTIONS_ERROR

    def test_every_match_option_is_known(self) -> None:
        get(0, match_options=0x3F)

    def test_version_1_has_no_match_options(self) -> None:
        get(0, match_options=0x1000, gmo_version=1)

    def test_match_by_token_needs_version_3(self) -> None:
        error = refusal(0, match_options=mq.MQMO_MATCH_MSG_TOKEN, gmo_version=2)
        assert error.reason == reasons.MQRC_WRONG_GMO_VERSION
        get(0, match_options=mq.MQMO_MATCH_MSG_TOKEN, gmo_version=3)

    @pytest.mark.parametrize(
        ("version", "given", "expected"),
        [
            (1, mq.MQMO_NONE, mq.MQMO_MATCH_CORREL_ID),  # version 1 has no match options: which id is not null counts
            (1, None, mq.MQMO_MATCH_CORREL_ID),
            (2, mq.MQMO_NONE, mq.MQMO_NONE),
            (2, None, mq.MQMO_MATCH_MSG_ID | mq.MQMO_MATCH_CORREL_ID),
            (3, mq.MQMO_MATCH_GROUP_ID, mq.MQMO_MATCH_GROUP_ID),
        ],
    )
    def test_match_options_count_from_version_2_on(self, version: int, given: int | None, expected: int) -> None:
        assert effective_match_options(MQMD(correl_id=b"c" * 24), given, version) == expected


class TestWhatAGetIs:
    @pytest.mark.parametrize("name", ["BROWSE_FIRST", "BROWSE_NEXT", "BROWSE_MSG_UNDER_CURSOR"])
    def test_browse_option_makes_it_a_browse(self, name: str) -> None:
        assert browses(gmo(name, "WAIT"))
        assert not is_destructive(gmo(name, "WAIT"))

    @pytest.mark.parametrize("options", [0, gmo("MSG_UNDER_CURSOR"), gmo("UNMARKED_BROWSE_MSG", "SYNCPOINT")])
    def test_without_one_it_removes_the_message(self, options: int) -> None:
        assert not browses(options)
        assert is_destructive(options)

    def test_unlock_neither_browses_nor_removes(self) -> None:
        assert not browses(gmo("UNLOCK"))
        assert not is_destructive(gmo("UNLOCK"))

    @pytest.mark.parametrize(
        ("options", "persistence", "profile", "expected"),
        [
            entry("SYNC-04", 0, MQPER_NOT_PERSISTENT, "zos", True),
            entry("SYNC-05", 0, MQPER_PERSISTENT, "distributed", False),
            entry("SYNC-08", gmo("SYNCPOINT_IF_PERSISTENT"), MQPER_PERSISTENT, "distributed", True),
            entry("SYNC-09", gmo("SYNCPOINT_IF_PERSISTENT"), MQPER_NOT_PERSISTENT, "zos", False),
            entry("SYNC-14", gmo("BROWSE_FIRST"), MQPER_PERSISTENT, "zos", False),
            entry("AMB-18", gmo("BROWSE_MSG_UNDER_CURSOR"), MQPER_PERSISTENT, "zos", False),
            pytest.param(gmo("UNLOCK"), MQPER_PERSISTENT, "zos", False, id="unlock"),
            pytest.param(gmo("SYNCPOINT"), MQPER_NOT_PERSISTENT, "distributed", True, id="syncpoint"),
            pytest.param(gmo("NO_SYNCPOINT"), MQPER_PERSISTENT, "zos", False, id="no syncpoint"),
        ],
    )
    def test_unit_of_work(self, options: int, persistence: int, profile: str, expected: bool) -> None:
        assert uses_syncpoint(options, persistence, profile) is expected

    @pytest.mark.parametrize("cursor", ["BROWSE_MSG_UNDER_CURSOR", "MSG_UNDER_CURSOR"])
    def test_nothing_is_waited_for_at_the_cursor(self, cursor: str) -> None:
        assert effective_wait(gmo("WAIT", cursor)) == 0
        assert effective_wait(gmo("WAIT", "BROWSE_NEXT")) == mq.MQGMO_WAIT
        assert effective_wait(gmo("SET_SIGNAL")) == mq.MQGMO_SET_SIGNAL


@given(NUMBERS, NUMBERS, NUMBERS, NUMBERS)
def test_whatever_numbers_come_a_get_is_accepted_or_refused_with_a_reason(
    options: int, match_options: int, handle: int, wait_ms: int
) -> None:
    try:
        get(options, handle, match_options=match_options, wait_interval_ms=wait_ms)
    except MQError as error:
        reason = error.reason
        shown = str(error)
        assert 2000 < reason < 2300, shown
