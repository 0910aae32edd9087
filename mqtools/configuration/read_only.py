"""Refusal of every change by this process, as requested with ``$MQX_READ_ONLY``."""

from __future__ import annotations

import os

from mqtools.constants.reasons import MQRC_NOT_AUTHORIZED
from mqtools.errors import StorageError

#: Environment variable that refuses every change, also in the programs that this one starts.
READ_ONLY = "MQX_READ_ONLY"

#: Values of it that mean no.
_NO = ("", "0", "no", "false", "off")


def is_set(variable: str) -> bool:
    """Return whether an environment variable is set to anything but no."""
    return os.environ.get(variable, "").lower() not in _NO


def check_writable(what: str) -> None:
    """Raise StorageError (MQRC_NOT_AUTHORIZED) if this process must change nothing. what: to be changed."""
    if is_set(READ_ONLY):
        raise StorageError(
            f"cannot change {what}: read-only",
            MQRC_NOT_AUTHORIZED,
            hint=f"--read-only or ${READ_ONLY} refuses every change",
        )
