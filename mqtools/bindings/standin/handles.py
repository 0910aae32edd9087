"""Message handles and their properties."""

from __future__ import annotations

from typing import Any

from mqtools.bindings import pymqe
from mqtools.bindings.standin.errors import MQMIError, check
from mqtools.bindings.standin.queue_manager import QueueManager
from mqtools.bindings.standin.structures import CMHO, PD, SMPO
from mqtools.constants import cmqc


class _Properties:
    """Properties of a message handle, as a mapping and with types."""

    def __init__(self, conn_handle: int, msg_handle: int) -> None:
        self.conn_handle = conn_handle
        self.msg_handle = msg_handle

    def __getitem__(self, name: bytes) -> Any:
        value = self.get(name)
        if not value:
            raise KeyError(f"No such property `{name!r}`")
        return value

    def __setitem__(self, name: bytes, value: Any) -> None:
        self.set(name, value)

    def get(
        self,
        name: bytes,
        default: Any = None,
        max_value_length: int | None = None,
        impo_options: int = cmqc.MQIMPO_INQ_FIRST,
        pd: int = cmqc.MQPD_NONE,
        property_type: int = cmqc.MQTYPE_AS_SET,
    ) -> Any:
        """Return a value. max_value_length: None or 0 is ``MessageHandle.default_value_length``.

        Raises MQMIError with value and dataLength: MQRC_PROPERTY_NOT_AVAILABLE and others.
        """
        room = max_value_length or MessageHandle.default_value_length
        value, length, comp, reason = pymqe.MQINQMP(
            self.conn_handle, self.msg_handle, impo_options, name, pd, property_type, room
        )
        if comp != cmqc.MQCC_OK:
            raise MQMIError(comp, reason, value=default if value is None else value, dataLength=length)
        return value

    def set(
        self,
        name: bytes,
        value: Any,
        property_type: int = cmqc.MQTYPE_STRING,
        value_length: int = cmqc.MQVL_NULL_TERMINATED,
        pd: Any = None,
        smpo: Any = None,
    ) -> None:
        """Set a property."""
        if property_type == cmqc.MQTYPE_STRING and isinstance(value, bytes):
            raise TypeError("a STRING property takes a str")
        described, options = (pd or PD()).pack(), (smpo or SMPO()).pack()
        check(
            *pymqe.MQSETMP(
                self.conn_handle, self.msg_handle, options, name, described, property_type, value, value_length
            )
        )


class MessageHandle:
    """Message handle. conn_handle, msg_handle: numbers.  properties: of the handle."""

    default_value_length = 64

    def __init__(self, qmgr: QueueManager | None = None, cmho: Any = None) -> None:
        self.conn_handle = qmgr.get_handle() if qmgr else cmqc.MQHC_UNASSOCIATED_HCONN
        handle, comp, reason = pymqe.MQCRTMH(self.conn_handle, (cmho or CMHO()).pack())
        check(comp, reason)
        self.msg_handle = handle
        self.properties = _Properties(self.conn_handle, handle)
