"""The exceptions of this package: a call that completed with MQCC_FAILED, and a request that makes no call.

Warnings (MQCC_WARNING) are part of a result and are never raised. Every failure carries its reason code;
leaves exist only where a caller branches on them.
"""

from __future__ import annotations

from collections.abc import Callable

from mqtools.constants.names import name_or_number
from mqtools.constants.reasons import (
    MQCC_FAILED,
    MQRC_NO_MSG_AVAILABLE,
    MQRC_RESOURCE_PROBLEM,
    MQRC_SELECTOR_SYNTAX_ERROR,
)


class UsageError(Exception):
    """Raised for a request that no queue manager has refused: an invalid command line, name, time or file.

    hint: what to do.
    """

    def __init__(self, text: str, hint: str | None = None) -> None:
        super().__init__(text)
        self.hint = hint


class MQError(Exception):
    """Raised when a call fails: completion code, reason code, words, and a hint where there is one.

    text: what happened, without the reason's name.  hint: what to do about it, None, or a function that
    finds it on demand.  q_name, q_mgr_name: the queue or the queue manager that it is about, or None.
    """

    reason: int = 0

    def __init__(
        self,
        text: str,
        reason: int | None = None,
        *,
        hint: str | Callable[[], str | None] | None = None,
        q_name: str | None = None,
        q_mgr_name: str | None = None,
    ) -> None:
        super().__init__(text)
        self.text = text
        self.q_name = q_name
        self.q_mgr_name = q_mgr_name
        self._hint = hint
        if reason is not None:
            self.reason = reason

    @property
    def comp_code(self) -> int:
        """Return MQCC_FAILED: a warning is a result, not an error."""
        return MQCC_FAILED

    @property
    def hint(self) -> str | None:
        """Return what to do about the error, or None."""
        return self.find_hint()

    def find_hint(self) -> str | None:
        """Return the hint, computed on the first call: later the file may be closed."""
        if callable(self._hint):
            try:
                self._hint = self._hint()
            except MQError:
                self._hint = None
        return self._hint

    @property
    def reason_name(self) -> str:
        """Return the reason's MQ name, or its number without a name."""
        return str(name_or_number("MQRC", self.reason))

    def __str__(self) -> str:
        name = self.reason_name
        return f"{self.text} ({name} {self.reason})" if name != str(self.reason) else f"{self.text} (reason {name})"


class NoMessageAvailable(MQError):
    """Raised when no message fits, now or within the wait interval (MQRC_NO_MSG_AVAILABLE).

    is_queue_empty: the queue has no message at all, locked and uncommitted ones included; False where that is unknown.
    """

    reason = MQRC_NO_MSG_AVAILABLE
    is_queue_empty = False


class MessageDamaged(MQError):
    """Raised when a message is not as it was put (MQRC_OBJECT_DAMAGED); seq: its key in the file.

    It is no StorageError: other messages, and the unit of work, are not affected.
    """

    def __init__(self, text: str, reason: int, *, hint: str | None = None, seq: int) -> None:
        super().__init__(text, reason, hint=hint)
        self.seq = seq


class StorageError(MQError):
    """Raised when the queue manager's file cannot be used: busy, damaged, not ours, full, read-only."""

    reason = MQRC_RESOURCE_PROBLEM


class LockTimeout(StorageError):
    """Raised when another program has kept the write turn for longer than ``lock_timeout``; nothing was changed."""


class SelectorSyntaxError(MQError):
    """Raised when a selector does not parse; position is the offset in characters of the first mistake."""

    reason = MQRC_SELECTOR_SYNTAX_ERROR

    def __init__(self, text: str, selector: str, position: int) -> None:
        super().__init__(text)
        self.selector = selector
        self.position = position
