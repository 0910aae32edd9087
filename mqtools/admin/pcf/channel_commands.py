"""PCF commands on channels: definitions, status, start, stop, reset, resolve."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from mqtools.admin import channel_status, channels
from mqtools.admin.mqsc.channels import CHANNEL_STATUS, status_values
from mqtools.admin.pcf.request import PcfParameters
from mqtools.admin.pcf.values import filter_of, requested_names
from mqtools.configuration.locate import is_path
from mqtools.constants import administration, objects
from mqtools.constants import cmqcfc as c
from mqtools.constants.channels import MQCHT_ALL
from mqtools.constants.reasons import MQRC_NOT_AUTHORIZED, MQRC_UNKNOWN_CHANNEL_NAME
from mqtools.formats.mqsc.script import matches_name
from mqtools.headers.pcf import PCFError
from mqtools.mqi.transaction import Work
from mqtools.rules.attributes.channel import CHANNEL_TYPES, EXIT_ATTRIBUTES
from mqtools.rules.attributes.table import attributes_of
from mqtools.rules.pcf.numbers import CHANNEL_STATES, NUMBERS

if TYPE_CHECKING:
    from mqtools.admin.pcf.values import ParameterWriter, Replies

_NAME_LENGTH, _CONNECTION_NAME_LENGTH = 20, 264
_TYPES = {number: word for word, number in CHANNEL_TYPES.items()}
_ALWAYS = frozenset(("name", "channel_type"))
_ACTIONS = {administration.MQIDO_COMMIT: channels.COMMIT, administration.MQIDO_BACKOUT: channels.BACKOUT}
_ALWAYS_STATUS = frozenset(("name", "type", "state"))


def _type(parameters: PcfParameters) -> int | None:
    """Consume MQIACH_CHANNEL_TYPE; return None for all. Raises PCFError: MQRCCF_CHANNEL_TYPE_ERROR."""
    number = parameters.integer(c.MQIACH_CHANNEL_TYPE)
    if number in (None, MQCHT_ALL):
        return None
    if number not in _TYPES:
        raise PCFError(f"unsupported channel type {number}", c.MQRCCF_CHANNEL_TYPE_ERROR, c.MQIACH_CHANNEL_TYPE)
    return number


def _required_type(parameters: PcfParameters) -> int:
    number = _type(parameters)
    if number is None:
        raise PCFError("channel type is missing", c.MQRCCF_CHANNEL_TYPE_ERROR, c.MQIACH_CHANNEL_TYPE)
    return number


def _check_protected_attributes(before: Mapping[str, object], after: Mapping[str, object]) -> None:
    """Check that attributes naming commands, code or files of the operator are unchanged: only MQSC may set them.

    before, after: attributes of the channel; ``after`` contains at least those that change.
    Raises PCFError: MQRC_NOT_AUTHORIZED.
    """
    place = str(after.get("connection_name", ""))
    names = EXIT_ATTRIBUTES if _is_remote_place(place) else (*EXIT_ATTRIBUTES, "connection_name")
    for name in names:
        if after.get(name, before.get(name, "")) != before.get(name, ""):
            words = "PCF cannot set exits, exit data, or a CONNAME with a command or path; use MQSC"
            raise PCFError(words, MQRC_NOT_AUTHORIZED, NUMBERS["CHANNEL"][name])


def _is_remote_place(connection_name: str) -> bool:
    """Return whether a CONNAME is a host or a queue manager name, not a command or path."""
    scheme, colon, target = connection_name.strip().partition(":")
    scheme = scheme.strip().lower()
    return not colon or not (scheme in ("exec", "unix") or (scheme == "qmgr" and is_path(target.strip())))


def create(work: Work, parameters: PcfParameters, _writer: ParameterWriter) -> Replies:
    """Execute MQCMD_CREATE_CHANNEL."""
    number = _required_type(parameters)
    name = parameters.name(c.MQCACH_CHANNEL_NAME, _NAME_LENGTH)
    replace = parameters.flag(c.MQIACF_REPLACE, c.MQRCCF_REPLACE_VALUE_ERROR)
    values = parameters.attributes("CHANNEL", attributes_of(_TYPES[number]))
    parameters.finish()
    _check_protected_attributes({}, values)
    channels.define_channel(work, _TYPES[number], name, values, replace=replace)
    return []


def change(work: Work, parameters: PcfParameters, _writer: ParameterWriter) -> Replies:
    """Execute MQCMD_CHANGE_CHANNEL."""
    number = _type(parameters)
    name = parameters.name(c.MQCACH_CHANNEL_NAME, _NAME_LENGTH)
    before = channels.find_channel(work.db, name)
    wanted = channels.type_of(before) if number is None else _TYPES[number]
    values = parameters.attributes("CHANNEL", attributes_of(wanted))
    parameters.finish()
    _check_protected_attributes(before, values)
    channels.alter_channel(work, wanted, name, values)
    return []


def copy(work: Work, parameters: PcfParameters, _writer: ParameterWriter) -> Replies:
    """Execute MQCMD_COPY_CHANNEL."""
    number = _required_type(parameters)
    source = parameters.name(c.MQCACF_FROM_CHANNEL_NAME, _NAME_LENGTH)
    name = parameters.name(c.MQCACF_TO_CHANNEL_NAME, _NAME_LENGTH)
    replace = parameters.flag(c.MQIACF_REPLACE, c.MQRCCF_REPLACE_VALUE_ERROR)
    values = parameters.attributes("CHANNEL", attributes_of(_TYPES[number]))
    parameters.finish()
    _check_protected_attributes({}, {**channels.find_channel(work.db, source), **values})
    channels.define_channel(work, _TYPES[number], name, values, like=source, replace=replace)
    return []


def delete(work: Work, parameters: PcfParameters, _writer: ParameterWriter) -> Replies:
    """Execute MQCMD_DELETE_CHANNEL, which fails while the channel runs or has a batch in doubt."""
    parameters.ignore(c.MQIACH_CHANNEL_TABLE)
    _type(parameters)
    name = parameters.name(c.MQCACH_CHANNEL_NAME, _NAME_LENGTH)
    parameters.finish()
    channels.delete_channel(work, name)
    return []


def inquire(work: Work, parameters: PcfParameters, writer: ParameterWriter) -> Replies:
    """Execute MQCMD_INQUIRE_CHANNEL: generic name, type, attributes, filter."""
    pattern = parameters.name(c.MQCACH_CHANNEL_NAME, _NAME_LENGTH)
    number = _type(parameters)
    rows = attributes_of("CHANNEL")
    where = filter_of(parameters, "CHANNEL", rows)
    asked = parameters.integers(c.MQIACF_CHANNEL_ATTRS)
    parameters.finish()
    names = requested_names(asked, "CHANNEL", rows, _ALWAYS, where)
    replies: Replies = []
    for name in _matching(work, pattern):
        values = channels.find_channel(work.db, name)
        fits = number in (None, values["channel_type"])
        if fits and (where is None or where.passes(values)):
            replies.append(writer.attributes("CHANNEL", attributes_of(channels.type_of(values)), names, values))
    if not replies:
        raise PCFError(f"channel {pattern} does not exist", MQRC_UNKNOWN_CHANNEL_NAME, c.MQCACH_CHANNEL_NAME)
    return replies


def _matching(work: Work, pattern: str) -> list[str]:
    return [name for name in channels.names(work.db) if matches_name(pattern, name)]


def inquire_names(work: Work, parameters: PcfParameters, writer: ParameterWriter) -> Replies:
    """Execute MQCMD_INQUIRE_CHANNEL_NAMES: one reply with all names and their types."""
    pattern = parameters.name(c.MQCACH_CHANNEL_NAME, _NAME_LENGTH)
    wanted = _type(parameters)
    parameters.finish()
    found = {name: channels.find_channel(work.db, name)["channel_type"] for name in _matching(work, pattern)}
    names = [name for name in found if wanted in (None, found[name])]
    return [
        [
            writer.parameter(c.MQCACH_CHANNEL_NAMES, [name.ljust(_NAME_LENGTH) for name in names]),
            writer.integers(c.MQIACH_CHANNEL_TYPES, [found[name] for name in names]),
        ]
    ]


def inquire_status(work: Work, parameters: PcfParameters, writer: ParameterWriter) -> Replies:
    """Execute MQCMD_INQUIRE_CHANNEL_STATUS: inactive channels have no status."""
    pattern = parameters.name(c.MQCACH_CHANNEL_NAME, _NAME_LENGTH)
    where = filter_of(parameters, "CHSTATUS", CHANNEL_STATUS)
    asked = parameters.integers(c.MQIACH_CHANNEL_INSTANCE_ATTRS)
    names = requested_names(asked, "CHSTATUS", CHANNEL_STATUS, _ALWAYS_STATUS, where)
    wanted = {
        "connection_name": parameters.text(c.MQCACH_CONNECTION_NAME, _CONNECTION_NAME_LENGTH),
        "xmit_q": parameters.text(c.MQCACH_XMIT_Q_NAME),
    }
    parameters.finish()
    instance = writer.parameter(c.MQIACH_CHANNEL_INSTANCE_TYPE, objects.MQOT_CURRENT_CHANNEL)
    replies: Replies = []
    for name in _matching(work, pattern):
        for status in channel_status.statuses(work.db, name):
            values = status_values(status)
            values["type"], values["state"] = CHANNEL_TYPES[status.type], CHANNEL_STATES[status.state]
            fits = status.state != channels.INACTIVE and all(
                text in (None, "", values[field]) for field, text in wanted.items()
            )
            if fits and (where is None or where.passes(values)):
                shown = writer.attributes("CHSTATUS", CHANNEL_STATUS, names, values)
                replies.append(writer.complete([*shown, instance], asked))
    if not replies:
        raise PCFError(f"channel {pattern} has no status", c.MQRCCF_CHL_STATUS_NOT_FOUND, c.MQCACH_CHANNEL_NAME)
    return replies


def start(work: Work, parameters: PcfParameters, _writer: ParameterWriter) -> Replies:
    """Execute MQCMD_START_CHANNEL: a stopped channel may run again; it is run by its own process."""
    name = parameters.name(c.MQCACH_CHANNEL_NAME, _NAME_LENGTH)
    parameters.finish()
    channels.start_channel(work, name)
    return []


def stop(work: Work, parameters: PcfParameters, _writer: ParameterWriter) -> Replies:
    """Execute MQCMD_STOP_CHANNEL: after the current batch, whatever the mode; a SVRCONN as the parameters say."""
    name = parameters.name(c.MQCACH_CHANNEL_NAME, _NAME_LENGTH)
    place = parameters.text(c.MQCACH_CONNECTION_NAME, _CONNECTION_NAME_LENGTH) or ""
    quiesces = parameters.integer(c.MQIACF_MODE) in (None, c.MQMODE_QUIESCE)
    stays_stopped = parameters.integer(c.MQIACH_CHANNEL_STATUS) != administration.MQCHS_INACTIVE
    parameters.ignore(objects.MQCA_Q_MGR_NAME, c.MQIACH_CHANNEL_DISP, c.MQCACF_COMMAND_SCOPE)
    parameters.finish()
    channels.stop_channel(work, name, quiesces=quiesces, connection_name=place, stays_stopped=stays_stopped)
    return []


def reset(work: Work, parameters: PcfParameters, _writer: ParameterWriter) -> Replies:
    """Execute MQCMD_RESET_CHANNEL: set the sequence number of the next message, by default 1."""
    name = parameters.name(c.MQCACH_CHANNEL_NAME, _NAME_LENGTH)
    number = parameters.integer(c.MQIACH_MSG_SEQUENCE_NUMBER)
    parameters.finish()
    if number is not None and not 1 <= number <= channels.HIGHEST_SEQUENCE_NUMBER:
        raise PCFError(f"invalid sequence number {number}", c.MQRCCF_MSG_SEQ_NUMBER_ERROR, c.MQIACH_MSG_SEQUENCE_NUMBER)
    channels.reset_channel(work, name, number or 1)
    return []


def resolve(work: Work, parameters: PcfParameters, _writer: ParameterWriter) -> Replies:
    """Execute MQCMD_RESOLVE_CHANNEL: commit or back out the batch in doubt."""
    name = parameters.name(c.MQCACH_CHANNEL_NAME, _NAME_LENGTH)
    number = parameters.value(c.MQIACH_IN_DOUBT)
    parameters.finish()
    if number not in _ACTIONS:
        raise PCFError(
            f"MQIACH_IN_DOUBT cannot be {number}",
            c.MQRCCF_INDOUBT_VALUE_ERROR,
            c.MQIACH_IN_DOUBT,
        )
    channels.resolve_channel(work, name, _ACTIONS[number])
    return []
