"""MQCRTMH, MQDLTMH, MQSETMP, MQINQMP and MQDLTMP."""

from __future__ import annotations

from typing import Any

from mqtools.calls.sessions import CallSession, FailedWithResults
from mqtools.constants.properties import MQIMPO_CONVERT_TYPE, MQTYPE_AS_SET, MQTYPE_STRING
from mqtools.constants.reasons import (
    MQRC_HMSG_ERROR,
    MQRC_NONE,
    MQRC_PROPERTY_VALUE_TOO_BIG,
)
from mqtools.errors import MQError
from mqtools.headers.charsets import DEFAULT_CCSID
from mqtools.headers.fields import read_characters, read_options, write_variable
from mqtools.headers.structures_message import CMHO, DMHO, DMPO, IMPO, PD, SMPO
from mqtools.message import Property
from mqtools.mqi.message_handles.handle import MessageHandle
from mqtools.mqi.message_handles.inquiry import Inquired

#: How an MQIMPO asks for names: the CCSID of the queue manager. Values come in it too, as text of Python.
_APPLICATION_CCSID = -3


def _text(name: str | bytes) -> str:
    return read_characters(name) if isinstance(name, bytes) else name


def _handle(session: CallSession, handle: int) -> MessageHandle:
    found = session.message_handle(handle)
    if found is None:
        raise MQError(f"{handle} is not a message handle", MQRC_HMSG_ERROR)
    return found


def create(session: CallSession, cmho: bytes) -> tuple[int, int]:
    """MQCRTMH: return the handle and the reason."""
    return session.add_message_handle(MessageHandle(read_options(CMHO, cmho)["Options"])), MQRC_NONE


def delete(session: CallSession, handle: int, dmho: bytes | None) -> tuple[int]:
    """MQDLTMH."""
    _handle(session, handle).delete(read_options(DMHO, dmho)["Options"])
    del session.message_handles[handle]
    return (MQRC_NONE,)


def set_property(
    session: CallSession, handle: int, smpo: bytes, name: str | bytes, pd: bytes, kind: int, value: Any
) -> tuple[int]:
    """MQSETMP. kind: MQTYPE_*."""
    descriptor = read_options(PD, pd)
    if kind == MQTYPE_STRING and isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    prop = Property(kind, value, descriptor["Support"], descriptor["Context"], descriptor["CopyOptions"])
    _handle(session, handle).set(_text(name), prop, read_options(SMPO, smpo)["Options"])
    return (MQRC_NONE,)


def cut(value: Any, length: int) -> Any:
    """Return the beginning of a text or bytes. length: in bytes; negative for all of it."""
    if length < 0 or not isinstance(value, (str, bytes)):
        return value
    if isinstance(value, bytes):
        return value[:length]
    return value.encode("utf-8", "surrogatepass")[:length].decode("utf-8", "ignore")


def inquire(
    session: CallSession, handle: int, name: str | bytes, options: int, kind: int, room: int
) -> tuple[Any, int, int]:
    """MQINQMP: return value, length and reason. As ``_inquire``."""
    found = _inquire(session, handle, name, options, kind, room)
    return found.value, found.data_length, found.reason


def _inquire(
    session: CallSession, handle: int, name: str | bytes, options: int, kind: int, room: int, **ccsid: int
) -> Inquired:
    """Inquire a property. options: MQIMPO_*.  kind: MQTYPE_* wanted.  room: bytes for the value.

    Raises MQError as ``MessageHandle.inquire``; FailedWithResults, what fits and the length of the whole, for a value
    that is longer.
    """
    if kind != MQTYPE_AS_SET and not options & MQIMPO_CONVERT_TYPE:
        kind = MQTYPE_AS_SET
    found = _handle(session, handle).inquire(_text(name), options=options, type=kind, max_length=room, **ccsid)
    if found.reason == MQRC_PROPERTY_VALUE_TOO_BIG:
        error = FailedWithResults(f"the value has {found.data_length} bytes", MQRC_PROPERTY_VALUE_TOO_BIG)
        error.results = (found.value, found.data_length)
        raise error
    return found


def inquire_by_impo(
    session: CallSession, handle: int, impo: bytes, name: str | bytes, kind: int, room: int
) -> tuple[Any, int, str, int]:
    """MQINQMP with an MQIMPO: return value, length, the name if a wildcard was given, and the reason."""
    values = read_options(IMPO, impo)
    wanted = values["RequestedCCSID"]
    ccsid = DEFAULT_CCSID if wanted == _APPLICATION_CCSID else wanted
    try:
        found = _inquire(session, handle, name, values["Options"], kind, room, requested_ccsid=ccsid)
    except FailedWithResults as error:
        error.results = (*error.results, "")
        raise
    write_variable(values, "ReturnedName", found.name)
    shown = found.name if "%" in _text(name) else ""
    return found.value, found.data_length, shown, found.reason


def delete_property(session: CallSession, handle: int, dmpo: bytes | None, name: str | bytes) -> tuple[int]:
    """MQDLTMP."""
    return (_handle(session, handle).delete_property(_text(name), read_options(DMPO, dmpo)["Options"]),)
