"""Commands on channels: define, alter, delete, display, status, start, stop, reset, resolve."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from typing import Any

from mqtools.admin import channel_status
from mqtools.admin import channels as administration
from mqtools.admin.channel_events import put_channel_event
from mqtools.admin.channel_status import Status
from mqtools.admin.commands.queues import Row
from mqtools.admin.error_log import Inserts
from mqtools.constants import administration as a
from mqtools.constants import cmqcfc as c
from mqtools.constants import objects as o
from mqtools.constants.channels import MQCHT_ALL
from mqtools.constants.reasons import MQRC_CHANNEL_STOPPED_BY_USER, MQRC_UNKNOWN_CHANNEL_NAME
from mqtools.mqi.transaction import Work
from mqtools.rules.attributes.channel import CHANNEL_TYPES, effective_monitoring
from mqtools.rules.attributes.table import INTEGER, TEXT, WORD, attributes_of
from mqtools.rules.commands.command import (
    CHANNEL_REASONS,
    GENERIC,
    REPLACE,
    AdminCommand,
    CommandParameter,
    ignored,
    like,
    name,
)
from mqtools.rules.local_time import date_and_time
from mqtools.rules.object_names import matches_name
from mqtools.store import channels as statements
from mqtools.store import holders, queues
from mqtools.store.database import Database
from mqtools.store.messages import units_of_work

_NAME_LENGTH, _PLACE_LENGTH = 20, 264


def _find(db: Database, name: str) -> Mapping[str, Any]:
    return administration.definition(db, name) or {}


def type_of(db: Database, name: str, channel_type: str | None) -> str:
    """Return the type of a channel, or the one that a command names. Raises MQError: MQRC_UNKNOWN_CHANNEL_NAME."""
    return channel_type or administration.type_of(administration.find_channel(db, name))


def show(db: Database, name: str, channel_type: str | None) -> Iterator[Row]:
    """Yield the channels that match a generic name, of one type or all."""
    for each in _matching(db, name):
        values = administration.find_channel(db, each)
        own_type = administration.type_of(values)
        if channel_type in (None, "", own_type):
            yield own_type, {row.name: values.get(row.name, row.default) for row in attributes_of(own_type)}


def _matching(db: Database, pattern: str) -> list[str]:
    if "*" not in pattern:
        return [pattern]
    return [each for each in administration.names(db) if matches_name(pattern, each)]


def show_names(db: Database, name: str, channel_type: str | None) -> Iterator[Row]:
    """Yield one row with the names and types of all channels that match a generic name."""
    every = [each for each in administration.names(db) if matches_name(name, each)]
    types = {each: administration.find_channel(db, each) for each in every}
    found = {each: values["channel_type"] for each, values in types.items()
             if channel_type in (None, "", administration.type_of(values))}  # fmt: skip
    yield "CHANNEL NAMES", {"names": list(found), "types": list(found.values())}


def show_status(
    db: Database, name: str, place: str | None = None, xmit_q: str | None = None, instance: int | None = None
) -> Iterator[Row]:
    """Yield the status of channels. place, xmit_q: of those to show, empty for all.

    instance: given in PCF, where an inactive channel has no status. In MQSC only a channel that never ran lacks one.
    """
    for each in _matching(db, name):
        for status in channel_status.statuses(db, each):
            is_inactive = status.state == administration.INACTIVE
            has_status = not is_inactive or (instance is None and (status.has_run or status.sequence > 0))
            fits = place in (None, "", status.connection_name) and xmit_q in (None, "", status.xmit_q)
            if has_status and fits:
                yield "CHSTATUS", _status_values(db, status)


def _status_values(db: Database, status: Status) -> dict[str, Any]:
    definition, values = administration.find_channel(db, status.name), asdict(status)
    token = bytes.fromhex(status.token) or None
    runner = next((each for each in holders.connections(db) if token is not None and each.token == token), None)
    sync_state = statements.sync_state(db, status.name, status.partner)
    xmit_q = queues.by_name(db, status.xmit_q) if status.xmit_q else None
    own = definition.get("channel_monitoring", o.MQMON_Q_MGR)
    of_qmgr: Any = queues.read_qmgr(db).get("monitoring_channel", o.MQMON_OFF)
    values.update({name: definition[name] for name in _OF_DEFINITION if name in definition})
    if status.type != administration.SVRCONN:
        values.update(asdict(statements.read_traffic(db, status.name, status.partner)))
    if status.type in _RECEIVING:
        values["bytes_received"] = status.bytes
    else:
        values["bytes_sent"] = status.bytes
    values["channel_start_date"], values["channel_start_time"] = date_and_time(
        status.begun_at or (runner.created_at if runner else None)
    )
    values["job_name"] = f"{runner.pid:08X}{runner.id & 0xFFFFFFFF:08X}" if runner else ""
    values["mca_status"] = c.MQMCAS_RUNNING if runner else c.MQMCAS_STOPPED
    values["substate"] = _SUBSTATES.get(status.type, c.MQCHSSTATE_IN_MQGET) if runner else c.MQCHSSTATE_OTHER
    if status.state == administration.BINDING:
        values["substate"] = c.MQCHSSTATE_NET_CONNECTING
    in_hand = (sync_state.holder_id if sync_state else None) or (runner.id if runner else 0)
    values["current_messages"] = sum(number for _, _, number, *_ in units_of_work.summary(db, in_hand))
    values["last_sequence"] = status.sequence
    values["stop_requested"] = int(status.state == administration.STOPPING)
    values["xmit_q_messages"] = xmit_q.depth or 0 if xmit_q is not None else 0
    values["monitoring"] = effective_monitoring(own, of_qmgr)
    batches = (sync_state.batch_id, sync_state.indoubt_batch_id) if sync_state else (None, None)
    values["last_luwid"], values["current_luwid"] = ((each or b"").hex().upper()[:16] for each in batches)
    values["indoubt"] = int(status.indoubt_sequence is not None)
    values["indoubt_sequence"] = status.indoubt_sequence or 0
    values["last_message_date"], values["last_message_time"] = date_and_time(status.last_message_at)
    return values


def stop(work: Work, name: str, mode: int | None, status: int | None, place: str | None) -> None:
    """Stop a channel: after the current batch, whatever the mode; a SVRCONN as the parameters say."""
    administration.stop_channel(
        work,
        name,
        quiesces=mode in (None, c.MQMODE_QUIESCE),
        connection_name=place or "",
        stays_stopped=status != a.MQCHS_INACTIVE,
    )
    about = Inserts(channel=name, connection_name=place or "")
    put_channel_event(work, MQRC_CHANNEL_STOPPED_BY_USER, about, a.MQRQ_CHANNEL_STOPPED_DISABLED)


_RECEIVING = ("RCVR", "RQSTR")
#: Substate of a session during most of its time, by type; others get messages from the transmission queue.
_SUBSTATES = dict.fromkeys((*_RECEIVING, administration.SVRCONN), c.MQCHSSTATE_RECEIVING)
#: Attributes of the definition that the status shows.
_OF_DEFINITION = (
    "batch_size", "heartbeat_interval", "local_address", "max_msg_length", "nonpersistent_msg_speed",
    "short_retry_count", "long_retry_count", "ssl_cipher_spec",
)  # fmt: skip
_WORDS = tuple((word, word) for word in CHANNEL_TYPES)
_TYPE = CommandParameter(
    "CHLTYPE", "channel_type", c.MQIACH_CHANNEL_TYPE, WORD, words=_WORDS, synonyms=("TYPE",), required=True,
    numbers=dict(CHANNEL_TYPES), reason=c.MQRCCF_CHANNEL_TYPE_ERROR, missing=c.MQRCCF_CHANNEL_TYPE_ERROR,
)  # fmt: skip
#: Type that may be absent, and that is ALL where it narrows.
_OWN_TYPE = replace(_TYPE, required=False, missing=0, numbers={**CHANNEL_TYPES, None: MQCHT_ALL})
_ANY_TYPE = replace(_OWN_TYPE, words=(*_WORDS, ("ALL", "")))
_CHECKED_TYPE = replace(_OWN_TYPE, keyword="", name="")
_NAME = name(c.MQCACH_CHANNEL_NAME, maximum=_NAME_LENGTH)
_PATTERN = name(c.MQCACH_CHANNEL_NAME, GENERIC, _NAME_LENGTH)
_PLACE = CommandParameter("CONNAME", "place", c.MQCACH_CONNECTION_NAME, TEXT, maximum=_PLACE_LENGTH)


def _command(verb: str, number: int, **fields: Any) -> AdminCommand:
    return AdminCommand(
        verb=verb, number=number, **{"object_types": ("CHANNEL",), "reasons": CHANNEL_REASONS, **fields}
    )


COMMANDS = (
    _command(
        "DEFINE", c.MQCMD_CREATE_CHANNEL, copy_number=c.MQCMD_COPY_CHANNEL, do=administration.define_channel, sets=True,
        finds=_find,
        parameters=(
            _TYPE, like(c.MQCACF_FROM_CHANNEL_NAME, _NAME_LENGTH),
            name(c.MQCACH_CHANNEL_NAME, maximum=_NAME_LENGTH, copied_to=c.MQCACF_TO_CHANNEL_NAME), REPLACE,
        ),
        done="AMQ8014I", owner_in=("mqsc", "pcf"),
    ),
    _command(
        "ALTER", c.MQCMD_CHANGE_CHANNEL, do=administration.alter_channel, type_of=type_of, sets=True, finds=_find,
        parameters=(_OWN_TYPE, _NAME), done="AMQ8016I", owner_in=("mqsc", "pcf"),
    ),
    _command(
        "DELETE", c.MQCMD_DELETE_CHANNEL, do=administration.delete_channel, done="AMQ8015I",
        parameters=(*ignored(c.MQIACH_CHANNEL_TABLE), _CHECKED_TYPE, _NAME),
    ),
    _command(
        "DISPLAY", c.MQCMD_INQUIRE_CHANNEL, do=show, shows=True, parameters=(_PATTERN, _ANY_TYPE),
        asked=c.MQIACF_CHANNEL_ATTRS, always=("name", "channel_type"), is_brief=True, done="AMQ8414I",
        missing="channel", missing_reason=MQRC_UNKNOWN_CHANNEL_NAME, named_reasons=(MQRC_UNKNOWN_CHANNEL_NAME,),
    ),
    _command(
        "DISPLAY", c.MQCMD_INQUIRE_CHANNEL_NAMES, object_types=(), do=show_names, shows=True, table="CHANNEL NAMES",
        parameters=(_PATTERN, _ANY_TYPE), filters=False,
    ),
    _command(
        "DISPLAY", c.MQCMD_INQUIRE_CHANNEL_STATUS, object_types=("CHSTATUS",), do=show_status, shows=True,
        parameters=(
            _PATTERN, _PLACE,
            CommandParameter("XMITQ", "xmit_q", c.MQCACH_XMIT_Q_NAME, TEXT, maximum=48),
            CommandParameter("", "instance", c.MQIACH_CHANNEL_INSTANCE_TYPE, INTEGER, default=o.MQOT_CURRENT_CHANNEL,
                      minimum=-1 << 31, maximum=1 << 31),
        ),
        asked=c.MQIACH_CHANNEL_INSTANCE_ATTRS, always=("name", "type", "state", "instance_type"), completes=True,
        done="AMQ8417I", missing="AMQ8420I", missing_reason=MQRC_UNKNOWN_CHANNEL_NAME,
        named_reasons=(MQRC_UNKNOWN_CHANNEL_NAME,), missing_pcf=c.MQRCCF_CHL_STATUS_NOT_FOUND,
        reasons={MQRC_UNKNOWN_CHANNEL_NAME: c.MQRCCF_CHL_STATUS_NOT_FOUND},
    ),
    _command("START", c.MQCMD_START_CHANNEL, do=administration.start_channel, parameters=(_NAME,), done="AMQ8018I"),
    _command(
        "STOP", c.MQCMD_STOP_CHANNEL, do=stop, done="AMQ8019I",
        parameters=(
            _NAME,
            CommandParameter("MODE", "mode", c.MQIACF_MODE, WORD, reason=c.MQRCCF_MODE_VALUE_ERROR,
                      words=(("QUIESCE", c.MQMODE_QUIESCE), ("FORCE", c.MQMODE_FORCE),
                             ("TERMINATE", c.MQMODE_TERMINATE))),
            CommandParameter("STATUS", "status", c.MQIACH_CHANNEL_STATUS, WORD,
                      words=(("STOPPED", a.MQCHS_STOPPED), ("INACTIVE", a.MQCHS_INACTIVE))),
            _PLACE,
            *ignored(o.MQCA_Q_MGR_NAME, c.MQIACH_CHANNEL_DISP, c.MQCACF_COMMAND_SCOPE),
        ),
    ),
    _command(
        "RESET", c.MQCMD_RESET_CHANNEL, do=administration.reset_channel, done="AMQ8023I",
        parameters=(
            _NAME,
            CommandParameter("SEQNUM", "number", c.MQIACH_MSG_SEQUENCE_NUMBER, INTEGER, minimum=1, default=1,
                      maximum=administration.HIGHEST_SEQUENCE_NUMBER, reason=c.MQRCCF_MSG_SEQ_NUMBER_ERROR),
        ),
    ),
    _command(
        "RESOLVE", c.MQCMD_RESOLVE_CHANNEL, do=administration.resolve_channel, done="AMQ8025I",
        parameters=(
            _NAME,
            CommandParameter("ACTION", "action", c.MQIACH_IN_DOUBT, WORD, required=True,
                             reason=c.MQRCCF_INDOUBT_VALUE_ERROR,
                      words=(("COMMIT", administration.COMMIT), ("BACKOUT", administration.BACKOUT)),
                      numbers={administration.COMMIT: a.MQIDO_COMMIT, administration.BACKOUT: a.MQIDO_BACKOUT}),
        ),
    ),
)  # fmt: skip
