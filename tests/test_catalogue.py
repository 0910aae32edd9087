"""Which rule is tested where: the written table is fresh, and tests name rules that exist."""

from __future__ import annotations

import fcntl
import json
import os
import re
import subprocess
import sys
from collections import Counter
from typing import Any

import pytest

from . import conformance_table
from .conformance_table import Area, Catalogue, Named, read_catalogue

pytest_plugins = ["pytester"]
pytestmark = pytest.mark.timeout(600)  # the first that asks collects all tests

CATALOGUE = read_catalogue()
SMALL = Catalogue(
    [
        Area("LOCK", "Locks", ["LOCK-01", "LOCK-02", "LOCK-03", "LOCK-04"], {"LOCK-02": "z/OS"}),
        Area("WAIT", "Waits", ["WAIT-01"], {}),
    ],
    {"LOCK-03": "there is no such thing here"},
    ["AMB-01"],
)
STORIES = """
    import pytest

    @pytest.mark.conformance("WAIT-01", "LOCK-01")
    class TestLocks:
        def test_of_two(self): ...

        @pytest.mark.parametrize("n", [pytest.param(1, id="LOCK-02-one"), pytest.param(2, id="AMB-01")])
        def test_of_three(self, n): ...

    @pytest.mark.conformance("LOCK-01")
    def test_of_one(): ...

    @pytest.mark.parametrize("text", ["LOCK-99", "BLOCK-01", "lock-04", "LOCK-4"])
    def test_of_text(text): ...

    @pytest.mark.skip
    @pytest.mark.conformance("LOCK-04")
    def test_skipped(): ...

    @pytest.mark.xfail
    @pytest.mark.conformance("LOCK-04")
    def test_expected_to_fail(): ...
"""


def collected_in_a_process_of_its_own() -> str:
    settings = {name: text for name, text in os.environ.items() if not name.startswith(("PYTEST_ADDOPTS", "PYTEST_X"))}
    program = [sys.executable, conformance_table.__file__, "--json"]
    done = subprocess.run(program, env=settings, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.fail(done.stderr, pytrace=False)
    return done.stdout


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What the tests of the tree name; the first worker that asks collects for all of them."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    kept = folder / "named_by_tests.json"
    with (folder / "named_by_tests.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not kept.exists():
            kept.write_text(collected_in_a_process_of_its_own(), encoding="utf-8")
    return json.loads(kept.read_text(encoding="utf-8"))


# -- the catalogue ------------------------------------------------------------------------------------------


def test_a_rule_has_one_place_in_the_catalogue() -> None:
    assert [rule for rule, times in Counter(CATALOGUE.rules()).items() if times > 1] == []


@pytest.mark.parametrize("area", CATALOGUE.areas, ids=lambda area: area.prefix)
def test_rules_of_an_area_are_numbered_without_a_gap(area: Area) -> None:
    numbers = [re.fullmatch(rf"{area.prefix}-([0-9]{{2,3}})", rule) for rule in area.ids]
    assert [int(number[1]) if number else None for number in numbers] == list(range(1, len(area.ids) + 1))


def test_marks_and_reasons_are_of_rules_that_exist() -> None:
    for area in CATALOGUE.areas:
        assert set(area.platforms) <= set(area.ids)
    assert set(CATALOGUE.not_applicable) <= set(CATALOGUE.rules())


# -- the tests of the tree ----------------------------------------------------------------------------------


def test_every_id_that_a_test_names_is_in_the_catalogue(named: Named) -> None:
    known = {*CATALOGUE.rules(), *CATALOGUE.readings}
    assert {rule: tests for rule, tests in named.items() if rule not in known} == {}


def test_a_rule_that_is_not_applicable_has_no_test(named: Named) -> None:
    assert [rule for rule in CATALOGUE.not_applicable if rule in named] == [], "take it out of [not_applicable]"


def test_the_written_table_is_fresh(named: Named) -> None:
    written = conformance_table.TABLE.read_text(encoding="utf-8")
    fresh = conformance_table.table(named, CATALOGUE)
    assert written.splitlines() == fresh.splitlines(), "make conformance writes it anew"


def test_every_rule_that_applies_is_tested_or_listed_as_open(named: Named) -> None:
    """An open rule is no failure; ``pytest -s tests/test_catalogue.py`` shows the list."""
    left = conformance_table.open_rules(named, CATALOGUE)
    for prefix, rules in left.items():
        print(f"{prefix}: {' '.join(rules)}")
    open_ones = {rule for rules in left.values() for rule in rules}
    assert open_ones == {*CATALOGUE.rules()} - {*named} - {*CATALOGUE.not_applicable}


# -- how it is found out ------------------------------------------------------------------------------------


def test_markers_and_ids_of_parameters_name_rules_and_the_test_of_the_fewest_comes_first(
    pytester: pytest.Pytester,
) -> None:
    pytester.makeini("[pytest]\nmarkers = conformance(id): a rule")
    items, _ = pytester.inline_genitems(pytester.makepyfile(test_stories=STORIES))
    of_two, of_three, of_one, of_text = (
        f"test_stories.py::{name}"
        for name in ("TestLocks::test_of_two", "TestLocks::test_of_three", "test_of_one", "test_of_text")
    )
    assert conformance_table.named_by(items, SMALL) == {
        "AMB-01": [of_three],
        "LOCK-01": [of_one, of_two, of_three],
        "LOCK-02": [of_three],
        "LOCK-99": [of_text],
        "WAIT-01": [of_two, of_three],
    }


def test_a_table_has_a_row_for_each_rule() -> None:
    named = {"LOCK-01": ["a.py::x", "b.py::y", "c.py::z"], "WAIT-01": ["d.py::w"], "AMB-01": ["a.py::x"]}
    lines = conformance_table.table(named, SMALL).splitlines()
    assert [line for line in lines if line.startswith(("| LOCK-", "| WAIT-", "| all"))] == [
        "| all | | 5 | 2 | 2 | 1 |",
        "| LOCK-01 |  | tested | `a.py::x`, `b.py::y` |",
        "| LOCK-02 | z/OS | open |  |",
        "| LOCK-03 |  | not applicable: there is no such thing here |  |",
        "| LOCK-04 |  | open |  |",
        "| WAIT-01 | tested | `d.py::w` |",
    ]
    assert conformance_table.open_rules(named, SMALL) == {"LOCK": ["LOCK-02", "LOCK-04"]}
