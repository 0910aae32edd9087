"""The catalogue of rules: each rule has its sentence, what is cited exists, and the generated files are up to date."""

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

from mqtools.constants.names import family
from mqtools.explanations.lookup import FAMILIES
from mqtools.explanations.rules import PLACES, Area, CatalogueRule, read_catalogue

from . import conformance
from .conformance import Named, cited_by, read_sources

pytest_plugins = ["pytester"]
pytestmark = pytest.mark.timeout(600)  # the first that asks collects all tests

CATALOGUE = read_catalogue()
RULES = {rule.id: rule for area in CATALOGUE for rule in area.rules}
SMALL = [
    Area("AMB", "Readings", (CatalogueRule("AMB-01", "One reading.", "Us"),)),
    Area(
        "LOCK",
        "Locks",
        (
            CatalogueRule("LOCK-01", "A lock_* holds.", "MQGMO", ("MQRC_NO_MSG_LOCKED",)),
            CatalogueRule("LOCK-02", "A lock ends.", "MQGMO", only_on="z/OS"),
            CatalogueRule("LOCK-03", "A lock is blue.", "MQGMO", not_applicable="there is no such thing here"),
            CatalogueRule("LOCK-04", "A lock is one.", "MQGMO"),
        ),
    ),
    Area("WAIT", "Waits", (CatalogueRule("WAIT-01", "A wait ends.", "MQGMO"),)),
]
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
    program = [sys.executable, conformance.__file__, "--json"]
    done = subprocess.run(program, env=settings, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.fail(done.stderr, pytrace=False)
    return done.stdout


def is_of_all(collected: list[pytest.Item]) -> bool:
    """Whether a run has collected every test of the tree."""
    files = {path for folder in conformance.TESTS for path in folder.rglob("test_*.py")}
    return {item.path for item in collected} >= files


@pytest.fixture(scope="module")
def named(collected: list[pytest.Item], tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What the tests of the tree name. Where a part of them runs, the first worker that asks collects all of them."""
    if is_of_all(collected):
        return conformance.named_by(collected, CATALOGUE)
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
    assert [
        rule for rule, times in Counter(rule.id for area in CATALOGUE for rule in area.rules).items() if times > 1
    ] == []


@pytest.mark.parametrize("area", CATALOGUE, ids=lambda area: area.prefix)
def test_rules_of_an_area_are_numbered_without_a_gap(area: Area) -> None:
    numbers = [re.fullmatch(rf"{area.prefix}-([0-9]{{2,3}})", rule.id) for rule in area.rules]
    assert [int(number[1]) if number else None for number in numbers] == list(range(1, len(area.rules) + 1))


def test_every_rule_is_one_whole_sentence_with_a_source() -> None:
    for rule in RULES.values():
        assert re.fullmatch(r"[A-Z\"].*[a-z)A-Z0-9_.]\.", rule.sentence), rule.id
        assert len(rule.sentence.split()) >= 3, rule.id
        assert not re.search(r"\. [A-Z]|  |\|", rule.sentence), rule.id
        assert rule.source.strip(), rule.id


def test_no_two_rules_have_the_same_words() -> None:
    assert [
        words for words, times in Counter(rule.sentence.lower() for rule in RULES.values()).items() if times > 1
    ] == []


def test_reasons_and_constants_that_a_rule_names_exist() -> None:
    for rule in RULES.values():
        assert set(rule.reasons) <= set(family("MQRC")), rule.id
        names = re.findall(r"\b(?:MQ[A-Z]+)_(?:[A-Z0-9_]*[A-Z0-9])\b(?!\*)", rule.sentence)
        explained = [name for name in names if name.partition("_")[0] in FAMILIES]
        assert [name for name in explained if name not in family(name.partition("_")[0])] == [], rule.id


# -- the sources --------------------------------------------------------------------------------------------


def test_every_rule_that_a_module_cites_is_in_the_catalogue() -> None:
    cited = cited_by(read_sources(), CATALOGUE)
    assert {rule: modules for rule, modules in cited.items() if rule not in RULES} == {}
    assert "mqtools/rules/states.py" in cited["LIFE-20"]


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        ("Source: LOCK-01, WAIT-01.", ["LOCK-01", "WAIT-01"]),
        ("(LOCK-01 to LOCK-03)", ["LOCK-01", "LOCK-02", "LOCK-03"]),
        ("#: LOCK-01 to\n    #: LOCK-03", ["LOCK-01", "LOCK-02", "LOCK-03"]),
        ("LOCK-08 to 10", ["LOCK-08", "LOCK-09", "LOCK-10"]),
        ("LOCK-77 to wait for", ["LOCK-77"]),
        ("BLOCK-01, lock-01, LOCK-1", []),
    ],
    ids=["ids", "range", "range over lines", "range with a short end", "no range", "nothing"],
)
def test_a_module_cites_ids_and_ranges_of_them(text: str, cited: list[str]) -> None:
    assert cited_by({"a.py": text}, SMALL) == {rule: ["a.py"] for rule in cited}


# -- the tests of the tree ----------------------------------------------------------------------------------


@pytest.mark.slow
def test_every_id_that_a_test_names_is_in_the_catalogue(named: Named) -> None:
    assert {rule: tests for rule, tests in named.items() if rule not in RULES} == {}


@pytest.mark.slow
def test_a_rule_that_is_not_applicable_has_no_test(named: Named) -> None:
    excused = [rule.id for rule in RULES.values() if rule.not_applicable]
    assert [rule for rule in excused if rule in named] == [], "take its not_applicable out of the catalogue"


@pytest.mark.slow
def test_the_places_of_the_rules_are_fresh(named: Named) -> None:
    written = PLACES.read_text(encoding="utf-8")
    fresh = conformance.places(named, cited_by(read_sources(), CATALOGUE), CATALOGUE)
    assert written.splitlines() == fresh.splitlines(), "make conformance writes it anew"


@pytest.mark.slow
def test_every_rule_that_applies_is_named_by_a_test(named: Named) -> None:
    assert conformance.open_rules(named, CATALOGUE) == {}


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
    assert conformance.named_by(items, SMALL) == {
        "AMB-01": [of_three],
        "LOCK-01": [of_one, of_two, of_three],
        "LOCK-02": [of_three],
        "LOCK-99": [of_text],
        "WAIT-01": [of_two, of_three],
    }


def test_rules_without_a_test_are_open_unless_they_are_readings_or_do_not_apply() -> None:
    assert conformance.open_rules({"LOCK-01": ["a.py::x"], "WAIT-01": ["d.py::w"]}, SMALL) == {
        "LOCK": ["LOCK-02", "LOCK-04"]
    }


def test_places_are_a_line_a_rule() -> None:
    text = conformance.places({"LOCK-01": list("abcdefg")}, {"LOCK-01": ["m.py"]}, SMALL)
    assert len(text.splitlines()) == 6 + 2
    assert json.loads(text)["LOCK-01"] == {"implemented": ["m.py"], "tested": ["a", "b", "c", "d", "e"]}
    assert json.loads(text)["WAIT-01"] == {"implemented": [], "tested": []}
