"""Implementation of ``mqx dlq-handle --suggest``."""

from __future__ import annotations

from mqtools.dlq.letters import letters
from mqtools.dlq.suggest import suggest_rules
from mqtools.mqi.connection import Connection
from mqtools.operations.selection import Selection
from mqtools.operations.stored_messages import local_queue

from ..shared.command_session import NOTHING_THERE, Session, UsageError, write_out


def suggest(session: Session, connection: Connection, q_name: str, selection: Selection) -> int:
    """Print a rules table for the selected dead letters; return 3 when there are none."""
    if session.output is not None:
        raise UsageError("the output is a rules table: -o does not apply", "mqx dlq-handle --summary -o json")
    queue = local_queue(connection, q_name)
    lines = suggest_rules(letters(connection, queue.id, selection), queue.name)
    write_out("".join(f"{line}\n" for line in lines).encode("utf-8"))
    return 0 if lines else NOTHING_THERE
