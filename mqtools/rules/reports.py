"""Derivation of reports, and of the identifiers of replies, from the message they are about.

Every value comes from the caller: the new identifier, the date, the remaining expiry. Which bits of Report
are recognised on a put is checked elsewhere; here an unrecognised pattern simply asks for nothing.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from mqtools.constants.message import (
    MQAT_QMGR,
    MQEI_UNLIMITED,
    MQFB_ACTIVITY,
    MQFB_APPL_LAST,
    MQFB_CHANNEL_COMPLETED,
    MQFB_CHANNEL_FAIL,
    MQFB_CHANNEL_FAIL_RETRY,
    MQFB_COA,
    MQFB_COD,
    MQFB_EXPIRATION,
    MQFB_NAN,
    MQFB_PAN,
    MQFB_QUIT,
    MQFB_SYSTEM_FIRST,
    MQFB_SYSTEM_LAST,
    MQFMT_DEAD_LETTER_HEADER,
    MQFMT_MD_EXTENSION,
    MQFMT_XMIT_Q_HEADER,
    MQMT_REPORT,
    MQOL_UNDEFINED,
    MQRO_ACTIVITY,
    MQRO_COA_WITH_FULL_DATA,
    MQRO_COD_WITH_FULL_DATA,
    MQRO_DISCARD_MSG,
    MQRO_EXCEPTION_WITH_FULL_DATA,
    MQRO_EXPIRATION_WITH_FULL_DATA,
    MQRO_NAN,
    MQRO_NONE,
    MQRO_PAN,
    MQRO_PASS_CORREL_ID,
    MQRO_PASS_DISCARD_AND_EXPIRY,
    MQRO_PASS_MSG_ID,
)
from mqtools.constants.reasons import MQRC_FEEDBACK_ERROR, MQRC_HEADER_ERROR, MQRC_REPORT_OPTIONS_ERROR
from mqtools.constants.structures import MQMD_VERSION_2, MQMI_NONE
from mqtools.errors import MQError
from mqtools.headers.mqmde import EXTENSION
from mqtools.message import MQMD
from mqtools.records import OptionRecord
from mqtools.rules.descriptor import (
    GROUP_FLAGS,
    NOT_ASKED,
    PLACE_FLAGS,
    SEGMENT_FLAGS,
    WITH_DATA,
    WITH_FULL_DATA,
    WITHOUT_DATA,
    report_kind,
)

#: Bytes of application data in a report made WITH_DATA.
WITH_DATA_BYTES = 100

#: Characters of a queue manager's or program's name that fit PutApplName.
PUT_APPL_NAME_LENGTH = 28

DEAD_LETTER, DISCARD = "dead_letter", "discard"


class ReportKind(NamedTuple):
    """Kind of report: the bits that request it, and its feedback, None where the failure decides."""

    mask: int
    feedback: int | None

    @property
    def values(self) -> tuple[int, ...]:
        """The options for no data, first bytes, full data, compared within mask as a whole."""
        one = self.mask & -self.mask
        return (one,) if one == self.mask else (one, 3 * one, 7 * one)


#: The kinds of report by the word the commands use. A value within the mask that is not among the row's
#: values asks for nothing; a kind that is not here does not exist. (RPT-01 to RPT-08, RPT-29, RPT-40)
REPORT_KINDS = {
    "coa": ReportKind(MQRO_COA_WITH_FULL_DATA, MQFB_COA),
    "cod": ReportKind(MQRO_COD_WITH_FULL_DATA, MQFB_COD),
    "expiration": ReportKind(MQRO_EXPIRATION_WITH_FULL_DATA, MQFB_EXPIRATION),
    "exception": ReportKind(MQRO_EXCEPTION_WITH_FULL_DATA, None),
    "pan": ReportKind(MQRO_PAN, MQFB_PAN),
    "nan": ReportKind(MQRO_NAN, MQFB_NAN),
    "activity": ReportKind(MQRO_ACTIVITY, MQFB_ACTIVITY),
}

#: System feedback that speaks of a program or a channel, not of a message that failed.
_FEEDBACK_ABOUT_NO_MESSAGE = frozenset((MQFB_QUIT, MQFB_CHANNEL_COMPLETED, MQFB_CHANNEL_FAIL_RETRY, MQFB_CHANNEL_FAIL))

#: Formats of a message that is not at its destination yet: neither COA nor COD is made for it. Any other
#: format allows both. (RPT-37)
IN_TRANSIT_FORMATS = frozenset((MQFMT_DEAD_LETTER_HEADER, MQFMT_XMIT_Q_HEADER))


def report_data_wanted(report: int, kind: str) -> int:
    """Return whether a Report field requests a kind of report, and with how much data.

    kind: a key of REPORT_KINDS. Gives NOT_ASKED 0, WITHOUT_DATA 1, WITH_DATA 2 or WITH_FULL_DATA 3.
    Raises MQError: MQRC_REPORT_OPTIONS_ERROR for a kind that does not exist.
    Source: RPT-09 to RPT-16, RPT-40.
    """
    row = REPORT_KINDS.get(kind)
    if row is None:
        raise MQError(f"unknown kind of report: {kind!r}", MQRC_REPORT_OPTIONS_ERROR)
    return report_kind(report, row.mask)


def kind_of_feedback(feedback: int) -> str | None:
    """Return the kind of report of a feedback code; None for one that the application defines.

    A system value without a kind of its own, a reason code for example, belongs to an exception report.
    Source: RPT-29, RPT-30.
    """
    for kind, row in REPORT_KINDS.items():
        if row.feedback == feedback:
            return kind
    if feedback in _FEEDBACK_ABOUT_NO_MESSAGE or not MQFB_SYSTEM_FIRST <= feedback <= MQFB_SYSTEM_LAST:
        return None
    return "exception"


def makes_report(md: MQMD, kind: str) -> bool:
    """Return whether a message makes a COA report where it is put, or a COD report where a get removes it.

    kind: ``coa`` or ``cod``.  Source: RPT-03, RPT-04, RPT-16, RPT-37.
    """
    return md.format not in IN_TRANSIT_FORMATS and report_data_wanted(md.report, kind) != NOT_ASKED


def disposition(report: int) -> str:
    """Return the fate of a message that cannot be delivered: DEAD_LETTER or DISCARD.

    Source: RPT-17, RPT-18, RPT-19.
    """
    return DISCARD if report & MQRO_DISCARD_MSG else DEAD_LETTER


def derive_reply_ids(original: MQMD, new_msg_id: bytes) -> tuple[bytes, bytes]:
    """Return MsgId and CorrelId of a reply to, or a report about, a message.

    new_msg_id: used unless the original passes its own on.
    Source: RPT-24 to RPT-27, TYPES-08 to TYPES-13.
    """
    msg_id = original.msg_id if original.report & MQRO_PASS_MSG_ID else new_msg_id
    correl_id = original.correl_id if original.report & MQRO_PASS_CORREL_ID else original.msg_id
    return msg_id, correl_id


def reply_match(request: MQMD) -> tuple[str, bytes]:
    """Return the identifier that matches a reply to its request: the name of the field, and its value.

    request: as it was put, with its MsgId. The other way round of ``derive_reply_ids``; where both identifiers are
    passed on it is the MsgId, which no two requests share.
    Source: TYPES-08 to TYPES-12.
    """
    if not request.report & MQRO_PASS_CORREL_ID:
        return "correl_id", request.msg_id
    if request.report & MQRO_PASS_MSG_ID:
        return "msg_id", request.msg_id
    return "correl_id", request.correl_id


def reply_destination(original: MQMD) -> tuple[str, str]:
    """Return queue and queue manager for replies and reports; a blank queue means none.

    Source: RPT-33, TYPES-13.
    """
    return original.reply_to_q, original.reply_to_q_mgr


def inherited_report(report: int) -> int:
    """Return the Report field of a reply or report: only a discard option that is passed on.

    Source: RPT-38, RPT-39, RPT-41, ACT-22.
    """
    both = MQRO_PASS_DISCARD_AND_EXPIRY | MQRO_DISCARD_MSG
    return MQRO_DISCARD_MSG if report & both == both else MQRO_NONE


def inherited_expiry(report: int, remaining_expiry: int) -> int:
    """Return the Expiry of a reply or report, in tenths of a second, -1 for unlimited.

    remaining_expiry: what is left of the original's. Nothing left cannot be inherited: a report about an
    expired message would be gone before it is read.
    Source: RPT-38, RPT-39, ACT-24.
    """
    if report & MQRO_PASS_DISCARD_AND_EXPIRY and remaining_expiry > 0:
        return remaining_expiry
    return MQEI_UNLIMITED


def has_place(original: MQMD) -> bool:
    """Return whether a message is a segment, in a group, or may be segmented.

    In a report about one that is put with a version-1 descriptor an MQMDE comes first (RSEG-15).
    """
    return bool(original.msg_flags & PLACE_FLAGS)


def carried_headers(original: MQMD, header_length: int, *, supports_segments: bool) -> int:
    """Return the bytes of headers that go into a report in front of its data.

    header_length: bytes of the MQ headers in front of the original's data.  supports_segments: of the queue manager
    that makes the report. One that does not support segmentation knows no MQMDE either: there it is data, and so is
    all that follows it.
    Source: RSEG-10, RSEG-31, RSEG-32.
    """
    return 0 if original.format == MQFMT_MD_EXTENSION and not supports_segments else header_length


class ReportOrigin(OptionRecord):
    """Origin of a report. msg_id: a new one.  put_appl_name: the queue manager's name if None."""

    q_mgr_name: str
    msg_id: bytes = MQMI_NONE
    put_date: str = ""
    put_time: str = ""
    put_appl_type: int = MQAT_QMGR
    put_appl_name: str | None = None


def derive_report(
    original: MQMD,
    data: bytes,
    origin: ReportOrigin,
    *,
    feedback: int,
    data_option: int,
    header_length: int,
    remaining_expiry: int,
) -> tuple[MQMD, bytes]:
    """Return the descriptor and data of the report that a queue manager or channel makes about a message.

    data: the original's.  header_length: bytes of the MQ headers at its front; they are carried whatever data_option
    says and are not counted in the 100 bytes.
    data_option: as from report_data_wanted; 0 for a report without application data.
    remaining_expiry: tenths of a second, -1 unlimited.
    Raises MQError: MQRC_FEEDBACK_ERROR, MQRC_REPORT_OPTIONS_ERROR (data_option), MQRC_HEADER_ERROR
    (header_length longer than the data).
    Source: RPT-09 to RPT-12, RPT-20, RPT-24 to RPT-29, RPT-38 to RPT-41, RSEG-16, RSEG-26, RSEG-33, AMB-24.
    """
    if not MQFB_SYSTEM_FIRST <= feedback <= MQFB_APPL_LAST:
        raise MQError(f"feedback {feedback} is not valid for a report", MQRC_FEEDBACK_ERROR)
    body = carried_data(data, data_option, header_length)
    put_appl_name = origin.q_mgr_name if origin.put_appl_name is None else origin.put_appl_name
    changed = answer_fields(original, origin.msg_id, remaining_expiry) | {
        "msg_type": MQMT_REPORT,
        "feedback": feedback,
        "reply_to_q_mgr": origin.q_mgr_name,
        "put_appl_type": origin.put_appl_type,
        "put_appl_name": put_appl_name[:PUT_APPL_NAME_LENGTH].rstrip(" "),
        "put_date": origin.put_date,
        "put_time": origin.put_time,
        "appl_origin_data": "",
    }
    return original.replace(**changed, **_position(original, len(data) - header_length)), body


def answer_fields(original: MQMD, new_msg_id: bytes, remaining_expiry: int) -> dict[str, Any]:
    """Return the fields common to replies to, and reports about, a message. Arguments: of ``derive_report``."""
    msg_id, correl_id = derive_reply_ids(original, new_msg_id)
    return {
        "report": inherited_report(original.report),
        "expiry": inherited_expiry(original.report, remaining_expiry),
        "msg_id": msg_id,
        "correl_id": correl_id,
        "backout_count": 0,
        "reply_to_q": "",
        "reply_to_q_mgr": "",
    }


def carried_data(data: bytes, data_option: int, header_length: int) -> bytes:
    """Return what a report carries of a message, with the headers at its front. Raises as ``derive_report``."""
    if not 0 <= header_length <= len(data):
        raise MQError(f"headers of {header_length} bytes in data of {len(data)}", MQRC_HEADER_ERROR)
    if data_option == WITH_FULL_DATA:
        return data
    if data_option == WITH_DATA:
        return data[: header_length + WITH_DATA_BYTES]
    if data_option in (NOT_ASKED, WITHOUT_DATA):
        return data[:header_length]
    raise MQError(f"{data_option} is not a data option of a report", MQRC_REPORT_OPTIONS_ERROR)


def _position(original: MQMD, appl_data_length: int) -> dict[str, Any]:
    """Return the fields for the original's position in group and message; initial values without a position."""
    if not original.msg_flags & (GROUP_FLAGS | SEGMENT_FLAGS):
        return EXTENSION
    is_segment = original.msg_flags & SEGMENT_FLAGS
    return {
        "version": MQMD_VERSION_2,
        "original_length": appl_data_length if is_segment else MQOL_UNDEFINED,
    }
