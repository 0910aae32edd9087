"""Generation of reports, replies and forwarded messages from original messages.

The new message is derived first, independent of the queue manager, and then put.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass, field

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
from mqtools.constants.structures import MQMD_VERSION_1, MQMD_VERSION_2
from mqtools.errors import MQError, StorageError
from mqtools.headers.chain import header_length, walk
from mqtools.headers.charsets import DEFAULT_CCSID, encode_text, known_ccsid
from mqtools.headers.mqmde import needs_mqmde, prefix_mqmde
from mqtools.lifecycle import ids, message_search
from mqtools.message import MQMD, Message, Property
from mqtools.mqi.connection import Connection
from mqtools.mqi.get import removal
from mqtools.mqi.put import find_target, put
from mqtools.mqi.transaction import Work
from mqtools.operations.stored_messages import as_message
from mqtools.rules import reports
from mqtools.rules.actions import COPIED, derive_descriptor
from mqtools.rules.descriptor import NOT_ASKED
from mqtools.rules.properties import properties_of_made
from mqtools.store import holders
from mqtools.store.messages import messages

REPORT, REPLY, FORWARD = "report", "reply", "forward"

#: Kind of message to the action of its put and the context that the put passes on; MQPMO_NONE: default context.
#: (TYPES-14)
_ACTIONS = {
    REPORT: (MQACTP_REPORT, MQPMO_PASS_IDENTITY_CONTEXT),
    REPLY: (MQACTP_REPLY, MQPMO_NONE),
    FORWARD: (MQACTP_FORWARD, MQPMO_PASS_ALL_CONTEXT),
}

_APPL_NAME = "mqx"


@dataclass(frozen=True, slots=True)
class Order:
    """The message to generate from each original.

    action: REPORT, REPLY or FORWARD.  feedback: None if none is given.  to_q, to_q_mgr: the target; if to_q is empty,
    the reply-to queue of the original.  text, data: of the application, at most one of them; if both are None, a
    report has as much of the original data as its report options request, a reply none, a forwarded message all.
    properties: added to those that are copied; one of type MQTYPE_NULL removes that of the original.
    md_version: MQMD_VERSION_1 puts the fields that such a descriptor lacks in an MQMDE in front of the data.
    """

    action: str = REPORT
    _: KW_ONLY
    feedback: int | None = None
    to_q: str = ""
    to_q_mgr: str = ""
    text: str | None = None
    data: bytes | None = None
    properties: dict[str, Property] = field(default_factory=dict)
    md_version: int = MQMD_VERSION_2

    @property
    def has_data(self) -> bool:
        return self.text is not None or self.data is not None


@dataclass(slots=True)
class DerivedMessage:
    """A generated message, its target, whether the original requested it, and the reason code of a put warning.

    derived: the descriptor before the put completes it; MsgId is MQMI_NONE if the put assigns a new one.
    """

    message: Message
    q_name: str
    q_mgr_name: str
    is_asked: bool
    reason: int = MQRC_NONE
    derived: MQMD = field(init=False)

    def __post_init__(self) -> None:
        self.derived = self.message.md


@dataclass(frozen=True, slots=True)
class ReportOutcome:
    """Result for one original: its MsgId, and the generated message or the error."""

    msg_id: bytes
    made: DerivedMessage | None
    error: MQError | None = None


# Derivation


def derive(order: Order, original: Message, q_mgr_name: str) -> DerivedMessage:
    """Derive the message that an order generates from an original, and its target.

    original: with its remaining expiry.  q_mgr_name: of the queue manager that generates the message.
    Raises MQError: MQRC_MISSING_REPLY_TO_Q if there is no target, MQRC_FEEDBACK_ERROR for a report without
    feedback, MQRC_NOT_CONVERTED and MQRC_SOURCE_CCSID_ERROR if text cannot be encoded as the original data is.
    Source: RPT-06, RPT-07, RPT-24 to RPT-30, RPT-38, RPT-39, TYPES-08 to TYPES-13, TYPES-16, ACT-11 to ACT-45.
    """
    destination = (order.to_q, order.to_q_mgr) if order.to_q else reports.reply_destination(original.md)
    if not destination[0]:
        raise MQError("the message has no reply-to queue", MQRC_MISSING_REPLY_TO_Q, hint="name a target with --to Q")
    if order.action == REPORT:
        md, data, is_asked = _report(order, original, q_mgr_name)
    else:
        md, data = _reply(order, original.md) if order.action == REPLY else _forward(order, original)
        is_asked = True
    if order.md_version == MQMD_VERSION_1:
        md, data = _of_version_1(md, data, original.md)
    # Those of the order override those that the action copies (ACT-15 to ACT-19).
    properties = properties_of_made(COPIED[_ACTIONS[order.action][0]], original.properties, order.properties)
    return DerivedMessage(Message(data, md, properties), *destination, is_asked)


def _of_version_1(md: MQMD, data: bytes, original: MQMD) -> tuple[MQMD, bytes]:
    """Return a message in the form that an application with a version-1 descriptor puts (RSEG-15)."""
    if md.version == MQMD_VERSION_1:
        return md, data
    if needs_mqmde(md) or (md.msg_type == MQMT_REPORT and reports.has_place(original)):
        return prefix_mqmde(md, data)
    return md.replace(version=MQMD_VERSION_1), data


def _report(order: Order, original: Message, q_mgr_name: str) -> tuple[MQMD, bytes, bool]:
    feedback = MQFB_NONE if order.feedback is None else order.feedback
    kind = reports.kind_of_feedback(feedback)
    asked = original.md.report
    wanted = NOT_ASKED if kind is None else reports.report_data_wanted(asked, kind)
    md, data = reports.derive_report(
        original.md,
        original.data,
        reports.ReportOrigin(q_mgr_name, put_appl_type=MQAT_UNIX, put_appl_name=_APPL_NAME),  # the put sets the others
        feedback=feedback,
        data_option=wanted,
        header_length=header_length(original.md, original.data),
        remaining_expiry=original.md.expiry,
    )
    if order.has_data:
        md, data = _with_own_data(order, md, original)
    if md.original_length != MQOL_UNDEFINED:
        # A put counts the headers in front of the application data.
        md.original_length = max(md.original_length, len(data))
    # For PAN and NAN an application may use feedback codes of its own (RPT-06, RPT-07).
    is_asked = wanted != NOT_ASKED if kind is not None else bool(asked & (MQRO_PAN | MQRO_NAN))
    return md, data, is_asked


def _reply(order: Order, original: MQMD) -> tuple[MQMD, bytes]:
    """Derive a reply: outside groups, without report options, with the identifiers that the request asks for."""
    md = derive_descriptor(MQACTP_REPLY, original, original, (), length=0)
    if order.feedback is not None:
        md.feedback = order.feedback
    return _data_with_format(order, md)


def _forward(order: Order, original: Message) -> tuple[MQMD, bytes]:
    """Derive a forwarded message: MsgId, CorrelId and Report are unchanged, so that a server can reply."""
    md = derive_descriptor(MQACTP_FORWARD, original.md, original.md, (), length=0)
    if order.feedback is not None:
        md.feedback = order.feedback
    return md, _replace_body(order, original) if order.has_data else original.data


def _with_own_data(order: Order, md: MQMD, original: Message) -> tuple[MQMD, bytes]:
    """Replace the data of a report; the MQ headers of the original stay in front of it (RSEG-10)."""
    if header_length(original.md, original.data):
        return md, _replace_body(order, original)
    return _data_with_format(order, md)


def _data_with_format(order: Order, md: MQMD) -> tuple[MQMD, bytes]:
    """Return the application data and a descriptor with its format: MQSTR in UTF-8 for text."""
    data = order.data or b"" if order.text is None else order.text.encode("utf-8")
    format_name = MQFMT_STRING if _is_text(data) else MQFMT_NONE
    return md.replace(format=format_name, coded_char_set_id=DEFAULT_CCSID, encoding=MQENC_NATIVE), data


def _is_text(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _replace_body(order: Order, original: Message) -> bytes:
    """Replace the body of the original by the application data; text is encoded as the body was."""
    md = original.md
    chain = walk(original.data, md.format, md.encoding, md.coded_char_set_id)
    headers = original.data[: chain.body_offset]
    if order.text is None:
        return headers + (order.data or b"")
    return headers + encode_text(order.text, known_ccsid(chain.body_ccsid), chain.body_encoding)


# Put


def generate_from_queue(
    connection: Connection,
    order: Order,
    q_name: str,
    keys: Sequence[int],
    *,
    lock_id: bytes = b"",
    consume: bool = False,
) -> list[ReportOutcome]:
    """Generate messages from messages on a queue in one transaction; an original that fails is left unchanged.

    keys: of the messages; missing ones are skipped.  lock_id: of the lock that holds them.
    consume: remove each original once its generated message is put.
    Raises StorageError, and MQError if the queue cannot be read: MQRC_GET_INHIBITED, MQRC_OBJECT_IN_USE,
    MQRC_NO_MSG_LOCKED.
    """
    outcomes: list[ReportOutcome] = []
    with connection.work() as work:
        find_queue = message_search.gettable_queue if consume else message_search.browsable_queue
        queue = find_queue(work, q_name)
        lock = ids.find_lock(work, queue, lock_id) if lock_id else None
        for key in keys:
            stored = message_search.by_key(work, queue, key, lock)
            if stored is None:
                continue
            original = as_message(stored, messages.load_data(work.db, key), work.now_ms)
            outcomes.append(_generate(work, order, original))
            if consume and outcomes[-1].error is None:
                removal.take_off(work, queue, stored, stored.md.expiry, None)
                if lock is not None:
                    holders.remove_if_idle(work.db, lock.id)
    return outcomes


def generate_from_messages(connection: Connection, order: Order, originals: Iterable[Message]) -> list[ReportOutcome]:
    """Generate messages from messages that are not on a queue, in one transaction.

    Raises StorageError.
    """
    with connection.work() as work:
        return [_generate(work, order, original) for original in originals]


def _generate(work: Work, order: Order, original: Message) -> ReportOutcome:
    msg_id = original.md.msg_id
    try:
        made = derive(order, original, work.qmgr.name)
        options = _ACTIONS[order.action][1]
        target = find_target(work, made.q_name, made.q_mgr_name, options)
        made.reason = put(work, target, made.message, options, holder_id=None, context=original.md).reason
    except StorageError:
        raise
    except MQError as error:
        return ReportOutcome(msg_id, None, error)
    return ReportOutcome(msg_id, made)


def check_order(order: Order) -> None:
    """Check that an order is valid for some original. Raises MQError: MQRC_FEEDBACK_ERROR (ACT-45)."""
    if order.action == REPORT and not order.feedback:
        raise MQError("a report needs a feedback code other than MQFB_NONE", MQRC_FEEDBACK_ERROR)
