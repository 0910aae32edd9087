"""Channels: their definitions, and where each stands with its partner. One function, one statement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from json import dumps

from mqtools.records import Record
from mqtools.store import objects
from mqtools.store.database import Database

_KIND, _TRAFFIC = "channel", "channel_traffic"


def define(db: Database, name: str, attributes: Mapping[str, object]) -> None:
    """Write a definition, replacing an existing one."""
    objects.define(db, _KIND, name, attributes)


def definition(db: Database, name: str) -> dict[str, object] | None:
    """Read the attributes of a channel."""
    return objects.definition(db, _KIND, name)


def names(db: Database) -> list[str]:
    """List the names of all channels in order."""
    return objects.names(db, _KIND)


def delete(db: Database, name: str) -> None:
    """Delete a definition and the status of the channel."""
    objects.delete(db, _KIND, name)
    db.run("delete from objects where kind = ? and json_extract(name, '$[0]') = ?", (_TRAFFIC, name))
    db.run("delete from channel_status where channel = ?", (name,))


@dataclass(slots=True)
class ChannelTraffic:
    """Traffic of the current or last session of a channel, in writes and reads of the network and in bytes."""

    buffers_sent: int = 0
    buffers_received: int = 0
    bytes_sent: int = 0
    bytes_received: int = 0


def write_traffic(db: Database, channel: str, partner: str, traffic: ChannelTraffic) -> None:
    """Write what has passed between a channel and a partner."""
    objects.define(db, _TRAFFIC, dumps([channel, partner]), asdict(traffic))


def read_traffic(db: Database, channel: str, partner: str) -> ChannelTraffic:
    """Read what has passed between a channel and a partner."""
    return ChannelTraffic(**objects.definition(db, _TRAFFIC, dumps([channel, partner])) or {})


@dataclass(slots=True)
class SyncState(Record):
    """One row of channel_status, see schema.sql. last_message_at: milliseconds since 1970."""

    channel: str
    partner: str
    peer: str
    state: str
    token: bytes | None
    session: int
    stopped: int
    resets: int
    sequence: int
    batch_id: bytes | None
    indoubt_sequence: int | None
    indoubt_batch_id: bytes | None
    indoubt_bytes: int
    holder_id: int | None
    batches: int
    messages: int
    bytes: int
    last_message_at: int | None


_SELECT = f"select {', '.join(SyncState.__slots__)} from channel_status where channel = ?"  # noqa: S608 - column names only


def add(db: Database, channel: str, partner: str = "") -> None:
    """Add counters of zero for a channel and a partner, unless they have a row."""
    db.run(
        "insert or ignore into channel_status (channel, partner, peer, state, session, stopped, resets, sequence,"
        " indoubt_bytes, batches, messages, bytes) values (?, ?, ?, 'inactive', 0, 0, 0, 0, 0, 0, 0, 0)",
        (channel, partner, partner),
    )


def sync_state(db: Database, channel: str, partner: str = "") -> SyncState | None:
    """Read where a channel stands with a partner."""
    row = db.one(f"{_SELECT} and partner = ?", (channel, partner))
    return None if row is None else SyncState(*row)


def sync_states(db: Database, channel: str) -> list[SyncState]:
    """Read where a channel stands with all its partners; its own row is the first."""
    return [SyncState(*row) for row in db.all(f"{_SELECT} order by partner", (channel,))]


def is_stopped(db: Database, channel: str) -> bool:
    """Return whether a channel is stopped, or deleted."""
    row = db.one("select stopped from channel_status where channel = ? and partner = ''", (channel,))
    return row is None or bool(row[0])


def set_stopped(db: Database, channel: str, stopped: bool) -> None:
    """Set whether a channel is stopped."""
    db.run("update channel_status set stopped = ? where channel = ? and partner = ''", (int(stopped), channel))


def begin_session(db: Database, channel: str, partner: str, token: bytes, state: str) -> int:
    """Begin a session of a channel for a connection; return its number."""
    return db.number(
        "update channel_status set token = ?, state = ?, session = session + 1 where channel = ? and partner = ?"
        " returning session",
        (token, state, channel, partner),
    )


def set_state(db: Database, channel: str, partner: str, session: int, state: str, peer: str) -> bool:
    """Set state and partner of a session; return False when a later session has replaced it."""
    return bool(
        db.run(
            "update channel_status set state = ?, peer = ? where channel = ? and partner = ? and session = ?",
            (state, peer, channel, partner, session),
        )
    )


def end_session(db: Database, channel: str, partner: str, session: int) -> None:
    """End a session; one that a later session has replaced changes nothing."""
    db.run(
        "update channel_status set state = 'inactive', token = null where channel = ? and partner = ? and session = ?",
        (channel, partner, session),
    )


def mark_in_doubt(db: Database, channel: str, sequence: int, batch_id: bytes, length: int, holder_id: int) -> None:
    """Set the in-doubt batch of a sender and the holder of its messages, before the partner is asked to commit."""
    db.run(
        "update channel_status set indoubt_sequence = ?, indoubt_batch_id = ?, indoubt_bytes = ?, holder_id = ?"
        " where channel = ? and partner = ''",
        (sequence, batch_id, length, holder_id, channel),
    )


def forget_doubt(db: Database, channel: str) -> None:
    """Clear the in-doubt batch of a sender."""
    db.run(
        "update channel_status set indoubt_sequence = null, indoubt_batch_id = null, indoubt_bytes = 0,"
        " holder_id = null where channel = ? and partner = ''",
        (channel,),
    )


def set_sequence(db: Database, channel: str, partner: str, sequence: int, batch_id: bytes | None) -> None:
    """Set the number of the last message, and the batch that it was in."""
    db.run(
        "update channel_status set sequence = ?, batch_id = ? where channel = ? and partner = ?",
        (sequence, batch_id, channel, partner),
    )


def set_resets(db: Database, channel: str, resets: bool) -> None:
    """Set, at a sender, whether the partner must adopt the sequence number."""
    db.run("update channel_status set resets = ? where channel = ? and partner = ''", (int(resets), channel))


def count_batch(db: Database, channel: str, partner: str, messages: int, length: int, now_ms: int) -> None:
    """Count a batch: its messages, and their length in bytes."""
    db.run(
        "update channel_status set batches = batches + 1, messages = messages + ?, bytes = bytes + ?,"
        " last_message_at = ? where channel = ? and partner = ?",
        (messages, length, now_ms, channel, partner),
    )


def ways_through(db: Database, xmit_q_name: str) -> list[str]:
    """List the queue managers that remote definitions reach through a transmission queue."""
    return db.column(
        "select distinct remote_q_mgr_name from queues where xmit_q_name = ? and remote_q_mgr_name != ''",
        (xmit_q_name,),
    )
