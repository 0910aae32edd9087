"""The MQSC commands about channels: DEFINE, ALTER, DELETE and DISPLAY CHANNEL, STOP, RESET, RESOLVE, CHSTATUS."""

from __future__ import annotations

import time
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING

from mqtools.admin import channels
from mqtools.admin.mqsc.report import Response, display_object, failure
from mqtools.constants.reasons import MQRC_UNKNOWN_CHANNEL_NAME
from mqtools.errors import MQError
from mqtools.formats.mqsc import matches_name
from mqtools.formats.mqsc_output import message
from mqtools.rules.attributes.channel import CHANNEL_TYPES
from mqtools.rules.attributes.table import INTEGER, TEXT, WORD, Attribute, attributes_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from mqtools.admin.channels import Status
    from mqtools.admin.mqsc.objects import Action
    from mqtools.admin.mqsc.parameters import Filter, Parameters
    from mqtools.mqi.connection import Connection
    from mqtools.mqi.transaction import Work

_TYPES = {word: word for word in CHANNEL_TYPES}
#: What a display of a channel always shows.
_ALWAYS = frozenset(("name", "channel_type"))
_STATES = (
    channels.INACTIVE,
    channels.BINDING,
    channels.RUNNING,
    channels.RETRYING,
    channels.STOPPED,
    channels.IN_DOUBT,
)
_S = ("CHSTATUS",)
_HIGHEST_NUMBER = 999999999

#: One row an attribute, as in the tables of attributes. Date and time are local, as MQ gives them; INDSEQNO is 0
#: where no batch is in doubt.
CHANNEL_STATUS: tuple[Attribute, ...] = (
    Attribute("CHANNEL", "name", None, TEXT, _S),
    Attribute("CHLTYPE", "type", None, TEXT, _S),
    Attribute("BATCHES", "batches", None, INTEGER, _S),
    Attribute("BYTSSENT", "bytes", None, INTEGER, _S),
    Attribute("CURSEQNO", "sequence", None, INTEGER, _S),
    Attribute("INDOUBT", "indoubt", None, WORD, _S, words=(("NO", 0), ("YES", 1))),
    Attribute("INDSEQNO", "indoubt_sequence", None, INTEGER, _S),
    Attribute("LSTMSGDA", "last_message_date", None, TEXT, _S),
    Attribute("LSTMSGTI", "last_message_time", None, TEXT, _S),
    Attribute("MSGS", "messages", None, INTEGER, _S),
    Attribute("RQMNAME", "peer", None, TEXT, _S),
    Attribute("STATUS", "state", None, WORD, _S, words=tuple((state.upper(), state) for state in _STATES)),
    Attribute("XMITQ", "xmit_q", None, TEXT, _S),
)


def _changes(name: str, number: str, change: Callable[[Work], object]) -> Action:
    """Make an action that changes something in a transaction, and answers with a message."""

    def act(connection: Connection) -> Response:
        with connection.work() as work:
            change(work)
        return Response([message(number, name)])

    return act


def define_channel(given: Parameters) -> Action:
    """DEFINE CHANNEL: CHLTYPE, LIKE, REPLACE and attributes."""
    name = given.object_name()
    channel_type = _type(given)
    if channel_type is None and not given.mistakes:
        given.mistake(f"DEFINE CHANNEL needs CHLTYPE: {' '.join(_TYPES)}")
    like = given.value("LIKE")
    replace = given.flag("REPLACE", "NOREPLACE")
    values = given.attributes(channel_type or "CHANNEL")
    return _changes(
        name,
        "AMQ8014I",
        lambda work: channels.define_channel(work, channel_type or "", name, values, like=like, replace=replace),
    )


def _type(given: Parameters) -> str | None:
    return given.word(_TYPES, "CHLTYPE", "TYPE")


def alter_channel(given: Parameters) -> Action:
    """ALTER CHANNEL: CHLTYPE and attributes."""
    name = given.object_name()
    channel_type = _type(given)
    values = given.attributes(channel_type or "CHANNEL")
    return _changes(name, "AMQ8016I", lambda work: channels.alter_channel(work, channel_type, name, values))


def delete_channel(given: Parameters) -> Action:
    """DELETE CHANNEL: not while it runs or has a batch in doubt."""
    name = given.object_name()
    given.finish()
    return _changes(name, "AMQ8015I", lambda work: channels.delete_channel(work, name))


def stop_channel(given: Parameters) -> Action:
    """STOP CHANNEL: MODE(QUIESCE), which is what it always does."""
    name = given.object_name()
    given.word({"QUIESCE": "QUIESCE"}, "MODE")
    given.finish()
    return _changes(name, "AMQ8019I", lambda work: channels.stop_channel(work, name))


def reset_channel(given: Parameters) -> Action:
    """RESET CHANNEL: SEQNUM, 1 without one."""
    name = given.object_name()
    number = given.value("SEQNUM") or "1"
    given.finish()
    is_number = number.isascii() and number.isdigit() and 1 <= int(number[:10]) <= _HIGHEST_NUMBER
    if not is_number:
        given.mistake(f"SEQNUM must be 1 to {_HIGHEST_NUMBER}")
    return _changes(name, "AMQ8023I", lambda work: channels.reset_channel(work, name, int(number)))


def resolve_channel(given: Parameters) -> Action:
    """RESOLVE CHANNEL: ACTION(COMMIT) or ACTION(BACKOUT)."""
    name = given.object_name()
    action = given.word({"COMMIT": channels.COMMIT, "BACKOUT": channels.BACKOUT}, "ACTION")
    given.finish()
    if action is None and not given.mistakes:
        given.mistake("RESOLVE CHANNEL needs ACTION(COMMIT) or ACTION(BACKOUT)")
    return _changes(name, "AMQ8025I", lambda work: channels.resolve_channel(work, name, action or ""))


def display_channels(given: Parameters) -> Action:
    """DISPLAY CHANNEL: generic name, CHLTYPE, WHERE, attributes or ALL."""
    rows = attributes_of("CHANNEL")
    pattern = given.generic_name()
    channel_type = _type(given)
    where = given.filter(rows, "CHANNEL")
    names = given.requested(rows, "CHANNEL")
    if names is not None and (names or "*" in pattern):
        names = names | _ALWAYS | ({where.attribute.name} if where else set())
    else:
        names = None  # all of them, for a channel that was named
    return partial(_display, pattern, channel_type, where, names)


def _display(
    pattern: str, channel_type: str | None, where: Filter | None, names: frozenset[str] | None, connection: Connection
) -> Response:
    found = []
    with connection.db.reading():
        for name in _matching(connection, pattern):
            values = channels.find_channel(connection.db, name)
            own_type = channels.type_of(values)
            if channel_type in (None, own_type) and (where is None or where.passes(values)):
                found.append(display_object("AMQ8414I", attributes_of(own_type), names, values))
    if not found:
        return failure(MQError("there is no such channel", MQRC_UNKNOWN_CHANNEL_NAME), pattern)
    return Response([], found)


def _matching(connection: Connection, pattern: str) -> list[str]:
    if "*" not in pattern:
        return [pattern]
    return [name for name in channels.names(connection.db) if matches_name(pattern, name)]


def display_chstatus(given: Parameters) -> Action:
    """DISPLAY CHSTATUS: generic name, WHERE, attributes or ALL."""
    pattern = given.generic_name()
    where = given.filter(CHANNEL_STATUS, "CHSTATUS")
    names = given.requested(CHANNEL_STATUS, "CHSTATUS")
    if names:
        names = names | {"name", "type", "state"} | ({where.attribute.name} if where else set())
    return partial(_display_status, pattern, where, names or None)


def _display_status(
    pattern: str, where: Filter | None, names: frozenset[str] | None, connection: Connection
) -> Response:
    found = [
        display_object("AMQ8417I", CHANNEL_STATUS, names, values)
        for name in _matching(connection, pattern)
        for values in map(status_values, channels.statuses(connection.db, name))
        if where is None or where.passes(values)
    ]
    if not found:
        return Response([message("AMQ8420I")], reason=MQRC_UNKNOWN_CHANNEL_NAME)
    return Response([], found)


def status_values(status: Status) -> dict[str, object]:
    """Give where a channel stands as values by name."""
    values: dict[str, object] = asdict(status)
    values["indoubt"] = int(status.indoubt_sequence is not None)
    values["indoubt_sequence"] = status.indoubt_sequence or 0
    values["last_message_date"] = values["last_message_time"] = ""
    if status.last_message_at is not None:
        moment = time.localtime(status.last_message_at // 1000)
        values["last_message_date"] = time.strftime("%Y-%m-%d", moment)
        values["last_message_time"] = time.strftime("%H.%M.%S", moment)
    return values
