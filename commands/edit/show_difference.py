"""Display of what an edit changes in a message."""

from __future__ import annotations

from mqtools.formats.editable import difference
from mqtools.message import Message

from ..shared import command_session
from ..shared.command_session import Session


def show_difference(session: Session, before: Message, after: Message, *, dry_run: bool) -> None:
    """Print what an edit changes: for a dry run without JSON output on stdout, else on stderr."""
    is_data = dry_run and session.output is None
    for line in difference(before, after, before.md.msg_id.hex().upper()):
        if is_data:
            command_session.write_line(line)
        else:
            session.note(line)
