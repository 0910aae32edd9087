"""Loading: messages put on a queue as they were on another, of which a dump or an archive tells.

A load is a put that changes nothing but what it must: a zero MsgId gets a new one, CCSID 0 becomes the queue
manager's, a ReplyToQ without a queue manager gets ours, priority and persistence "as queue" become the queue's, and
arrival reports are made if asked for. The data is stored as it is: whatever its format says, it is not checked,
because a damaged header is what an operator wants to look at.
"""

from __future__ import annotations

from mqtools.constants.message import MQFMT_RF_HEADER_2
from mqtools.constants.options import MQPMO_SET_ALL_CONTEXT
from mqtools.constants.structures import MQMD_VERSION_1
from mqtools.errors import MQError, StorageError
from mqtools.qmgr import delivery
from mqtools.qmgr.put import completed, stand_alone
from mqtools.qmgr.resolution import resolve_for_put
from mqtools.rules.descriptor import check_descriptor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from mqtools.message import MQMD, Message, Property
    from mqtools.qmgr.connection import Connection
    from mqtools.qmgr.resolution import Target
    from mqtools.qmgr.work import Work


class _Refused(Exception):
    """Raised to undo the transaction of a unit, one message of which was refused."""

    def __init__(self, at: int, error: MQError) -> None:
        super().__init__(at)
        self.at = at
        self.error = error


def check_message(message: Message) -> int:
    """Tell whether a message could be loaded on some queue; give the reason of a warning, or MQRC_NONE.

    Options and flags that only other queue managers know are left to them.
    Raises MQError with the reason MQPUT gives for the descriptor, MQRC_PROPERTY_NAME_ERROR and
    MQRC_PROPERTY_TYPE_ERROR for the properties.
    """
    if message.properties:
        from mqtools.rules.properties import check_properties

        check_properties(message.properties)
    return check_descriptor(message.md, data_length=len(message.data), to_remote=True)


def load_messages(
    connection: Connection,
    q_name: str,
    messages: Sequence[Message],
    *,
    q_mgr_name: str = "",
    in_unit_of_work: bool = False,
) -> tuple[int, MQError | None]:
    """Load messages on a queue in one transaction, all of them or none.

    in_unit_of_work: leave them to the commit of the connection.
    Gives the place of the first message that was refused and the error, or their number and None.
    Raises MQError: StorageError.
    """
    try:
        with connection.work() as work:
            holder_id = connection.unit_of_work(work) if in_unit_of_work else None
            _load_each(work, q_name, q_mgr_name, messages, holder_id)
    except _Refused as refused:
        return refused.at, refused.error
    return len(messages), None


def _load_each(work: Work, q_name: str, q_mgr_name: str, messages: Sequence[Message], holder_id: int | None) -> None:
    target: Target | None = None
    for at, message in enumerate(messages):
        placed = len(work.placed)
        try:
            target = target or resolve_for_put(work.db, work.qmgr, q_name, q_mgr_name)
            _load(work, target, message, holder_id)
        except StorageError:
            raise
        except MQError as error:
            raise _Refused(at, error) from error
        if len(work.placed) != placed + 1:
            target = None  # a report may have come to the same queue


def _load(work: Work, target: Target, message: Message, holder_id: int | None) -> None:
    md = message.md
    check_descriptor(md, data_length=len(message.data), to_remote=True)
    stored = completed(work, target, md, MQPMO_SET_ALL_CONTEXT, None)
    if md.version == MQMD_VERSION_1:
        stand_alone(stored)
    properties = _properties_text(md, message.data, message.properties)
    delivery.deliver(work, target, stored, message.data, properties, holder_id=holder_id)


def _properties_text(md: MQMD, data: bytes, given: dict[str, Property]) -> str | None:
    """Give the properties as the store keeps them: those given, else those of an MQRFH2 in front that is sound."""
    properties = given
    if not properties and md.format == MQFMT_RF_HEADER_2:
        properties = carried_properties(md, data)
    if not properties:
        return None
    from mqtools.formats.properties import properties_to_json

    return properties_to_json(properties)


def carried_properties(md: MQMD, data: bytes) -> dict[str, Property]:
    """Give the properties in the MQRFH2 that a message begins with; one that is damaged carries none."""
    from mqtools.rules.properties import check_properties, rfh2_properties

    try:
        found = rfh2_properties(md, data)
        check_properties(found)
    except MQError:
        return {}
    return found
