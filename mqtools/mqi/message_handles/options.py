"""Checks of the calls on a message handle: options, option structures, property descriptors."""

from __future__ import annotations

from mqtools.constants.properties import (
    MQBMHO_CURRENT_VERSION,
    MQBMHO_DELETE_PROPERTIES,
    MQBMHO_NONE,
    MQBMHO_STRUC_ID,
    MQCMHO_CURRENT_VERSION,
    MQCMHO_DEFAULT_VALIDATION,
    MQCMHO_NO_VALIDATION,
    MQCMHO_STRUC_ID,
    MQCMHO_VALIDATE,
    MQCOPY_ALL,
    MQCOPY_DEFAULT,
    MQCOPY_REPLY,
    MQDMHO_CURRENT_VERSION,
    MQDMHO_NONE,
    MQDMHO_STRUC_ID,
    MQDMPO_CURRENT_VERSION,
    MQDMPO_DEL_FIRST,
    MQDMPO_DEL_PROP_UNDER_CURSOR,
    MQDMPO_STRUC_ID,
    MQIMPO_CONVERT_TYPE,
    MQIMPO_CONVERT_VALUE,
    MQIMPO_CURRENT_VERSION,
    MQIMPO_INQ_FIRST,
    MQIMPO_INQ_NEXT,
    MQIMPO_INQ_PROP_UNDER_CURSOR,
    MQIMPO_QUERY_LENGTH,
    MQIMPO_STRUC_ID,
    MQMHBO_CURRENT_VERSION,
    MQMHBO_DELETE_PROPERTIES,
    MQMHBO_PROPERTIES_IN_MQRFH2,
    MQMHBO_STRUC_ID,
    MQPD_CURRENT_VERSION,
    MQPD_NO_CONTEXT,
    MQPD_STRUC_ID,
    MQPD_SUPPORT_OPTIONAL,
    MQPD_SUPPORT_REQUIRED,
    MQPD_SUPPORT_REQUIRED_IF_LOCAL,
    MQPD_USER_CONTEXT,
    MQSMPO_APPEND_PROPERTY,
    MQSMPO_CURRENT_VERSION,
    MQSMPO_SET_FIRST,
    MQSMPO_SET_PROP_AFTER_CURSOR,
    MQSMPO_SET_PROP_BEFORE_CURSOR,
    MQSMPO_SET_PROP_UNDER_CURSOR,
    MQSMPO_STRUC_ID,
)
from mqtools.constants.reasons import (
    MQRC_BMHO_ERROR,
    MQRC_CMHO_ERROR,
    MQRC_DMHO_ERROR,
    MQRC_DMPO_ERROR,
    MQRC_IMPO_ERROR,
    MQRC_MHBO_ERROR,
    MQRC_OPTIONS_ERROR,
    MQRC_PD_ERROR,
    MQRC_SMPO_ERROR,
)
from mqtools.errors import MQError

#: Kind of options to the options of which exactly one is given, and those that can be added to it. Anything else is
#: MQRC_OPTIONS_ERROR.
OPTIONS: dict[str, tuple[tuple[int, ...], int]] = {
    "MQCMHO": ((MQCMHO_DEFAULT_VALIDATION, MQCMHO_NO_VALIDATION, MQCMHO_VALIDATE), 0),
    "MQDMHO": ((MQDMHO_NONE,), 0),
    "MQSMPO": (
        (
            MQSMPO_SET_FIRST,
            MQSMPO_SET_PROP_UNDER_CURSOR,
            MQSMPO_SET_PROP_AFTER_CURSOR,
            MQSMPO_SET_PROP_BEFORE_CURSOR,
            MQSMPO_APPEND_PROPERTY,
        ),
        0,
    ),
    "MQIMPO": (
        (MQIMPO_INQ_FIRST, MQIMPO_INQ_NEXT, MQIMPO_INQ_PROP_UNDER_CURSOR),
        MQIMPO_CONVERT_TYPE | MQIMPO_CONVERT_VALUE | MQIMPO_QUERY_LENGTH,
    ),
    "MQDMPO": ((MQDMPO_DEL_FIRST, MQDMPO_DEL_PROP_UNDER_CURSOR), 0),
    "MQMHBO": ((MQMHBO_PROPERTIES_IN_MQRFH2,), MQMHBO_DELETE_PROPERTIES),
    "MQBMHO": ((MQBMHO_NONE,), MQBMHO_DELETE_PROPERTIES),
}

#: Identifier of an option structure to its newest version, and the reason when either is wrong.
STRUCTURES = {
    MQCMHO_STRUC_ID: (MQCMHO_CURRENT_VERSION, MQRC_CMHO_ERROR),
    MQDMHO_STRUC_ID: (MQDMHO_CURRENT_VERSION, MQRC_DMHO_ERROR),
    MQSMPO_STRUC_ID: (MQSMPO_CURRENT_VERSION, MQRC_SMPO_ERROR),
    MQIMPO_STRUC_ID: (MQIMPO_CURRENT_VERSION, MQRC_IMPO_ERROR),
    MQDMPO_STRUC_ID: (MQDMPO_CURRENT_VERSION, MQRC_DMPO_ERROR),
    MQPD_STRUC_ID: (MQPD_CURRENT_VERSION, MQRC_PD_ERROR),
    MQBMHO_STRUC_ID: (MQBMHO_CURRENT_VERSION, MQRC_BMHO_ERROR),
    MQMHBO_STRUC_ID: (MQMHBO_CURRENT_VERSION, MQRC_MHBO_ERROR),
}

_SUPPORT = (MQPD_SUPPORT_OPTIONAL, MQPD_SUPPORT_REQUIRED, MQPD_SUPPORT_REQUIRED_IF_LOCAL)
_CONTEXTS = (MQPD_NO_CONTEXT, MQPD_USER_CONTEXT)
_COPIES = MQCOPY_ALL | MQCOPY_DEFAULT | MQCOPY_REPLY


def check_structure(expected_id: str, struc_id: str, version: int) -> None:
    """Check that an option structure is the one that a call expects.

    expected_id: a key of STRUCTURES.
    Raises MQError: MQRC_CMHO_ERROR, MQRC_DMHO_ERROR, MQRC_SMPO_ERROR, MQRC_IMPO_ERROR, MQRC_DMPO_ERROR,
    MQRC_PD_ERROR, MQRC_BMHO_ERROR or MQRC_MHBO_ERROR, by the structure expected.
    """
    newest, reason = STRUCTURES[expected_id]
    if struc_id != expected_id:
        raise MQError(f"StrucId is {struc_id!r}, not {expected_id!r}", reason)
    if not 1 <= version <= newest:
        raise MQError(f"{expected_id.strip()}: version is {version}, not 1 to {newest}", reason)


def check_options(kind: str, options: int) -> None:
    """Check that options exist and can be combined. Raises MQError: MQRC_OPTIONS_ERROR.

    kind: a key of OPTIONS.
    """
    ways, more = OPTIONS[kind]
    if options & ~more not in ways:
        raise MQError(f"{kind}: options {options:#x} are unknown or contradict each other", MQRC_OPTIONS_ERROR)


def check_descriptor(support: int, context: int, copy_options: int) -> None:
    """Check the values of a property descriptor. Raises MQError: MQRC_PD_ERROR."""
    if support not in _SUPPORT:
        raise MQError(f"Support {support:#x} is not one of MQPD_SUPPORT_*", MQRC_PD_ERROR)
    if context not in _CONTEXTS:
        raise MQError(f"Context {context:#x} is neither MQPD_NO_CONTEXT nor MQPD_USER_CONTEXT", MQRC_PD_ERROR)
    if copy_options & ~_COPIES:
        raise MQError(f"CopyOptions {copy_options:#x} are not all MQCOPY_*", MQRC_PD_ERROR)
