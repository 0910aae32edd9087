"""MQSC commands on channels: DEFINE, ALTER, DELETE, DISPLAY, STOP, RESET and RESOLVE CHANNEL, DISPLAY CHSTATUS."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING

from mqtools.admin import channel_status, channels
from mqtools.admin.channel_status import Status
from mqtools.admin.local_time import date_and_time
from mqtools.admin.mqsc.parameters import MqscParameters, WhereFilter
from mqtools.admin.mqsc.report import Response, display_object, none_found
from mqtools.constants.reasons import MQRC_UNKNOWN_CHANNEL_NAME
from mqtools.formats.mqsc.output import message
from mqtools.formats.mqsc.script import matches_name
from mqtools.mqi.connection import Connection
from mqtools.mqi.transaction import Work
from mqtools.rules.attributes.channel import CHANNEL_TYPES
from mqtools.rules.attributes.table import INTEGER, TEXT, WORD, Attribute, attributes_of

if TYPE_CHECKING:
    from mqtools.admin.mqsc.objects import Action

_TYPES = {word: word for word in CHANNEL_TYPES}
#: Attributes that DISPLAY CHANNEL always shows.
_ALWAYS = frozenset(("name", "channel_type"))
_STATES = (
    channels.INACTIVE,
    channels.BINDING,
    channels.RUNNING,
    channels.RETRYING,
    channels.STOPPING,
    channels.STOPPED,
    channels.IN_DOUBT,
)
_S = ("CHSTATUS",)

#: One row per attribute, as in the attribute tables. Date and time are local, as in MQ; INDSEQNO is 0 if no batch is
#: in doubt.
CHANNEL_STATUS: tuple[Attribute, ...] = (
    Attribute("CHANNEL", "name", None, TEXT, _S),
    Attribute("CHLTYPE", "type", None, TEXT, _S),
    Attribute("BATCHES", "batches", None, INTEGER, _S),
    Attribute("BYTSSENT", "bytes", None, INTEGER, _S),
    Attribute("CONNAME", "connection_name", None, TEXT, _S),
    Attribute("CURSEQNO", "sequence", None, INTEGER, _S),
    Attribute("INDOUBT", "indoubt", None, WORD, _S, words=(("NO", 0), ("YES", 1))),
    Attribute("INDSEQNO", "indoubt_sequence", None, INTEGER, _S),
    Attribute("LSTMSGDA", "last_message_date", None, TEXT, _S),
    Attribute("LSTMSGTI", "last_message_time", None, TEXT, _S),
    Attribute("MCAUSER", "mca_user", None, TEXT, _S),
    Attribute("MSGS", "messages", None, INTEGER, _S),
    Attribute("RAPPLTAG", "remote_appl_tag", None, TEXT, _S),
    Attribute("RQMNAME", "remote_q_mgr_name", None, TEXT, _S),
    Attribute("STATUS", "state", None, WORD, _S, words=tuple((state.upper(), state) for state in _STATES)),
    Attribute("XMITQ", "xmit_q", None, TEXT, _S),
)


def _change_action(name: str, number: str, change: Callable[[Work], object]) -> Action:
    """Return an action that makes a change in a transaction and responds with a message."""

    def act(connection: Connection) -> Response:
        with connection.work() as work:
            change(work)
        return Response([message(number, name)])

    return act


def define_channel(parameters: MqscParameters) -> Action:
    """Parse DEFINE CHANNEL: CHLTYPE, LIKE, REPLACE and attributes."""
    name = parameters.object_name()
    channel_type = _type(parameters)
    if channel_type is None and not parameters.mistakes:
        parameters.mistake(f"DEFINE CHANNEL needs CHLTYPE: {' '.join(_TYPES)}")
    like = parameters.value("LIKE")
    replace = parameters.flag("REPLACE", "NOREPLACE")
    values = parameters.attributes(channel_type or "CHANNEL")
    return _change_action(
        name,
        "AMQ8014I",
        lambda work: channels.define_channel(work, channel_type or "", name, values, like=like, replace=replace),
    )


def _type(parameters: MqscParameters) -> str | None:
    return parameters.word(_TYPES, "CHLTYPE", "TYPE")


def alter_channel(parameters: MqscParameters) -> Action:
    """Parse ALTER CHANNEL: CHLTYPE and attributes."""
    name = parameters.object_name()
    channel_type = _type(parameters)
    values = parameters.attributes(channel_type or "CHANNEL")
    return _change_action(name, "AMQ8016I", lambda work: channels.alter_channel(work, channel_type, name, values))


def delete_channel(parameters: MqscParameters) -> Action:
    """Parse DELETE CHANNEL, which fails while the channel runs or has a batch in doubt."""
    name = parameters.object_name()
    parameters.finish()
    return _change_action(name, "AMQ8015I", lambda work: channels.delete_channel(work, name))


def stop_channel(parameters: MqscParameters) -> Action:
    """Parse STOP CHANNEL: MODE, STATUS and CONNAME, which matter for a SVRCONN. Others end after the current batch."""
    name = parameters.object_name()
    mode = parameters.word({word: word for word in ("QUIESCE", "FORCE", "TERMINATE")}, "MODE")
    status = parameters.word({"STOPPED": "STOPPED", "INACTIVE": "INACTIVE"}, "STATUS")
    place = parameters.value("CONNAME") or ""
    parameters.finish()
    options = {"quiesces": mode in (None, "QUIESCE"), "stays_stopped": status != "INACTIVE"}
    return _change_action(
        name, "AMQ8019I", lambda work: channels.stop_channel(work, name, connection_name=place, **options)
    )


def start_channel(parameters: MqscParameters) -> Action:
    """Parse START CHANNEL, which allows a stopped channel to run again; whoever runs commands starts its program."""
    name = parameters.object_name()
    parameters.finish()
    return _change_action(name, "AMQ8018I", lambda work: channels.start_channel(work, name))


def reset_channel(parameters: MqscParameters) -> Action:
    """Parse RESET CHANNEL: SEQNUM, by default 1."""
    name = parameters.object_name()
    number = parameters.value("SEQNUM") or "1"
    parameters.finish()
    is_number = number.isascii() and number.isdigit() and 1 <= int(number[:10]) <= channels.HIGHEST_SEQUENCE_NUMBER
    if not is_number:
        parameters.mistake(f"SEQNUM must be 1 to {channels.HIGHEST_SEQUENCE_NUMBER}")
    return _change_action(name, "AMQ8023I", lambda work: channels.reset_channel(work, name, int(number)))


def resolve_channel(parameters: MqscParameters) -> Action:
    """Parse RESOLVE CHANNEL: ACTION(COMMIT) or ACTION(BACKOUT)."""
    name = parameters.object_name()
    action = parameters.word({"COMMIT": channels.COMMIT, "BACKOUT": channels.BACKOUT}, "ACTION")
    parameters.finish()
    if action is None and not parameters.mistakes:
        parameters.mistake("RESOLVE CHANNEL needs ACTION(COMMIT) or ACTION(BACKOUT)")
    return _change_action(name, "AMQ8025I", lambda work: channels.resolve_channel(work, name, action or ""))


def display_channels(parameters: MqscParameters) -> Action:
    """Parse DISPLAY CHANNEL: generic name, CHLTYPE, WHERE, attributes or ALL."""
    rows = attributes_of("CHANNEL")
    pattern = parameters.generic_name()
    channel_type = parameters.word({**_TYPES, "ALL": ""}, "CHLTYPE", "TYPE")
    where = parameters.filter(rows, "CHANNEL")
    names = parameters.requested_attributes(rows, "CHANNEL")
    if names is not None and (names or "*" in pattern):
        names = names | _ALWAYS | ({where.attribute.name} if where else set())
    else:
        names = None  # all, for a channel with a full name
    return partial(_display, pattern, channel_type, where, names)


def _display(
    pattern: str,
    channel_type: str | None,
    where: WhereFilter | None,
    names: frozenset[str] | None,
    connection: Connection,
) -> Response:
    found = []
    with connection.db.reading():
        for name in _matching(connection, pattern):
            values = channels.find_channel(connection.db, name)
            own_type = channels.type_of(values)
            if channel_type in (None, "", own_type) and (where is None or where.passes(values)):
                found.append(display_object("AMQ8414I", attributes_of(own_type), names, values))
    if not found:
        return none_found("channel", pattern, MQRC_UNKNOWN_CHANNEL_NAME)
    return Response([], found)


def _matching(connection: Connection, pattern: str) -> list[str]:
    if "*" not in pattern:
        return [pattern]
    return [name for name in channels.names(connection.db) if matches_name(pattern, name)]


def display_chstatus(parameters: MqscParameters) -> Action:
    """Parse DISPLAY CHSTATUS: generic name, WHERE, attributes or ALL."""
    pattern = parameters.generic_name()
    where = parameters.filter(CHANNEL_STATUS, "CHSTATUS")
    names = parameters.requested_attributes(CHANNEL_STATUS, "CHSTATUS")
    if names:
        names = names | {"name", "type", "state"} | ({where.attribute.name} if where else set())
    return partial(_display_status, pattern, where, names or None)


def _display_status(
    pattern: str, where: WhereFilter | None, names: frozenset[str] | None, connection: Connection
) -> Response:
    with connection.db.reading():
        found = [
            display_object("AMQ8417I", CHANNEL_STATUS, names, values)
            for name in _matching(connection, pattern)
            for status in channel_status.statuses(connection.db, name)
            if (values := status_values(status)) and is_shown(status) and (where is None or where.passes(values))
        ]
    if not found:
        return Response([message("AMQ8420I")], reason=MQRC_UNKNOWN_CHANNEL_NAME)
    return Response([], found)


def is_shown(status: Status) -> bool:
    """Return whether a channel has a status to display: a channel that has never run has none."""
    return status.has_run or status.sequence > 0 or status.state != channels.INACTIVE


def status_values(status: Status) -> dict[str, object]:
    """Return the status of a channel as values by attribute name."""
    values: dict[str, object] = asdict(status)
    values["peer"] = "" if status.type == "SVRCONN" else status.peer
    values["indoubt"] = int(status.indoubt_sequence is not None)
    values["indoubt_sequence"] = status.indoubt_sequence or 0
    values["last_message_date"], values["last_message_time"] = date_and_time(status.last_message_at)
    return values
