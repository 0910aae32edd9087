"""Checks of a message descriptor on put; the descriptor is not changed, the caller acts on the result.

Fields that belong to version 2 are not looked at in a version-1 descriptor: there they do not exist, and
count as having their initial values. Which of several failures is reported is not defined by MQ; here it
is the first in the order of the checks below, and a failure goes before a warning.
"""

from __future__ import annotations

from _operator import attrgetter, gt

from mqtools.constants.message import (
    MQCCSI_INHERIT,
    MQCCSI_Q_MGR,
    MQEI_UNLIMITED,
    MQFB_APPL_LAST,
    MQFB_NONE,
    MQMF_LAST_MSG_IN_GROUP,
    MQMF_LAST_SEGMENT,
    MQMF_MSG_IN_GROUP,
    MQMF_SEGMENT,
    MQMF_SEGMENTATION_ALLOWED,
    MQMT_APPL_LAST,
    MQMT_REPORT,
    MQMT_REQUEST,
    MQMT_SYSTEM_FIRST,
    MQPER_NOT_PERSISTENT,
    MQPER_PERSISTENCE_AS_Q_DEF,
    MQPRI_PRIORITY_AS_Q_DEF,
    MQRO_ACCEPT_UNSUP_IF_XMIT_MASK,
    MQRO_ACTIVITY,
    MQRO_COA,
    MQRO_COA_WITH_FULL_DATA,
    MQRO_COD,
    MQRO_COD_WITH_FULL_DATA,
    MQRO_DISCARD_MSG,
    MQRO_EXCEPTION,
    MQRO_EXCEPTION_WITH_FULL_DATA,
    MQRO_EXPIRATION,
    MQRO_EXPIRATION_WITH_FULL_DATA,
    MQRO_NAN,
    MQRO_PAN,
    MQRO_PASS_CORREL_ID,
    MQRO_PASS_DISCARD_AND_EXPIRY,
    MQRO_PASS_MSG_ID,
    MQRO_REJECT_UNSUP_MASK,
)
from mqtools.constants.message import MQMF_ACCEPT_UNSUP_IF_XMIT_MASK as _FLAGS_IF_XMIT
from mqtools.constants.message import MQMF_REJECT_UNSUP_MASK as _FLAGS_REJECT
from mqtools.constants.reasons import (
    MQRC_EXPIRY_ERROR,
    MQRC_FEEDBACK_ERROR,
    MQRC_MD_ERROR,
    MQRC_MISSING_REPLY_TO_Q,
    MQRC_MSG_FLAGS_ERROR,
    MQRC_MSG_SEQ_NUMBER_ERROR,
    MQRC_MSG_TYPE_ERROR,
    MQRC_NONE,
    MQRC_OFFSET_ERROR,
    MQRC_ORIGINAL_LENGTH_ERROR,
    MQRC_PERSISTENCE_ERROR,
    MQRC_PRIORITY_ERROR,
    MQRC_PRIORITY_EXCEEDS_MAXIMUM,
    MQRC_REPORT_OPTIONS_ERROR,
    MQRC_SEGMENT_LENGTH_ZERO,
    MQRC_UNKNOWN_REPORT_OPTION,
)
from mqtools.constants.structures import MQMD_VERSION_1, MQMD_VERSION_2
from mqtools.errors import MQError
from mqtools.message import BYTE_FIELDS, CHARACTER_FIELDS, MQMD, mq_name

#: The highest priority a queue manager knows (its attribute MaxPriority, which cannot be altered).
MAX_PRIORITY = 9
#: Warnings of ``check_descriptor``: they are about a message, which is put all the same.
WARNINGS = (MQRC_PRIORITY_EXCEEDS_MAXIMUM, MQRC_UNKNOWN_REPORT_OPTION)

#: The highest sequence number, and the highest offset.
_LAST_POSITION = 999_999_999

#: The numbers that an MQLONG holds.
_LEAST, _MOST = -(1 << 31), (1 << 31) - 1

#: Fields in which any MQLONG is right, so that only their range is checked.
_ANY_NUMBER = ("encoding", "coded_char_set_id", "original_length", "put_appl_type", "backout_count")

#: Results of ``report_kind``: no report, one without data, with the first 100 bytes, with all data.
NOT_ASKED, WITHOUT_DATA, WITH_DATA, WITH_FULL_DATA = 0, 1, 2, 3

#: Report option without data to the mask of its family. The three options of a family share bits (b, b + 2b,
#: b + 2b + 4b), so a family is read whole and never bit by bit. An option not listed has no family.
REPORT_FAMILIES = {
    MQRO_EXCEPTION: MQRO_EXCEPTION_WITH_FULL_DATA,
    MQRO_EXPIRATION: MQRO_EXPIRATION_WITH_FULL_DATA,
    MQRO_COA: MQRO_COA_WITH_FULL_DATA,
    MQRO_COD: MQRO_COD_WITH_FULL_DATA,
}

#: A family's bits, shifted down to its lowest, to the kind of report. A pattern not listed is no option (RPT-40).
_KINDS = {0: NOT_ASKED, 1: WITHOUT_DATA, 3: WITH_DATA, 7: WITH_FULL_DATA}

#: Options of one bit that ask for a report.
_SINGLE_REPORTS = MQRO_PAN | MQRO_NAN | MQRO_ACTIVITY

#: Options of one bit that have a meaning. Any other bit outside the families is unknown.
_SINGLE_OPTIONS = (
    _SINGLE_REPORTS
    | MQRO_PASS_MSG_ID
    | MQRO_PASS_CORREL_ID
    | MQRO_PASS_DISCARD_AND_EXPIRY
    | MQRO_DISCARD_MSG
)  # fmt: skip

#: Values of CodedCharSetId that stand for the queue manager's; no get returns them.
INHERITED_CCSIDS = (MQCCSI_Q_MGR, MQCCSI_INHERIT)

#: Message flags of a message in a group, of a segment, and of one that only a queue manager with segments treats so.
GROUP_FLAGS = MQMF_MSG_IN_GROUP | MQMF_LAST_MSG_IN_GROUP
SEGMENT_FLAGS = MQMF_SEGMENT | MQMF_LAST_SEGMENT
SEGMENTATION_FLAGS = SEGMENT_FLAGS | MQMF_SEGMENTATION_ALLOWED
#: Message flags that have a meaning: those of a place. Any other bit is unknown.
PLACE_FLAGS = GROUP_FLAGS | SEGMENTATION_FLAGS

#: Byte fields have exactly their length; of characters trailing blanks do not count.
_IDENTIFIER_LENGTHS = tuple(BYTE_FIELDS.values())
_texts, _MOST_CHARACTERS = attrgetter(*CHARACTER_FIELDS), tuple(CHARACTER_FIELDS.values())


def check_descriptor(md: MQMD, *, data_length: int, to_remote: bool = False) -> int:
    """Check the descriptor of a message to be put; return the reason of a warning, or MQRC_NONE.

    data_length: bytes of application data, MQ headers not counted.  to_remote: the message is for a remote
    queue manager and not put straight on a transmission queue; unknown options are then for others to judge.
    With both warnings due it is MQRC_UNKNOWN_REPORT_OPTION; a priority above ``MAX_PRIORITY`` is stored as that.
    Raises MQError: MQRC_MD_ERROR (version, length of a field), MQRC_MSG_TYPE_ERROR, MQRC_EXPIRY_ERROR,
    MQRC_FEEDBACK_ERROR, MQRC_PRIORITY_ERROR, MQRC_PERSISTENCE_ERROR, MQRC_REPORT_OPTIONS_ERROR,
    MQRC_MISSING_REPLY_TO_Q, MQRC_MSG_FLAGS_ERROR, MQRC_MSG_SEQ_NUMBER_ERROR, MQRC_OFFSET_ERROR,
    MQRC_SEGMENT_LENGTH_ZERO, MQRC_ORIGINAL_LENGTH_ERROR.
    Source: TYPES-01 to TYPES-06, BEY-17, BEY-19, BEY-29, BEY-44, RPT-22, RPT-31, RPT-40, RSEG-35, AMB-25.
    """
    lengths = (len(md.msg_id), len(md.correl_id), len(md.accounting_token), len(md.group_id))
    if lengths != _IDENTIFIER_LENGTHS:
        raise _identifier_error(md)
    # A new descriptor has no text at all.
    if (
        md.format or md.reply_to_q or md.reply_to_q_mgr or md.user_identifier or md.appl_identity_data
        or md.put_appl_name or md.put_date or md.put_time or md.appl_origin_data
    ) and any(map(gt, map(len, _texts(md)), _MOST_CHARACTERS)):  # fmt: skip
        for field, most in CHARACTER_FIELDS.items():
            _check_text(md, field, most)
    # One comparison decides for nearly every put; the invalid field is searched only if it fails.
    version = md.version
    if not (
        MQMT_SYSTEM_FIRST <= md.msg_type <= MQMT_APPL_LAST
        and MQMD_VERSION_1 <= version <= MQMD_VERSION_2
        and (md.expiry == MQEI_UNLIMITED or 0 < md.expiry <= _MOST)
        and MQFB_NONE <= md.feedback <= MQFB_APPL_LAST
        and MQPRI_PRIORITY_AS_Q_DEF <= md.priority <= _MOST
        and MQPER_NOT_PERSISTENT <= md.persistence <= MQPER_PERSISTENCE_AS_Q_DEF
        and _LEAST <= md.encoding <= _MOST
        and _LEAST <= md.coded_char_set_id <= _MOST
        and _LEAST <= md.original_length <= _MOST
        and _LEAST <= md.put_appl_type <= _MOST
        and _LEAST <= md.backout_count <= _MOST
    ):
        raise _field_error(md)
    warning = MQRC_PRIORITY_EXCEEDS_MAXIMUM if md.priority > MAX_PRIORITY else MQRC_NONE
    if md.report or md.msg_type == MQMT_REQUEST:
        warning = _check_report(md, to_remote) or warning
    # The initial place, in no group, is always right.
    if version != MQMD_VERSION_1 and (md.msg_flags or md.offset or md.msg_seq_number != 1):
        _check_position(md, data_length, to_remote)
    return warning


def report_kind(report: int, mask: int) -> int:
    """Return the report requested of a family: NOT_ASKED, WITHOUT_DATA, WITH_DATA, WITH_FULL_DATA (0 to 3).

    mask: a value of ``REPORT_FAMILIES``.  Other bits ask for no report (RPT-40).
    """
    return _KINDS.get((report & mask) // (mask & -mask), NOT_ASKED)


def asks_for_report(report: int) -> bool:
    """Return whether report options request any report, from anyone; PAN and NAN count too (AMB-25)."""
    if report & _SINGLE_REPORTS:
        return True
    return any(report_kind(report, mask) for mask in REPORT_FAMILIES.values())


def _identifier_error(md: MQMD) -> MQError:
    for field, length in BYTE_FIELDS.items():
        given = len(getattr(md, field))
        if given != length:
            return MQError(f"{mq_name(field)} has {given} bytes, not {length}", MQRC_MD_ERROR)
    raise AssertionError("called without an identifier of wrong length")


def _check_text(md: MQMD, field: str, most: int) -> None:
    given = len(getattr(md, field).rstrip(" "))
    if given > most:
        raise MQError(f"{mq_name(field)} has {given} characters, at most {most} fit", MQRC_MD_ERROR)


def _field_error(md: MQMD) -> MQError:
    if not MQMD_VERSION_1 <= md.version <= MQMD_VERSION_2:
        return MQError(f"Version {md.version} of the descriptor is neither 1 nor 2", MQRC_MD_ERROR)
    if not MQMT_SYSTEM_FIRST <= md.msg_type <= MQMT_APPL_LAST:
        return MQError(f"MsgType {md.msg_type} is not between 1 and {MQMT_APPL_LAST}", MQRC_MSG_TYPE_ERROR)
    if not (0 < md.expiry <= _MOST or md.expiry == MQEI_UNLIMITED):
        return MQError(f"Expiry {md.expiry} is neither -1 nor between 1 and {_MOST}", MQRC_EXPIRY_ERROR)
    if not MQFB_NONE <= md.feedback <= MQFB_APPL_LAST:
        return MQError(f"Feedback {md.feedback} is not between 0 and {MQFB_APPL_LAST}", MQRC_FEEDBACK_ERROR)
    if not MQPRI_PRIORITY_AS_Q_DEF <= md.priority <= _MOST:
        return MQError(f"Priority {md.priority} is neither -1 nor between 0 and {MAX_PRIORITY}", MQRC_PRIORITY_ERROR)
    if not MQPER_NOT_PERSISTENT <= md.persistence <= MQPER_PERSISTENCE_AS_Q_DEF:
        return MQError(f"Persistence {md.persistence} is none of 0, 1, 2", MQRC_PERSISTENCE_ERROR)
    field = next(name for name in _ANY_NUMBER if not _LEAST <= getattr(md, name) <= _MOST)
    return MQError(f"{mq_name(field)} {getattr(md, field)} does not fit in an MQLONG", MQRC_MD_ERROR)


def _check_report(md: MQMD, to_remote: bool) -> int:
    warning = _check_report_options(md.report, to_remote)
    if not md.reply_to_q.strip(" \0") and (md.msg_type == MQMT_REQUEST or asks_for_report(md.report)):
        wanted = "a request" if md.msg_type == MQMT_REQUEST else "a message that asks for a report"
        raise MQError(f"{wanted} needs a ReplyToQ", MQRC_MISSING_REPLY_TO_Q)
    return warning


def _check_report_options(report: int, to_remote: bool) -> int:
    unknown = _unknown_options(report)
    if not unknown:
        return MQRC_NONE
    refused = unknown & (
        MQRO_REJECT_UNSUP_MASK if to_remote else MQRO_REJECT_UNSUP_MASK | MQRO_ACCEPT_UNSUP_IF_XMIT_MASK
    )
    if refused or not _is_one_word(report):
        raise MQError(f"Report has unknown options {refused or report:#x}", MQRC_REPORT_OPTIONS_ERROR)
    return MQRC_UNKNOWN_REPORT_OPTION


def _unknown_options(report: int) -> int:
    unknown = report & ~(_SINGLE_OPTIONS | sum(REPORT_FAMILIES.values()))
    for mask in REPORT_FAMILIES.values():
        if (report & mask) // (mask & -mask) not in _KINDS:
            unknown |= report & mask
    return unknown


def _is_one_word(flags: int) -> bool:
    """Return whether a flag word, signed or unsigned, has 32 bits."""
    return -(1 << 31) <= flags < 1 << 32


def _check_position(md: MQMD, data_length: int, to_remote: bool) -> None:
    flags = md.msg_flags
    if flags & ~PLACE_FLAGS:
        _check_flags(flags, to_remote)
    if not 1 <= md.msg_seq_number <= _LAST_POSITION:
        raise MQError(
            f"MsgSeqNumber {md.msg_seq_number} is not between 1 and {_LAST_POSITION}", MQRC_MSG_SEQ_NUMBER_ERROR
        )
    if not 0 <= md.offset <= _LAST_POSITION:
        raise MQError(f"Offset {md.offset} is not between 0 and {_LAST_POSITION}", MQRC_OFFSET_ERROR)
    if flags & SEGMENT_FLAGS:
        _check_segment(md, data_length)


def _check_flags(flags: int, to_remote: bool) -> None:
    # An unknown flag of the accepted part is accepted without a warning, unlike a report option.
    unknown = flags & ~PLACE_FLAGS
    refused = unknown & (_FLAGS_REJECT if to_remote else _FLAGS_REJECT | _FLAGS_IF_XMIT)
    if refused or not _is_one_word(flags):
        raise MQError(f"MsgFlags has unknown flags {refused or flags:#x}", MQRC_MSG_FLAGS_ERROR)


def _check_segment(md: MQMD, data_length: int) -> None:
    is_last = bool(md.msg_flags & MQMF_LAST_SEGMENT)
    if md.offset + data_length > _LAST_POSITION:
        raise MQError(f"the segment would end beyond byte {_LAST_POSITION}", MQRC_OFFSET_ERROR)
    if md.msg_type == MQMT_REPORT:
        # A report about a segment is a segment that mostly has no data: its length is in OriginalLength.
        if md.original_length < max(data_length, 0 if is_last else 1):
            text = f"OriginalLength {md.original_length} is too small for a report about a segment"
            raise MQError(text, MQRC_ORIGINAL_LENGTH_ERROR)
    elif data_length == 0 and not is_last:
        raise MQError("a segment other than the last needs data", MQRC_SEGMENT_LENGTH_ZERO)
