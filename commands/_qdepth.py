"""What ``mqx qdepth`` does once its line is understood: depths as rows, a number, metrics, or a verdict."""

from __future__ import annotations

import sys

from mqtools.admin.depths import depths
from mqtools.configuration.locate import find
from mqtools.store import queues
from mqtools.store.database import open_database

from .shared import command_session
from .shared.command_session import Session, UsageMistake
from .shared.read_only import release_dead

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from mqtools.formats.rows import Column

OUTPUTS = ("table", "plain", "csv", "json", "jsonl", "openmetrics")
#: Statuses of monitoring plug-ins.
OK, WARN, CRITICAL, NOT_KNOWN = range(4)

_COLUMNS = (
    ("name", "QUEUE"),
    ("depth", "DEPTH"),
    ("max_depth", "MAX"),
    ("percent_full", "% FULL"),
    ("uncommitted", "UNCOM"),
    ("oldest_age_s", "OLDEST"),
    ("open_input", "IN"),
    ("open_output", "OUT"),
    ("last_put", "LAST PUT"),
    ("last_get", "LAST GET"),
)


def show_depths(session: Session, patterns: Sequence[str], *, count: bool = False) -> list[dict[str, object]]:
    """Show the queues that the patterns name, and give their rows; count: the number of messages alone."""
    output = session.output or ("table" if sys.stdout.isatty() else "plain")
    if output not in OUTPUTS:
        raise UsageMistake(f"no output format {output!r} here: {', '.join(OUTPUTS)}")
    q_mgr_name, rows = read_rows(session, patterns)
    if count:
        for row in rows:
            command_session.write_line(str(row["depth"]))
    elif output == "plain":
        for row in rows:
            command_session.write_line(
                "\t".join("" if row[name] is None else _shown(name, row[name]) for name, _ in _COLUMNS)
            )
    elif output == "openmetrics":
        from mqtools.formats.openmetrics import exposition

        for line in exposition([_with_times(row) for row in rows], qmgr=q_mgr_name):
            command_session.write_line(line)
    else:
        _print(session, rows, output)
    sys.stdout.flush()
    return rows


def read_rows(session: Session, patterns: Sequence[str]) -> tuple[str, list[dict[str, object]]]:
    """Read the name of the queue manager and one row a queue; what the dead hold is released first."""
    db = open_database(find(session.qmgr), read_only=True)
    rows = depths(db, [command_session.as_text(pattern) for pattern in patterns])
    in_use = any(row["uncommitted"] or row["open_input"] or row["open_output"] for row in rows)
    if in_use and release_dead(session):
        rows = depths(db, patterns)
    name = queues.qmgr(db).name
    db.close()  # --watch comes here again; an error looks into the file for its hint
    return name, rows


def verdict(rows: Sequence[dict[str, object]], warn: float | None, crit: float | None, max_age_s: float | None) -> int:
    """Give the status of a monitoring plug-in: the worst queue decides.

    warn, crit: percent full.  max_age_s: age of the oldest message that is critical when passed.
    """
    worst = OK
    for row in rows:
        full, age = row["percent_full"], row["oldest_age_s"]
        if (crit is not None and _at_least(full, crit)) or (max_age_s is not None and _more(age, max_age_s)):
            return CRITICAL
        if warn is not None and _at_least(full, warn):
            worst = WARN
    return worst


def _at_least(value: object, limit: float) -> bool:
    return isinstance(value, int | float) and value >= limit


def _more(value: object, limit: float) -> bool:
    return isinstance(value, int | float) and value > limit


def _shown(name: str, value: object) -> str:
    if name in ("last_put", "last_get") and isinstance(value, int):
        from mqtools.formats.units import rfc3339

        return rfc3339(value)
    return str(value)


def _with_times(row: dict[str, object]) -> dict[str, object]:
    """Give a row with its times as text."""
    return {name: _shown(name, value) if name.startswith("last") and value else value for name, value in row.items()}


def _print(session: Session, rows: list[dict[str, object]], output: str) -> None:
    from mqtools.formats.rows import Column
    from mqtools.formats.units import human_age

    from .shared.output_rows import print_rows

    shown = []
    for row in rows:
        cells = _with_times(row)
        if output == "table":
            age = row["oldest_age_s"]
            cells["oldest_age_s"] = human_age(age) if isinstance(age, int | float) else ""
        shown.append(cells)
    columns: list[Column] = [
        Column(name, title, "left" if name in ("name", "last_put", "last_get") else "right") for name, title in _COLUMNS
    ]
    print_rows(session, shown, columns, output)
