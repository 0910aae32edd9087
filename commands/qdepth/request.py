"""Request of ``mqx qdepth``: which queues, and in which form."""

from __future__ import annotations

from collections.abc import Sequence

from mqtools.formats.phrases import did_you_mean, nearest
from mqtools.records import OptionRecord

#: Columns with their titles, in their order. Their names are the keys in JSON.
COLUMNS = {
    "name": "NAME",
    "depth": "DEPTH",
    "max_depth": "MAX",
    "percent_full": "FULL",
    "oldest_age_s": "OLDEST",
    "uncommitted": "UNCOMMITTED",
    "locked": "LOCKED",
    "open_input": "READERS",
    "open_output": "WRITERS",
    "last_put": "LAST_PUT",
    "last_get": "LAST_GET",
    "oldest_lock_s": "OLDEST_LOCK",
    "oldest_uow_s": "OLDEST_UOW",
    "without_lease": "WITHOUT_LEASE",
}
#: Patterns of ``--all``.
ALL = ("*", "SYSTEM.*")

#: Ages, in seconds; a table has only the first unless ``--columns`` names others.
AGES = ("oldest_age_s", "oldest_lock_s", "oldest_uow_s")
#: Columns of ``--count`` for several queues.
_COUNTED = ("name", "depth")


class DepthRequest(OptionRecord):
    """Queues and form of their depths.

    patterns: names, * matches any characters; none means all but the SYSTEM queues.  count: only the depth for one
    named queue; for several queues or a pattern, names and depths.  columns: names of ``COLUMNS``, empty for all.
    sort: column to sort by, with ``-`` before it for the reverse, empty for the order of names.
    at: instant in milliseconds since 1970, None for the present.
    """

    patterns: Sequence[str] = ()
    count: bool = False
    columns: Sequence[str] = ()
    sort: str = ""
    at: int | None = None

    @property
    def is_number(self) -> bool:
        return self.count and len(self.patterns) == 1 and "*" not in self.patterns[0]

    def shown(self, output: str) -> Sequence[str]:
        without = (*AGES[1:], "without_lease") if output in ("table", "plain") else ()
        return self.columns or (_COUNTED if self.count else [name for name in COLUMNS if name not in without])


def parse_columns(text: str) -> tuple[str, ...]:
    """Return the columns of a list separated by commas. Raises ValueError for an unknown one."""
    return tuple(_known(name.strip()) for name in text.split(",") if name.strip())


def parse_sort(text: str) -> str:
    """Return the column to sort by, with its sign. Raises ValueError for an unknown one."""
    return "-" * text.startswith("-") + _known(text.removeprefix("-"))


def sort_rows(rows: list[dict[str, object]], sort: str) -> list[dict[str, object]]:
    """Return rows in the order of a column; those without a value are last in both directions."""
    name = sort.removeprefix("-")
    there = [row for row in rows if row[name] is not None]
    there.sort(key=lambda row: row[name], reverse=sort.startswith("-"))  # type: ignore[arg-type,return-value]
    return there + [row for row in rows if row[name] is None]


def _known(name: str) -> str:
    lower = name.lower()
    found = next((known for known, title in COLUMNS.items() if lower in (known, title.lower())), None)
    if found is None:
        raise ValueError(f"no column {name!r}; {did_you_mean(nearest(lower, COLUMNS)) or ', '.join(COLUMNS)}")
    return found
