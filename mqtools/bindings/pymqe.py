"""Interface of pymqi's C part: packed structures in and out, completion code and reason at the end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mqtools.bindings import pcf
from mqtools.bindings.client_channels import connect_client
from mqtools.calls import connections, message_properties, messages, objects, sessions, subscriptions
from mqtools.calls.connections import NO_HANDLE
from mqtools.headers.layout import Structure
from mqtools.headers.structures_message import CMHO, GMO, MD, OD, PD, PMO, SD, SMPO

__version__ = "1.12.13"
__mqlevels__ = ("5.0", "5.1", "5.2", "5.3", "6.0", "7.0", "7.1", "7.5", "8.0.0", "8.0.1")
__mqbuild__ = "client"


class error(Exception):
    """Raised when a structure has a wrong length, or a name is not bytes."""


def _check(structure: Structure, data: bytes) -> None:
    if not isinstance(data, (bytes, bytearray)) or len(data) != structure.length:
        raise error(f"MQ{structure.name} wrong size. Given: {len(data)}, expected {structure.length}")


def _check_name(name: bytes) -> None:
    """Check the name of a property, which pymqi passes on as it is. Raises TypeError."""
    if not isinstance(name, (bytes, bytearray)):
        raise TypeError(f"the name of a property must be bytes, not {type(name).__name__}")


def MQCONN(name: str | bytes) -> tuple[int, int, int]:
    """Connect."""
    return connect_client(name)


def MQCONNX(
    name: str | bytes,
    options: int = 0,
    cd: bytes | None = None,
    user_password: dict[str, Any] | None = None,
    sco: bytes | None = None,  # noqa: ARG001 - taken, not used
) -> tuple[int, int, int]:
    """Connect with options; the key repository is not used."""
    given = user_password or {}
    password = given.get("password")
    return connect_client(
        name, options, cd, given.get("user") or "", password.encode() if isinstance(password, str) else password
    )


def MQDISC(h: int) -> tuple[int, int]:
    """Disconnect."""
    return connections.disconnect(h)


def MQBEGIN(h: int) -> Any:
    """Begin a unit of work."""
    return sessions.call(h, connections.begin, (), ())


def MQCMIT(h: int) -> Any:
    """Commit."""
    return sessions.call(h, connections.commit, (), ())


def MQBACK(h: int) -> Any:
    """Back out."""
    return sessions.call(h, connections.back_out, (), ())


def MQOPEN(h: int, od: bytes, options: int | None) -> Any:
    """Open an object."""
    _check(OD, od)
    return sessions.call(h, objects.open_object, (od, options or 0), (NO_HANDLE, od))


def MQCLOSE(h: int, ho: int, options: int = 0) -> Any:
    """Close an object."""
    return sessions.call_to_end(h, objects.close_object, (ho, options))


def MQPUT(h: int, ho: int, md: bytes, pmo: bytes, body: bytes) -> Any:
    """Put a message."""
    _check(MD, md)
    _check(PMO, pmo)
    return sessions.call(h, messages.put, (ho, md, pmo, body), (md, pmo))


def MQPUT1(h: int, od: bytes, md: bytes, pmo: bytes, body: bytes) -> Any:
    """Open, put and close."""
    _check(OD, od)
    _check(MD, md)
    _check(PMO, pmo)
    return sessions.call(h, messages.put1, (od, md, pmo, body), (md, pmo))


def MQGET(h: int, ho: int, md: bytes, gmo: bytes, max_length: int) -> Any:
    """Get a message."""
    _check(MD, md)
    _check(GMO, gmo)
    return sessions.call(h, messages.get, (ho, md, gmo, max_length), (b"", md, gmo, 0))


def MQINQ(h: int, ho: int, selector: int) -> Any:
    """Inquire one attribute."""
    values, comp_code, reason = sessions.call(h, objects.inquire, (ho, [selector]), ([0],))
    return values[0], comp_code, reason


def MQSET(h: int, ho: int, selector: int, value: int | bytes) -> Any:
    """Set one attribute."""
    return sessions.call(h, objects.set_attributes, (ho, [selector], [value]), ())


def MQSUB(h: int, sd: bytes, ho: int) -> Any:
    """Subscribe."""
    _check(SD, sd)
    return sessions.call(h, subscriptions.subscribe, (sd, ho), (sd, ho, NO_HANDLE))


def MQCRTMH(h: int, cmho: bytes) -> Any:
    """Create a message handle."""
    _check(CMHO, cmho)
    return sessions.call(h, message_properties.create, (cmho,), (NO_HANDLE,))


def MQSETMP(h: int, hmsg: int, smpo: bytes, name: bytes, pd: bytes, kind: int, value: Any, length: int) -> Any:
    """Set a property. Raises TypeError for a name that is not bytes."""
    _check_name(name)
    _check(SMPO, smpo)
    _check(PD, pd)
    arguments = (hmsg, smpo, name, pd, kind, message_properties.cut(value, length))
    return sessions.call(h, message_properties.set_property, arguments, ())


def MQINQMP(h: int, hmsg: int, impo_options: int, name: bytes, _pd_options: int, kind: int, max_length: int) -> Any:
    """Inquire a property. Raises TypeError for a name that is not bytes."""
    _check_name(name)
    return sessions.call(h, message_properties.inquire, (hmsg, name, impo_options, kind, max_length), (None, 0))


def mqaiExecute(h: int, command: int, arguments: dict[int, Any] | None = None, filters: Sequence[Any] = ()) -> Any:
    """Execute a PCF command, as pymqi before 1.11 and py3mqi do: return its replies as dictionaries."""
    return sessions.call(h, pcf.execute, (command, arguments or {}, filters or ()), ([],))
