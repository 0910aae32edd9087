"""Reports that the queue manager makes: arrival, delivery and expiration, in the transaction of their cause.

A report that its queue does not take goes to the dead-letter queue with an MQDLH (RPT-21). Where there is
no dead-letter queue, or it refuses the report too, the report is dropped: the put or get it speaks of
stands.
"""

from __future__ import annotations

from mqtools.constants.message import (
    MQAT_QMGR,
    MQEI_UNLIMITED,
    MQFB_COA,
    MQFB_COD,
    MQFB_EXPIRATION,
    MQFMT_XMIT_Q_HEADER,
)
from mqtools.constants.reasons import MQRC_UNKNOWN_OBJECT_NAME
from mqtools.errors import MQError, StorageError
from mqtools.mqi import delivery
from mqtools.mqi.identity import put_date_and_time
from mqtools.mqi.resolution import resolve_for_put
from mqtools.rules.reports import (
    NOT_ASKED,
    carried_headers,
    derive_report,
    disposition,
    makes_arrival_report,
    makes_delivery_report,
    report_data_wanted,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from mqtools.message import MQMD
    from mqtools.mqi.transaction import Work


def report_arrival(work: Work, md: MQMD, data: bytes, holder_id: int | None) -> None:
    """Confirm the arrival of a message if it asks for that; part of the same unit of work (RPT-03, RPT-35)."""
    wanted = report_data_wanted(md.report, "coa")
    if wanted != NOT_ASKED and makes_arrival_report(md):
        make_report(work, md, lambda: data, MQFB_COA, wanted, md.expiry, holder_id)


def report_delivery(
    work: Work, md: MQMD, load: Callable[[], bytes], remaining_expiry: int, holder_id: int | None
) -> None:
    """Confirm the delivery of a message if it asks for that; part of the same unit of work (RPT-04, RPT-36)."""
    wanted = report_data_wanted(md.report, "cod")
    if wanted != NOT_ASKED and makes_delivery_report(md):
        make_report(work, md, load, MQFB_COD, wanted, remaining_expiry, holder_id)


def report_expiration(work: Work, md: MQMD, load: Callable[[], bytes]) -> None:
    """Report that a message has expired, if it asks for that (RPT-02); on its way it is told by its own descriptor."""
    wanted = report_data_wanted(md.report, "expiration")
    if wanted == NOT_ASKED:
        return
    if md.format == MQFMT_XMIT_Q_HEADER:
        from mqtools.mqi.transmission import without_header

        md, data = without_header(md, load())
        make_report(work, md, lambda: data, MQFB_EXPIRATION, wanted, MQEI_UNLIMITED, None)
    else:
        make_report(work, md, load, MQFB_EXPIRATION, wanted, MQEI_UNLIMITED, None)


def make_report(
    work: Work,
    md: MQMD,
    load: Callable[[], bytes],
    feedback: int,
    wanted: int,
    remaining_expiry: int,
    holder_id: int | None,
    *,
    put_appl_type: int = MQAT_QMGR,
    put_appl_name: str | None = None,
) -> None:
    """Derive a report from its original and send it on its way.

    load: gives the original's data.  wanted: how much of it the report carries (rules/reports.py).
    remaining_expiry: tenths of a second.  holder_id: unit of work that the report belongs to.
    put_appl_type, put_appl_name: who makes it; by default the queue manager.
    """
    from mqtools.headers.chain import header_length
    from mqtools.rules.logical_put import supports_segments

    data = load()
    put_date, put_time = put_date_and_time(work.now_ms)
    report, report_data = derive_report(
        md,
        data,
        feedback=feedback,
        data_option=wanted,
        header_length=carried_headers(
            md, header_length(md, data), supports_segments=supports_segments(work.qmgr.profile)
        ),
        q_mgr_name=work.qmgr.name,
        new_msg_id=work.new_id(),
        put_date=put_date,
        put_time=put_time,
        remaining_expiry=remaining_expiry,
        put_appl_type=put_appl_type,
        put_appl_name=put_appl_name,
    )
    send(work, md.reply_to_q, md.reply_to_q_mgr, report, report_data, holder_id)


def send(work: Work, q_name: str, q_mgr_name: str, md: MQMD, data: bytes, holder_id: int | None) -> None:
    """Deliver a message of the queue manager, or dead-letter it, or drop it as its Report says."""
    try:
        target = resolve_for_put(work.db, work.qmgr, q_name, q_mgr_name)
        with work.caused_by("report"):
            delivery.deliver(work, target, md, data, holder_id=holder_id)
    except StorageError:
        raise  # the transaction may be gone: nothing more can be done in it
    except MQError as error:
        if disposition(md.report) == "dead_letter":
            dead_letter(work, md, data, error.reason, q_name, q_mgr_name, holder_id)


def dead_letter(
    work: Work,
    md: MQMD,
    data: bytes,
    reason: int,
    dest_q_name: str,
    dest_q_mgr_name: str,
    holder_id: int | None,
    properties: str | None = None,
) -> MQError | None:
    """Put a message on the dead-letter queue behind an MQDLH (BEY-65); give what kept it off, None when it is there."""
    from mqtools.headers.chain import prefix_dlh

    if not work.qmgr.dead_letter_q_name:
        return MQError(f"queue manager {work.qmgr.name} has no dead-letter queue", MQRC_UNKNOWN_OBJECT_NAME)
    put_date, put_time = put_date_and_time(work.now_ms)
    try:
        dead_md, dead_data = prefix_dlh(
            md,
            data,
            reason=reason,
            dest_q_name=dest_q_name,
            dest_q_mgr_name=dest_q_mgr_name or work.qmgr.name,
            put_appl_type=MQAT_QMGR,
            put_appl_name=work.qmgr.name[:28],
            put_date=put_date,
            put_time=put_time,
        )
        target = resolve_for_put(work.db, work.qmgr, work.qmgr.dead_letter_q_name)
        with work.caused_by("dead_letter", reason):
            delivery.deliver(work, target, dead_md, dead_data, properties, holder_id=holder_id)
    except StorageError:
        raise
    except MQError as error:  # a name that no MQDLH has room for must not be in the way of a get either
        return error
    return None
