"""Options that contradict each other, miss a companion or do not fit the open are refused, all others pass."""

from __future__ import annotations

import tomllib
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtools.constants import options as mq
from mqtools.constants import reasons
from mqtools.errors import MQError
from mqtools.rules.options.get import (
    GET_COMPANIONS,
    GET_CONFLICTS,
    GET_EXCLUSIVE,
    GET_OPTIONS,
    ZOS_OPTIONS,
    browses,
    effective_wait,
)
from mqtools.rules.options.open import INPUT_OPTIONS
from mqtools.rules.options.table import option_name, option_names

from ..entries import entry
from .get_checks import FOR_ALL, get, gmo, refusal

DATA: dict[str, Any] = tomllib.loads((Path(__file__).parent / "data" / "get_option_pairs.toml").read_text())
BITS = [1 << bit for bit in range(32) if GET_OPTIONS >> bit & 1]


def exclude(a: int, b: int) -> bool:
    """Whether two options are in one group, or one of them states that it excludes the other."""
    is_stated = GET_CONFLICTS.get(a, 0) & b or GET_CONFLICTS.get(b, 0) & a
    return bool(is_stated) or any(a & group and b & group for group in GET_EXCLUSIVE)


def open_option(name: str) -> int:
    return mq.MQOO_INPUT_SHARED if name == "INPUT" else int(getattr(mq, f"MQOO_{name}"))


def rows(section: str) -> list[Any]:
    return [pytest.param(*row[1:], id=row[0], marks=pytest.mark.conformance(row[0])) for row in DATA[section]]


def companions(*names: str) -> int:
    """The options that the named ones cannot do without."""
    needed = 0
    for name in names:
        wanted = GET_COMPANIONS.get(gmo(name), 0)
        needed |= mq.MQGMO_BROWSE_FIRST if wanted & mq.MQGMO_BROWSE_FIRST else wanted
    return needed


def named(error: MQError) -> tuple[int, ...]:
    """The option bits that the words of an error name."""
    words = error.text.replace(",", " ").split()
    return tuple(gmo(word.removeprefix("MQGMO_")) for word in words if word.startswith("MQGMO_"))


def at_odds(options: int) -> bool:
    return any(exclude(a, b) for a, b in combinations([bit for bit in BITS if options & bit], 2))


class TestTableOfGetConflicts:
    @pytest.mark.parametrize(("name", "value", "excluded"), rows("options"))
    def test_option_is_refused_with_each_it_excludes_and_passes_with_others(
        self, name: str, value: int, excluded: list[str]
    ) -> None:
        assert getattr(mq, f"MQGMO_{name}") == value
        get(value | companions(name))
        for _, other, other_value, _ in DATA["options"]:
            both = value | other_value
            if other in excluded:
                assert refusal(both | companions(name, other)).reason == reasons.MQRC_OPTIONS_ERROR
                assert set(named(refusal(both))) == {value, other_value}
            elif not at_odds(both | companions(name, other)):
                get(both | companions(name, other))

    @pytest.mark.parametrize(("stated_by", "silent"), rows("asymmetries"))
    def test_pair_stated_by_one_side_is_refused(self, stated_by: str, silent: str) -> None:
        a, b = gmo(stated_by), gmo(silent)
        assert exclude(a, b)
        for options in (a | b, a | b | companions(stated_by, silent)):
            assert refusal(options).reason == reasons.MQRC_OPTIONS_ERROR
        assert set(named(refusal(a | b))) == {a, b}

    @pytest.mark.parametrize(("permissive", "denied_by"), rows("contradictions"))
    def test_specific_list_wins_over_blanket_permission(self, permissive: str, denied_by: list[str]) -> None:
        for denying in denied_by:
            options = gmo(permissive, denying)
            assert set(named(refusal(options))) == {gmo(permissive), gmo(denying)}
            assert refusal(options | companions(denying)).reason == reasons.MQRC_OPTIONS_ERROR
        permitted = {name for _, name, value, _ in DATA["options"] if value and name != permissive} - set(denied_by)
        for other in permitted - {"SYNCPOINT_IF_PERSISTENT"}:
            get(gmo(permissive, other) | companions(other))

    @pytest.mark.parametrize(("a", "b"), rows("non_conflicts"))
    def test_pair_that_no_list_names_is_accepted(self, a: str, b: str) -> None:
        assert not exclude(gmo(a), gmo(b))
        get(gmo(a, b) | companions(a, b))
        if "MSG_UNDER_CURSOR" in (a, b):
            assert effective_wait(gmo(a, b)) == 0


class TestPairs:
    @pytest.mark.parametrize(("a", "b", "expected", "with_", "opened"), rows("pairs"))
    def test_pair(self, a: str, b: str, expected: str, with_: list[str], opened: list[str]) -> None:
        options = gmo(a, b, *with_)
        if expected == "valid":
            self.assert_accepted(options, [open_option(name) for name in opened])
        else:
            self.assert_refused(options, gmo(a), gmo(b))

    def assert_accepted(self, options: int, opened: list[int]) -> None:
        handle = sum(opened) | (0 if browses(options) else mq.MQOO_INPUT_SHARED)
        get(options, handle)
        get(options, FOR_ALL)
        for option in opened:
            assert refusal(options, handle & ~option).reason != 0
        if options & ZOS_OPTIONS:
            assert refusal(options, handle, profile="distributed").reason == reasons.MQRC_OPTIONS_ERROR
        else:
            get(options, handle, profile="distributed")

    def assert_refused(self, options: int, a: int, b: int) -> None:
        for profile in ("zos", "distributed"):
            for handle in (FOR_ALL, 0):
                error = refusal(options, handle, profile=profile)
                assert error.reason == reasons.MQRC_OPTIONS_ERROR
                first, second = named(error)
                assert options & first
                assert options & second
                assert exclude(first, second)
        if exclude(a, b):
            assert set(named(refusal(a | b))) == {a, b}

    def test_every_pair_of_options_has_its_row(self) -> None:
        in_data = {frozenset((gmo(row[1]), gmo(row[2]))) for row in DATA["pairs"]}
        assert in_data == {frozenset(pair) for pair in combinations(BITS, 2)}


class TestRequirements:
    @pytest.mark.parametrize(("name", "without", "without_open", "reason"), rows("missing_requirements"))
    def test_option_without_what_it_needs_is_refused(
        self, name: str, without: list[str], without_open: list[str], reason: str
    ) -> None:
        option = gmo(name)
        if without:
            assert GET_COMPANIONS[option] == gmo(*without)
            self.assert_needs_one_of(option, without, getattr(reasons, reason))
        for missing in without_open:
            options = option | companions(name)
            lacking = FOR_ALL & ~(INPUT_OPTIONS if missing == "INPUT" else open_option(missing))
            get(options)
            error = refusal(options, lacking)
            assert error.reason == getattr(reasons, reason)
            assert f"MQGMO_{name} needs" in error.text
            assert f"MQOO_{missing}" in error.text

    def assert_needs_one_of(self, option: int, needed: list[str], reason: int) -> None:
        error = refusal(option)
        assert error.reason == reason
        assert {gmo(name) for name in needed} | {option} == set(named(error))
        for name in needed:
            get(option | gmo(name))

    @pytest.mark.parametrize(
        ("options", "handle", "reason"),
        [
            entry("AMB-22", gmo("LOCK"), 0, reasons.MQRC_OPTIONS_ERROR),
            entry("AMB-32", gmo("MSG_UNDER_CURSOR"), 0, reasons.MQRC_NOT_OPEN_FOR_BROWSE),
            entry("BROWSE-03", gmo("BROWSE_FIRST"), mq.MQOO_INPUT_SHARED, reasons.MQRC_NOT_OPEN_FOR_BROWSE),
            entry("BROWSE-04", gmo("BROWSE_NEXT"), mq.MQOO_INPUT_SHARED, reasons.MQRC_NOT_OPEN_FOR_BROWSE),
            entry("BROWSE-05", gmo("BROWSE_MSG_UNDER_CURSOR"), 2, reasons.MQRC_NOT_OPEN_FOR_BROWSE),
            entry("BROWSE-54", gmo("MSG_UNDER_CURSOR"), mq.MQOO_BROWSE, reasons.MQRC_NOT_OPEN_FOR_INPUT),
            entry("BROWSE-55", gmo("MSG_UNDER_CURSOR"), mq.MQOO_INPUT_SHARED, reasons.MQRC_NOT_OPEN_FOR_BROWSE),
            entry("BEY-49", 0, mq.MQOO_OUTPUT | mq.MQOO_BROWSE, reasons.MQRC_NOT_OPEN_FOR_INPUT),
            entry("MARK-16", gmo("BROWSE_FIRST", "MARK_BROWSE_CO_OP"), mq.MQOO_BROWSE, reasons.MQRC_OPTIONS_ERROR),
            entry("MARK-35", gmo("BROWSE_FIRST", "UNMARK_BROWSE_CO_OP"), mq.MQOO_BROWSE, reasons.MQRC_OPTIONS_ERROR),
        ],
    )
    def test_handle_not_open_for_the_get_is_refused(self, options: int, handle: int, reason: int) -> None:
        assert refusal(options, handle).reason == reason

    @pytest.mark.parametrize("handle", [mq.MQOO_INPUT_AS_Q_DEF, mq.MQOO_INPUT_SHARED, mq.MQOO_INPUT_EXCLUSIVE])
    def test_any_kind_of_input_is_good_for_a_get(self, handle: int) -> None:
        get(0, handle)
        get(gmo("MSG_UNDER_CURSOR"), handle | mq.MQOO_BROWSE)

    @pytest.mark.parametrize(
        "options", [entry("WAIT-45", gmo("SET_SIGNAL")), entry("SYNC-32", gmo("SYNCPOINT", "MARK_SKIP_BACKOUT"))]
    )
    def test_option_of_the_profile_zos_is_refused_elsewhere(self, options: int) -> None:
        get(options, profile="zos")
        error = refusal(options, profile="distributed")
        assert error.reason == reasons.MQRC_OPTIONS_ERROR
        assert "zos" in error.text


class TestListsOfTheCatalogue:
    @pytest.mark.parametrize(("name", "excluded"), rows("lists"))
    def test_listed_pair_is_refused_with_and_without_companions(self, name: str, excluded: list[str]) -> None:
        for other in excluded:
            for options in (gmo(name, other), gmo(name, other) | companions(name, other)):
                assert refusal(options).reason == reasons.MQRC_OPTIONS_ERROR
            assert set(named(refusal(gmo(name, other)))) == {gmo(name), gmo(other)}

    @pytest.mark.parametrize(
        "name",
        [
            entry("MARK-04", "MARK_BROWSE_HANDLE"),
            entry("MARK-17", "MARK_BROWSE_CO_OP"),
            entry("MARK-37", "UNMARK_BROWSE_CO_OP"),
            entry("MARK-42", "UNMARK_BROWSE_HANDLE"),
        ],
    )
    def test_mark_on_a_get_that_does_not_browse_is_refused(self, name: str) -> None:
        assert refusal(gmo(name)).reason == reasons.MQRC_OPTIONS_ERROR
        assert refusal(gmo(name, "MSG_UNDER_CURSOR")).reason == reasons.MQRC_OPTIONS_ERROR


class TestWords:
    def test_option_is_named_as_an_option_and_not_as_a_version(self) -> None:
        assert option_name("MQGMO", 0x1) == "MQGMO_WAIT"
        assert option_name("MQGMO", 0x10) == "MQGMO_BROWSE_FIRST"
        assert option_name("MQPMO", 0x80) == "MQPMO_NEW_CORREL_ID"
        assert option_name("MQPMO", 0x00200000) == "MQPMO_RETAIN"
        assert option_name("MQGMO", 0x00080000) == "MQGMO 0x80000"

    def test_choice_of_options_reads_as_one(self) -> None:
        assert option_names("MQOO", mq.MQOO_BROWSE) == "MQOO_BROWSE"
        assert option_names("MQOO", INPUT_OPTIONS) == ("MQOO_INPUT_AS_Q_DEF, MQOO_INPUT_SHARED or MQOO_INPUT_EXCLUSIVE")

    def test_error_ends_in_its_reason(self) -> None:
        assert str(refusal(gmo("LOCK", "SYNCPOINT", "BROWSE_FIRST"))) == (
            "MQGMO_SYNCPOINT and MQGMO_BROWSE_FIRST contradict each other (MQRC_OPTIONS_ERROR 2046)"
        )


@given(st.sets(st.sampled_from(BITS), max_size=6))
def test_any_set_of_options_passes_exactly_if_each_pair_and_each_companion_does(chosen: set[int]) -> None:
    options = sum(chosen)
    lacking = any(option in chosen and not needed & options for option, needed in GET_COMPANIONS.items())
    if at_odds(options) or lacking:
        assert refusal(options).reason == reasons.MQRC_OPTIONS_ERROR
    else:
        get(options)
