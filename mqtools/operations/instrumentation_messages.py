"""Instrumentation messages in words: events, statistics and accounting. Other PCF messages are read too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, TypeAlias

from mqtools.admin import standby
from mqtools.constants import channels, cmqc, cmqcfc
from mqtools.constants.names import name_or_number
from mqtools.constants.options import MQGMO_ACCEPT_TRUNCATED_MSG, MQGMO_BROWSE_NEXT, MQGMO_SYNCPOINT
from mqtools.errors import MQError, NoMessageAvailable
from mqtools.formats.units import put_at_ms, rfc3339
from mqtools.headers.charsets import codec_of
from mqtools.headers.pcf import CFBS, CFGR, CFIL, CFIN, CFSL, CFST, Parameter
from mqtools.headers.pcf_bytes import unpack_pcf
from mqtools.message import MQMD
from mqtools.mqi.connection import Connection
from mqtools.mqi.interface import OpenQueue
from mqtools.mqi.resolution import find_queue
from mqtools.operations.selection import Selection, select
from mqtools.operations.stored_messages import browsable_queue, load_data
from mqtools.rules.events import AUTHORITY_TYPES, EVENTS
from mqtools.rules.object_names import matches_name
from mqtools.rules.statistics import OBJECTS, RECORDS
from mqtools.store.messages.stored_message import StoredMessage
from mqtools.store.source import Source

#: A parameter in words: a number, a text, a list of them, or the parameters of a group by name.
Value: TypeAlias = object
Row: TypeAlias = dict[str, object]

#: Bytes of a message that are read. No queue manager puts an event that is longer.
MOST_BYTES = 1 << 22
#: How many messages are taken at once.
BATCH = 500
#: Families of parameters.
_PARAMETERS = (
    "MQIA", "MQCA", "MQIACF", "MQCACF", "MQBACF", "MQGACF", "MQIACH", "MQCACH", "MQIAMO", "MQCAMO", "MQIAMO64",
)  # fmt: skip
#: Parameter to the family of its values.
_FAMILIES = {
    "MQIACF_REASON_QUALIFIER": "MQRQ", "MQIACF_COMMAND": "MQCMD", "MQIACF_EVENT_ORIGIN": "MQEVO",
    "MQIACF_OBJECT_TYPE": "MQOT", "MQIA_Q_TYPE": "MQQT", "MQIA_APPL_TYPE": "MQAT", "MQIACF_EVENT_APPL_TYPE": "MQAT",
    "MQIACH_CHANNEL_TYPE": "MQCHT", "MQIAMO_DISC_TYPE": "MQDISCONNECT", "MQIA_DEFINITION_TYPE": "MQQDT",
}  # fmt: skip
#: Parameters that name what an event is about: the first of them that it has.
_OBJECTS = (
    "MQCA_Q_NAME", "MQCA_BASE_Q_NAME", "MQCACH_CHANNEL_NAME", "MQCA_NAMELIST_NAME", "MQCA_PROCESS_NAME",
    "MQCA_TOPIC_NAME", "MQCA_TOPIC_STRING", "MQCA_AUTH_INFO_NAME", "MQCACH_LISTENER_NAME", "MQCA_SERVICE_NAME",
    "MQCACH_CONNECTION_NAME", "MQCA_Q_MGR_NAME",
)  # fmt: skip
#: Preferred names, where several constants have one number.
_PREFERRED = ("MQCA_BASE_Q_NAME", "MQIACF_ERROR_IDENTIFIER", "MQAT_UNIX", "MQRQ_CONN_NOT_AUTHORIZED")


@cache
def _names(family: str) -> dict[int, str]:
    """Return the constants of a family of PCF by their numbers."""
    found: dict[int, str] = {}
    for name, value in {**vars(cmqc), **vars(cmqcfc), **vars(channels)}.items():
        if name.rpartition("_")[2] in ("FIRST", "LAST", "USED", "DEFAULT") or not isinstance(value, int):
            continue
        if name.split("_", 1)[0] == family and (value not in found or name in _PREFERRED):
            found[value] = name
    return found


def _name(families: Iterable[str], number: int) -> str:
    return next((found[number] for found in map(_names, families) if number in found), str(number))


def as_row(q_name: str, md: MQMD, data: bytes) -> Row:
    """Return a message as a row for output. A message that cannot be read has an error, and no parameters.

    Parameters have their names in MQ; those of statistics and accounting have the names of our records, and the
    groups of these are a list.
    """
    put_at = put_at_ms(md.put_date, md.put_time)
    row: Row = {
        "at": None if put_at is None else rfc3339(put_at),
        "queue": q_name,
        "event": None,
        "reason": None,
        "qualifier": None,
    }
    row |= {"object": None, "parameters": {}, "msg_id": md.msg_id.hex().upper(), "error": None}
    try:
        header, parameters = unpack_pcf(data, md.encoding)
    except MQError as error:
        return {**row, "error": f"not a PCF message: {error.text}"}
    record = RECORDS.get((header.type, header.command))
    shown = _values(parameters, md.coded_char_set_id, {} if record is None else record.names)
    if record is not None and record.group is not None:
        groups = shown.get(OBJECTS, [])
        shown[OBJECTS] = groups if isinstance(groups, list) else [groups]
    context = shown.get("MQGACF_COMMAND_CONTEXT")
    command = context.get("MQIACF_COMMAND") if isinstance(context, dict) else None
    event, qualifier = EVENTS.get(header.reason), shown.get("MQIACF_REASON_QUALIFIER")
    row["event"] = record.words if record else event.name if event else _name(["MQCMD"], header.command)
    if qualifier in AUTHORITY_TYPES:
        row["event"] = f"{row['event']} (type {AUTHORITY_TYPES[str(qualifier)]})"
    row["reason"] = name_or_number("MQRC", header.reason) if header.reason else None
    row["qualifier"] = qualifier
    row["object"] = command or next((shown[name] for name in _OBJECTS if name in shown), None)
    return {**row, "parameters": shown}


def _values(parameters: Iterable[Parameter], ccsid: int, names: Mapping[int, str]) -> dict[str, Value]:
    """Return parameters by name; one that comes several times is a list. names: instead of those in MQ."""
    found: dict[str, Value] = {}
    for parameter in parameters:
        name = names.get(parameter.parameter) or _name(_PARAMETERS, parameter.parameter)
        value = _value(parameter, ccsid, names)
        if name in found:
            before = found[name]
            found[name] = [*(before if isinstance(before, list) else [before]), value]
        else:
            found[name] = value
    return found


def _value(parameter: Parameter, ccsid: int, names: Mapping[int, str]) -> Value:
    match parameter:
        case CFGR():
            return _values(parameter.parameters, ccsid, names)
        case CFIN():
            family = _FAMILIES.get(_name(_PARAMETERS, parameter.parameter))
            found = parameter.value if family is None else _name([family], parameter.value)
            return parameter.value if found == str(parameter.value) else found
        case CFIL():
            return list(parameter.values)
        case CFST():
            return _text(parameter.string, parameter.coded_char_set_id or ccsid)
        case CFSL():
            return [_text(string, parameter.coded_char_set_id or ccsid) for string in parameter.strings]
        case CFBS():
            return parameter.string.hex().upper()
    return str(parameter)  # filters are in commands only


def _text(string: bytes, ccsid: int) -> str:
    return string.decode(codec_of(ccsid) or "latin_1", "replace").rstrip(" \0")


def select_objects(row: Row, patterns: Sequence[str]) -> Iterator[Row]:
    """Yield a record with its queues or channels of some names only, if it has any of these."""
    parameters = _as_dict(row["parameters"])
    groups: Any = parameters.get(OBJECTS, [])
    found = [each for each in groups if any(matches_name(pattern, _object_name(each)) for pattern in patterns)]
    if found:
        yield {**row, "parameters": {**parameters, OBJECTS: found}}
    elif not patterns:
        yield row


def _object_name(values: dict[str, Value]) -> str:
    return str(values.get("q_name", values.get("channel_name", "")))


def as_lines(row: Row) -> Iterator[str]:
    """Yield a row as lines of text; not yet visible."""
    if row["error"]:
        yield f"{row['at']}  error: message {row['msg_id']} on {row['queue']}: {row['error']}"
        return
    about = f" {row['object']}" if row["object"] else ""
    yield f"{row['at']}  {row['event']}" + (f":{about} ({row['reason']})" if row["reason"] else "")
    yield from _lines({"queue": row["queue"], **_as_dict(row["parameters"])}, "    ")


def _as_dict(value: Value) -> dict[str, Value]:
    return value if isinstance(value, dict) else {}


def _lines(values: dict[str, Value], indent: str) -> Iterator[str]:
    for name, value in values.items():
        for each in value if isinstance(value, list) and value and isinstance(value[0], dict) else [value]:
            if isinstance(each, dict):
                yield f"{indent}{name}:"
                yield from _lines(each, f"{indent}    ")
            else:
                yield f"{indent}{name}: {', '.join(map(str, each)) if isinstance(each, list) else each}"


def browse(source: Source, q_name: str) -> Iterator[Row]:
    """Yield the messages of a queue as rows, and leave them there.

    Raises MQError: MQRC_UNKNOWN_OBJECT_NAME, MQRC_NOT_AUTHORIZED, MQRC_GET_INHIBITED.
    """
    queue = browsable_queue(source, q_name)
    return (_browsed(source, q_name, stored) for stored in select(source, queue.id, Selection()))


def _browsed(source: Source, q_name: str, stored: StoredMessage) -> Row:
    return as_row(q_name, stored.md, load_data(source, stored.seq, MOST_BYTES))


class InstrumentationQueue:
    """Open queue whose messages are shown as they come: it removes them under syncpoint, or browses."""

    def __init__(self, handle: OpenQueue, *, gets: bool) -> None:
        self._handle = handle
        self._options = MQGMO_ACCEPT_TRUNCATED_MSG | (MQGMO_SYNCPOINT if gets else MQGMO_BROWSE_NEXT)

    def take(self, most: int = BATCH) -> list[Row]:
        """Return the rows of the next messages, so many at most; none where there is no further message."""
        results, error = self._handle.get_each(most, self._options, max_length=MOST_BYTES)
        if error is not None and not isinstance(error, NoMessageAvailable):
            raise error
        return [as_row(self._handle.q_name, got.message.md, got.message.data) for got in results]


def wake_on_arrival(connection: Connection, q_names: Iterable[str]) -> None:
    """Have each message that arrives on one of some queues wake a connection until it ends."""
    with connection.work() as work:
        for q_name in q_names:
            standby.register(work, connection, find_queue(work.db, q_name).id)
