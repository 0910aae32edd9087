"""Write where each rule of the catalogue is implemented and tested, for `mqx explain BROWSE-11` and docs/rules.md.

A module implements a rule if it cites the rule's id; a range such as ``BEY-69 to BEY-76`` cites all ids in it. A test
names a rule by the marker ``conformance("BROWSE-11")`` or by an id of its parameters that holds the rule's id. A test
that is skipped, or expected to fail, whatever the machine, names nothing.
"""

from __future__ import annotations

import argparse
import io
import json
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from mqtools.explanations.rules import PLACES, READINGS, Area, read_catalogue

ROOT = Path(__file__).resolve().parent.parent
#: The tests of both distributions.
TESTS = (ROOT / "tests", ROOT / "pyspark-mqx/tests")

#: Folders whose modules implement rules, and the modules in them that cite ids as examples only.
SOURCES = ("mqtools", "commands", "pyspark-mqx/src")
EXAMPLES = ("commands/explain.py",)

#: How many of the tests of a rule `mqx explain` shows.
MOST_EXPLAINED = 5

#: The tests of each rule, the ones that are most about it first: rule id to ``file::name``.
Named = Mapping[str, list[str]]

#: The modules that cite each rule: rule id to paths from the root.
Cited = Mapping[str, list[str]]


# -- what the tests name ------------------------------------------------------------------------------------


class Collection:
    """A pytest plugin that keeps what was collected, and what could not be."""

    def __init__(self) -> None:
        self.items: list[pytest.Item] = []
        self.failures: list[str] = []

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.failures.append(f"{report.nodeid} cannot be collected:\n{report.longreprtext}")

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.items = session.items


def collect() -> list[pytest.Item]:
    """Collect the tests of the tree in this process, without running any.

    Exits with the reasons when something cannot be collected. To be called outside of a pytest run only.
    """
    collection, said = Collection(), io.StringIO()
    quietly = ["--collect-only", "-qq", "-p", "no:cacheprovider", "-p", "no:xdist"]
    with redirect_stdout(said):
        status = pytest.main([*quietly, *map(str, TESTS)], plugins=[collection])
    if status != pytest.ExitCode.OK:
        raise SystemExit("\n\n".join(collection.failures) or said.getvalue())
    return collection.items


def named_by(items: Iterable[pytest.Item], areas: Sequence[Area]) -> dict[str, list[str]]:
    """Return for each id that the tests name the tests that do, also for ids that the catalogue does not have."""
    pattern = re.compile(rf"{_id_pattern(areas)}(?![0-9])")
    fewest: dict[str, dict[str, int]] = {}
    for item in items:
        rules = ids_of(item, pattern)
        test = item.nodeid.partition("[")[0].partition("@")[0]  # without the group that a worker adds
        for rule in rules:
            tests = fewest.setdefault(rule, {})
            tests[test] = min(tests.get(test, len(rules)), len(rules))
    return {rule: sorted(tests, key=lambda test: (tests[test], test)) for rule, tests in sorted(fewest.items())}


def ids_of(item: pytest.Item, pattern: re.Pattern[str]) -> set[str]:
    """List the ids that one collected test names."""
    if item.get_closest_marker("skip") or item.get_closest_marker("xfail"):
        return set()
    parameters = item.nodeid.partition("[")[2]
    by_marker = {rule for marker in item.iter_markers("conformance") for rule in marker.args}
    return by_marker | set(pattern.findall(parameters))


def _id_pattern(areas: Sequence[Area]) -> str:
    return rf"(?<![A-Z0-9])(?:{'|'.join(area.prefix for area in areas)})-[0-9]{{2,3}}"


# -- what the sources cite ----------------------------------------------------------------------------------


def cited_by(texts: Mapping[str, str], areas: Sequence[Area]) -> dict[str, list[str]]:
    """Return for each id that the texts cite the names of those texts, also for ids that the catalogue lacks."""
    single = _id_pattern(areas)
    pattern = re.compile(rf"({single})(?:[\s#:]+to[\s#:]+({single}|[0-9]{{2,3}}(?![0-9])))?")
    cited: dict[str, list[str]] = {}
    for name, text in texts.items():
        found = {rule for first, last in pattern.findall(text) for rule in _range(first, last)}
        for rule in found:
            cited.setdefault(rule, []).append(name)
    return dict(sorted(cited.items()))


def _range(first: str, last: str) -> list[str]:
    prefix, _, number = first.rpartition("-")
    end = last.rpartition("-")[2] or number
    return [f"{prefix}-{each:0{len(number)}}" for each in range(int(number), int(end) + 1)]


def read_sources() -> dict[str, str]:
    """Read the modules that can implement rules, by their paths from the root."""
    paths = [path for folder in SOURCES for path in sorted((ROOT / folder).rglob("*"))]
    modules = {path.relative_to(ROOT).as_posix(): path for path in paths if path.suffix in (".py", ".sql", ".lark")}
    return {name: path.read_text(encoding="utf-8") for name, path in modules.items() if name not in EXAMPLES}


# -- where the rules are ------------------------------------------------------------------------------------


def places(named: Named, cited: Cited, areas: Sequence[Area]) -> str:
    """Write the whole text of places.json, a line a rule."""
    lines = [
        f"{json.dumps(rule.id)}: "
        + json.dumps({"implemented": cited.get(rule.id, []), "tested": named.get(rule.id, [])[:MOST_EXPLAINED]})
        for area in areas
        for rule in area.rules
    ]
    return "{\n" + ",\n".join(lines) + "\n}\n"


# -- what is open -------------------------------------------------------------------------------------------


def open_rules(named: Named, areas: Sequence[Area]) -> dict[str, list[str]]:
    """List the rules that apply and that no test names, by the prefix of their area; readings are none."""
    applying = {
        area.prefix: [rule.id for rule in area.rules if not rule.not_applicable and rule.id not in named]
        for area in areas
        if area.prefix != READINGS
    }
    return {prefix: rules for prefix, rules in applying.items() if rules}


# -- the program --------------------------------------------------------------------------------------------


def main() -> None:
    """Write the file, or, asked with ``--json``, say what each test names and write nothing."""
    parser = argparse.ArgumentParser(description="Write where each rule is implemented and tested.")
    parser.add_argument("--json", action="store_true", help="print the tests of each id instead")
    wanted = parser.parse_args()
    areas = read_catalogue()
    named = named_by(collect(), areas)
    if wanted.json:
        json.dump(named, sys.stdout)
        return
    PLACES.write_text(places(named, cited_by(read_sources(), areas), areas), encoding="utf-8")
    for prefix, rules in open_rules(named, areas).items():
        print(f"{prefix}: {len(rules)} open: {' '.join(rules)}")


if __name__ == "__main__":
    main()
