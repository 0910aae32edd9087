"""What queues, topics and subscriptions have in common: the forms of their arguments, and a handle that is opened,
put by, and closed once.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Protocol

from mqtools.bindings import pymqe
from mqtools.bindings.standin.errors import PYIFError, check, ensure_bytes
from mqtools.bindings.standin.structures import OD
from mqtools.constants import cmqc


class Connected(Protocol):
    """A connection, as a queue uses it: implemented by ``queue_manager.QueueManager``."""

    bytes_encoding: str

    def get_handle(self) -> int:
        """Return the connection handle. Raises PYIFError without a connection."""

    def as_bytes(self, message: Any, md: Any) -> bytes:
        """Return the bytes of a message; for text, also set its encoding in the descriptor."""

    def put1(self, q_desc: Any, msg: str | bytes, *opts: Any) -> None:
        """Open a queue, put a message and close the queue."""


class Opened:
    """Something with a handle. It is closed when nothing refers to it any longer."""

    #: Text of the error when it is closed without being open.
    _not_open = "not open"
    _handle: int | None = None

    def __init__(self, qmgr: Connected) -> None:
        self._qmgr = qmgr

    def __del__(self) -> None:
        if self._handle:
            with suppress(Exception):
                self.close()

    def _open(self, descriptor: Any, options: int | None) -> None:
        handle, od, comp, reason = pymqe.MQOPEN(self._qmgr.get_handle(), descriptor.pack(), options)
        check(comp, reason)
        descriptor.unpack(od)
        self._handle = handle

    def _put(self, body: bytes, md: Any, pmo: Any) -> None:
        new_md, new_pmo, comp, reason = pymqe.MQPUT(
            self._qmgr.get_handle(), self._handle or 0, md.pack(), pmo.pack(), body
        )
        check(comp, reason)
        md.unpack(new_md)
        pmo.unpack(new_pmo)

    def close(self, options: int = cmqc.MQCO_NONE) -> None:
        """Close it. Raises PYIFError when it is not open."""
        if not self._handle:
            raise PYIFError(self._not_open)
        handle, self._handle = self._handle, None
        check(*pymqe.MQCLOSE(self._qmgr.get_handle(), handle, options))


def make_q_desc(q_desc: Any) -> Any:
    """Return an object descriptor for a name, or the descriptor itself."""
    return OD(ObjectName=ensure_bytes(q_desc)) if isinstance(q_desc, (str, bytes)) else q_desc


def common_q_args(*opts: Any) -> tuple[Any, Any]:
    """Return descriptor and options of a put or get. Raises TypeError for more than two arguments."""
    if len(opts) > 2:
        raise TypeError("Too many args")
    md, options = (*opts, None, None)[:2]
    return md, options
