"""What a message for another queue manager looks like on its transmission queue (BEY-90)."""

from __future__ import annotations

from mqtools.constants.message import MQFMT_MD_EXTENSION
from mqtools.constants.structures import MQMD_VERSION_1
from mqtools.headers.chain import prefix_xqh
from mqtools.qmgr.identity import put_date_and_time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.message import MQMD
    from mqtools.qmgr.resolution import Target
    from mqtools.qmgr.work import Work


def for_transmission(work: Work, target: Target, md: MQMD, data: bytes) -> tuple[MQMD, bytes]:
    """Put an MQXQH with the destination and the application's descriptor in front of a message.

    Gives the queue manager's own descriptor and the longer data. Raises MQError: MQRC_XQH_ERROR when a
    value does not fit the header.
    """
    from mqtools.rules.logical_put import supports_segments

    if md.format == MQFMT_MD_EXTENSION and not supports_segments(work.qmgr.profile):
        md = md.replace(version=MQMD_VERSION_1)  # it came with this MQMDE, and goes with it alone (RSEG-32)
    put_date, put_time = put_date_and_time(work.now_ms)
    return prefix_xqh(
        md,
        data,
        remote_q_name=target.remote_q_name,
        remote_q_mgr_name=target.remote_q_mgr_name,
        q_mgr_name=work.qmgr.name,
        msg_id=work.new_id(),
        put_date=put_date,
        put_time=put_time,
        ccsid=work.qmgr.coded_char_set_id,
    )
