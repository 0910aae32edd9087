"""Results of a command by message: rows of a dry run, or a line for each message that was skipped."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping

from mqtools.errors import MQError
from mqtools.formats.rows import Column

from .command_session import DONE, PARTLY, Session
from .output_rows import print_rows
from .progress import with_progress

Row = dict[str, object]


def show_results(
    session: Session,
    rows: Iterable[Row],
    columns: Collection[str],
    words: Mapping[str, str],
    count_done: Callable[[], int] | None,
) -> int:
    """Consume the rows of a run, and print its skipped messages on stderr; print all rows of a dry run.

    columns: keys of the rows, the most important last.  words: of the results with which a message is skipped.
    count_done: returns how many messages are done, None for a dry run.  Return the exit status: an error after some
    are done is printed, and is 9.
    """
    if count_done is None:
        shown = [
            Column(name, align="right" if name == "line" else "left", rank=-place) for place, name in enumerate(columns)
        ]
        print_rows(session, rows, shown, session.list_output)
        return DONE
    try:
        for row in with_progress(session, session.command, rows):
            if row["result"] in words:
                session.note(f"skipped {row['msg_id']}: {words[str(row['result'])]}")
    except MQError as error:
        if not count_done():
            raise
        session.report_error(error)
        return PARTLY
    return DONE
