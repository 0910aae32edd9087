"""Combination rules for the options of MQGET, with each other and with the options of the open."""

from __future__ import annotations

from mqtools.constants.message import MQPER_PERSISTENT
from mqtools.constants.objects import MQIT_MSG_TOKEN
from mqtools.constants.options import (
    MQGMO_ACCEPT_TRUNCATED_MSG,
    MQGMO_ALL_MSGS_AVAILABLE,
    MQGMO_ALL_SEGMENTS_AVAILABLE,
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_MSG_UNDER_CURSOR,
    MQGMO_BROWSE_NEXT,
    MQGMO_COMPLETE_MSG,
    MQGMO_CONVERT,
    MQGMO_FAIL_IF_QUIESCING,
    MQGMO_LOCK,
    MQGMO_LOGICAL_ORDER,
    MQGMO_MARK_BROWSE_CO_OP,
    MQGMO_MARK_BROWSE_HANDLE,
    MQGMO_MARK_SKIP_BACKOUT,
    MQGMO_MSG_UNDER_CURSOR,
    MQGMO_NO_PROPERTIES,
    MQGMO_NO_SYNCPOINT,
    MQGMO_PROPERTIES_COMPATIBILITY,
    MQGMO_PROPERTIES_FORCE_MQRFH2,
    MQGMO_PROPERTIES_IN_HANDLE,
    MQGMO_SET_SIGNAL,
    MQGMO_SYNCPOINT,
    MQGMO_SYNCPOINT_IF_PERSISTENT,
    MQGMO_UNLOCK,
    MQGMO_UNMARK_BROWSE_CO_OP,
    MQGMO_UNMARK_BROWSE_HANDLE,
    MQGMO_UNMARKED_BROWSE_MSG,
    MQGMO_VERSION_2,
    MQGMO_VERSION_3,
    MQGMO_WAIT,
    MQMO_MATCH_CORREL_ID,
    MQMO_MATCH_GROUP_ID,
    MQMO_MATCH_MSG_ID,
    MQMO_MATCH_MSG_SEQ_NUMBER,
    MQMO_MATCH_MSG_TOKEN,
    MQMO_MATCH_OFFSET,
    MQOO_BROWSE,
    MQOO_CO_OP,
    MQWI_UNLIMITED,
)
from mqtools.constants.reasons import (
    MQRC_MATCH_OPTIONS_ERROR,
    MQRC_NOT_OPEN_FOR_BROWSE,
    MQRC_NOT_OPEN_FOR_INPUT,
    MQRC_OPTIONS_ERROR,
    MQRC_WAIT_INTERVAL_ERROR,
    MQRC_WRONG_GMO_VERSION,
    MQRC_WRONG_MD_VERSION,
)
from mqtools.constants.structures import MQCI_NONE, MQGI_NONE, MQMD_VERSION_2, MQMI_NONE
from mqtools.errors import MQError
from mqtools.message import MQMD
from mqtools.rules.options.open import INPUT_OPTIONS
from mqtools.rules.options.table import (
    check_options,
    lowest_option,
    missing_open_option_error,
    option_name,
    unknown_options_error,
)

BROWSE_OPTIONS = MQGMO_BROWSE_FIRST | MQGMO_BROWSE_NEXT | MQGMO_BROWSE_MSG_UNDER_CURSOR
MARK_OPTIONS = (
    MQGMO_MARK_BROWSE_HANDLE
    | MQGMO_MARK_BROWSE_CO_OP
    | MQGMO_UNMARKED_BROWSE_MSG
    | MQGMO_UNMARK_BROWSE_CO_OP
    | MQGMO_UNMARK_BROWSE_HANDLE
)
GROUP_OPTIONS = MQGMO_LOGICAL_ORDER | MQGMO_COMPLETE_MSG | MQGMO_ALL_MSGS_AVAILABLE | MQGMO_ALL_SEGMENTS_AVAILABLE
PROPERTY_OPTIONS = (
    MQGMO_PROPERTIES_IN_HANDLE | MQGMO_NO_PROPERTIES | MQGMO_PROPERTIES_FORCE_MQRFH2 | MQGMO_PROPERTIES_COMPATIBILITY
)
SYNCPOINT_OPTIONS = MQGMO_SYNCPOINT | MQGMO_SYNCPOINT_IF_PERSISTENT | MQGMO_NO_SYNCPOINT
WAIT_OPTIONS = MQGMO_WAIT | MQGMO_SET_SIGNAL
CURSOR_OPTIONS = BROWSE_OPTIONS | MQGMO_MSG_UNDER_CURSOR
UNDER_CURSOR_OPTIONS = MQGMO_BROWSE_MSG_UNDER_CURSOR | MQGMO_MSG_UNDER_CURSOR
MOVING_OPTIONS = MQGMO_BROWSE_FIRST | MQGMO_BROWSE_NEXT

_UNDER_SYNCPOINT = MQGMO_SYNCPOINT | MQGMO_SYNCPOINT_IF_PERSISTENT | MQGMO_MARK_SKIP_BACKOUT

#: Every option of MQGET that is a bit. MQGMO_NO_WAIT and MQGMO_PROPERTIES_AS_Q_DEF are zero: they cannot be
#: seen, so they contradict nothing (OPT-02, OPT-26). A bit that is not here is MQRC_OPTIONS_ERROR.
GET_OPTIONS = (
    WAIT_OPTIONS
    | MQGMO_FAIL_IF_QUIESCING
    | SYNCPOINT_OPTIONS
    | MQGMO_MARK_SKIP_BACKOUT
    | CURSOR_OPTIONS
    | MARK_OPTIONS
    | MQGMO_LOCK
    | MQGMO_UNLOCK
    | MQGMO_ACCEPT_TRUNCATED_MSG
    | MQGMO_CONVERT
    | GROUP_OPTIONS
    | PROPERTY_OPTIONS
)

#: Groups that allow one option at most.
GET_EXCLUSIVE = (
    WAIT_OPTIONS,  # OPT-01, OPT-03, WAIT-18
    SYNCPOINT_OPTIONS,  # OPT-05 to OPT-07, SYNC-07, SYNC-11, SYNC-15
    CURSOR_OPTIONS,  # OPT-09 to OPT-12, BROWSE-06 to BROWSE-08, BROWSE-53: one way to move the cursor
    PROPERTY_OPTIONS,  # OPT-27 to OPT-30, although no list names them (AMB-21; OPTP-373 to OPTP-378)
)

#: Option to further options it excludes: the pair together is MQRC_OPTIONS_ERROR. Each pair is stated once, by either
#: of the two. A pair that is not here is allowed, unless it lacks a companion (GET_COMPANIONS).
#: A list of exclusions wins over "can be specified with any of the other options" (AMB-02; OPTC-01 to OPTC-04).
#: Source: OPTP-001 to OPTP-378.
GET_CONFLICTS = {
    MQGMO_SYNCPOINT: BROWSE_OPTIONS,  # OPT-05, SYNC-07
    # OPT-06, SYNC-11
    MQGMO_SYNCPOINT_IF_PERSISTENT: MQGMO_MARK_SKIP_BACKOUT | BROWSE_OPTIONS | MQGMO_COMPLETE_MSG,
    MQGMO_MARK_SKIP_BACKOUT: MQGMO_NO_SYNCPOINT | BROWSE_OPTIONS,  # OPT-07, OPT-08, SYNC-17
    # OPT-13, OPTA-01 to OPTA-05, MARK-05. UNMARK_BROWSE_HANDLE is not excluded: unmark wins (AMB-07, OPTN-01)
    MQGMO_MARK_BROWSE_HANDLE: GROUP_OPTIONS,
    # OPT-14, OPTA-06 to OPTA-10, OPTA-21, OPTA-28, MARK-18
    MQGMO_MARK_BROWSE_CO_OP: MQGMO_UNMARK_BROWSE_CO_OP | MQGMO_UNMARK_BROWSE_HANDLE | GROUP_OPTIONS,
    # OPT-15, OPTA-11 to OPTA-15, MARK-31; the two unmark options by OPTA-22, OPTA-29 (AMB-08)
    MQGMO_UNMARKED_BROWSE_MSG: MQGMO_UNMARK_BROWSE_CO_OP | MQGMO_UNMARK_BROWSE_HANDLE | GROUP_OPTIONS,
    MQGMO_UNMARK_BROWSE_CO_OP: GROUP_OPTIONS,  # OPT-16, OPTA-16 to OPTA-22, MARK-38
    MQGMO_UNMARK_BROWSE_HANDLE: GROUP_OPTIONS,  # OPT-17, OPTA-23 to OPTA-29, MARK-43; OPT-22 to OPT-25
    # OPT-18, OPTA-04, OPTA-09, OPTA-14, OPTA-19, OPTA-26, OPTA-30 (AMB-16), LOCK-28
    MQGMO_LOCK: _UNDER_SYNCPOINT | MARK_OPTIONS,
    # OPT-04, OPT-19 to OPT-21, OPTA-31 to OPTA-42, LOCK-34: nothing but NO_WAIT, which is zero, and NO_SYNCPOINT
    MQGMO_UNLOCK: GET_OPTIONS & ~(MQGMO_UNLOCK | MQGMO_NO_SYNCPOINT),
}

#: Option to the options that it needs one of. An option not listed needs none;
#: MQGMO_UNMARKED_BROWSE_MSG is not listed on purpose: it selects for a destructive get too (AMB-09).
GET_COMPANIONS = {
    MQGMO_LOCK: BROWSE_OPTIONS,  # OPTM-01, LOCK-02
    MQGMO_MARK_BROWSE_HANDLE: BROWSE_OPTIONS,  # OPTM-02, MARK-04
    MQGMO_MARK_BROWSE_CO_OP: BROWSE_OPTIONS,  # OPTM-03, MARK-17
    MQGMO_UNMARK_BROWSE_CO_OP: BROWSE_OPTIONS,  # OPTM-04, MARK-37
    MQGMO_UNMARK_BROWSE_HANDLE: BROWSE_OPTIONS,  # OPTM-05, MARK-42
    MQGMO_MARK_SKIP_BACKOUT: MQGMO_SYNCPOINT,  # OPTM-06, SYNC-16: also where syncpoint is the default
}

#: Options that only a queue manager of profile "zos" has (AMB-12). WAIT-45, SYNC-32.
ZOS_OPTIONS = MQGMO_SET_SIGNAL | MQGMO_MARK_SKIP_BACKOUT

#: Match option, its field, and the value that matches any message (BEY-60), None where every value counts. An
#: option not listed (MQMO_MATCH_MSG_TOKEN) is about no field of the descriptor. (LOGORD-39)
MATCHED_FIELDS: tuple[tuple[int, str, bytes | None], ...] = (
    (MQMO_MATCH_MSG_ID, "msg_id", MQMI_NONE),
    (MQMO_MATCH_CORREL_ID, "correl_id", MQCI_NONE),
    (MQMO_MATCH_GROUP_ID, "group_id", MQGI_NONE),
    (MQMO_MATCH_MSG_SEQ_NUMBER, "msg_seq_number", None),
    (MQMO_MATCH_OFFSET, "offset", None),
)

#: Every match option; another bit is MQRC_MATCH_OPTIONS_ERROR (BEY-62). A version-1 MQGMO has no match options: the
#: field is ignored.
_MATCH_OPTIONS = MQMO_MATCH_MSG_TOKEN | sum(option for option, _, _ in MATCHED_FIELDS)

#: Options, the open options that they need one of, and the reason without one; checked in this
#: order, so browse comes before input (AMB-32). Options not listed need MQOO_INPUT_* unless the call browses
#: (BEY-49); MQGMO_UNLOCK needs nothing (LOCK-33).
GET_NEEDS_OPEN = (
    # OPTM-07 to OPTM-10; BROWSE-03 to BROWSE-05, BROWSE-55
    (CURSOR_OPTIONS, MQOO_BROWSE, MQRC_NOT_OPEN_FOR_BROWSE),
    (MQGMO_MSG_UNDER_CURSOR, INPUT_OPTIONS, MQRC_NOT_OPEN_FOR_INPUT),  # OPTM-11, BROWSE-54
    # OPTM-12, OPTM-13; MARK-16, MARK-35 (AMB-22)
    (MQGMO_MARK_BROWSE_CO_OP | MQGMO_UNMARK_BROWSE_CO_OP, MQOO_CO_OP, MQRC_OPTIONS_ERROR),
)


def browses(options: int) -> bool:
    """Return whether a get leaves the message on the queue and moves or uses the browse cursor."""
    return options & BROWSE_OPTIONS != 0


def is_destructive(options: int) -> bool:
    """Return whether a get removes the message it returns; MQGMO_UNLOCK returns none."""
    return not options & (BROWSE_OPTIONS | MQGMO_UNLOCK)


def counts_as_destructive(options: int) -> bool:
    """Return whether a waiting get has the rank of one that removes: a browse with lock does (WAIT-11)."""
    return is_destructive(options) or bool(options & MQGMO_LOCK)


def uses_syncpoint(options: int, persistence: int, profile: str) -> bool:
    """Return whether a get is part of the unit of work.

    persistence: of the message got (MQPER_*).  profile: "distributed" or "zos", which differ in the default.
    Source: SYNC-04, SYNC-05, SYNC-08, SYNC-09; browse and unlock are never part of it: SYNC-14, AMB-18.
    """
    if options & (BROWSE_OPTIONS | MQGMO_UNLOCK | MQGMO_NO_SYNCPOINT):
        return False
    if options & MQGMO_SYNCPOINT_IF_PERSISTENT:
        return persistence == MQPER_PERSISTENT
    return options & MQGMO_SYNCPOINT != 0 or profile == "zos"


def effective_wait(options: int) -> int:
    """Return MQGMO_WAIT or MQGMO_SET_SIGNAL where it counts, else 0: a get at the cursor does not wait.

    Source: WAIT-22, WAIT-23, OPTN-07, OPTN-08.
    """
    return 0 if options & UNDER_CURSOR_OPTIONS else options & WAIT_OPTIONS


def check_get_options(
    options: int,
    match_options: int,
    open_options: int,
    *,
    profile: str = "distributed",
    wait_interval_ms: int = 0,
    gmo_version: int = 4,
    md_version: int = 2,
) -> None:
    """Check the options of a get: first by themselves, then against the options of its open (AMB-22).

    wait_interval_ms: -1 is without limit; looked at only where MQGMO_WAIT or MQGMO_SET_SIGNAL counts (WAIT-27).
    With MQGMO_UNLOCK only the combination of options is looked at (LOCK-33).
    Raises MQError: MQRC_OPTIONS_ERROR (unknown, contradicting or incomplete options, or of another profile),
    MQRC_MATCH_OPTIONS_ERROR, MQRC_WAIT_INTERVAL_ERROR (WAIT-26), MQRC_WRONG_GMO_VERSION,
    MQRC_WRONG_MD_VERSION, MQRC_NOT_OPEN_FOR_BROWSE, MQRC_NOT_OPEN_FOR_INPUT.
    """
    check_options(
        "MQGMO", options, GET_OPTIONS, exclusive=GET_EXCLUSIVE, conflicts=GET_CONFLICTS, companions=GET_COMPANIONS
    )
    if options & ZOS_OPTIONS and profile != "zos":
        name = option_name("MQGMO", lowest_option(options & ZOS_OPTIONS))
        raise MQError(f"{name} exists in the profile zos only, this is {profile}", MQRC_OPTIONS_ERROR)
    if options & MQGMO_UNLOCK:
        return
    if match_options and gmo_version >= MQGMO_VERSION_2:
        _check_match_options(options, match_options, gmo_version)
    if wait_interval_ms < MQWI_UNLIMITED and effective_wait(options):
        raise MQError(f"a wait interval of {wait_interval_ms} ms is neither a time nor -1", MQRC_WAIT_INTERVAL_ERROR)
    if options & MQGMO_LOGICAL_ORDER and gmo_version < MQGMO_VERSION_2:  # OPT-22, LOGORD-36
        raise MQError("MQGMO_LOGICAL_ORDER needs version 2 of MQGMO", MQRC_WRONG_GMO_VERSION)
    if options & MQGMO_LOGICAL_ORDER and md_version < MQMD_VERSION_2:  # LOGORD-37
        raise MQError("MQGMO_LOGICAL_ORDER needs version 2 of MQMD", MQRC_WRONG_MD_VERSION)
    if options & CURSOR_OPTIONS:  # the co-op options need a browse option anyway
        _check_open_options(options, open_options)
    elif not open_options & INPUT_OPTIONS:
        raise MQError("a get that does not browse needs a queue opened for input", MQRC_NOT_OPEN_FOR_INPUT)


def effective_match_options(md: MQMD | None, given: int | None, gmo_version: int) -> int:
    """Return the match options (MQMO_*) of a get, by default both identifiers (BEY-58).

    A version-1 MQGMO has no match options: its identifiers count, those that are not null (WAIT-20).
    """
    if gmo_version >= MQGMO_VERSION_2 and given is not None:
        return given
    if md is None:
        return 0
    if gmo_version >= MQGMO_VERSION_2:
        return MQMO_MATCH_MSG_ID | MQMO_MATCH_CORREL_ID
    by_msg_id = MQMO_MATCH_MSG_ID if md.msg_id != MQMI_NONE else 0
    return by_msg_id | (MQMO_MATCH_CORREL_ID if md.correl_id != MQCI_NONE else 0)


def check_wait_by_index(options: int, match_options: int, index_type: int, profile: str) -> None:
    """Check that no get waits for selected messages on a queue of profile "zos" indexed by token.

    match_options: as ``effective_match_options`` gives them.  index_type: MQIT_*.
    Raises MQError: MQRC_MATCH_OPTIONS_ERROR.  Source: WAIT-20, WAIT-21.
    """
    if profile == "zos" and index_type == MQIT_MSG_TOKEN and match_options and effective_wait(options):
        raise MQError("on a queue with index type MSGTOKEN a get waits for any message", MQRC_MATCH_OPTIONS_ERROR)


def _check_match_options(options: int, match_options: int, gmo_version: int) -> None:
    if match_options & ~_MATCH_OPTIONS:
        raise unknown_options_error("MQMO", match_options & ~_MATCH_OPTIONS, MQRC_MATCH_OPTIONS_ERROR)
    if options & MQGMO_COMPLETE_MSG and match_options & MQMO_MATCH_OFFSET:  # COMPL-32, AMB-20
        raise MQError("MQGMO_COMPLETE_MSG and MQMO_MATCH_OFFSET contradict each other", MQRC_MATCH_OPTIONS_ERROR)
    if match_options & MQMO_MATCH_MSG_TOKEN and gmo_version < MQGMO_VERSION_3:
        raise MQError("MQMO_MATCH_MSG_TOKEN needs version 3 of MQGMO", MQRC_WRONG_GMO_VERSION)


def _check_open_options(options: int, open_options: int) -> None:
    for needing, wanted, reason in GET_NEEDS_OPEN:
        if options & needing and not open_options & wanted:
            raise missing_open_option_error("MQGMO", lowest_option(options & needing), wanted, reason)
