"""Class ``Queue``."""

from __future__ import annotations

from typing import Any

from mqtools.bindings import pymqe
from mqtools.bindings.standin.errors import MQMIError, PYIFError, check, ensure_not_unicode
from mqtools.bindings.standin.opened import Opened
from mqtools.bindings.standin.queue_manager import QueueManager
from mqtools.bindings.standin.rfh2 import RFH2
from mqtools.bindings.standin.structures import GMO, MD, PMO, complete_args, make_q_desc
from mqtools.constants import cmqc

#: Bytes that a get without a length tries first.
_FIRST_LENGTH = 4096


class Queue(Opened):
    """Queue, opened at once if options are given, else by the first call that needs it."""

    _no_descriptor = "The Queue Descriptor has not been set."

    def __init__(self, qmgr: QueueManager, *args: Any) -> None:
        super().__init__(qmgr)
        if len(args) > 2:
            raise TypeError("Too many args")
        if args:
            self._descriptor = make_q_desc(args[0])
        if len(args) == 2:
            self.open(*args)

    def open(self, q_desc: Any, *args: Any) -> None:
        """Open the queue. Raises PYIFError when it is open already."""
        if self._handle:
            raise PYIFError("The Queue is already open")
        if len(args) > 1:
            raise TypeError("Too many args")
        self._descriptor = make_q_desc(q_desc)
        if args:
            self._open(args[0])

    def put(self, msg: str | bytes, *opts: Any) -> None:
        """Put a message; descriptor and options are updated."""
        md, pmo = complete_args(PMO, *opts)
        self._put(self._qmgr.as_bytes(msg, md), md, pmo)

    def put_rfh2(self, msg: bytes, *opts: Any) -> None:
        """Put a message behind the headers of a list. Raises TypeError for text, and if there is no list."""
        ensure_not_unicode(msg)
        md, pmo = complete_args(PMO, *opts[:2])
        self._put(prepend_headers(msg, md, opts[2]) if len(opts) > 2 else msg, md, pmo)

    def get(self, maxLength: int | None = None, *opts: Any) -> bytes:
        """Get a message. Raises MQMIError for warnings too, with message and original_length."""
        m_desc, get_opts = complete_args(GMO, *opts)
        handle = self._open_for(cmqc.MQOO_INPUT_AS_Q_DEF)
        length, again = maxLength, False
        if length is None:
            again = not get_opts.Options & cmqc.MQGMO_ACCEPT_TRUNCATED_MSG
            length = _FIRST_LENGTH if again else 0
        packed = (m_desc.pack(), get_opts.pack())
        result = pymqe.MQGET(self._qmgr.get_handle(), handle, *packed, length)
        if again and result[-1] == cmqc.MQRC_TRUNCATED_MSG_FAILED:
            result = pymqe.MQGET(self._qmgr.get_handle(), handle, *packed, result[3])
        body, new_md, new_gmo, full_length, comp, reason = result
        if comp != cmqc.MQCC_FAILED:
            m_desc.unpack(new_md)
            get_opts.unpack(new_gmo)
        if comp != cmqc.MQCC_OK:
            raise MQMIError(comp, reason, message=body, original_length=full_length)
        data: bytes = body
        return data

    def get_no_jms(self, max_length: int | None = None, *args: Any) -> bytes:
        """Get a message without its properties."""
        md, gmo = complete_args(GMO, *args)
        gmo.Options |= cmqc.MQGMO_NO_PROPERTIES | cmqc.MQGMO_FAIL_IF_QUIESCING
        return self.get(max_length, md, gmo)

    get_no_rfh2 = get_no_jms

    def get_rfh2(self, max_length: int | None = None, *opts: Any) -> bytes:
        """Get a message: append its headers to the list, return the rest."""
        if len(opts) < 3:
            return self.get(max_length, *opts)
        md = opts[0] or MD()
        return strip_headers(self.get(max_length, md, opts[1]), md, opts[2])

    def close(self, options: int = cmqc.MQCO_NONE) -> None:
        """Close the queue. Raises PYIFError when it is not open."""
        if self._handle:
            self._descriptor = None
        super().close(options)

    def inquire(self, attribute: int) -> int | bytes:
        """Return an attribute."""
        handle = self._open_for(cmqc.MQOO_INQUIRE)
        value, comp, reason = pymqe.MQINQ(self._qmgr.get_handle(), handle, attribute)
        check(comp, reason)
        found: int | bytes = value
        return found

    def set(self, attribute: int, arg: int | bytes) -> None:
        """Set an attribute."""
        ensure_not_unicode(arg)
        handle = self._open_for(cmqc.MQOO_SET)
        check(*pymqe.MQSET(self._qmgr.get_handle(), handle, attribute, arg))

    def set_handle(self, queue_handle: int) -> None:
        """Set the handle."""
        self._handle = queue_handle

    def get_handle(self) -> int | None:
        """Return the handle, None if the queue is not open."""
        return self._handle


def prepend_headers(msg: bytes, md: Any, headers: Any) -> bytes:
    """Return a message behind its headers, each in the encoding that the previous one states. Raises TypeError."""
    if not isinstance(headers, list):
        raise TypeError("Third item of opts should be a list.")
    parts, encoding = [], md["Encoding"]
    for header in headers:
        parts.append(header.pack(encoding))
        encoding = header["Encoding"]
    return b"".join(parts) + msg


def strip_headers(data: bytes, md: Any, headers: Any) -> bytes:
    """Move the headers in front of a message into a list; return the rest."""
    headers.__len__  # noqa: B018 - as a list is needed, None is an AttributeError
    form, encoding = md["Format"], md["Encoding"]
    while form == cmqc.MQFMT_RF_HEADER_2:
        header = RFH2()
        header.unpack(data, encoding)
        headers.append(header)
        form, encoding = header["Format"], header["Encoding"]
        data = data[header["StrucLength"] :]
    return data
