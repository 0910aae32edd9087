"""Loading: messages put on a queue as they were on another, of which a dump or an archive tells.

A load is a put that changes nothing but what it must: a zero MsgId gets a new one, CCSID 0 becomes the queue
manager's, a ReplyToQ without a queue manager gets ours, priority and persistence "as queue" become the queue's, and
arrival reports are made if asked for. Whose the context is can be said. The data is stored as it is: whatever its
format says, it is not checked, because a damaged header is what an operator wants to look at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mqtools.constants.message import MQFMT_RF_HEADER_2, MQMF_LAST_SEGMENT, MQMF_SEGMENT
from mqtools.constants.options import MQPMO_SET_ALL_CONTEXT
from mqtools.constants.reasons import (
    MQRC_MDE_ERROR,
    MQRC_MSG_TOO_BIG_FOR_Q,
    MQRC_MSG_TOO_BIG_FOR_Q_MGR,
    MQRC_PERSISTENT_NOT_ALLOWED,
    MQRC_XQH_ERROR,
)
from mqtools.constants.structures import MQMD_VERSION_1
from mqtools.errors import MQError, StorageError
from mqtools.formats.properties import properties_to_json
from mqtools.mqi.batch_delivery import BulkPut
from mqtools.mqi.put import complete_descriptor, stand_alone
from mqtools.mqi.resolution import resolve_for_put
from mqtools.rules.descriptor import check_descriptor
from mqtools.rules.properties import check_properties, rfh2_properties

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mqtools.message import MQMD, Message, Property
    from mqtools.mqi.connection import Connection
    from mqtools.mqi.transaction import Work


#: Reasons for which a queue refuses one message and would take another. A refusal for any other reason hits what comes
#: after it too.
ABOUT_MESSAGE = frozenset(
    (MQRC_MSG_TOO_BIG_FOR_Q, MQRC_MSG_TOO_BIG_FOR_Q_MGR, MQRC_PERSISTENT_NOT_ALLOWED, MQRC_XQH_ERROR, MQRC_MDE_ERROR)
)


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
        check_properties(message.properties)
    return check_descriptor(message.md, data_length=len(message.data), to_remote=True)


def load_messages(
    connection: Connection,
    q_name: str,
    messages: Sequence[Message],
    *,
    q_mgr_name: str = "",
    in_unit_of_work: bool = False,
    context: int = MQPMO_SET_ALL_CONTEXT,
) -> tuple[int, MQError | None]:
    """Load messages on a queue in one transaction, all of them or none.

    in_unit_of_work: leave them to the commit of the connection.  context: MQPMO_*_CONTEXT: which of it is theirs.
    Gives the place of the first message that was refused and the error, or their number and None.
    Raises MQError: StorageError.
    """
    try:
        with connection.work() as work:
            holder_id = connection.unit_of_work(work) if in_unit_of_work else None
            _load_each(Loader(work, q_name, q_mgr_name, holder_id, context), messages)
    except _Refused as refused:
        return refused.at, refused.error
    return len(messages), None


def _load_each(loader: Loader, messages: Sequence[Message]) -> None:
    for at, message in enumerate(messages):
        try:
            loader.load(message)
        except StorageError:
            raise
        except MQError as error:
            raise _Refused(at, error) from error
    loader.flush()


class Loader:
    """A queue that messages are loaded on, in one transaction; what was loaded is there with ``flush``."""

    def __init__(
        self,
        work: Work,
        q_name: str,
        q_mgr_name: str = "",
        holder_id: int | None = None,
        context: int = MQPMO_SET_ALL_CONTEXT,
    ) -> None:
        """holder_id: the unit of work that the messages belong to, None for at once.  context: MQPMO_*_CONTEXT."""
        self.intake = BulkPut(work, lambda: resolve_for_put(work.db, work.qmgr, q_name, q_mgr_name), holder_id)
        self._work = work
        self._context = context

    def load(self, message: Message) -> None:
        """Load a message. Raises MQError, as a put does, where it is refused: nothing of it is there then."""
        md, data = message.md, message.data
        check_descriptor(md, data_length=len(data), to_remote=True)
        self.intake.put(self.complete(md), data, _properties_text(md, data, message.properties))

    def complete(self, md: MQMD) -> MQMD:
        """Give a descriptor as it is stored."""
        stored = complete_descriptor(self._work, self.intake.target, md, self._context, None)
        if md.version == MQMD_VERSION_1:
            stand_alone(stored)
        return stored

    def complete_for_all(self, md: MQMD) -> MQMD | None:
        """Give a descriptor that many messages have as it is stored; None where each of them is to be loaded by itself.

        That is so where it depends on the data what becomes of the message, and where it is refused or no ordinary one.
        """
        if md.format == MQFMT_RF_HEADER_2 or md.msg_flags & (MQMF_SEGMENT | MQMF_LAST_SEGMENT):
            return None
        try:
            check_descriptor(md, data_length=0, to_remote=True)
            stored = self.complete(md)
            return stored if self.intake.takes(stored) else None
        except StorageError:
            raise
        except MQError:
            return None

    def new_id(self) -> bytes:
        """Make an identifier for a message that has none."""
        return self._work.new_id()

    def flush(self) -> None:
        """Store what was loaded."""
        self.intake.flush()


def _properties_text(md: MQMD, data: bytes, given: dict[str, Property]) -> str | None:
    """Give the properties as the store keeps them: those given, else those of an MQRFH2 in front that is sound."""
    properties = given
    if not properties and md.format == MQFMT_RF_HEADER_2:
        properties = carried_properties(md, data)
    if not properties:
        return None
    return properties_to_json(properties)


def carried_properties(md: MQMD, data: bytes) -> dict[str, Property]:
    """Give the properties in the MQRFH2 that a message begins with; one that is damaged carries none."""
    try:
        found = rfh2_properties(md, data)
        check_properties(found)
    except MQError:
        return {}
    return found
