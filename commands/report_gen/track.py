"""Implementation of ``mqx report-gen --track``: status of one original, and removal of orphan segments."""

from __future__ import annotations

from collections import Counter

from mqtools.constants.states import STATE_NAMES, UNLOCKED
from mqtools.formats.descriptor import enumeration_name
from mqtools.formats.phrases import counted
from mqtools.formats.rows import Column
from mqtools.operations.reports.outcomes import Track, remove_orphans, track_message
from mqtools.rules.report_outcomes import DELIVERED, FAILED, LOST, Part

from ..shared.command_session import DONE, JSON, NOTHING_THERE, PARTLY, Session
from ..shared.output_rows import print_rows, row_of
from ..shared.read_only import connect_read_only

#: Missing values are empty, in JSON null.
_COLUMNS = (
    *(Column(name, align="right") for name in ("msg_seq_number", "to_seq_number", "offset", "length")),
    *(Column(name) for name in ("outcome", "reason", "state", "orphan")),
    Column("reports", align="right"),
    Column("msg_id"),
)


def track(session: Session, identifier: bytes, q_name: str, reports: str) -> int:
    """Print the status of the parts of an original; return 0 delivered, 9 failed, 3 unknown.

    identifier: GroupId or MsgId, or a prefix.  q_name: where the originals go.  reports: queue of the reports, empty
    for the reply-to queue of the originals.
    """
    with connect_read_only(session) as connection:
        found = track_message(connection, identifier, q_name, reports)
    if not found.parts:
        session.note(f"unknown original: {found.identifier.hex().upper()}")
        return NOTHING_THERE
    if session.output in JSON:
        print_rows(session, [_picture(found, q_name)], [])
    else:
        _show(session, found.parts)
    session.note(_words(found))
    if found.orphans and not session.quiet:
        session.note("hint: --consume removes the orphan segments")
    return {DELIVERED: DONE, FAILED: PARTLY}.get(found.outcome, NOTHING_THERE)


def clear(session: Session, identifier: bytes, q_name: str, reports: str, *, dry_run: bool) -> int:
    """Remove the orphan segments of an original; return 3 when there are none. The others are as for ``track``."""
    with connect_read_only(session) if dry_run else session.connect() as connection:
        if dry_run:
            found = track_message(connection, identifier, q_name, reports)
            orphans = [part for part in found.orphans if part.state == UNLOCKED]
        else:
            orphans = remove_orphans(connection, identifier, q_name, reports)
    _show(session, orphans)
    session.note(f"{counted(len(orphans), 'orphan segment')} {'would be removed' if dry_run else 'removed'}")
    return DONE if orphans else NOTHING_THERE


def _show(session: Session, parts: list[Part]) -> None:
    print_rows(session, [_row(part) for part in parts], _COLUMNS)


def _row(part: Part) -> dict[str, object]:
    reason = enumeration_name("feedback", part.feedback) if part.feedback else None
    state = None if part.state is None else STATE_NAMES[part.state]
    msg_id = part.msg_id.hex().upper() or None
    return row_of(part, _COLUMNS, reason=reason, state=state, orphan=part.is_orphan, msg_id=msg_id)


def _picture(found: Track, q_name: str) -> dict[str, object]:
    return {
        "id": found.identifier.hex().upper(),
        "is_group": found.is_group,
        "group_id": found.group_id.hex().upper(),
        "queue": q_name,
        "reports_queue": found.reports_q_name or None,
        "outcome": found.outcome,
        "parts": [_row(part) for part in found.parts],
        "orphans": [part.msg_id.hex().upper() for part in found.orphans],
    }


def _words(found: Track) -> str:
    """Return the number of parts by outcome: ``failed: 3 parts, 2 arrived, 1 failed (MQRC_Q_FULL)``."""
    numbers: Counter[str] = Counter()
    for part in found.parts:
        why = f" ({enumeration_name('feedback', part.feedback)})" if part.outcome in LOST else ""
        numbers[part.outcome + why] += 1
    words = [f"{number} {outcome}" for outcome, number in numbers.items()]
    if found.orphans:
        words.append(counted(len(found.orphans), "orphan"))
    return f"{found.outcome}: {counted(len(found.parts), 'part')}, {', '.join(words)}"
