"""Implementation of ``mqx qdepth``: depths as rows, a number, or metrics."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from mqtools.admin.depths import depths
from mqtools.formats.units import human_age, rfc3339
from mqtools.operations.queue_manager_view import open_view

from ..shared import command_session
from ..shared.command_session import Session, UsageError
from ..shared.output_rows import color_wanted, table_width
from ..shared.read_only import release_dead
from .request import AGES, COLUMNS, DepthRequest, sort_rows

OUTPUTS = ("table", "plain", "csv", "json", "jsonl", "openmetrics", "nagios")

_TIMES = ("last_put", "last_get")


def show_depths(session: Session, request: DepthRequest) -> list[dict[str, object]]:
    """Write the depths of the selected queues to stdout; return the rows."""
    rows, text = depths_text(session, request, table_width(session))
    command_session.write_out(text.encode("utf-8", "surrogatepass"))
    return rows


def depths_text(
    session: Session, request: DepthRequest, width: int | None = None
) -> tuple[list[dict[str, object]], str]:
    """Return the rows of the selected queues, and their text in the output format.

    width: of a table, in cells; None for no limit.
    """
    output = output_of(session, request)
    q_mgr_name, rows = read_request(session, request)
    if request.is_number:
        return rows, "".join(f"{row['depth']}\n" for row in rows)
    names = request.shown(output)
    shown = [{name: _display_value(name, row[name]) for name in names} for row in rows]
    if output == "plain":
        cells = [["" if cell is None else str(cell) for cell in row.values()] for row in shown]
        return rows, "".join("\t".join(line) + "\n" for line in cells)
    if output == "openmetrics":
        from .metrics import metrics_text

        is_present = request.at is None and not session.is_elsewhere
        return rows, metrics_text(session, shown, q_mgr_name, is_present=is_present)
    if output == "table":
        for row in shown:
            for name in row.keys() & AGES:
                age = row[name]
                row[name] = human_age(age) if isinstance(age, int) else ""
    from mqtools.formats.rows import Column, write_rows

    described = [Column(name, COLUMNS[name], "left" if name in ("name", *_TIMES) else "right") for name in names]
    parts: list[str] = []
    write_rows(shown, described, output, parts.append, header=True, color=color_wanted(session), width=width)
    return rows, "".join(parts)


def read_request(session: Session, request: DepthRequest) -> tuple[str, list[dict[str, object]]]:
    """Return the name of the queue manager and the rows of the request, in its order."""
    if request.at is None:
        q_mgr_name, rows = read_rows(session, request.patterns)
    else:
        from .past_depths import read_past_rows

        q_mgr_name, rows = read_past_rows(session, request.patterns, request.at)
    return q_mgr_name, sort_rows(rows, request.sort) if request.sort else rows


def output_of(session: Session, request: DepthRequest) -> str:
    """Return the output format. Raise UsageError for an unsupported one."""
    output = session.output or ("table" if sys.stdout.isatty() and not request.count else "plain")
    if output not in OUTPUTS:
        raise UsageError(f"no output format {output!r} here: {', '.join(OUTPUTS)}")
    if output == "openmetrics" and request.columns:
        raise UsageError("--columns cannot be combined with -o openmetrics")
    return output


def read_rows(session: Session, patterns: Sequence[str]) -> tuple[str, list[dict[str, object]]]:
    """Return the name of the queue manager and one row per queue; release dead holders first."""
    patterns = [command_session.as_text(pattern) for pattern in patterns]
    if session.is_elsewhere:
        with session.connect_elsewhere(changes=False) as connection:
            return connection.name, connection.depths(patterns)
    view = open_view(session.qmgr)
    rows = depths(view, patterns)
    in_use = any(row["uncommitted"] or row["locked"] or row["open_input"] or row["open_output"] for row in rows)
    if in_use and release_dead(session):
        rows = depths(view, patterns)
    name = view.name
    view.close()  # --watch comes here again; an error looks into the file for its hint
    return name, rows


def _display_value(name: str, value: object) -> object:
    """Return a value for display: times as text, ages in whole seconds."""
    if name in _TIMES and isinstance(value, int):
        return rfc3339(value)
    return int(value) if name in AGES and isinstance(value, float) else value
