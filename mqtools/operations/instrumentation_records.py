"""Statistics and accounting records: messages of the queue manager, read into values by name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from mqtools.constants.cmqcfc import MQDISCONNECT_IMPLICIT, MQDISCONNECT_NORMAL, MQDISCONNECT_Q_MGR
from mqtools.constants.options import MQGMO_BROWSE_NEXT, MQGMO_SYNCPOINT, MQOO_BROWSE, MQOO_INPUT_SHARED
from mqtools.errors import NoMessageAvailable
from mqtools.headers.charsets import codec_of
from mqtools.headers.pcf import CFBS, CFGR, CFIL, CFIN, CFSL, CFST, Parameter, PCFError
from mqtools.headers.pcf_bytes import unpack_pcf
from mqtools.message import Message
from mqtools.mqi.connection import Connection
from mqtools.rules.attributes.channel import CHANNEL_TYPES
from mqtools.rules.attributes.queue import QUEUE_TYPES
from mqtools.rules.statistics import ACCOUNTING_QUEUE, RECORD_TYPES, STATISTICS_QUEUE, RecordField

#: Words of values that are numbers of a kind.
_WORDS: dict[str, dict[Any, str]] = {
    "q_type": {number: word for word, number in QUEUE_TYPES.items()},
    "channel_type": {number: word for word, number in CHANNEL_TYPES.items()},
    "disc_type": {MQDISCONNECT_NORMAL: "NORMAL", MQDISCONNECT_IMPLICIT: "IMPLICIT", MQDISCONNECT_Q_MGR: "QMGR"},
}
_KINDS = {(kind.header_type, kind.command): kind for kind in RECORD_TYPES}
#: How many messages are read at a time.
_PORTION = 100


def read_messages(connection: Connection, *, is_accounting: bool, removes: bool) -> Iterator[list[Message]]:
    """Yield the messages of the queue of accounting, or of statistics, in their order, some at a time.

    removes: get them in the unit of work, which the caller commits; else they are browsed.
    Raises MQError as MQOPEN and MQGET.
    """
    q_name = ACCOUNTING_QUEUE if is_accounting else STATISTICS_QUEUE
    with connection.open(q_name, MQOO_INPUT_SHARED if removes else MQOO_BROWSE) as handle:
        error = None
        while error is None:
            results, error = handle.get_each(_PORTION, MQGMO_SYNCPOINT if removes else MQGMO_BROWSE_NEXT)
            yield [result.message for result in results]
        if not isinstance(error, NoMessageAvailable):
            raise error


def read_record(message: Message) -> dict[str, Any]:
    """Return the values of a record by name, and those of its groups under ``objects``.

    Raises MQError for a message without a record. A parameter that the record lacks is named by its number.
    """
    header, parameters = unpack_pcf(message.data, message.md.encoding)
    kind = _KINDS.get((header.type, header.command))
    if kind is None:
        raise PCFError(f"type {header.type} with command {header.command} is no record", header.reason)
    codec = codec_of(message.md.coded_char_set_id) or "latin_1"
    groups = [each for each in parameters if isinstance(each, CFGR)]
    values = {"record": kind.words, **_values(parameters, kind.fields, codec)}
    if kind.group is not None:
        values["objects"] = [_values(group.parameters, kind.members, codec) for group in groups]
    return values


def _values(parameters: Sequence[Parameter], fields: Sequence[RecordField], codec: str) -> dict[str, Any]:
    names = {field.parameter: field.name for field in fields}
    found: dict[str, Any] = {}
    for each in parameters:
        name = names.get(each.parameter, f"parameter_{each.parameter}")
        match each:
            case CFIN():
                found[name] = _WORDS.get(name, {}).get(each.value, each.value)
            case CFIL():
                found[name] = list(each.values)
            case CFST():
                found[name] = each.string.decode(codec, "replace").rstrip(" \0")
            case CFSL():
                found[name] = [text.decode(codec, "replace").rstrip(" \0") for text in each.strings]
            case CFBS():
                found[name] = each.string.hex().upper()
    return found
