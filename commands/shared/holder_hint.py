"""Hint that names the holder of messages which a command could not have."""

from __future__ import annotations

from shlex import quote

from mqtools.mqi.connection import Connection
from mqtools.operations.key_snapshot import describe_held
from mqtools.operations.queue_manager_view import QueueManagerView
from mqtools.operations.selection import Selection

from .command_session import Session


def print_holder_hint(
    source: Connection | QueueManagerView, session: Session, q_name: str, selection: Selection
) -> None:
    """Print who holds the messages that were requested, and the command that shows them.

    If there is no holder, tell a person that the queue has no messages.
    """
    if session.quiet:
        return
    number, hold = describe_held(source, q_name, selection)
    if number:
        words = (
            f"1 message is {hold}"
            if number == 1
            else f"{number} messages are locked or uncommitted, the first is {hold}"
        )
        session.note(f"hint: {words}: {session.suggest(f'browse {quote(q_name)} --all-states')}")
    else:
        session.tell_person(f"no message on {q_name}{'' if selection.is_everything else ' matches'}")
