"""Reports, replies and forwards that an application makes of messages it has found.

What the new message looks like is derived first, without looking at the queue manager; the put comes after.
"""

from __future__ import annotations

from mqtools.constants.message import (
    MQAT_UNIX,
    MQENC_NATIVE,
    MQFB_NONE,
    MQFMT_NONE,
    MQFMT_STRING,
    MQMT_REPORT,
    MQOL_UNDEFINED,
    MQRO_NAN,
    MQRO_PAN,
)
from mqtools.constants.options import (
    MQACTP_FORWARD,
    MQACTP_REPLY,
    MQACTP_REPORT,
    MQPMO_NONE,
    MQPMO_PASS_ALL_CONTEXT,
    MQPMO_PASS_IDENTITY_CONTEXT,
)
from mqtools.constants.reasons import MQRC_FEEDBACK_ERROR, MQRC_MISSING_REPLY_TO_Q, MQRC_NONE
from mqtools.constants.structures import MQMD_VERSION_1, MQMD_VERSION_2, MQMI_NONE
from mqtools.errors import MQError, StorageError
from mqtools.headers.chain import header_length, walk
from mqtools.headers.charsets import DEFAULT_CCSID, encode_text
from mqtools.headers.mqmde import needs_mqmde, prefix_mqmde
from mqtools.lifecycle import ids, message_search
from mqtools.message import Message
from mqtools.mqi.get import removal, search
from mqtools.mqi.put import put
from mqtools.mqi.resolution import resolve_for_put
from mqtools.records import Record
from mqtools.rules import reports
from mqtools.rules.actions import COPIED, derive_descriptor
from mqtools.rules.properties import properties_of_made
from mqtools.store import holders
from mqtools.store.messages import messages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mqtools.message import MQMD, Property
    from mqtools.mqi.connection import Connection
    from mqtools.mqi.transaction import Work
    from mqtools.store.holders import Holder
    from mqtools.store.messages.stored_message import StoredMessage
    from mqtools.store.queues import Queue

REPORT, REPLY, FORWARD = "report", "reply", "forward"

#: What is made to the action of a put that it is, and to the context that its put passes on: without any it is all
#: ours. (TYPES-14)
_ACTIONS = {
    REPORT: (MQACTP_REPORT, MQPMO_PASS_IDENTITY_CONTEXT),
    REPLY: (MQACTP_REPLY, MQPMO_NONE),
    FORWARD: (MQACTP_FORWARD, MQPMO_PASS_ALL_CONTEXT),
}

_APPL_NAME = "mqx"


class Order(Record):
    """What to make of each original.

    action: REPORT, REPLY or FORWARD.  feedback: None where none was given.  to_q, to_q_mgr: where it goes, the
    original's reply-to queue where to_q is empty.  text, data: of the application, at most one of them; where both
    are None a report has as much of the original's data as that asks for, a reply none, a forward all.
    properties: added to those that are copied; one of type MQTYPE_NULL takes away the original's of its name.
    md_version: MQMD_VERSION_1 has what such a descriptor cannot say in an MQMDE in front of the data.
    """

    __slots__ = ("action", "feedback", "to_q", "to_q_mgr", "text", "data", "properties", "md_version")

    def __init__(
        self,
        action: str = REPORT,
        *,
        feedback: int | None = None,
        to_q: str = "",
        to_q_mgr: str = "",
        text: str | None = None,
        data: bytes | None = None,
        properties: dict[str, Property] | None = None,
        md_version: int = MQMD_VERSION_2,
    ) -> None:
        self.action = action
        self.feedback = feedback
        self.to_q = to_q
        self.to_q_mgr = to_q_mgr
        self.text = text
        self.data = data
        self.properties = properties or {}
        self.md_version = md_version

    @property
    def has_data(self) -> bool:
        """Whether the application gives data of its own."""
        return self.text is not None or self.data is not None


class Made(Record):
    """One message made: the message, the names it goes to, whether its original asked for it, a put's warning.

    derived: the descriptor before the put has completed it: MsgId is MQMI_NONE where it gets a new one.
    """

    __slots__ = ("message", "q_name", "q_mgr_name", "is_asked", "reason", "derived")

    def __init__(self, message: Message, q_name: str, q_mgr_name: str, is_asked: bool, reason: int = MQRC_NONE) -> None:
        self.message = message
        self.q_name = q_name
        self.q_mgr_name = q_mgr_name
        self.is_asked = is_asked
        self.reason = reason
        self.derived = message.md


class Outcome(Record):
    """What became of one original: its MsgId, and what was made of it or why nothing was."""

    __slots__ = ("msg_id", "made", "error")

    def __init__(self, msg_id: bytes, made: Made | None, error: MQError | None = None) -> None:
        self.msg_id = msg_id
        self.made = made
        self.error = error


# What is made


def derive(order: Order, original: Message, q_mgr_name: str) -> Made:
    """Derive the message that an order makes of an original, and where it goes.

    original: its Expiry is what remains of it.  q_mgr_name: of the queue manager that it is made at.
    Raises MQError: MQRC_MISSING_REPLY_TO_Q when nothing says where to, MQRC_FEEDBACK_ERROR for a report that says
    nothing, MQRC_NOT_CONVERTED and MQRC_SOURCE_CCSID_ERROR when text cannot be written as the original's data is.
    Source: RPT-06, RPT-07, RPT-24 to RPT-30, RPT-38, RPT-39, TYPES-08 to TYPES-13, TYPES-16, ACT-11 to ACT-45.
    """
    destination = (order.to_q, order.to_q_mgr) if order.to_q else reports.reply_destination(original.md)
    if not destination[0]:
        raise MQError("the message names no reply-to queue", MQRC_MISSING_REPLY_TO_Q, hint="--to Q names one")
    if order.action == REPORT:
        md, data, is_asked = _report(order, original, q_mgr_name)
    else:
        md, data = _reply(order, original.md) if order.action == REPLY else _forward(order, original)
        is_asked = True
    if order.md_version == MQMD_VERSION_1:
        md, data = _of_version_1(md, data, original.md)
    return Made(Message(data, md, _properties(order, original.properties)), *destination, is_asked)


def _of_version_1(md: MQMD, data: bytes, original: MQMD) -> tuple[MQMD, bytes]:
    """The message as a program with a version-1 descriptor has to put it (RSEG-15)."""
    if md.version == MQMD_VERSION_1:
        return md, data
    if needs_mqmde(md) or (md.msg_type == MQMT_REPORT and reports.has_place(original)):
        return prefix_mqmde(md, data)
    return md.replace(version=MQMD_VERSION_1), data


def _report(order: Order, original: Message, q_mgr_name: str) -> tuple[MQMD, bytes, bool]:
    feedback = MQFB_NONE if order.feedback is None else order.feedback
    kind = reports.kind_of_feedback(feedback)
    asked = original.md.report
    wanted = reports.NOT_ASKED if kind is None else reports.report_data_wanted(asked, kind)
    md, data = reports.derive_report(
        original.md,
        original.data,
        feedback=feedback,
        data_option=wanted,
        header_length=header_length(original.md, original.data),
        q_mgr_name=q_mgr_name,
        new_msg_id=MQMI_NONE,
        put_date="",  # the put knows date and time
        put_time="",
        remaining_expiry=original.md.expiry,
        put_appl_type=MQAT_UNIX,
        put_appl_name=_APPL_NAME,
    )
    if order.has_data:
        md, data = _with_own_data(order, md, original)
    if md.original_length != MQOL_UNDEFINED:
        # The headers in front are no application data, yet a put counts them.
        md.original_length = max(md.original_length, len(data))
    # An application answers for PAN or NAN with a code of its own too (RPT-06, RPT-07).
    is_asked = wanted != reports.NOT_ASKED if kind is not None else bool(asked & (MQRO_PAN | MQRO_NAN))
    return md, data, is_asked


def _reply(order: Order, original: MQMD) -> tuple[MQMD, bytes]:
    """A reply: in no group, asking for nothing, its identifiers as the request wants them."""
    md = derive_descriptor(MQACTP_REPLY, original, original, (), length=0)
    if order.feedback is not None:
        md.feedback = order.feedback
    return _described(order, md)


def _forward(order: Order, original: Message) -> tuple[MQMD, bytes]:
    """The message itself: MsgId, CorrelId and Report unchanged, so that a server can answer the requester."""
    md = derive_descriptor(MQACTP_FORWARD, original.md, original.md, (), length=0)
    if order.feedback is not None:
        md.feedback = order.feedback
    return md, _behind_headers(order, original) if order.has_data else original.data


def _with_own_data(order: Order, md: MQMD, original: Message) -> tuple[MQMD, bytes]:
    """A report keeps the MQ headers of its original in front of what the application says (RSEG-10)."""
    if header_length(original.md, original.data):
        return md, _behind_headers(order, original)
    return _described(order, md)


def _described(order: Order, md: MQMD) -> tuple[MQMD, bytes]:
    """The application's data, and the descriptor that says what it is: text is MQSTR in UTF-8."""
    data = order.data or b"" if order.text is None else order.text.encode("utf-8")
    format_name = MQFMT_STRING if _is_text(data) else MQFMT_NONE
    return md.replace(format=format_name, coded_char_set_id=DEFAULT_CCSID, encoding=MQENC_NATIVE), data


def _is_text(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _behind_headers(order: Order, original: Message) -> bytes:
    """The application's data in place of the original's body; text is written as that body was."""
    md = original.md
    chain = walk(original.data, md.format, md.encoding, md.coded_char_set_id)
    headers = original.data[: chain.body_offset]
    if order.text is None:
        return headers + (order.data or b"")
    ccsid = chain.body_ccsid if chain.body_ccsid > 0 else DEFAULT_CCSID
    return headers + encode_text(order.text, ccsid, chain.body_encoding)


def _properties(order: Order, original: dict[str, Property]) -> dict[str, Property]:
    """The properties that the action copies, and those of the order, which win (ACT-15 to ACT-19)."""
    return properties_of_made(COPIED[_ACTIONS[order.action][0]], original, order.properties)


# Making it


def make_of_stored(
    connection: Connection,
    order: Order,
    q_name: str,
    keys: Sequence[int],
    *,
    lock_id: bytes = b"",
    consume: bool = False,
) -> list[Outcome]:
    """Make what is ordered of messages on a queue, all in one transaction; one that fails changes nothing.

    keys: of the messages; what is no longer there is passed over.  lock_id: of the lock that has them.
    consume: take the original off its queue when the message made of it is put.
    Raises StorageError, and MQError where the queue cannot be read: MQRC_GET_INHIBITED, MQRC_OBJECT_IN_USE,
    MQRC_NO_MSG_LOCKED.
    """
    outcomes: list[Outcome] = []
    with connection.work() as work:
        source = _Source(work, q_name, lock_id, consume=consume)
        for key in keys:
            stored = source.find(key)
            if stored is not None:
                outcome = _make(work, order, source.load(stored))
                outcomes.append(outcome)
                if consume and outcome.error is None:
                    source.take_off(stored)
    return outcomes


def make_of_messages(connection: Connection, order: Order, originals: Iterable[Message]) -> list[Outcome]:
    """Make what is ordered of messages from elsewhere, all in one transaction; one that fails changes nothing.

    Raises StorageError.
    """
    with connection.work() as work:
        return [_make(work, order, original) for original in originals]


class _Source:
    """The queue that originals come from, within one transaction."""

    def __init__(self, work: Work, q_name: str, lock_id: bytes, *, consume: bool) -> None:
        self._work = work
        self._queue: Queue
        if consume:
            self._queue = message_search.gettable_queue(work, q_name)
        else:
            self._queue = message_search.readable_queue(work.db, q_name)
        self._lock: Holder | None = ids.find_lock(work, self._queue, lock_id) if lock_id else None

    def find(self, key: int) -> StoredMessage | None:
        return message_search.by_key(self._work, self._queue, key, self._lock)

    def load(self, stored: StoredMessage) -> Message:
        stored.md.expiry = search.remaining_expiry(stored, self._work.now_ms)
        return Message(messages.load_data(self._work.db, stored.seq), stored.md, search.properties_of(stored))

    def take_off(self, stored: StoredMessage) -> None:
        removal.take_off(self._work, self._queue, stored, stored.md.expiry, None)
        if self._lock is not None:
            holders.remove_if_idle(self._work.db, self._lock.id)


def _make(work: Work, order: Order, original: Message) -> Outcome:
    msg_id = original.md.msg_id
    try:
        made = derive(order, original, work.qmgr.name)
        target = resolve_for_put(work.db, work.qmgr, made.q_name, made.q_mgr_name)
        options = _ACTIONS[order.action][1]
        made.reason = put(work, target, made.message, options, holder_id=None, context=original.md).reason
    except StorageError:
        raise
    except MQError as error:
        return Outcome(msg_id, None, error)
    return Outcome(msg_id, made)


def check_order(order: Order) -> None:
    """Refuse an order that no original can make good. Raises MQError: MQRC_FEEDBACK_ERROR (ACT-45)."""
    if order.action == REPORT and not order.feedback:
        raise MQError("a report with feedback MQFB_NONE says nothing", MQRC_FEEDBACK_ERROR)
