"""Base of queues, topics and subscriptions: a handle that is opened, put by, and closed once."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from mqtools.bindings import pymqe
from mqtools.bindings.standin.errors import PYIFError, check
from mqtools.bindings.standin.queue_manager import QueueManager
from mqtools.constants import cmqc


class Opened:
    """Something with a handle. It is closed when nothing refers to it any longer."""

    #: Texts of the errors when it is closed without being open, and opened without a descriptor.
    _not_open, _no_descriptor = "not open", ""
    _handle: int | None = None

    def __init__(self, qmgr: QueueManager) -> None:
        self._qmgr = qmgr
        self._descriptor: Any = None

    def __del__(self) -> None:
        if self._handle:
            with suppress(Exception):
                self.close()

    def _open(self, options: int | None) -> None:
        if self._descriptor is None:
            raise PYIFError(self._no_descriptor)
        handle, od, comp, reason = pymqe.MQOPEN(self._qmgr.get_handle(), self._descriptor.pack(), options)
        check(comp, reason)
        self._descriptor.unpack(od)
        self._handle = handle

    def _open_for(self, options: int) -> int:
        """Return the handle; open it with options unless it is open."""
        if not self._handle:
            self._open(options)
        assert self._handle is not None
        return self._handle

    def _put(self, body: bytes, md: Any, pmo: Any) -> None:
        handle = self._open_for(cmqc.MQOO_OUTPUT)
        new_md, new_pmo, comp, reason = pymqe.MQPUT(self._qmgr.get_handle(), handle, md.pack(), pmo.pack(), body)
        check(comp, reason)
        md.unpack(new_md)
        pmo.unpack(new_pmo)

    def close(self, options: int = cmqc.MQCO_NONE) -> None:
        """Close it. Raises PYIFError when it is not open."""
        if not self._handle:
            raise PYIFError(self._not_open)
        handle, self._handle = self._handle, None
        check(*pymqe.MQCLOSE(self._qmgr.get_handle(), handle, options))
