"""Results of a command by message: rows of a dry run, or a line for each message that was skipped."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from mqtools.formats.rows import Column

from .command_session import Session
from .output_rows import print_rows
from .progress import with_progress

Row = dict[str, object]


def show_results(
    session: Session, rows: Iterable[Row], columns: Collection[str], words: Mapping[str, str], *, dry_run: bool
) -> None:
    """Consume the rows of a run, and print its skipped messages on stderr; print all rows of a dry run.

    columns: keys of the rows, the most important last.  words: of the results with which a message is skipped.
    """
    if dry_run:
        shown = [
            Column(name, align="right" if name == "line" else "left", rank=-place) for place, name in enumerate(columns)
        ]
        print_rows(session, rows, shown)
        return
    for row in with_progress(session, session.command, rows):
        if row["result"] in words:
            session.note(f"skipped {row['msg_id']}: {words[str(row['result'])]}")
