"""Combination rules for the options of MQPUT and MQPUT1, with each other and with the options of the open."""

from __future__ import annotations

from mqtools.constants.options import (
    MQOO_OUTPUT,
    MQOO_PASS_ALL_CONTEXT,
    MQOO_PASS_IDENTITY_CONTEXT,
    MQOO_SET_ALL_CONTEXT,
    MQOO_SET_IDENTITY_CONTEXT,
    MQPMO_ALTERNATE_USER_AUTHORITY,
    MQPMO_ASYNC_RESPONSE,
    MQPMO_DEFAULT_CONTEXT,
    MQPMO_FAIL_IF_QUIESCING,
    MQPMO_LOGICAL_ORDER,
    MQPMO_MD_FOR_OUTPUT_ONLY,
    MQPMO_NEW_CORREL_ID,
    MQPMO_NEW_MSG_ID,
    MQPMO_NO_CONTEXT,
    MQPMO_NO_SYNCPOINT,
    MQPMO_NOT_OWN_SUBS,
    MQPMO_PASS_ALL_CONTEXT,
    MQPMO_PASS_IDENTITY_CONTEXT,
    MQPMO_RESOLVE_LOCAL_Q,
    MQPMO_RETAIN,
    MQPMO_SCOPE_QMGR,
    MQPMO_SET_ALL_CONTEXT,
    MQPMO_SET_IDENTITY_CONTEXT,
    MQPMO_SUPPRESS_REPLYTO,
    MQPMO_SYNC_RESPONSE,
    MQPMO_SYNCPOINT,
    MQPMO_WARN_IF_NO_SUBS_MATCHED,
)
from mqtools.constants.reasons import (
    MQRC_NOT_OPEN_FOR_OUTPUT,
    MQRC_NOT_OPEN_FOR_PASS_ALL,
    MQRC_NOT_OPEN_FOR_PASS_IDENT,
    MQRC_NOT_OPEN_FOR_SET_ALL,
    MQRC_NOT_OPEN_FOR_SET_IDENT,
    MQRC_OPTIONS_ERROR,
    MQRC_WRONG_MD_VERSION,
)
from mqtools.constants.structures import MQMD_VERSION_2
from mqtools.errors import MQError
from mqtools.rules.options.table import check_options, missing_open_option_error, option_name

CONTEXT_OPTIONS = (
    MQPMO_DEFAULT_CONTEXT
    | MQPMO_NO_CONTEXT
    | MQPMO_PASS_IDENTITY_CONTEXT
    | MQPMO_PASS_ALL_CONTEXT
    | MQPMO_SET_IDENTITY_CONTEXT
    | MQPMO_SET_ALL_CONTEXT
)

#: Groups that allow one option at most. An option in no group excludes none.
PUT_EXCLUSIVE = (
    MQPMO_SYNCPOINT | MQPMO_NO_SYNCPOINT,  # BEY-03
    CONTEXT_OPTIONS,  # BEY-08
    MQPMO_ASYNC_RESPONSE | MQPMO_SYNC_RESPONSE,
)

#: Every put option that is a bit; another bit is MQRC_OPTIONS_ERROR.
PUT_OPTIONS = (
    sum(PUT_EXCLUSIVE)
    | MQPMO_NEW_MSG_ID
    | MQPMO_NEW_CORREL_ID
    | MQPMO_ALTERNATE_USER_AUTHORITY
    | MQPMO_FAIL_IF_QUIESCING
    | MQPMO_LOGICAL_ORDER
    | MQPMO_RESOLVE_LOCAL_Q
    | MQPMO_WARN_IF_NO_SUBS_MATCHED
    | MQPMO_RETAIN
    | MQPMO_MD_FOR_OUTPUT_ONLY
    | MQPMO_SCOPE_QMGR
    | MQPMO_SUPPRESS_REPLYTO
    | MQPMO_NOT_OWN_SUBS
)

#: Option to the one call that has it. An option not listed belongs to both calls.
PUT_CALLS = {
    MQPMO_LOGICAL_ORDER: "MQPUT",  # BEY-09: one call keeps no group information
    MQPMO_ALTERNATE_USER_AUTHORITY: "MQPUT1",  # an MQPUT has the authority of its open
}

#: Context option, the open options that allow it, the reason where none of them was given. Set implies pass,
#: and all implies identity. A context option not listed is allowed to every handle open for output.
PUT_NEEDS_OPEN = (
    (
        MQPMO_PASS_IDENTITY_CONTEXT,
        MQOO_PASS_IDENTITY_CONTEXT | MQOO_PASS_ALL_CONTEXT | MQOO_SET_IDENTITY_CONTEXT | MQOO_SET_ALL_CONTEXT,
        MQRC_NOT_OPEN_FOR_PASS_IDENT,
    ),
    (MQPMO_PASS_ALL_CONTEXT, MQOO_PASS_ALL_CONTEXT | MQOO_SET_ALL_CONTEXT, MQRC_NOT_OPEN_FOR_PASS_ALL),
    (MQPMO_SET_IDENTITY_CONTEXT, MQOO_SET_IDENTITY_CONTEXT | MQOO_SET_ALL_CONTEXT, MQRC_NOT_OPEN_FOR_SET_IDENT),
    (MQPMO_SET_ALL_CONTEXT, MQOO_SET_ALL_CONTEXT, MQRC_NOT_OPEN_FOR_SET_ALL),
)


def uses_put_syncpoint(options: int, profile: str) -> bool:
    """Return whether a put is part of the unit of work.

    profile: "distributed" or "zos", which differ where no option says it. Source: BEY-04.
    """
    if options & (MQPMO_SYNCPOINT | MQPMO_NO_SYNCPOINT):
        return options & MQPMO_SYNCPOINT != 0
    return profile == "zos"


def check_put_options(options: int, open_options: int, *, put1: bool = False, md_version: int = 2) -> None:
    """Check the options of a put: first by themselves, then against the options of its open.

    put1: the call is MQPUT1, which opens the queue as its own options demand; open_options are not looked at.
    Raises MQError: MQRC_OPTIONS_ERROR, MQRC_WRONG_MD_VERSION, MQRC_NOT_OPEN_FOR_OUTPUT (BEY-50),
    MQRC_NOT_OPEN_FOR_PASS_IDENT, MQRC_NOT_OPEN_FOR_PASS_ALL, MQRC_NOT_OPEN_FOR_SET_IDENT,
    MQRC_NOT_OPEN_FOR_SET_ALL.
    Source: BEY-03, BEY-08, BEY-09.
    """
    check_options("MQPMO", options, PUT_OPTIONS, exclusive=PUT_EXCLUSIVE)
    call = "MQPUT1" if put1 else "MQPUT"
    for option, only in PUT_CALLS.items():
        if options & option and call != only:
            raise MQError(f"{option_name('MQPMO', option)} belongs to {only}, not to {call}", MQRC_OPTIONS_ERROR)
    if options & MQPMO_LOGICAL_ORDER and md_version < MQMD_VERSION_2:
        raise MQError("MQPMO_LOGICAL_ORDER needs version 2 of MQMD", MQRC_WRONG_MD_VERSION)
    if not put1:
        _check_open_options(options, open_options)


def _check_open_options(options: int, open_options: int) -> None:
    if not open_options & MQOO_OUTPUT:
        raise MQError("a put needs a queue opened with MQOO_OUTPUT", MQRC_NOT_OPEN_FOR_OUTPUT)
    for option, wanted, reason in PUT_NEEDS_OPEN:
        if options & option and not open_options & wanted:
            raise missing_open_option_error("MQPMO", option, wanted, reason)
