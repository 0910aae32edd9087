"""Interface of ibmmq's C part: as ``pymqe`` where the two have a function in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import metadata
from typing import Any

from mqtools.bindings import pymqe
from mqtools.bindings.client_channels import connect_with
from mqtools.bindings.pymqe import (  # noqa: F401 - the functions that are the same
    MQBACK,
    MQBEGIN,
    MQCLOSE,
    MQCMIT,
    MQCONN,
    MQCRTMH,
    MQDISC,
    MQGET,
    MQOPEN,
    MQPUT,
    MQPUT1,
    MQSUB,
    error,
)
from mqtools.calls import consumers, message_properties, messages, objects, sessions, subscriptions

__mqbuild__ = "common"
__cmdlevel__ = 940
#: Structure to its version. One that is not listed counts as 1.
__strucversions__ = {
    **{"bno": 1, "cbc": 2, "cbd": 1, "cd": 12, "cfh": 3, "cmho": 1, "cno": 8, "csp": 3, "ctlo": 1, "dlh": 1},
    **{"dmho": 1, "dmpo": 1, "gmo": 4, "impo": 1, "md": 2, "mde": 2, "od": 4, "pd": 1, "pmo": 3, "sco": 7},
    **{"sd": 1, "smpo": 1, "sro": 1, "sts": 2, "tm": 1, "tmc": 2, "xqh": 1},
}


def _ibmmq_version() -> str:
    """Return the version of the installed ibmmq: its Python layer accepts a C part of the same version only."""
    try:
        return metadata.version("ibmmq")
    except metadata.PackageNotFoundError:
        return "0"


__version__ = _ibmmq_version()


def MQCONNX(
    name: str | bytes,
    cno: bytes | None = None,
    cd: bytes | None = None,
    csp: bytes | None = None,
    sco: bytes | None = None,  # noqa: ARG001 - taken, not used
    bno: bytes | None = None,  # noqa: ARG001
) -> tuple[int, int, int]:
    """Connect with options; the key repository is not used."""
    return connect_with(name, cno, cd, csp)


def MQINQ(h: int, ho: int, selectors: Sequence[int], *_: object) -> Any:
    """Inquire attributes: return integers and concatenated texts, each in the order of the selectors."""
    values, comp_code, reason = sessions.call(h, objects.inquire, (ho, list(selectors)), ([],))
    integers = [value for value in values if isinstance(value, int)]
    characters = b"".join(value for value in values if isinstance(value, bytes))
    return integers, characters, comp_code, reason


def MQSET(h: int, ho: int, selectors: Sequence[int], integers: Sequence[int], characters: bytes) -> Any:
    """Set attributes."""
    return sessions.call(h, objects.set_from_arrays, (ho, selectors, integers or (), characters or b""), ())


def MQSTAT(h: int, kind: int, sts: bytes) -> Any:
    """Return the status of asynchronous puts."""
    return sessions.call(h, messages.status, (kind, sts), (sts,))


def MQSUBRQ(h: int, hsub: int, action: int, sro: bytes) -> Any:
    """Request the retained publications of a subscription."""
    return sessions.call(h, subscriptions.request, (hsub, action, sro), (sro,))


def MQSETMP(h: int, hmsg: int, smpo: bytes, name: str | bytes, pd: bytes, kind: int, value: Any, length: int) -> Any:
    """Set a property."""
    encoded = name.encode() if isinstance(name, str) else name
    return pymqe.MQSETMP(h, hmsg, smpo, encoded, pd, kind, value, length)


def MQDLTMH(h: int, hmsg: int, dmho: bytes | None = None) -> Any:
    """Delete a message handle."""
    return sessions.call(h, message_properties.delete, (hmsg, dmho), ())


def MQINQMP(h: int, hmsg: int, impo: bytes, name: str | bytes, pd: bytes, kind: int, max_length: int) -> Any:  # noqa: ARG001
    """Inquire a property: return value, length and, for a wildcard, the name."""
    arguments = (hmsg, impo, name, kind, max_length)
    return sessions.call(h, message_properties.inquire_by_impo, arguments, (None, 0, ""))


def MQDLTMP(h: int, hmsg: int, dmpo: bytes | None, name: str | bytes) -> Any:
    """Delete a property."""
    return sessions.call(h, message_properties.delete_property, (hmsg, dmpo, name), ())


def MQCB(h: int, operation: int, cbd: bytes, ho: int, md: bytes, gmo: bytes) -> Any:
    """Register or deregister a consumer."""
    return sessions.call(h, consumers.register, (h, operation, cbd, ho, md, gmo), ())


def MQCTL(h: int, operation: int, ctlo: bytes) -> Any:
    """Start, stop, suspend or resume the consumers."""
    return sessions.call(h, consumers.control, (operation, ctlo), (), while_started=True)


def MQCBINIT(function: Callable[..., Any]) -> int:
    """Set the function that is called with each message; called once, at import."""
    consumers.deliver = function
    return 0


def MQLOGCF(level: int = 0, file: str | None = None) -> int:  # noqa: ARG001 - there is no trace
    """Do nothing: there is no trace."""
    return 0
