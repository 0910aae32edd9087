"""Open and close options that contradict each other or do not fit the queue are refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtools.constants import objects as o
from mqtools.constants import options as mq
from mqtools.constants import reasons
from mqtools.errors import MQError
from mqtools.rules.options import open
from mqtools.rules.options.open import check_close_options, check_open_options
from mqtools.rules.options.table import option_name

from ...errors import fails
from ..entries import entry

NUMBERS = st.integers(-(2**31), 2**31 - 1) | st.integers(0, 64)


class TestOpen:
    @pytest.mark.parametrize(
        "options",
        [
            entry("BEY-98", mq.MQOO_INPUT_SHARED | mq.MQOO_INPUT_EXCLUSIVE),
            mq.MQOO_INPUT_SHARED | mq.MQOO_INPUT_AS_Q_DEF,
            pytest.param(0, id="nothing"),
            pytest.param(mq.MQOO_FAIL_IF_QUIESCING | mq.MQOO_BIND_ON_OPEN, id="nothing to do with it"),
            mq.MQOO_OUTPUT | mq.MQOO_BIND_ON_OPEN | mq.MQOO_BIND_NOT_FIXED,
            mq.MQOO_OUTPUT | mq.MQOO_BIND_ON_GROUP | mq.MQOO_BIND_NOT_FIXED,
            mq.MQOO_BROWSE | mq.MQOO_READ_AHEAD | mq.MQOO_NO_READ_AHEAD,
            entry("BEY-99", mq.MQOO_PASS_ALL_CONTEXT | mq.MQOO_INPUT_SHARED),
            mq.MQOO_PASS_IDENTITY_CONTEXT | mq.MQOO_INPUT_SHARED,
            mq.MQOO_SET_ALL_CONTEXT | mq.MQOO_INPUT_SHARED,
            mq.MQOO_SET_IDENTITY_CONTEXT | mq.MQOO_INPUT_SHARED,
            mq.MQOO_SAVE_ALL_CONTEXT | mq.MQOO_OUTPUT | mq.MQOO_BROWSE,
            mq.MQOO_NO_MULTICAST | mq.MQOO_INPUT_SHARED,
            entry("MARK-47", mq.MQOO_INPUT_SHARED | mq.MQOO_CO_OP),
            pytest.param(mq.MQOO_OUTPUT | 0x00800000, id="unknown"),
            pytest.param(-1, id="negative"),
        ],
    )
    def test_contradiction_at_open_is_refused(self, options: int) -> None:
        with fails(reasons.MQRC_OPTIONS_ERROR):
            check_open_options(options, o.MQQT_LOCAL)

    @pytest.mark.parametrize(
        "options",
        [
            mq.MQOO_INQUIRE,
            mq.MQOO_SET,
            mq.MQOO_OUTPUT | mq.MQOO_SET_ALL_CONTEXT | mq.MQOO_PASS_ALL_CONTEXT | mq.MQOO_BIND_NOT_FIXED,
            mq.MQOO_INPUT_EXCLUSIVE | mq.MQOO_SAVE_ALL_CONTEXT | mq.MQOO_FAIL_IF_QUIESCING | mq.MQOO_READ_AHEAD,
            mq.MQOO_BROWSE | mq.MQOO_CO_OP | mq.MQOO_INPUT_AS_Q_DEF | mq.MQOO_OUTPUT | mq.MQOO_NO_MULTICAST,
            mq.MQOO_OUTPUT | mq.MQOO_ALTERNATE_USER_AUTHORITY | mq.MQOO_RESOLVE_LOCAL_Q | mq.MQOO_RESOLVE_NAMES,
        ],
    )
    def test_sensible_open_is_accepted(self, options: int) -> None:
        check_open_options(options)
        check_open_options(options, o.MQQT_LOCAL)

    @pytest.mark.parametrize("name", ["BROWSE", "INPUT_SHARED", "INPUT_EXCLUSIVE", "INPUT_AS_Q_DEF"])
    def test_remote_queue_is_not_open_for_gets(self, name: str) -> None:
        check_open_options(mq.MQOO_OUTPUT | mq.MQOO_INQUIRE | mq.MQOO_SET, o.MQQT_REMOTE)
        with fails(reasons.MQRC_OPTION_NOT_VALID_FOR_TYPE) as caught:
            check_open_options(mq.MQOO_OUTPUT | getattr(mq, f"MQOO_{name}"), o.MQQT_REMOTE)
        assert caught.value.text == f"MQOO_{name} does not fit a queue of type MQQT_REMOTE"

    def test_two_kinds_of_input_are_both_named(self) -> None:
        with pytest.raises(MQError, match="MQOO_INPUT_SHARED and MQOO_INPUT_EXCLUSIVE contradict each other"):
            check_open_options(mq.MQOO_INPUT_SHARED | mq.MQOO_INPUT_EXCLUSIVE)

    def test_every_open_option_is_known(self) -> None:
        for name, value in vars(mq).items():
            if name.startswith("MQOO_"):
                assert not value & ~open.OPEN_OPTIONS, name


class TestClose:
    @pytest.mark.parametrize("definition_type", [None, o.MQQDT_PREDEFINED, o.MQQDT_TEMPORARY_DYNAMIC])
    @pytest.mark.parametrize("options", [mq.MQCO_NONE, mq.MQCO_QUIESCE])
    def test_plain_close_fits_everything(self, options: int, definition_type: int | None) -> None:
        check_close_options(options, definition_type)

    @pytest.mark.parametrize("options", [mq.MQCO_DELETE, mq.MQCO_DELETE_PURGE])
    def test_only_a_dynamic_queue_is_deleted_by_its_close(self, options: int) -> None:
        for dynamic in (o.MQQDT_PERMANENT_DYNAMIC, o.MQQDT_TEMPORARY_DYNAMIC, o.MQQDT_SHARED_DYNAMIC):
            check_close_options(options, dynamic)
        for other in (o.MQQDT_PREDEFINED, None):
            with fails(reasons.MQRC_OPTION_NOT_VALID_FOR_TYPE) as caught:
                check_close_options(options, other)
            assert option_name("MQCO", options) in caught.value.text

    @pytest.mark.parametrize("options", [mq.MQCO_KEEP_SUB, mq.MQCO_REMOVE_SUB])
    def test_option_about_a_subscription_fits_no_queue(self, options: int) -> None:
        with fails(reasons.MQRC_OPTION_NOT_VALID_FOR_TYPE):
            check_close_options(options, o.MQQDT_PERMANENT_DYNAMIC)

    @pytest.mark.parametrize("options", [mq.MQCO_DELETE | mq.MQCO_DELETE_PURGE, 0x10, -1])
    def test_contradicting_or_unknown_close_options_are_refused(self, options: int) -> None:
        with fails(reasons.MQRC_OPTIONS_ERROR):
            check_close_options(options, o.MQQDT_PERMANENT_DYNAMIC)


@given(NUMBERS, NUMBERS)
def test_whatever_numbers_come_an_open_or_close_is_accepted_or_refused_with_a_reason(options: int, kind: int) -> None:
    for check in (check_open_options, check_close_options):
        try:
            check(options, kind)
        except MQError as error:
            reason = error.reason
            shown = str(error)
            assert reason in (reasons.MQRC_OPTIONS_ERROR, reasons.MQRC_OPTION_NOT_VALID_FOR_TYPE), shown
