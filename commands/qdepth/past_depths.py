"""Depths as they were: of the queues whose journal can show them."""

from __future__ import annotations

from collections.abc import Sequence

from mqtools.admin.depths import depths, local_queues
from mqtools.operations.journal.past import PastUnavailable, PastView
from mqtools.operations.journal.time_line import last_put_and_get

from ..shared.command_session import Session, UsageError, as_text
from ..shared.past import open_past

#: Columns without a record in the journal.
_NOT_KNOWN = ("open_input", "open_output", "oldest_lock_s", "oldest_uow_s")


def read_past_rows(session: Session, patterns: Sequence[str], at_ms: int) -> tuple[str, list[dict[str, object]]]:
    """Return the name of the queue manager and one row per queue, as they were at an instant.

    A queue of a pattern that cannot be shown is left out and named on stderr. Raise UsageError for one that is named,
    and where none can be shown.
    """
    named = [as_text(pattern) for pattern in patterns if "*" not in pattern]
    view = open_past(session, named, at_ms)
    shown, missing, why = _show_others(view, [as_text(pattern) for pattern in patterns])
    if not shown and why is not None:
        raise UsageError(f"{why}; so for each of {', '.join(missing)}" if len(missing) > 1 else str(why), why.hint)
    if missing:
        session.note(f"left out, without JOURNAL(BODY) at that time: {', '.join(missing)}")
    rows = depths(view, shown) if shown else []
    return view.name, [{**row, **dict.fromkeys(_NOT_KNOWN), **_last(view, row, at_ms)} for row in rows]


def _last(view: PastView, row: dict[str, object], at_ms: int) -> dict[str, object]:
    """Return the times of the last put and get in the journal."""
    return dict(zip(("last_put", "last_get"), last_put_and_get(view, str(row["name"]), at_ms), strict=True))


def _show_others(view: PastView, patterns: list[str]) -> tuple[list[str], list[str], PastUnavailable | None]:
    """Show the queues that match; return the names of those that can be shown and of the others, and why not."""
    shown: list[str] = []
    missing: list[str] = []
    why = None
    for name in local_queues(view, patterns):
        try:
            view.show(name)
            shown.append(name)
        except PastUnavailable as error:
            missing.append(name)
            why = why or error
    return shown, missing, why
