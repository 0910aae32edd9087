"""Checks of the calls on a message handle: options, property descriptors."""

from __future__ import annotations

from mqtools.constants.properties import (
    MQCMHO_DEFAULT_VALIDATION,
    MQCMHO_NO_VALIDATION,
    MQCMHO_VALIDATE,
    MQCOPY_ALL,
    MQCOPY_DEFAULT,
    MQCOPY_REPLY,
    MQDMHO_NONE,
    MQDMPO_DEL_FIRST,
    MQDMPO_DEL_PROP_UNDER_CURSOR,
    MQIMPO_CONVERT_TYPE,
    MQIMPO_CONVERT_VALUE,
    MQIMPO_INQ_FIRST,
    MQIMPO_INQ_NEXT,
    MQIMPO_INQ_PROP_UNDER_CURSOR,
    MQIMPO_QUERY_LENGTH,
    MQPD_NO_CONTEXT,
    MQPD_SUPPORT_OPTIONAL,
    MQPD_SUPPORT_REQUIRED,
    MQPD_SUPPORT_REQUIRED_IF_LOCAL,
    MQPD_USER_CONTEXT,
    MQSMPO_APPEND_PROPERTY,
    MQSMPO_SET_FIRST,
    MQSMPO_SET_PROP_AFTER_CURSOR,
    MQSMPO_SET_PROP_BEFORE_CURSOR,
    MQSMPO_SET_PROP_UNDER_CURSOR,
)
from mqtools.constants.reasons import MQRC_OPTIONS_ERROR, MQRC_PD_ERROR
from mqtools.errors import MQError

#: Kind of options to the options that exclude each other (one is given), and those that can be added. Anything else
#: is MQRC_OPTIONS_ERROR.
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
}

_SUPPORT = (MQPD_SUPPORT_OPTIONAL, MQPD_SUPPORT_REQUIRED, MQPD_SUPPORT_REQUIRED_IF_LOCAL)
_CONTEXTS = (MQPD_NO_CONTEXT, MQPD_USER_CONTEXT)
_COPIES = MQCOPY_ALL | MQCOPY_DEFAULT | MQCOPY_REPLY


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
