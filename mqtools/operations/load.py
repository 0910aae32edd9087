"""Loading of messages from dumps and archives, with as few changes as possible.

A load changes only what it must: a zero MsgId is replaced by a new one, CCSID 0 by that of the queue manager, an empty
ReplyToQMgr by the name of the queue manager, priority and persistence "as queue" by those of the queue; arrival reports
are sent if requested. The caller chooses which context fields are kept. The data is stored without checks of its
format: an operator must be able to load, and look at, a message with a damaged header.
"""

from __future__ import annotations

from collections.abc import Sequence

from mqtools.constants.message import MQFMT_RF_HEADER_2
from mqtools.constants.options import (
    MQOO_FAIL_IF_QUIESCING,
    MQOO_OUTPUT,
    MQPMO_FAIL_IF_QUIESCING,
    MQPMO_SET_ALL_CONTEXT,
    MQPMO_SYNCPOINT,
)
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
from mqtools.headers.mqmde import EXTENSION
from mqtools.message import MQMD, Message, Property
from mqtools.mqi import report_messages
from mqtools.mqi.bulk_put import BulkPut
from mqtools.mqi.identity import new_id
from mqtools.mqi.interface import QueueManagerConnection
from mqtools.mqi.put import complete_descriptor, find_target
from mqtools.mqi.transaction import Work
from mqtools.operations.stored_messages import check_put_target
from mqtools.rules.descriptor import SEGMENT_FLAGS, check_descriptor
from mqtools.rules.properties import check_properties, rfh2_properties

#: Reasons that concern one message only. An error with any other reason would be raised for the messages after it too.
ABOUT_MESSAGE = frozenset(
    (MQRC_MSG_TOO_BIG_FOR_Q, MQRC_MSG_TOO_BIG_FOR_Q_MGR, MQRC_PERSISTENT_NOT_ALLOWED, MQRC_XQH_ERROR, MQRC_MDE_ERROR)
)


class MessageRefused(Exception):
    """Raised to roll back the transaction of a unit that contains an invalid message."""

    def __init__(self, at: int, error: MQError) -> None:
        super().__init__(at)
        self.at = at
        self.error = error


def check_message(message: Message) -> int:
    """Check whether a message can be loaded on some queue; return the reason code of a warning, or MQRC_NONE.

    Options and flags that are unknown here but reserved for other queue managers are accepted.
    Raises MQError with the reason of MQPUT for the descriptor, MQRC_PROPERTY_NAME_ERROR and
    MQRC_PROPERTY_TYPE_ERROR for the properties.
    """
    if message.properties:
        check_properties(message.properties)
    return check_descriptor(message.md, data_length=len(message.data), to_remote=True)


def load_messages(
    connection: QueueManagerConnection,
    q_name: str,
    messages: Sequence[Message],
    *,
    q_mgr_name: str = "",
    in_unit_of_work: bool = False,
    context: int = MQPMO_SET_ALL_CONTEXT,
    is_checked: bool = False,
) -> tuple[int, MQError | None]:
    """Load messages on a queue in one transaction, all of them or none.

    in_unit_of_work: publish them at the commit of the connection.  context: MQPMO_*_CONTEXT: the fields that are kept.
    is_checked: each has passed ``check_message``.
    Returns the index of the first message that was refused and its error, or their number and None.
    Raises MQError: StorageError.
    """
    file = connection.file
    if file is None:
        return _load_elsewhere(connection, q_name, messages, q_mgr_name, context, commits=not in_unit_of_work)
    try:
        with file.work() as work:
            holder_id = file.unit_of_work(work) if in_unit_of_work else None
            _load_each(Loader(work, q_name, q_mgr_name, holder_id, context), messages, is_checked=is_checked)
    except MessageRefused as refused:
        return refused.at, refused.error
    return len(messages), None


def _load_elsewhere(
    connection: QueueManagerConnection,
    q_name: str,
    messages: Sequence[Message],
    q_mgr_name: str,
    context: int,
    *,
    commits: bool,
) -> tuple[int, MQError | None]:
    """Load messages on a queue elsewhere in the unit of work, and commit it or back it out if requested."""
    options = MQPMO_SYNCPOINT | MQPMO_FAIL_IF_QUIESCING | context
    results, error = connection.put_each(q_name, messages, options, q_mgr_name=q_mgr_name)
    if error is not None and commits:
        connection.backout()
    elif commits:
        connection.commit()
    return len(results), error


def check_target(connection: QueueManagerConnection, q_name: str, q_mgr_name: str = "") -> None:
    """Raise MQError when a put to a queue would fail to find it: MQRC_UNKNOWN_OBJECT_NAME and the like."""
    if connection.file is not None:
        check_put_target(connection.file, q_name, q_mgr_name)
        return
    connection.open(q_name, MQOO_OUTPUT | MQOO_FAIL_IF_QUIESCING, q_mgr_name=q_mgr_name).close()


def _load_each(loader: Loader, messages: Sequence[Message], *, is_checked: bool) -> None:
    load = loader.load_checked if is_checked else loader.load
    for at, message in enumerate(messages):
        try:
            load(message)
        except StorageError:
            raise
        except MQError as error:
            raise MessageRefused(at, error) from error
    loader.flush()


class Loader:
    """Loads messages on a queue in one transaction; ``flush`` stores them."""

    def __init__(
        self,
        work: Work,
        q_name: str,
        q_mgr_name: str = "",
        holder_id: int | None = None,
        context: int = MQPMO_SET_ALL_CONTEXT,
    ) -> None:
        """holder_id: the unit of work of the messages; None publishes them at once.  context: MQPMO_*_CONTEXT."""
        self.intake = BulkPut(
            work, lambda: find_target(work, q_name, q_mgr_name, context), holder_id, report_messages.deliver
        )
        self._work = work
        self._context = context

    def load(self, message: Message) -> None:
        """Load a message. Raises MQError as a put does; the message is not stored then."""
        check_descriptor(message.md, data_length=len(message.data), to_remote=True)
        self.load_checked(message)

    def load_checked(self, message: Message) -> None:
        """Load a message whose descriptor is checked, as ``load``."""
        md, data = message.md, message.data
        self.intake.put(self.complete(md), data, _properties_text(md, data, message.properties))

    def complete(self, md: MQMD) -> MQMD:
        stored = complete_descriptor(self._work, self.intake.target, md, self._context, None)
        if md.version == MQMD_VERSION_1:
            return stored.replace(**EXTENSION)
        return stored

    def complete_for_all(self, md: MQMD) -> MQMD | None:
        """Return a descriptor shared by many messages as it is stored; None if they must be loaded one by one.

        They must if their treatment depends on the data, or if the descriptor is invalid or needs individual handling.
        """
        if md.format == MQFMT_RF_HEADER_2 or md.msg_flags & SEGMENT_FLAGS:
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
        return new_id(self._work.qmgr.name)

    def flush(self) -> None:
        self.intake.flush()


def _properties_text(md: MQMD, data: bytes, given: dict[str, Property]) -> str | None:
    """Return the stored form of the properties: those given, else those of a valid MQRFH2 at the start of the data."""
    properties = given
    if not properties and md.format == MQFMT_RF_HEADER_2:
        properties = carried_properties(md, data)
    if not properties:
        return None
    return properties_to_json(properties)


def carried_properties(md: MQMD, data: bytes) -> dict[str, Property]:
    """Return the properties in the MQRFH2 at the start of the data; none if it is damaged."""
    try:
        found = rfh2_properties(md, data)
        check_properties(found)
    except MQError:
        return {}
    return found
