"""Arguments that calls take in several forms, and what a queue needs of its queue manager."""

from __future__ import annotations

from typing import Any, Protocol

from mqtools.bindings.standin.errors import ensure_bytes
from mqtools.bindings.standin.structures import OD


class Connected(Protocol):
    """A connection, as a queue uses it: implemented by ``queue_manager.QueueManager``."""

    bytes_encoding: str

    def get_handle(self) -> int:
        """Return the connection handle. Raises PYIFError without a connection."""

    def as_bytes(self, message: Any, md: Any) -> bytes:
        """Return the bytes of a message; for text, also set its encoding in the descriptor."""

    def put1(self, q_desc: Any, msg: str | bytes, *opts: Any) -> None:
        """Open a queue, put a message and close the queue."""


def make_q_desc(q_desc: Any) -> Any:
    """Return an object descriptor for a name, or the descriptor itself."""
    return OD(ObjectName=ensure_bytes(q_desc)) if isinstance(q_desc, (str, bytes)) else q_desc


def common_q_args(*opts: Any) -> tuple[Any, Any]:
    """Return descriptor and options of a put or get. Raises TypeError for more than two arguments."""
    if len(opts) > 2:
        raise TypeError("Too many args")
    md, options = (*opts, None, None)[:2]
    return md, options
