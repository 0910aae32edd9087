"""A stored message: its keys, and the columns of its row."""

from __future__ import annotations

from mqtools.constants.objects import MQMDS_PRIORITY
from mqtools.constants.structures import MQACT_NONE, MQCI_NONE, MQGI_NONE
from mqtools.message import MQMD
from mqtools.records import Record
from mqtools.store import Row
from mqtools.store.queues import Queue

#: Data longer than this (bytes) is stored in chunks of this size.
CHUNK = 262_144
#: Bits of the number in an order key; the priority is above them.
NUMBER_BITS = 48
_QUEUE_SHIFT = 40

#: An ``expires_at`` from here on stands still: what is above it (ms) remains, whatever the time.
FROZEN = 1 << 52

#: Version is always 2, and expiry follows from expires_at.
DESCRIPTOR_COLUMNS = tuple(name for name in MQMD.__slots__ if name not in ("version", "expiry"))
_PLACE = (
    "seq, queue_id, state, completeness, order_key, holder_id, lock_id, expires_at, put_at, properties, data_length,"
    " deliver_at"
)
#: The columns of ``from_row``, in its order.
COLUMNS = f"{_PLACE}, {', '.join(DESCRIPTOR_COLUMNS)}"

#: Column to the value that is stored as null: that of an absent identifier, holder, time or text. To bind a null takes
#: Python longer than to bind zero.
_NULLS = {
    "holder_id": "0", "lock_id": "0", "expires_at": "0", "properties": "''",
    "deliver_at": "0",
    "correl_id": f"zeroblob({len(MQCI_NONE)})", "accounting_token": f"zeroblob({len(MQACT_NONE)})",
    "group_id": f"zeroblob({len(MQGI_NONE)})",
}  # fmt: skip
#: The columns as those of ``messages as m``, or of another table with them.
M_COLUMNS = ", ".join(f"m.{name.strip()}" for name in COLUMNS.split(","))
#: Identifiers of a message, which are null where they are zeros, to the indexes that find them.
ID_INDEXES = {"msg_id": "messages_msg_id", "correl_id": "messages_correl_id", "group_id": "messages_group"}
_NAMES = [*(name.strip() for name in COLUMNS.split(",")), "data", "checksum"]
#: Where a row has the group identifier.
GROUP_ID = _NAMES.index("group_id")
#: Inserts what ``to_row`` returns.
INSERT = (
    f"insert into messages ({', '.join(_NAMES)}) values ("  # noqa: S608 - our own names
    f"{', '.join(f'nullif(?, {_NULLS[name]})' if name in _NULLS else '?' for name in _NAMES)})"
)


def seq_of(queue_id: int, number: int) -> int:
    """Return the primary key of the message with an arrival number on a queue."""
    return (queue_id << _QUEUE_SHIFT) | number


def order_key(queue: Queue, priority: int, number: int) -> int:
    """Return the order key of a message on its queue: the smaller is delivered first (BROWSE-28, BROWSE-29).

    number: of the arrival (or of the confirmation) on the queue.
    """
    if queue.msg_delivery_sequence != MQMDS_PRIORITY:
        return number
    return (9 - priority if priority < 9 else 0) << NUMBER_BITS | number


class StoredMessage(Record):
    """A message in the store: its place, its state, its descriptor; data only when loaded.

    expires_at, put_at, deliver_at: milliseconds since 1970.  properties: JSON text, or None.  data_length: bytes.
    md.expiry is not meaningful here: expires_at is.  data: None where it was not read, or is in pieces.
    checksum: of ``checksums``, None where it was not read, is not there, or was found right.
    """

    def __init__(
        self,
        seq: int,
        queue_id: int,
        state: int,
        completeness: int,
        order_key: int,
        holder_id: int | None,
        lock_id: int | None,
        expires_at: int | None,
        put_at: int,
        properties: str | None,
        data_length: int,
        md: MQMD,
        data: bytes | None = None,
        checksum: int | None = None,
        deliver_at: int | None = None,
    ) -> None:
        self.seq = seq
        self.queue_id = queue_id
        self.state = state
        self.completeness = completeness
        self.order_key = order_key
        self.holder_id = holder_id
        self.lock_id = lock_id
        self.expires_at = expires_at
        self.put_at = put_at
        self.properties = properties
        self.data_length = data_length
        self.md = md
        self.data = data
        self.checksum = checksum
        self.deliver_at = deliver_at

    __slots__ = tuple(name for name in __init__.__annotations__ if name != "return")

    def has_expired(self, now_ms: int) -> bool:
        """Return whether its time is over. now_ms: milliseconds since 1970."""
        return self.expires_at is not None and self.expires_at <= now_ms


def from_row(row: Row) -> StoredMessage:
    """Return the stored message of a row of all its columns; the data may follow, and the checksum."""
    stored, md = StoredMessage.__new__(StoredMessage), MQMD.__new__(MQMD)
    stored.md, md.version, md.expiry = md, 2, -1
    (
        stored.seq, stored.queue_id, stored.state, stored.completeness, stored.order_key, stored.holder_id,
        stored.lock_id, stored.expires_at, stored.put_at, stored.properties, stored.data_length,
        stored.deliver_at,
        md.report, md.msg_type, md.feedback, md.encoding, md.coded_char_set_id, md.format, md.priority,
        md.persistence, md.msg_id, correl_id, md.backout_count, md.reply_to_q, md.reply_to_q_mgr,
        md.user_identifier, accounting_token, md.appl_identity_data, md.put_appl_type, md.put_appl_name,
        md.put_date, md.put_time, md.appl_origin_data, group_id, md.msg_seq_number, md.offset, md.msg_flags,
        md.original_length, *data,
    ) = row  # fmt: skip
    md.correl_id = MQCI_NONE if correl_id is None else correl_id
    md.accounting_token = MQACT_NONE if accounting_token is None else accounting_token
    md.group_id = MQGI_NONE if group_id is None else group_id
    stored.data, stored.checksum = data or _NOT_READ
    return stored


_NOT_READ = (None, None)


def to_row(stored: StoredMessage, data: bytes | None, checksum: int | None) -> Row:
    """Return what ``INSERT`` inserts: all columns of a message, the data and the checksum.

    Binary values are bytearrays: for each ``bytes`` object Python looks for an adapter, which takes longer than a copy.
    """
    md = stored.md
    return (
        stored.seq,
        stored.queue_id,
        stored.state,
        stored.completeness,
        stored.order_key,
        stored.holder_id or 0,
        stored.lock_id or 0,
        stored.expires_at or 0,
        stored.put_at,
        stored.properties or "",
        stored.data_length,
        stored.deliver_at or 0,
        _signed(md.report) if md.report else 0,
        md.msg_type,
        md.feedback,
        md.encoding,
        md.coded_char_set_id,
        md.format,
        md.priority,
        md.persistence,
        bytearray(md.msg_id),
        bytearray(md.correl_id),
        md.backout_count,
        md.reply_to_q,
        md.reply_to_q_mgr,
        md.user_identifier,
        bytearray(md.accounting_token),
        md.appl_identity_data,
        md.put_appl_type,
        md.put_appl_name,
        md.put_date,
        md.put_time,
        md.appl_origin_data,
        bytearray(md.group_id),
        md.msg_seq_number,
        md.offset,
        _signed(md.msg_flags) if md.msg_flags else 0,
        md.original_length,
        None if data is None else bytearray(data),
        checksum,
    )


def _signed(word: int) -> int:
    """Return a flag word as MQLONG has it: bit 31 is the sign."""
    return word - (1 << 32) if word >= 1 << 31 else word
