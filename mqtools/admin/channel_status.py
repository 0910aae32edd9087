"""Status of channels: of each partner of a message channel, and of each program that a SVRCONN connects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mqtools.admin import channels, client_channels, error_log
from mqtools.admin.error_log import ErrorEntry
from mqtools.mqi import authority, client_connections
from mqtools.mqi.client_connections import ClientConnection
from mqtools.store import channels as statements
from mqtools.store.channels import SyncState
from mqtools.store.database import Database
from mqtools.store.holders import Holder
from mqtools.store.liveness import is_alive
from mqtools.store.source import Source

#: Fields of a status that its sequence numbers have under the same name.
_COUNTED = ("batches", "messages", "bytes", "sequence", "indoubt_sequence", "last_message_at", "partner")


@dataclass(frozen=True, slots=True)
class Status:
    """Status of a channel with a partner. type: SDR, SVR, RCVR, RQSTR.  last_message_at: ms since 1970, or None.

    peer: the other queue manager once known, else CONNAME.  indoubt_sequence: None if no batch is in doubt.
    A SVRCONN has a status for each of its instances, with the program and user of the connection. Its messages are MQI
    calls.  conversations: that share the instance now, of most_conversations.  begun_at: ms since 1970, or None.
    has_run: whether a session has begun since the channel was defined.  last_error: the latest failure in the error
    log, None after a session in which both ends agreed.
    token: presence of the connection that runs it, as hexadecimal digits, empty for none.
    partner: of its sequence numbers.
    """

    name: str
    type: str
    state: str
    xmit_q: str = ""
    peer: str = ""
    batches: int = 0
    messages: int = 0
    bytes: int = 0
    sequence: int = 0
    indoubt_sequence: int | None = None
    last_message_at: int | None = None
    connection_name: str = ""
    remote_q_mgr_name: str = ""
    has_run: bool = False
    last_error: ErrorEntry | None = None
    remote_appl_tag: str = ""
    mca_user: str = ""
    token: str = ""
    partner: str = ""
    bytes_received: int = 0
    conversations: int = 0
    most_conversations: int = 0
    begun_at: int | None = None


def statuses(source: Source, name: str | None = None) -> list[Status]:
    """Return the status of all channels or of one; a receiver has a row for each sending queue manager.

    Raises MQError: MQRC_UNKNOWN_CHANNEL_NAME.
    """
    db = source.db
    authority.check_manager(db, "DSP")
    with db.reading():
        return [
            status for each in (channels.names(db) if name is None else [name]) for status in _statuses_of(db, each)
        ]


def _statuses_of(db: Database, name: str) -> list[Status]:
    values = channels.find_channel(db, name)
    if channels.type_of(values) == channels.SVRCONN:
        return _client_statuses(db, name)
    found = statements.sync_states(db, name)  # empty for a channel that cannot transfer messages
    shown = found[1:] or found
    error = error_log.last_failure(db, name)
    return [_status(db, values, _state(db, found[0], sync_state), sync_state, error) for sync_state in shown]


def _client_statuses(db: Database, name: str) -> list[Status]:
    """Return the status of each instance of a SVRCONN, or that it is stopped."""
    instances: dict[str, list[tuple[Holder, ClientConnection]]] = {}
    for holder, client in client_connections.of_channel(db, name):
        if holder.token is not None and is_alive(db, holder.token):
            instances.setdefault(client.instance or holder.token.hex(), []).append((holder, client))
    return [_client_status(name, each) for each in instances.values()] or (
        [Status(name, channels.SVRCONN, channels.STOPPED)] if client_channels.is_stopped(db, name) else []
    )


def _client_status(name: str, conversations: list[tuple[Holder, ClientConnection]]) -> Status:
    """Return the status of an instance with its conversations. One of them has the use of their socket."""
    holder, first = conversations[0]
    use = max((client.use for _, client in conversations), key=lambda use: use.used_at)
    is_stopping = any(client.is_stopping for _, client in conversations)
    return Status(
        name,
        channels.SVRCONN,
        channels.STOPPING if is_stopping else channels.RUNNING,
        peer=first.connection_name,
        messages=use.calls,
        bytes=use.bytes_sent,
        last_message_at=use.used_at or None,
        connection_name=first.connection_name,
        remote_appl_tag=holder.appl_name,
        mca_user=holder.user_identifier,
        bytes_received=use.bytes_received,
        conversations=len(conversations),
        most_conversations=use.most_conversations,
        begun_at=use.begun_at or None,
        token=(holder.token or b"").hex(),
    )


def _status(
    db: Database, values: dict[str, Any], state: str, sync_state: SyncState, error: ErrorEntry | None
) -> Status:
    connection_name = values.get("connection_name", "")
    return Status(
        sync_state.channel,
        channels.type_of(values),
        state,
        xmit_q=values.get("xmit_q_name", ""),
        peer=sync_state.peer or connection_name,
        connection_name=connection_name,
        remote_q_mgr_name=sync_state.peer,
        has_run=sync_state.session > 0,
        last_error=error,
        token=sync_state.token.hex() if sync_state.token is not None and channels.runs(db, sync_state) else "",
        **{name: getattr(sync_state, name) for name in _COUNTED},
    )


def _state(db: Database, own: SyncState, sync_state: SyncState) -> str:
    if own.stopped:
        return channels.STOPPED
    if channels.runs(db, sync_state):
        return sync_state.state
    return channels.INACTIVE if sync_state.indoubt_sequence is None else channels.IN_DOUBT
