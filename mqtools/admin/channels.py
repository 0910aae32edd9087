"""Channel definitions, and what an operator does to a channel: stop, reset, resolve, look at it.

What goes through a channel is in ``mqtools.channel``.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

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
from mqtools.mqi import units_of_work
from mqtools.rules.attributes.channel import CHANNEL_TYPES, CLIENT_TYPES, MODELS, SENDING_TYPES
from mqtools.rules.attributes.table import by_name, defaults
from mqtools.rules.object_names import is_valid_name
from mqtools.store import channels, holders
from mqtools.store.liveness import is_alive, ring

if TYPE_CHECKING:
    from mqtools.mqi.transaction import Work
    from mqtools.store.channels import SyncState
    from mqtools.store.database import Database

COMMIT, BACKOUT = "commit", "backout"
#: States of a channel: what its process says it does, or, where none lives, what is true of it all the same.
INACTIVE, BINDING, RUNNING, RETRYING, STOPPED, IN_DOUBT = (
    "inactive",
    "binding",
    "running",
    "retrying",
    "stopped",
    "indoubt",
)

_NAME_LENGTH = 20
_TYPE_WORDS = {number: word for word, number in CHANNEL_TYPES.items()}


@dataclass(frozen=True, slots=True)
class Status:
    """Where a channel stands with a partner. type: SDR, SVR, RCVR, RQSTR.  last_message_at: ms since 1970, or None.

    peer: the other queue manager once known, else CONNAME.  indoubt_sequence: None when no batch is in doubt.
    """

    name: str
    type: str
    state: str
    xmit_q: str
    peer: str
    batches: int
    messages: int
    bytes: int
    sequence: int
    indoubt_sequence: int | None
    last_message_at: int | None


def is_valid_channel_name(name: str) -> bool:
    """Tell whether a text can name a channel."""
    return len(name) <= _NAME_LENGTH and is_valid_name(name)


def type_of(values: dict[str, Any]) -> str:
    """Give the MQSC word of the type of a channel, by its attributes."""
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

    Without ``like`` it begins with the attributes of the SYSTEM.DEF channel of its type.
    Raises MQError: MQRC_OBJECT_NAME_ERROR, MQRC_OBJECT_ALREADY_EXISTS, MQRC_CHANNEL_CONFIG_ERROR for a channel that
    sends without XMITQ, and for ``like`` MQRC_UNKNOWN_CHANNEL_NAME, MQRC_OBJECT_TYPE_ERROR.
    """
    if not is_valid_channel_name(name):
        raise MQError(
            f"{name!r} is no name for a channel: letters, digits, . / _ %, 20 at most", MQRC_OBJECT_NAME_ERROR
        )
    row: dict[str, object] = _of_type(work.db, channel_type, like or _model_of(channel_type))
    row.update(values, name=name, channel_type=CHANNEL_TYPES[channel_type])
    existing = definition(work.db, name)
    if existing is not None and (not replace or type_of(existing) != channel_type):
        raise MQError(f"channel {name} exists already, as a {type_of(existing)}", MQRC_OBJECT_ALREADY_EXISTS)
    _write(work, channel_type, name, row)
    if _is_usable(name, channel_type):
        channels.add(work.db, name)


def _model_of(channel_type: str) -> str:
    return next(name for name, its_type in MODELS.items() if its_type == channel_type)


def _is_usable(name: str, channel_type: str) -> bool:
    """Return whether messages can pass through a channel: neither a SYSTEM.DEF channel nor one of a client."""
    return name not in MODELS and channel_type not in CLIENT_TYPES


def alter_channel(work: Work, channel_type: str | None, name: str, values: dict[str, object]) -> None:
    """Change attributes of a channel, from its next start on. channel_type: None for whatever it is.

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
    moment = time.localtime(work.now_ms // 1000)
    row["alteration_date"], row["alteration_time"] = (
        time.strftime("%Y-%m-%d", moment),
        time.strftime("%H.%M.%S", moment),
    )
    channels.define(work.db, name, row)
    work.durable = True


def delete_channel(work: Work, name: str) -> None:
    """Delete a channel.

    Raises MQError: MQRC_UNKNOWN_CHANNEL_NAME, MQRC_OBJECT_IN_USE while it runs or is in doubt and for a SYSTEM.DEF
    channel.
    """
    find_channel(work.db, name)
    if name in MODELS:
        raise MQError(f"channel {name} cannot be deleted: new channels begin with its attributes", MQRC_OBJECT_IN_USE)
    refuse_running(work.db, name)
    _refuse_in_doubt(work.db, name)
    channels.delete(work.db, name)
    work.durable = True


def names(db: Database) -> list[str]:
    """Return the names of all channels in order, those of the SYSTEM.DEF channels included."""
    return sorted({*MODELS, *channels.names(db)})


def definition(db: Database, name: str) -> dict[str, Any] | None:
    """Return all attributes of a channel, None when there is no such channel.

    A SYSTEM.DEF channel is there from the start; the store has it once it was altered.
    """
    kept = channels.definition(db, name)
    if kept is not None:
        return {**defaults(type_of(kept)), **kept}
    return {**defaults(MODELS[name]), "name": name} if name in MODELS else None


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
    """Return the attributes of a channel that messages can pass through.

    Raises MQError: MQRC_UNKNOWN_CHANNEL_NAME; MQRC_OBJECT_TYPE_ERROR for a SYSTEM.DEF channel, which would let in
    whoever knows its name, and for a channel of a client.
    """
    values = find_channel(db, name)
    if not _is_usable(name, type_of(values)):
        raise MQError(f"channel {name} is a definition only: no messages pass through it", MQRC_OBJECT_TYPE_ERROR)
    return values


def _of_type(db: Database, channel_type: str | None, name: str) -> dict[str, Any]:
    values = find_channel(db, name)
    if channel_type is not None and type_of(values) != channel_type:
        raise MQError(f"channel {name} is a {type_of(values)}, not a {channel_type}", MQRC_OBJECT_TYPE_ERROR)
    return values


def refuse_running(db: Database, name: str) -> None:
    """Refuse while a process runs the channel. Raises MQError: MQRC_OBJECT_IN_USE."""
    for standing in channels.standings(db, name):
        if _runs(db, standing):
            raise MQError(f"channel {name} is running", MQRC_OBJECT_IN_USE, hint=f"mqx channel stop {name}")


def _refuse_in_doubt(db: Database, name: str) -> None:
    for standing in channels.standings(db, name):
        if standing.indoubt_sequence is not None:
            raise MQError(
                f"channel {name} has a batch in doubt",
                MQRC_OBJECT_IN_USE,
                hint=f"start it to settle the batch, or: mqx channel resolve {name} --action commit|backout",
            )


def _runs(db: Database, standing: SyncState) -> bool:
    return standing.token is not None and is_alive(db.run_folder, standing.token)


def start_channel(work: Work, name: str) -> None:
    """Let a channel that was stopped run again. Raises MQError as ``find_usable_channel``."""
    find_usable_channel(work.db, name)
    channels.set_stopped(work.db, name, stopped=False)


def stop_channel(work: Work, name: str) -> None:
    """Stop a channel: what runs it ends after the batch at hand, and nothing starts until it is started.

    Raises MQError as ``find_usable_channel``.
    """
    find_usable_channel(work.db, name)
    channels.set_stopped(work.db, name, stopped=True)
    work.durable = True
    for standing in channels.standings(work.db, name):
        if standing.token is not None:
            ring(work.db.run_folder, standing.token)


def reset_channel(work: Work, name: str, number: int) -> None:
    """Set the number of the next message; a channel that sends sets it at the other end too when it starts next.

    Raises MQError: MQRC_UNKNOWN_CHANNEL_NAME, MQRC_OBJECT_IN_USE while it runs or is in doubt.
    """
    values = find_usable_channel(work.db, name)
    refuse_running(work.db, name)
    _refuse_in_doubt(work.db, name)
    for standing in channels.standings(work.db, name):
        channels.set_sequence(work.db, name, standing.partner, number - 1, None)
    if type_of(values) in SENDING_TYPES:
        channels.set_resets(work.db, name, resets=True)
    work.durable = True


def resolve_channel(work: Work, name: str, action: str) -> None:
    """Settle the batch in doubt by hand: COMMIT removes its messages, BACKOUT has them sent again.

    Raises MQError: MQRC_UNKNOWN_CHANNEL_NAME, MQRC_OBJECT_IN_USE while it runs, MQRC_NO_MSG_AVAILABLE when no
    batch is in doubt.
    """
    find_channel(work.db, name)
    refuse_running(work.db, name)
    if not settle(work, name, commit=action == COMMIT):
        raise MQError(f"channel {name} has no batch in doubt", MQRC_NO_MSG_AVAILABLE)


def settle(work: Work, name: str, *, commit: bool) -> bool:
    """Remove the messages of the batch in doubt, or give them back; tell whether there was one."""
    standing = channels.standing(work.db, name)
    if standing is None or standing.indoubt_sequence is None or standing.holder_id is None:
        return False
    if commit:
        units_of_work.commit(work, standing.holder_id)
        channels.set_sequence(work.db, name, "", standing.indoubt_sequence, standing.indoubt_batch_id)
        number = standing.indoubt_sequence - standing.sequence
        channels.count_batch(work.db, name, "", number, standing.indoubt_bytes, work.now_ms)
    else:
        units_of_work.backout(work, standing.holder_id)
    holders.remove(work.db, standing.holder_id)
    channels.forget_doubt(work.db, name)
    work.durable = True
    return True


def statuses(db: Database, name: str | None = None) -> list[Status]:
    """Give where each channel stands, or one of them; a receiver has a row for each queue manager that sends to it.

    Raises MQError: MQRC_UNKNOWN_CHANNEL_NAME.
    """
    with db.reading():
        return [status for each in (channels.names(db) if name is None else [name]) for status in _of(db, each)]


def _of(db: Database, name: str) -> list[Status]:
    values = find_channel(db, name)
    found = channels.standings(db, name)  # none of a channel that is a definition only
    shown = found[1:] or found
    return [_status(name, values, _state(db, found[0], standing), standing) for standing in shown]


def _status(name: str, values: dict[str, Any], state: str, standing: SyncState) -> Status:
    return Status(
        name,
        type_of(values),
        state,
        values.get("xmit_q_name", ""),
        standing.peer or values.get("connection_name", ""),
        standing.batches,
        standing.messages,
        standing.bytes,
        standing.sequence,
        standing.indoubt_sequence,
        standing.last_message_at,
    )


def _state(db: Database, own: SyncState, standing: SyncState) -> str:
    if own.stopped:
        return STOPPED
    if _runs(db, standing):
        return standing.state
    return INACTIVE if standing.indoubt_sequence is None else IN_DOUBT
