"""Input queue of the handler, and properties of the messages that it puts.

Source: BEY-69, BEY-71, BEY-72.
"""

from __future__ import annotations

from mqtools.constants.properties import MQCOPY_ALL, MQCOPY_FORWARD
from mqtools.constants.reasons import MQRC_UNKNOWN_OBJECT_NAME
from mqtools.dlq.rule import Rule, RulesTable
from mqtools.errors import MQError
from mqtools.message import Property
from mqtools.mqi.connection import Connection
from mqtools.store import queues


def input_queue(connection: Connection, table: RulesTable | None, q_arg: str | None) -> str:
    """Return the queue to read: the argument, INPUTQ of the table, or DEADQ of the queue manager.

    table: None where there is none.  q_arg: None where there is no argument; a blank one means DEADQ
    whatever the table says.  A name ends at its first blank.
    Raises MQError: MQRC_UNKNOWN_OBJECT_NAME when none of them names a queue.  Source: BEY-69.
    """
    return choose_input_queue(connection.name, queues.qmgr(connection.db).dead_letter_q_name, table, q_arg)


def choose_input_queue(q_mgr_name: str, dead_letter_q: str, table: RulesTable | None, q_arg: str | None) -> str:
    """Return the queue to read, as ``input_queue``. dead_letter_q: DEADQ of the queue manager."""
    wanted = q_arg
    if wanted is None and table is not None:
        wanted = table.control.input_q
    name = (wanted or "").partition(" ")[0] or dead_letter_q
    if not name:
        raise MQError(
            f"cannot determine the dead-letter queue: no argument, no INPUTQ, and DEADQ of {q_mgr_name} is blank",
            MQRC_UNKNOWN_OBJECT_NAME,
            hint="name the queue, or: mqx mqsc 'ALTER QMGR DEADQ(NAME)'",
        )
    return name


def select_properties(rule: Rule, properties: dict[str, Property]) -> dict[str, Property]:
    """Return the properties of the message to put: all of them for RETRY, those to be forwarded for FWD.

    A forward drops properties with neither MQCOPY_FORWARD nor MQCOPY_ALL; a RETRY restores the message as it was
    (BEY-74).
    """
    if rule.action == "RETRY":
        return properties
    wanted = MQCOPY_FORWARD | MQCOPY_ALL
    return {name: value for name, value in properties.items() if value.copy_options & wanted}
