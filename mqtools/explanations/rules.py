"""Rules of the catalogue: what each one says, its source, and where it is implemented and tested."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from mqtools.rules import catalogue

FOLDER = Path(catalogue.__file__).parent
PLACES = FOLDER / "places.json"

#: Prefix of the readings that were chosen where the published text leaves more than one.
READINGS = "AMB"

#: Words that can be meant as the id of a rule or as the prefix of an area.
_WORD = re.compile(r"(?P<prefix>[A-Z]+)(?:-(?P<number>[0-9]{1,4}))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class CatalogueRule:
    """A rule of the catalogue; the texts that it does not have are empty."""

    id: str
    sentence: str
    source: str
    reasons: tuple[str, ...] = ()
    only_on: str = ""
    not_applicable: str = ""


@dataclass(frozen=True, slots=True)
class Area:
    """Rules of one subject, whose ids begin alike."""

    prefix: str
    title: str
    rules: tuple[CatalogueRule, ...]


@dataclass(frozen=True, slots=True)
class Places:
    """Modules that cite a rule and tests that name it, as paths from the root of the project."""

    implemented: tuple[str, ...] = ()
    tested: tuple[str, ...] = ()


def list_prefixes() -> list[str]:
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def read_area(prefix: str) -> Area:
    tables = tomllib.loads((FOLDER / f"{prefix}.toml").read_text(encoding="utf-8"))
    title, source = tables.pop("title"), tables.pop("source")
    return Area(prefix, title, tuple(_rule(name, {"source": source, **table}) for name, table in tables.items()))


def _rule(name: str, table: dict[str, Any]) -> CatalogueRule:
    reasons = tuple(table.pop("reasons", ()))
    return CatalogueRule(name, reasons=reasons, **table)


def read_catalogue() -> list[Area]:
    """Read all areas. The parse takes about 50 ms; `read_area` takes a few."""
    return [read_area(prefix) for prefix in list_prefixes()]


def read_places() -> dict[str, Places]:
    """Read where each rule is implemented and tested, by its id."""
    places = json.loads(PLACES.read_text(encoding="utf-8"))
    return {name: Places(tuple(both["implemented"]), tuple(both["tested"])) for name, both in places.items()}


def find_area(text: str) -> Area | None:
    prefix = text.strip().upper()
    return read_area(prefix) if prefix in list_prefixes() else None


def find_rule(text: str) -> CatalogueRule | None:
    """Return the rule that an id in any case names; its number can be written without leading zeros."""
    parts = _WORD.fullmatch(text.strip().upper())
    if parts is None or parts["number"] is None or parts["prefix"] not in list_prefixes():
        return None
    number = int(parts["number"])
    return next((rule for rule in read_area(parts["prefix"]).rules if _number(rule.id) == number), None)


def _number(name: str) -> int:
    return int(name.rpartition("-")[2])


def suggest(text: str, limit: int = 3) -> list[str]:
    """Return ids or prefixes that resemble a text of that form, the most similar first."""
    parts = _WORD.fullmatch(text.strip().upper())
    if parts is None:
        return []
    prefixes = _similar_prefixes(parts["prefix"], limit)
    if parts["number"] is None:
        return prefixes
    nearest = [_nearest_ids(prefix, int(parts["number"])) for prefix in prefixes]
    return nearest[0][:limit] if len(nearest) == 1 else [names[0] for names in nearest]


def _similar_prefixes(prefix: str, limit: int) -> list[str]:
    known = list_prefixes()
    return [prefix] if prefix in known else get_close_matches(prefix, known, limit, 0.7)


def _nearest_ids(prefix: str, number: int) -> list[str]:
    return sorted((rule.id for rule in read_area(prefix).rules), key=lambda name: abs(_number(name) - number))


def complete(beginning: str) -> list[str]:
    """Return the prefixes that a beginning can mean, and the ids of the area if it can mean only one."""
    prefix, dash, _ = beginning.partition("-")
    areas = [name for name in list_prefixes() if (name == prefix if dash else name.startswith(prefix))]
    ids = [rule.id for rule in read_area(areas[0]).rules] if len(areas) == 1 else []
    return [*([] if dash else areas), *ids]
