"""Delivery and expiration reports of the queue manager, made in the transaction of their cause.

A report that its queue does not take goes to the dead-letter queue with an MQDLH (RPT-21). Where there is
no dead-letter queue, or it refuses the report too, the report is dropped: the put or get it speaks of
stands.
"""

from __future__ import annotations

from collections.abc import Callable

from mqtools.constants.message import (
    MQEI_UNLIMITED,
    MQFB_COD,
    MQFB_EXPIRATION,
    MQFMT_XMIT_Q_HEADER,
)
from mqtools.message import MQMD
from mqtools.mqi import delivery
from mqtools.mqi.distributed_queuing.transmission import without_header
from mqtools.mqi.transaction import Work
from mqtools.rules.reports import (
    NOT_ASKED,
    makes_report,
    report_data_wanted,
)


def report_delivery(
    work: Work, md: MQMD, load: Callable[[], bytes], remaining_expiry: int, holder_id: int | None
) -> None:
    """Confirm the delivery of a message if it asks for that; part of the same unit of work (RPT-04, RPT-36)."""
    if makes_report(md, "cod"):
        delivery.make_report(work, md, load, MQFB_COD, remaining_expiry, holder_id)


def report_expiration(work: Work, md: MQMD, load: Callable[[], bytes]) -> None:
    """Report that a message has expired, if it asks for that (RPT-02); in transit its own descriptor counts."""
    if report_data_wanted(md.report, "expiration") == NOT_ASKED:
        return
    if md.format == MQFMT_XMIT_Q_HEADER:
        md, data = without_header(md, load())
        delivery.make_report(work, md, lambda: data, MQFB_EXPIRATION, MQEI_UNLIMITED, None)
    else:
        delivery.make_report(work, md, load, MQFB_EXPIRATION, MQEI_UNLIMITED, None)
