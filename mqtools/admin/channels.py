"""Channel definitions and channel commands: start, stop, reset, resolve.

The transfer of messages is in ``mqtools.channel``.
"""

from __future__ import annotations

import time
from typing import Any

from mqtools.admin import client_channels, error_log
from mqtools.constants.reasons import (
    MQRC_CHANNEL_CONFIG_ERROR,
    MQRC_NO_MSG_AVAILABLE,
    MQRC_OBJECT_ALREADY_EXISTS,
    MQRC_OBJECT_IN_USE,
    MQRC_OBJECT_NAME_ERROR,
    MQRC_OBJECT_TYPE_ERROR,
    MQRC_UNKNOWN_CHANNEL_NAME,
)
from mqtools.errors import MQError
from mqtools.formats.phrases import did_you_mean, nearest
from mqtools.mqi import authority, units_of_work
from mqtools.mqi.transaction import ConnectionState, Work
from mqtools.rules.attributes.channel import CHANNEL_TYPES, CLIENT_TYPES, MODELS, SENDING_TYPES
from mqtools.rules.attributes.table import by_name, defaults
from mqtools.rules.local_time import date_and_time
from mqtools.rules.object_names import is_valid_name
from mqtools.store import channels, holders
from mqtools.store.channels import SyncState
from mqtools.store.database import Database
from mqtools.store.liveness import is_alive, wait_for_one_to_leave

COMMIT, BACKOUT = "commit", "backout"
#: States of a channel: as recorded by the process that runs it, else derived from its definition and batches.
INACTIVE, BINDING, RUNNING, RETRYING, STOPPING, STOPPED, IN_DOUBT = (
    "inactive",
    "binding",
    "running",
    "retrying",
    "stopping",
    "stopped",
    "indoubt",
)

HIGHEST_SEQUENCE_NUMBER = 999999999
_NAME_LENGTH = 20
SVRCONN = "SVRCONN"

_TYPE_WORDS = {number: word for word, number in CHANNEL_TYPES.items()}


def is_valid_channel_name(name: str) -> bool:
    """Return whether a text is a valid channel name."""
    return len(name) <= _NAME_LENGTH and is_valid_name(name)


def type_of(values: dict[str, Any]) -> str:
    """Return the MQSC keyword of the channel type in channel attributes."""
    return _TYPE_WORDS[values["channel_type"]]


def define_channel(
    work: Work,
    channel_type: str,
    name: str,
    values: dict[str, object],
    *,
    like: str | None = None,
    replace: bool = False,
) -> None:
    """Define a channel. channel_type: of ``CHANNEL_TYPES``; the rest as for ``definitions.define_queue``.

    Without ``like`` defaults come from the SYSTEM.DEF channel of its type.
    Raises MQError: MQRC_OBJECT_NAME_ERROR, MQRC_OBJECT_ALREADY_EXISTS, MQRC_CHANNEL_CONFIG_ERROR for a sending
    channel without XMITQ, and for ``like`` MQRC_UNKNOWN_CHANNEL_NAME, MQRC_OBJECT_TYPE_ERROR.
    """
    if not is_valid_channel_name(name):
        raise MQError(
            f"{name!r} is not a valid channel name: use letters, digits, . / _ %, at most 20 characters",
            MQRC_OBJECT_NAME_ERROR,
        )
    row: dict[str, object] = _of_type(work.db, channel_type, like or _model_of(channel_type))
    row.update(values, name=name, channel_type=CHANNEL_TYPES[channel_type])
    existing = definition(work.db, name)
    if existing is not None and (not replace or type_of(existing) != channel_type):
        raise MQError(f"channel {name} already exists with type {type_of(existing)}", MQRC_OBJECT_ALREADY_EXISTS)
    _write(work, channel_type, name, row)
    if _is_usable(name, channel_type):
        channels.add(work.db, name)


def _model_of(channel_type: str) -> str:
    return next(name for name, its_type in MODELS.items() if its_type == channel_type)


def _is_usable(name: str, channel_type: str) -> bool:
    """Return whether a channel can transfer messages: neither a SYSTEM.DEF channel nor a client channel."""
    return name not in MODELS and channel_type not in CLIENT_TYPES


def alter_channel(work: Work, channel_type: str | None, name: str, values: dict[str, object]) -> None:
    """Change attributes of a channel, effective from its next start. channel_type: None for any.

    Raises MQError: MQRC_UNKNOWN_CHANNEL_NAME, MQRC_OBJECT_TYPE_ERROR, MQRC_CHANNEL_CONFIG_ERROR.
    """
    row = _of_type(work.db, channel_type, name)
    for attribute in values:
        if by_name(type_of(row), attribute) is None:
            raise MQError(f"{attribute} is not an attribute of a {type_of(row)}", MQRC_OBJECT_TYPE_ERROR)
    _write(work, type_of(row), name, {**row, **values})


def _write(work: Work, channel_type: str, name: str, row: dict[str, object]) -> None:
    if channel_type in SENDING_TYPES and not row["xmit_q_name"] and name not in MODELS:
        raise MQError(f"a channel of type {channel_type} needs XMITQ", MQRC_CHANNEL_CONFIG_ERROR)
    row["alteration_date"], row["alteration_time"] = date_and_time(work.now_ms)
    channels.define(work.db, name, row)
    work.durable = True


def delete_channel(work: Work, name: str) -> None:
    """Delete a channel.

    Raises MQError: MQRC_UNKNOWN_CHANNEL_NAME, MQRC_OBJECT_IN_USE while it runs or is in doubt and for a SYSTEM.DEF
    channel.
    """
    find_channel(work.db, name)
    if name in MODELS:
        raise MQError(f"cannot delete channel {name}: it has the defaults of new channels", MQRC_OBJECT_IN_USE)
    refuse_running(work.db, name)
    _refuse_in_doubt(work.db, name)
    channels.delete(work.db, name)
    error_log.solve(work.db, name)
    work.durable = True


def names(db: Database) -> list[str]:
    """Return the sorted names of all channels, including the SYSTEM.DEF channels."""
    return sorted({*MODELS, *channels.names(db)})


def definition(db: Database, name: str) -> dict[str, Any] | None:
    """Return all attributes of a channel, or None if it does not exist.

    SYSTEM.DEF channels always exist; the store contains them once they are altered.
    """
    kept = channels.definition(db, name)
    if kept is not None:
        return {**defaults(type_of(kept)), **kept}
    return {**defaults(MODELS[name]), "name": name} if name in MODELS else None


def client_channel_names(connection: ConnectionState) -> list[str]:
    """Return the sorted names of the channels that clients can name, without the SYSTEM channels."""
    db = connection.db
    return [
        name
        for name in channels.names(db)
        if not name.startswith("SYSTEM.") and type_of(find_channel(db, name)) == SVRCONN
    ]


def is_stored(db: Database, name: str) -> bool:
    """Return whether the store has a channel: one that was defined, or a SYSTEM.DEF channel that was altered."""
    return channels.definition(db, name) is not None


def find_channel(db: Database, name: str) -> dict[str, Any]:
    """Return the attributes of a channel. Raises MQError: MQRC_UNKNOWN_CHANNEL_NAME."""
    values = definition(db, name)
    if values is None:
        raise MQError(
            f"channel {name} does not exist",
            MQRC_UNKNOWN_CHANNEL_NAME,
            hint=lambda: did_you_mean(nearest(name, channels.names(db))),
        )
    return values


def find_usable_channel(db: Database, name: str) -> dict[str, Any]:
    """Return the attributes of a channel that can transfer messages.

    Raises MQError: MQRC_UNKNOWN_CHANNEL_NAME; MQRC_OBJECT_TYPE_ERROR for a client channel and for a SYSTEM.DEF
    channel, whose well-known name would let anyone connect.
    """
    values = find_channel(db, name)
    if not _is_usable(name, type_of(values)):
        raise MQError(
            f"channel {name} cannot transfer messages: it is a client channel or a SYSTEM.DEF channel",
            MQRC_OBJECT_TYPE_ERROR,
        )
    return values


def _of_type(db: Database, channel_type: str | None, name: str) -> dict[str, Any]:
    values = find_channel(db, name)
    if channel_type is not None and type_of(values) != channel_type:
        raise MQError(f"channel {name} is a {type_of(values)}, not a {channel_type}", MQRC_OBJECT_TYPE_ERROR)
    return values


def refuse_running(db: Database, name: str) -> None:
    """Check that no process runs a channel. Raises MQError: MQRC_OBJECT_IN_USE."""
    for sync_state in channels.sync_states(db, name):
        if runs(db, sync_state):
            if channels.is_stopped(db, name):
                raise MQError(f"channel {name} is stopping", MQRC_OBJECT_IN_USE, hint="wait until its process ends")
            raise MQError(f"channel {name} is running", MQRC_OBJECT_IN_USE, hint=f"mqx channel stop {name}")


def wait_for_end(db: Database, name: str, timeout_s: float) -> None:
    """Wait until the processes that run a channel have ended, or the time has passed (seconds)."""
    deadline = time.monotonic() + timeout_s
    while (left_s := deadline - time.monotonic()) > 0:
        running = [each.token for each in channels.sync_states(db, name) if each.token is not None and runs(db, each)]
        if not running:
            return
        wait_for_one_to_leave(db, running, left_s)


def _refuse_in_doubt(db: Database, name: str) -> None:
    for sync_state in channels.sync_states(db, name):
        if sync_state.indoubt_sequence is not None:
            raise MQError(
                f"channel {name} has a batch in doubt",
                MQRC_OBJECT_IN_USE,
                hint=f"start it to resolve the batch, or: mqx channel resolve {name} --action commit|backout",
            )


def runs(db: Database, sync_state: SyncState) -> bool:
    """Return whether a process runs the session of a channel."""
    return sync_state.token is not None and is_alive(db, sync_state.token)


def start_channel(work: Work, name: str) -> None:
    """Allow a stopped channel to run again.

    Raises MQError as ``find_usable_channel`` does, and MQRC_OBJECT_IN_USE while the process that was told to stop
    still runs it: it would not learn of the stop any more.
    """
    authority.check_control(work.connection)
    if type_of(find_channel(work.db, name)) != SVRCONN:
        find_usable_channel(work.db, name)
        if channels.is_stopped(work.db, name):
            refuse_running(work.db, name)
    channels.set_stopped(work.db, name, stopped=False)


def stop_channel(
    work: Work, name: str, *, quiesces: bool = True, connection_name: str = "", stays_stopped: bool = True
) -> None:
    """Stop a channel: its process ends after the current batch, and the channel does not run until it is started.

    The programs that are connected by a SVRCONN are asked to disconnect (quiesces), or are disconnected.
    connection_name: of the only instances of a SVRCONN to stop.  stays_stopped: a SVRCONN refuses programs from now on.
    Raises MQError as ``find_usable_channel`` does.
    """
    authority.check_control(work.connection)
    if type_of(find_channel(work.db, name)) == SVRCONN:
        client_channels.stop(work, name, connection_name, quiesces=quiesces, stays_stopped=stays_stopped)
        return
    find_usable_channel(work.db, name)
    channels.set_stopped(work.db, name, stopped=True)
    work.durable = True
    tokens = (sync_state.token for sync_state in channels.sync_states(work.db, name))
    work.wake_each(token for token in tokens if token is not None)


def reset_channel(work: Work, name: str, number: int) -> None:
    """Set the sequence number of the next message; a sending channel resets the other end too at its next start.

    Raises MQError: MQRC_UNKNOWN_CHANNEL_NAME, MQRC_OBJECT_IN_USE while it runs or is in doubt.
    """
    authority.check_control(work.connection)
    values = find_usable_channel(work.db, name)
    refuse_running(work.db, name)
    _refuse_in_doubt(work.db, name)
    for sync_state in channels.sync_states(work.db, name):
        channels.set_sequence(work.db, name, sync_state.partner, number - 1, None)
    if type_of(values) in SENDING_TYPES:
        channels.set_resets(work.db, name, resets=True)
    work.durable = True


def resolve_channel(work: Work, name: str, action: str) -> None:
    """Resolve the batch in doubt: COMMIT removes its messages, BACKOUT sends them again.

    Raises MQError: MQRC_UNKNOWN_CHANNEL_NAME, MQRC_OBJECT_IN_USE while it runs, MQRC_NO_MSG_AVAILABLE when no
    batch is in doubt.
    """
    authority.check_control(work.connection)
    find_channel(work.db, name)
    refuse_running(work.db, name)
    if not settle(work, name, commit=action == COMMIT):
        raise MQError(f"channel {name} has no batch in doubt", MQRC_NO_MSG_AVAILABLE)


def settle(work: Work, name: str, *, commit: bool) -> bool:
    """Commit or back out the batch in doubt; return whether there was one."""
    sync_state = channels.sync_state(work.db, name)
    if sync_state is None or sync_state.indoubt_sequence is None or sync_state.holder_id is None:
        return False
    if commit:
        units_of_work.commit(work, sync_state.holder_id)
        channels.set_sequence(work.db, name, "", sync_state.indoubt_sequence, sync_state.indoubt_batch_id)
        number = sync_state.indoubt_sequence - sync_state.sequence
        channels.count_batch(work.db, name, "", number, sync_state.indoubt_bytes, work.now_ms)
    else:
        units_of_work.backout(work, sync_state.holder_id)
    holders.remove(work.db, sync_state.holder_id)
    channels.forget_doubt(work.db, name)
    work.durable = True
    return True
