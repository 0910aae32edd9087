"""Errors between the two ends of a channel."""

from __future__ import annotations

from mqtools.constants.reasons import MQRC_CONNECTION_ERROR
from mqtools.errors import MQError


class LinkError(MQError):
    """Raised when the stream to the other end breaks, times out, or violates the protocol."""

    reason = MQRC_CONNECTION_ERROR


class RefusedError(MQError):
    """Raised when the other end refuses, with its reason and text.

    sequence, batch_id: of the last batch that it committed; None before the first.
    """

    def __init__(self, text: str, reason: int, sequence: int | None = None, batch_id: bytes = b"") -> None:
        super().__init__(text, reason)
        self.sequence = sequence
        self.batch_id = batch_id


class ExitError(MQError):
    """Raised when an exit fails: the channel stops."""
