"""Hint that names the holder of a message which a command could not have."""

from __future__ import annotations

from mqtools.operations.key_snapshot import describe_hold_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.mqi.connection import Connection
    from mqtools.operations.selection import Selection

    from .command_session import Session


def print_holder_hint(connection: Connection, session: Session, q_name: str, selection: Selection) -> None:
    """Print who holds a message that was requested by its id, if somebody does."""
    if session.quiet or len(selection.msg_ids) != 1:
        return
    hold = describe_hold_of(connection, q_name, selection.msg_ids[0])
    if hold is not None:
        session.note(f"hint: the message is {hold}")
