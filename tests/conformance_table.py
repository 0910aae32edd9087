"""Write tests/CONFORMANCE.md: for each rule of the catalogue its state and the tests that name it.

A test names a rule by the marker ``conformance("BROWSE-11")`` or by an id of its parameters that holds the rule's id.
A test that is skipped, or expected to fail, whatever the machine, names nothing.
"""

from __future__ import annotations

import argparse
import io
import json
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

import pytest

TESTS = Path(__file__).resolve().parent
CATALOGUE = TESTS / "catalogue.toml"
TABLE = TESTS / "CONFORMANCE.md"

#: How many of the tests of a rule its row shows: those that name the fewest rules, as they are the most about it.
MOST_TESTS = 2

#: The tests of each rule, the ones that are most about it first: rule id to ``file::name``.
Named = Mapping[str, list[str]]

INTRODUCTION = """\
# Which rule is tested where

Written by `make conformance` from `catalogue.toml` and the tests; a test holds it fresh. A rule is *tested* when a test
names its id, *open* when none does yet. At most two tests a rule are shown, those that name the fewest other rules.
`pytest` takes what stands in the last column as it is.
"""


class Area(NamedTuple):
    """A part of the catalogue: rules of one subject, whose ids begin alike."""

    prefix: str
    title: str
    ids: list[str]
    #: Rule id to the platforms that it holds on. A rule that is absent holds on all.
    platforms: dict[str, str]


class Catalogue(NamedTuple):
    """Every rule by area, the rules that cannot apply with the reason, and the readings that tests may name."""

    areas: list[Area]
    not_applicable: dict[str, str]
    readings: list[str]

    def rules(self) -> list[str]:
        """List the ids of all rules, area by area."""
        return [rule for area in self.areas for rule in area.ids]


def read_catalogue(path: Path = CATALOGUE) -> Catalogue:
    """Read the catalogue."""
    tables = tomllib.loads(path.read_text(encoding="utf-8"))
    return Catalogue([_area(table) for table in tables["area"]], tables["not_applicable"], tables["readings"])


def _area(table: dict[str, Any]) -> Area:
    platforms = {rule: where for where, rules in table.get("platforms", {}).items() for rule in rules}
    return Area(table["prefix"], table["title"], table["ids"], platforms)


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
        status = pytest.main([*quietly, str(TESTS)], plugins=[collection])
    if status != pytest.ExitCode.OK:
        raise SystemExit("\n\n".join(collection.failures) or said.getvalue())
    return collection.items


def named_by(items: Iterable[pytest.Item], catalogue: Catalogue) -> dict[str, list[str]]:
    """Tell for each id that the tests name which tests do, also for ids that the catalogue does not have."""
    prefixes = "|".join({rule.rpartition("-")[0] for rule in [*catalogue.rules(), *catalogue.readings]})
    pattern = re.compile(rf"(?<![A-Z0-9])(?:{prefixes})-[0-9]{{2,3}}(?![0-9])")
    fewest: dict[str, dict[str, int]] = {}
    for item in items:
        rules = ids_of(item, pattern)
        test = item.nodeid.partition("[")[0]
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


# -- the table ----------------------------------------------------------------------------------------------


def state_of(rule: str, named: Named, catalogue: Catalogue) -> str:
    """Say how it stands with a rule: tested, not applicable, or open."""
    if rule in named:
        return "tested"
    return "not applicable" if rule in catalogue.not_applicable else "open"


def open_rules(named: Named, catalogue: Catalogue) -> dict[str, list[str]]:
    """List the rules that apply and that no test names, by the prefix of their area."""
    by_area = {
        area.prefix: [rule for rule in area.ids if state_of(rule, named, catalogue) == "open"]
        for area in catalogue.areas
    }
    return {prefix: rules for prefix, rules in by_area.items() if rules}


def table(named: Named, catalogue: Catalogue) -> str:
    """Write the whole text of CONFORMANCE.md."""
    parts = [INTRODUCTION, "\n".join(_summary(named, catalogue))]
    for area in catalogue.areas:
        parts.append(f"## {area.prefix}: {area.title}")
        parts.append("\n".join(_rows(area, named, catalogue)))
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


def _summary(named: Named, catalogue: Catalogue) -> Iterator[str]:
    states = ("tested", "open", "not applicable")
    yield "| area | about | rules | tested | open | not applicable |"
    yield "|---|---|--:|--:|--:|--:|"
    total: Counter[str] = Counter()
    for area in catalogue.areas:
        counts = Counter(state_of(rule, named, catalogue) for rule in area.ids)
        total += counts
        numbers = " | ".join(str(counts[state]) for state in states)
        yield f"| {area.prefix} | {area.title} | {len(area.ids)} | {numbers} |"
    numbers = " | ".join(str(total[state]) for state in states)
    yield f"| all | | {total.total()} | {numbers} |"


def _rows(area: Area, named: Named, catalogue: Catalogue) -> Iterator[str]:
    heads = ["rule", *(["only on"] if area.platforms else []), "state", "tests"]
    yield _row(heads)
    yield "|" + "---|" * len(heads)
    for rule in area.ids:
        state = state_of(rule, named, catalogue)
        if state == "not applicable":
            state += f": {catalogue.not_applicable[rule]}"
        tests = ", ".join(f"`{test}`" for test in named.get(rule, [])[:MOST_TESTS])
        yield _row([rule, *([area.platforms.get(rule, "")] if area.platforms else []), state, tests])


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


# -- the program --------------------------------------------------------------------------------------------


def main() -> None:
    """Write the table, or, asked with ``--json``, say what each test names and write nothing."""
    parser = argparse.ArgumentParser(description="Write tests/CONFORMANCE.md: which rule is tested where.")
    parser.add_argument("--json", action="store_true", help="print the tests of each id instead")
    wanted = parser.parse_args()
    catalogue = read_catalogue()
    named = named_by(collect(), catalogue)
    if wanted.json:
        json.dump(named, sys.stdout)
        return
    TABLE.write_text(table(named, catalogue), encoding="utf-8")
    left = open_rules(named, catalogue)
    for prefix, rules in left.items():
        print(f"{prefix}: {len(rules)} open: {' '.join(rules)}")
    print(f"{TABLE.name}: {sum(map(len, left.values()))} of {len(catalogue.rules())} rules are open")


if __name__ == "__main__":
    main()
