"""Exceptions that programs catch, and the small functions that they call."""

from __future__ import annotations

from typing import Any

from mqtools.bindings.standin.constants import NamesByValue
from mqtools.constants import cmqc, cmqcfc


class Error(Exception):
    """Base of both exceptions."""


class MQMIError(Error):
    """Raised for every completion that is not OK, warnings too; every keyword becomes an attribute."""

    errStringDicts = (NamesByValue(cmqc, "MQRC_"), NamesByValue(cmqcfc, "MQRCCF_"))
    comp = cmqc.MQCC_OK
    reason = cmqc.MQRC_NONE

    def __init__(self, comp: int, reason: int, **kw: Any) -> None:
        super().__init__(comp, reason)
        self.comp, self.reason = comp, reason
        for name, value in kw.items():
            setattr(self, name, value)

    def __str__(self) -> str:
        return f"MQI Error. Comp: {self.comp}, Reason {self.reason}: {self.errorAsString()}"

    def errorAsString(self) -> str:
        """Return OK, or WARNING or FAILED with the reason's name."""
        if self.comp == cmqc.MQCC_OK:
            return "OK"
        kind = "WARNING: " if self.comp == cmqc.MQCC_WARNING else "FAILED: "
        for names in self.errStringDicts:
            if self.reason in names:
                return kind + names[self.reason]
        return f"{kind}Error code {self.reason} not defined"


class PYIFError(Error):
    """Raised when the binding itself is misused. error: the text."""

    def __init__(self, e: str) -> None:
        super().__init__(e)
        self.error = e

    def __str__(self) -> str:
        return f"PYMQI Error: {self.error}"


def check(comp: int, reason: int, **kw: Any) -> None:
    """Raise MQMIError for a completion that is not OK."""
    if comp != cmqc.MQCC_OK:
        raise MQMIError(comp, reason, **kw)


def ensure_bytes(s: Any, encoding: str = "ascii") -> Any:
    """Return text encoded, anything else unchanged."""
    return s.encode(encoding) if isinstance(s, str) else s


def is_unicode(value: object) -> bool:
    """Return whether a value is text."""
    return isinstance(value, str)


def ensure_not_unicode(value: object) -> None:
    """Raise TypeError for text."""
    if isinstance(value, str):
        raise TypeError(f"Python 3 style string (unicode) found but not allowed here: `{value}`. Convert to bytes.")


def padded_count(count: int, boundary: int = 4) -> int:
    """Round a number up to a multiple."""
    return count + (boundary - count % boundary) % boundary


def py23long(x: Any) -> int:
    """Return a value as an integer."""
    return int(x)
