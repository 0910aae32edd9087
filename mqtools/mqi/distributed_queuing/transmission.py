"""Messages for other queue managers: the MQXQH in front of them on a transmission queue (BEY-90)."""

from __future__ import annotations

from mqtools.constants.message import MQFMT_MD_EXTENSION
from mqtools.constants.structures import MQMD_VERSION_1, MQXQH_LENGTH_1
from mqtools.errors import MQError
from mqtools.headers.chain import prefix_xqh, split_xqh, strip_xqh
from mqtools.message import MQMD
from mqtools.mqi.identity import new_id, put_date_and_time
from mqtools.mqi.transaction import Work
from mqtools.records import OptionRecord
from mqtools.rules.logical_put import supports_segments


class Carried(OptionRecord):
    """A message in transit between queue managers, without its MQXQH.

    md: the application's own.  properties: JSON text, or None.  remote_q, remote_q_mgr: where it goes.
    """

    md: MQMD
    data: bytes
    properties: str | None
    remote_q: str
    remote_q_mgr: str

    def wrapped(self, work: Work) -> tuple[MQMD, bytes]:
        """Return the message behind an MQXQH again, as ``wrap``."""
        return wrap(work, self.md, self.data, self.remote_q, self.remote_q_mgr)


def wrap(work: Work, md: MQMD, data: bytes, remote_q_name: str, remote_q_mgr_name: str) -> tuple[MQMD, bytes]:
    """Put an MQXQH with the destination and the application's descriptor in front of a message.

    Returns the queue manager's own descriptor and the longer data. Raises MQError: MQRC_XQH_ERROR when a
    value does not fit the header.
    """
    if md.format == MQFMT_MD_EXTENSION and not supports_segments(work.qmgr.profile):
        md = md.replace(version=MQMD_VERSION_1)  # it came with this MQMDE, and goes with it alone (RSEG-32)
    put_date, put_time = put_date_and_time(work.now_ms)
    return prefix_xqh(
        md,
        data,
        remote_q_name=remote_q_name,
        remote_q_mgr_name=remote_q_mgr_name,
        q_mgr_name=work.qmgr.name,
        msg_id=new_id(work.qmgr.name),
        put_date=put_date,
        put_time=put_time,
        ccsid=work.qmgr.coded_char_set_id,
    )


def unwrap(md: MQMD, data: bytes, properties: str | None, profile: str) -> Carried:
    """Remove the MQXQH of a message of a transmission queue; the remaining expiry is in its own descriptor.

    md: the queue manager's own.  profile: one without segments leaves an MQMDE where it is (RSEG-31).
    Raises MQError: MQRC_XQH_ERROR, MQRC_MDE_ERROR.
    """
    xqh, own, body = split_xqh(md, data)
    if not supports_segments(profile) and xqh.msg_desc.format == MQFMT_MD_EXTENSION:
        own, body = own.replace(version=MQMD_VERSION_1, format=MQFMT_MD_EXTENSION), data[MQXQH_LENGTH_1:]
    own.expiry = md.expiry
    return Carried(own, body, properties, xqh.remote_q_name, xqh.remote_q_mgr_name)


def without_header(md: MQMD, data: bytes) -> tuple[MQMD, bytes]:
    """Return the application's own descriptor and data; a message without a valid MQXQH is returned unchanged."""
    try:
        return strip_xqh(md, data)
    except MQError:
        return md, data
