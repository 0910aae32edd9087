"""MQPUT and MQPUT1: complete the descriptor, check it, and place the message."""

from __future__ import annotations

from mqtools.constants.message import (
    MQAT_NO_CONTEXT,
    MQFMT_RF_HEADER_2,
    MQFMT_STRING,
    MQMF_NONE,
    MQMF_SEGMENTATION_ALLOWED,
    MQOL_UNDEFINED,
    MQPER_PERSISTENCE_AS_Q_DEF,
    MQPRI_PRIORITY_AS_Q_DEF,
)
from mqtools.constants.objects import MQQT_REMOTE
from mqtools.constants.options import (
    MQPMO_FAIL_IF_QUIESCING,
    MQPMO_LOGICAL_ORDER,
    MQPMO_NEW_CORREL_ID,
    MQPMO_NEW_MSG_ID,
    MQPMO_NO_CONTEXT,
    MQPMO_PASS_ALL_CONTEXT,
    MQPMO_PASS_IDENTITY_CONTEXT,
    MQPMO_SET_ALL_CONTEXT,
    MQPMO_SET_IDENTITY_CONTEXT,
)
from mqtools.constants.reasons import (
    MQCC_OK,
    MQCC_WARNING,
    MQRC_CONTEXT_HANDLE_ERROR,
)
from mqtools.constants.structures import MQACT_NONE, MQGI_NONE, MQMD_VERSION_1, MQMI_NONE
from mqtools.errors import MQError
from mqtools.message import MQMD, Message
from mqtools.mqi import delivery
from mqtools.mqi.bulk_put import BulkPut
from mqtools.mqi.identity import new_id, put_date_and_time
from mqtools.mqi.resolution import Target, resolve_for_put
from mqtools.mqi.transaction import Work
from mqtools.records import Record
from mqtools.rules.descriptor import INHERITED_CCSIDS, PLACE_FLAGS, check_descriptor
from mqtools.store import queues
from mqtools.store.messages.stored_message import StoredMessage
from mqtools.store.queues import Queue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.mqi.handle_state import HandleState

#: GroupId, MsgSeqNumber, Offset and OriginalLength of a message outside of groups.
_ALONE = MQGI_NONE, 1, 0, MQOL_UNDEFINED
_IDENTITY_CONTEXT = ("user_identifier", "accounting_token", "appl_identity_data")
_ORIGIN_CONTEXT = ("put_appl_type", "put_appl_name", "put_date", "put_time", "appl_origin_data")


class PutResult(Record):
    """Result of a put, in addition to the changed descriptor.

    reason: a warning, or MQRC_NONE.  repeated: an earlier attempt had put the message under its confirm id.
    """

    __slots__ = ("comp_code", "reason", "resolved_q_mgr_name", "resolved_q_name", "seq", "repeated")

    def __init__(
        self,
        comp_code: int,
        reason: int,
        resolved_q_name: str,
        resolved_q_mgr_name: str,
        seq: int,
        repeated: bool = False,
    ) -> None:
        self.comp_code = comp_code
        self.reason = reason
        self.resolved_q_name = resolved_q_name
        self.resolved_q_mgr_name = resolved_q_mgr_name
        self.seq = seq
        self.repeated = repeated

    def check_complete(self) -> None:
        """Check that the put returned no warning, for a caller that undoes it otherwise. Raises MQError."""
        if self.reason:
            raise MQError("the put returned a warning, and is undone", self.reason)


def find_target(work: Work, q_name: str, q_mgr_name: str, options: int) -> Target:
    """Find the destination of a put without an open that its user is authorized to make. options: MQPMO_*.

    Raises MQError as ``resolve_for_put``; MQRC_NOT_AUTHORIZED.
    """
    target = resolve_for_put(work.db, work.qmgr, q_name, q_mgr_name)
    if work.checks_authority:
        from mqtools.mqi import authority

        authority.check_put(work, target, options)
    return target


def put(
    work: Work,
    target: Target,
    message: Message,
    options: int,
    *,
    holder_id: int | None,
    context: MQMD | None = None,
    handle: HandleState | None = None,
    bulk: BulkPut | None = None,
) -> PutResult:
    """Put a message on the queue that a target leads to; its descriptor is completed in place.

    options: MQPMO_*, checked before.  holder_id: unit of work or confirm id, None for at once.  context: descriptor
    whose context is passed on.  handle: retains the place in a group.  bulk: buffers the message; None: store it now.
    Raises MQError with the reason MQPUT gives; nothing has changed then, the descriptor included.
    """
    options = int(options)  # with members of an enumeration each & takes long
    if options & MQPMO_FAIL_IF_QUIESCING:
        work.fail_if_quiescing()
    md, data, is_remote, logical = message.md, message.data, target.is_remote, options & MQPMO_LOGICAL_ORDER
    if md.format.startswith("MQ") and md.format != MQFMT_STRING:
        from mqtools.mqi.put_headers import check_beginning

        md, data = check_beginning(md, data, work.qmgr)
    warning = 0 if logical else check_descriptor(md, data_length=len(data), to_remote=is_remote)
    complete = complete_descriptor(work, target, md, options, context)
    complete.backout_count = md.backout_count if bulk is not None and bulk.keeps_backout_count else 0
    position, after, out_of_order, properties = None if handle is None else handle.put_position, None, 0, None
    is_placed = complete.version != MQMD_VERSION_1 and complete.msg_flags & PLACE_FLAGS
    if not (logical or is_placed or (position is not None and position.is_open)):  # it stands alone (LOGORD-05)
        complete.group_id, complete.msg_seq_number, complete.offset, complete.original_length = _ALONE
        complete.msg_flags = MQMF_NONE if complete.version == MQMD_VERSION_1 else complete.msg_flags
    else:
        from mqtools.mqi.put_placement import take_place

        after, out_of_order = take_place(work, complete, data, position, options, held=holder_id is not None)
    if logical:
        warning = check_descriptor(complete, data_length=len(data), to_remote=is_remote)
    if message.properties or md.format == MQFMT_RF_HEADER_2:
        from mqtools.mqi.put_headers import properties_text

        properties = properties_text(md, data, message.properties)
    placed, counters = len(work.placed), work.connection.counters
    work.deliver_at = message.deliver_at if (message.deliver_at or 0) > work.now_ms else None
    if bulk is not None:
        seq = bulk.put(complete, data, properties)
    else:
        seq = deliver_whole(work, target, complete, data, properties, holder_id).seq
    if holder_id is not None and holder_id == work.connection.id:
        work.connection.unit_messages += max(0, len(work.placed) - placed - 1)  # segments and reports
    complete.msg_flags = message.md.msg_flags  # output of a get only: the stored copy has what the place adds
    message.md = complete
    if handle is not None and after is not None:
        handle.retain_put_position(after, in_unit_of_work=holder_id is not None)
    if counters is not None:
        counters.note_put(work, target.queue, message, is_put1=handle is None)
    names = (target.remote_q_name, target.remote_q_mgr_name) if is_remote else (target.queue.name, work.qmgr.name)
    reason = warning or out_of_order
    return PutResult(MQCC_WARNING if reason else MQCC_OK, reason, *names, seq)


def deliver_whole(
    work: Work, target: Target, md: MQMD, data: bytes, properties: str | None, holder_id: int | None
) -> StoredMessage:
    """Deliver a message, in segments if it must be segmented and may; return the (first) message stored."""
    if md.msg_flags & MQMF_SEGMENTATION_ALLOWED and not target.is_remote:
        from mqtools.mqi.put_placement import deliver_segments, longest_part

        if len(data) > longest_part(work, target):
            return deliver_segments(work, target, md, data, properties, holder_id)
    if md.report:
        from mqtools.mqi.report_messages import deliver

        return deliver(work, target, md, data, properties, holder_id)
    return delivery.deliver(work, target, md, data, properties, holder_id)


def complete_descriptor(work: Work, target: Target, given: MQMD, options: int, context: MQMD | None) -> MQMD:
    """Return the descriptor as stored, except for its position: identifiers, queue defaults, context.

    The context is passed on, given by the caller, blank, or the default (BEY-95).
    """
    md = given.replace()
    if options & MQPMO_NEW_MSG_ID or md.msg_id == MQMI_NONE:
        md.msg_id = new_id(work.qmgr.name)
    if options & MQPMO_NEW_CORREL_ID:
        md.correl_id = new_id(work.qmgr.name)
    fill_defaults(work, target.path[0], md)
    if md.reply_to_q and not md.reply_to_q_mgr:
        md.reply_to_q, md.reply_to_q_mgr = _reply_destination(work, md.reply_to_q)
    if options & MQPMO_SET_ALL_CONTEXT:
        return md
    if options & (MQPMO_PASS_ALL_CONTEXT | MQPMO_PASS_IDENTITY_CONTEXT):
        if context is None:
            raise MQError("a put that passes context needs the handle it comes from", MQRC_CONTEXT_HANDLE_ERROR)
        _copy(md, context, _IDENTITY_CONTEXT)
        if options & MQPMO_PASS_ALL_CONTEXT:
            _copy(md, context, _ORIGIN_CONTEXT)
            return md
    elif not options & MQPMO_SET_IDENTITY_CONTEXT:
        md.user_identifier = "" if options & MQPMO_NO_CONTEXT else work.connection.user_identifier
        md.accounting_token = MQACT_NONE
        md.appl_identity_data = ""
    md.appl_origin_data = ""
    if options & MQPMO_NO_CONTEXT:
        md.put_appl_type, md.put_appl_name, md.put_date, md.put_time = MQAT_NO_CONTEXT, "", "", ""
        return md
    md.put_appl_type, md.put_appl_name = work.connection.appl_type, work.connection.appl_name
    md.put_date, md.put_time = put_date_and_time(work.now_ms)
    return md


def fill_defaults(work: Work, queue: Queue, md: MQMD) -> None:
    """Replace the values of a descriptor that stand for defaults of the queue and of the queue manager."""
    if md.priority == MQPRI_PRIORITY_AS_Q_DEF:
        md.priority = queue.def_priority
    if md.persistence == MQPER_PERSISTENCE_AS_Q_DEF:
        md.persistence = queue.def_persistence
    if md.coded_char_set_id in INHERITED_CCSIDS:
        md.coded_char_set_id = work.qmgr.coded_char_set_id


def _reply_destination(work: Work, name: str) -> tuple[str, str]:
    """Return queue and queue manager of a ReplyToQ without one: local, or as a remote definition of the name says.

    Such a definition is an alias of a reply-to queue; one without RNAME changes the queue manager only.
    """
    alias = queues.by_name(work.db, name)
    if alias is None or alias.q_type != MQQT_REMOTE:
        return name, work.qmgr.name
    return alias.remote_q_name or name, alias.remote_q_mgr_name or work.qmgr.name


def _copy(md: MQMD, source: MQMD, fields: tuple[str, ...]) -> None:
    for field in fields:
        setattr(md, field, getattr(source, field))
