"""Reports and replies of the queue manager, made in the transaction of their cause, and its dead letters.

A report that its queue refuses goes to the dead-letter queue with an MQDLH (RPT-21). Where there is no dead-letter
queue, or it refuses the report too, the report is dropped: the put or get that caused it stands.
"""

from __future__ import annotations

from collections.abc import Callable

from mqtools.constants.message import (
    MQAT_DQM,
    MQAT_QMGR,
    MQAT_UNIX,
    MQEI_UNLIMITED,
    MQFB_COA,
    MQFB_COD,
    MQFB_EXPIRATION,
    MQFMT_XMIT_Q_HEADER,
)
from mqtools.constants.reasons import MQRC_UNKNOWN_OBJECT_NAME
from mqtools.errors import MQError, StorageError
from mqtools.headers.chain import header_length, prefix_dlh
from mqtools.message import MQMD
from mqtools.mqi import authority, delivery
from mqtools.mqi.distributed_queuing.transmission import without_header
from mqtools.mqi.identity import new_id, put_date_and_time
from mqtools.mqi.resolution import Target, resolve_for_put
from mqtools.mqi.transaction import Work
from mqtools.rules.descriptor import NOT_ASKED
from mqtools.rules.logical_put import supports_segments
from mqtools.rules.reports import (
    ReportOrigin,
    carried_headers,
    derive_report,
    disposition,
    kind_of_feedback,
    makes_report,
    report_data_wanted,
)
from mqtools.store.messages.insertion import is_pulled
from mqtools.store.messages.stored_message import StoredMessage


def deliver(
    work: Work,
    target: Target,
    md: MQMD,
    data: bytes,
    properties: str | None = None,
    holder_id: int | None = None,
) -> StoredMessage:
    """Deliver a message as ``delivery.deliver``, and report its arrival if it asks for that."""
    stored = delivery.deliver(work, target, md, data, properties, holder_id)
    report_arrival(work, target, md, data, holder_id)
    return stored


def report_arrival(work: Work, target: Target, md: MQMD, data: bytes, holder_id: int | None) -> None:
    """Confirm the arrival of a message if it asks for that; part of the same unit of work (RPT-03, RPT-35).

    A message for another queue manager arrives there.
    """
    if not target.is_remote and makes_report(md, "coa"):
        make_report(work, md, lambda: data, MQFB_COA, md.expiry, holder_id)


def report_delivery(
    work: Work, md: MQMD, load: Callable[[], bytes], remaining_expiry: int, holder_id: int | None
) -> None:
    """Confirm the delivery of a message if it asks for that; part of the same unit of work (RPT-04, RPT-36)."""
    if makes_report(md, "cod"):
        make_report(work, md, load, MQFB_COD, remaining_expiry, holder_id)


def report_expiration(work: Work, md: MQMD, load: Callable[[], bytes]) -> None:
    """Report that a message has expired, if it asks for that (RPT-02); in transit its own descriptor counts."""
    if report_data_wanted(md.report, "expiration") == NOT_ASKED:
        return
    if md.format == MQFMT_XMIT_Q_HEADER:
        md, data = without_header(md, load())
        make_report(work, md, lambda: data, MQFB_EXPIRATION, MQEI_UNLIMITED, None)
    else:
        make_report(work, md, load, MQFB_EXPIRATION, MQEI_UNLIMITED, None)


def make_report(
    work: Work,
    md: MQMD,
    load: Callable[[], bytes],
    feedback: int,
    remaining_expiry: int,
    holder_id: int | None,
    channel: str | None = None,
) -> None:
    """Derive a report from its original and send it, if the original asks for it and was not pulled.

    load: gives the original's data.  remaining_expiry: tenths of a second.  holder_id: unit of work that the report
    belongs to.  channel: that makes it; None for the queue manager.
    """
    wanted = report_data_wanted(md.report, kind_of_feedback(feedback) or "exception")
    if wanted == NOT_ASKED or is_pulled(work.db, md):
        return
    data = load()
    put_date, put_time = put_date_and_time(work.now_ms)
    report, report_data = derive_report(
        md,
        data,
        ReportOrigin(
            work.qmgr.name,
            new_id(work.qmgr.name),
            put_date,
            put_time,
            MQAT_QMGR if channel is None else MQAT_DQM,
            channel,
        ),
        feedback=feedback,
        data_option=wanted,
        header_length=carried_headers(
            md, header_length(md, data), supports_segments=supports_segments(work.qmgr.profile)
        ),
        remaining_expiry=remaining_expiry,
    )
    send(work, md.reply_to_q, md.reply_to_q_mgr, report, report_data, holder_id, work.connection.checked_user)


def send(
    work: Work, q_name: str, q_mgr_name: str, md: MQMD, data: bytes, holder_id: int | None, user: str | None
) -> None:
    """Deliver a report or reply of the queue manager, or dead-letter it, or drop it as its Report says.

    user: chose the queue, and needs authority to put to a queue of this queue manager; None for the owner of the file.
    """
    try:
        target = resolve_for_put(work.db, work.qmgr, q_name, q_mgr_name)
        if user is not None and not target.is_remote:
            authority.check_put_of(user, work, target)
        with work.caused_by("report"):
            deliver(work, target, md, data, holder_id=holder_id)
    except StorageError:
        raise  # the transaction may be gone: nothing more can be done in it
    except MQError as error:
        if disposition(md.report) == "dead_letter":
            dead_letter(work, md, data, error.reason, (q_name, q_mgr_name), holder_id)


def with_dlh(
    work: Work, md: MQMD, data: bytes, reason: int, destination: tuple[str, str], *, by_queue_manager: bool = True
) -> tuple[MQMD, bytes]:
    """Prefix a message with the MQDLH of a refusal. destination: queue and queue manager that the message was for.

    by_queue_manager: the MQDLH names the queue manager as what put it there, else the program.
    """
    put_date, put_time = put_date_and_time(work.now_ms)
    return prefix_dlh(
        md,
        data,
        reason=reason,
        dest_q_name=destination[0],
        dest_q_mgr_name=destination[1] or work.qmgr.name,
        put_appl_type=MQAT_QMGR if by_queue_manager else MQAT_UNIX,
        put_appl_name=work.qmgr.name[:28] if by_queue_manager else work.connection.appl_name,
        put_date=put_date,
        put_time=put_time,
    )


def dead_letter(
    work: Work,
    md: MQMD,
    data: bytes,
    reason: int,
    destination: tuple[str, str],
    holder_id: int | None,
    properties: str | None = None,
) -> MQError | None:
    """Put a message on the dead-letter queue behind an MQDLH (BEY-65); return the error, None on success.

    destination: queue and queue manager that the message was for.
    """
    if not work.qmgr.dead_letter_q_name:
        return MQError(f"queue manager {work.qmgr.name} has no dead-letter queue", MQRC_UNKNOWN_OBJECT_NAME)
    try:
        dead_md, dead_data = with_dlh(work, md, data, reason, destination)
        target = resolve_for_put(work.db, work.qmgr, work.qmgr.dead_letter_q_name)
        with work.caused_by("dead_letter", reason, f"for {destination[0]}"):
            deliver(work, target, dead_md, dead_data, properties, holder_id=holder_id)
    except StorageError:
        raise
    except MQError as error:  # a name that no MQDLH has room for must not be in the way of a get either
        return error
    return None
