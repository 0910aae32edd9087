"""PCF of programs: values as parameters, replies as dictionaries, and mqaiExecute."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mqtools.calls.sessions import CallSession
from mqtools.constants import cmqc, cmqcfc
from mqtools.constants.message import MQFMT_ADMIN
from mqtools.constants.objects import COMMAND_QUEUE
from mqtools.errors import MQError
from mqtools.headers import pcf
from mqtools.headers.pcf_bytes import pack_pcf, unpack_pcf
from mqtools.message import MQMD, Message
from mqtools.rules.system_queues import DEFAULT_QUEUES

#: Milliseconds that a reply is waited for.
WAIT_MS = 5000
REPORT = cmqc.MQRO_PASS_DISCARD_AND_EXPIRY | cmqc.MQRO_DISCARD_MSG
_DYNAMIC_QUEUE = "PYMQPCF.*"
#: Selectors of lists of attributes: a single integer for one is sent as a list too.
_ATTRIBUTE_LISTS = {
    value
    for name, value in vars(cmqcfc).items()
    if name.startswith(("MQIACF_", "MQIACH_")) and name.endswith("_ATTRS") and isinstance(value, int)
}
_FILTERS = (pcf.CFIF, pcf.CFSF, pcf.CFBF)


def parameters_of(arguments: Mapping[int, Any], encoding: str = "utf8") -> list[Any]:
    """Return values by selector as PCF parameters; pymqi sends nothing for None. Raises TypeError."""
    return [_parameter(selector, value, encoding) for selector, value in arguments.items() if value is not None]


def _parameter(selector: int, value: Any, encoding: str) -> Any:
    if isinstance(value, (str, bytes)):
        return pcf.CFST(selector, _encode(value, encoding))
    if isinstance(value, int):
        return pcf.CFIL(selector, [value]) if selector in _ATTRIBUTE_LISTS else pcf.CFIN(selector, value)
    if isinstance(value, list) and all(isinstance(one, int) for one in value):
        return pcf.CFIL(selector, value)
    if isinstance(value, list) and all(isinstance(one, (str, bytes)) for one in value):
        return pcf.CFSL(selector, [_encode(one, encoding) for one in value])
    if isinstance(getattr(value, "value", None), bytes):  # a ByteString, which each binding has its own class of
        return pcf.CFBS(selector, value.value)
    raise TypeError(f"PCF: {selector}: {type(value)} cannot be sent")


def _encode(value: str | bytes, encoding: str) -> bytes:
    return value.encode(encoding) if isinstance(value, str) else value


def filter_of(one: Any) -> Any:
    """Return a filter of a binding as a PCF parameter. Raises TypeError."""
    if not all(hasattr(one, name) for name in ("selector", "operator", "value")):
        raise TypeError(f"{type(one)} is no filter")
    kind = pcf.CFIF if isinstance(one.value, int) else pcf.CFSF
    return kind(one.selector, one.operator, one.value)


def pack_command(command: int, parameters: list[Any]) -> bytes:
    header = pcf.CFH(command, type=cmqcfc.MQCFT_COMMAND_XR, version=cmqcfc.MQCFH_VERSION_3)
    return pack_pcf(header, parameters, cmqc.MQENC_NATIVE)


def as_dict(parameters: Iterable[Any]) -> dict[int, Any]:
    """Return values by selector: strings with their padding, groups as a list of dictionaries."""
    found: dict[int, Any] = {}
    for one in parameters:
        if isinstance(one, pcf.CFGR):
            found.setdefault(one.parameter, []).append(as_dict(one.parameters))
        else:
            found[one.parameter] = _value(one)
    return found


def _value(one: Any) -> Any:
    if isinstance(one, (pcf.CFIL, pcf.CFSL)):
        return one.values if isinstance(one, pcf.CFIL) else one.strings
    if isinstance(one, (pcf.CFIN, pcf.CFBS)):
        return one.value if isinstance(one, pcf.CFIN) else one.string
    value = one.string if isinstance(one, pcf.CFST) else one.filter_value
    if isinstance(value, bytes) and not isinstance(one, pcf.CFBF):
        value += b"\0" * (-len(value) % 4)
    return (one.operator, value) if isinstance(one, _FILTERS) else value


def execute(
    session: CallSession, command: int, arguments: Mapping[int, Any], filters: Sequence[Any]
) -> tuple[list[dict[int, Any]], int]:
    """Run mqaiExecute: send a command, and return a dictionary for each reply that has data.

    Raises MQError with the reason of a command that failed; TypeError for a value that cannot be sent.
    """
    connection = session.connection
    body = pack_command(command, parameters_of(arguments) + [filter_of(one) for one in filters])
    replies: list[dict[int, Any]] = []
    model = DEFAULT_QUEUES["QMODEL"]
    with connection.open(model, cmqc.MQOO_INPUT_EXCLUSIVE, dynamic_q_name=_DYNAMIC_QUEUE) as reply_queue:
        md = MQMD(
            format=MQFMT_ADMIN,
            msg_type=cmqc.MQMT_REQUEST,
            reply_to_q=reply_queue.q_name,
            report=REPORT,
            expiry=WAIT_MS // 100,
            encoding=cmqc.MQENC_NATIVE,
        )
        connection.put1(COMMAND_QUEUE, Message(body, md))
        is_last = False
        while not is_last:
            reply = reply_queue.get(cmqc.MQGMO_WAIT, wait_ms=WAIT_MS).message
            header, parameters = unpack_pcf(reply.data, reply.md.encoding)
            if header.comp_code != cmqc.MQCC_OK:
                raise MQError(f"command {command} failed", header.reason)
            replies += [as_dict(parameters)] if parameters else []
            is_last = header.control == cmqcfc.MQCFC_LAST
    return replies, cmqc.MQRC_NONE
