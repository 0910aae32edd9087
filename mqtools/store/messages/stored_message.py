"""A stored message, and the columns of its row."""

from __future__ import annotations

from mqtools.constants.structures import MQACT_NONE, MQCI_NONE, MQGI_NONE
from mqtools.message import MQMD
from mqtools.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.store.types import Row

_DESCRIPTOR = (
    "report, msg_type, feedback, encoding, coded_char_set_id, format, priority, persistence, msg_id, correl_id, "
    "backout_count, reply_to_q, reply_to_q_mgr, user_identifier, accounting_token, appl_identity_data, "
    "put_appl_type, put_appl_name, put_date, put_time, appl_origin_data, group_id, msg_seq_number, offset, "
    "msg_flags, original_length"
)
_PLACE = (
    "seq, queue_id, state, completeness, order_key, holder_id, lock_id, expires_at, put_at, properties, data_length"
)
#: The columns of ``from_row``, in its order.
COLUMNS = f"{_PLACE}, {_DESCRIPTOR}"

#: Columns that are null in an ordinary message that is put at once: nothing is given for them, which costs as much
#: as ten others would.
_NULL_IN_PLAIN = (
    "holder_id", "lock_id", "expires_at", "properties", "correl_id", "accounting_token", "group_id"
)  # fmt: skip


def _insert(columns: list[str]) -> str:
    return f"insert into messages ({', '.join(columns)}) values ({', '.join('?' * len(columns))})"  # noqa: S608


_ALL_COLUMNS = [name.strip() for name in COLUMNS.split(",")] + ["data", "checksum"]
_PLAIN_COLUMNS = [name for name in _ALL_COLUMNS if name not in _NULL_IN_PLAIN and name != "state"]
#: Inserts what ``to_row`` gives.
INSERT = _insert(_ALL_COLUMNS)
#: Inserts what ``_to_plain_row`` gives, and its state; and its holder.
INSERT_PLAIN = _insert([*_PLAIN_COLUMNS, "state"])
INSERT_PLAIN_HELD = _insert([*_PLAIN_COLUMNS, "state", "holder_id"])

#: Identifier to the value that the row has null for. An identifier not listed is always there.
NULLS = {"correl_id": MQCI_NONE, "accounting_token": MQACT_NONE, "group_id": MQGI_NONE}


class StoredMessage(Record):
    """A message in the store: its place, its state, its descriptor; data only when loaded.

    expires_at, put_at: milliseconds since 1970.  properties: JSON text, or None.  data_length: bytes.
    md.expiry is not meaningful here: expires_at is.  data: None where it was not read, or lies in pieces.
    checksum: of ``checksums``, None where it was not read, is not there, or was found right.
    """

    __slots__ = (
        "seq",
        "queue_id",
        "state",
        "completeness",
        "order_key",
        "holder_id",
        "lock_id",
        "expires_at",
        "put_at",
        "properties",
        "data_length",
        "md",
        "data",
        "checksum",
    )

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


def from_row(row: Row) -> StoredMessage:
    """Return the stored message of a row of all its columns; the data may follow, and the checksum."""
    stored, md = StoredMessage.__new__(StoredMessage), MQMD.__new__(MQMD)
    stored.md, md.version, md.expiry = md, 2, -1
    (
        stored.seq, stored.queue_id, stored.state, stored.completeness, stored.order_key, stored.holder_id,
        stored.lock_id, stored.expires_at, stored.put_at, stored.properties, stored.data_length,
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
    """Return the row of a message: all its columns, the data and the checksum."""
    md = stored.md
    return (
        stored.seq,
        stored.queue_id,
        stored.state,
        stored.completeness,
        stored.order_key,
        stored.holder_id,
        stored.lock_id,
        stored.expires_at,
        stored.put_at,
        stored.properties,
        stored.data_length,
        _signed(md.report),
        md.msg_type,
        md.feedback,
        md.encoding,
        md.coded_char_set_id,
        md.format,
        md.priority,
        md.persistence,
        md.msg_id,
        None if md.correl_id == MQCI_NONE else md.correl_id,
        md.backout_count,
        md.reply_to_q,
        md.reply_to_q_mgr,
        md.user_identifier,
        None if md.accounting_token == MQACT_NONE else md.accounting_token,
        md.appl_identity_data,
        md.put_appl_type,
        md.put_appl_name,
        md.put_date,
        md.put_time,
        md.appl_origin_data,
        None if md.group_id == MQGI_NONE else md.group_id,
        md.msg_seq_number,
        md.offset,
        _signed(md.msg_flags),
        md.original_length,
        data,
        checksum,
    )


def insertion(stored: StoredMessage, data: bytes | None, checksum: int | None) -> tuple[str, Row]:
    """Return the statement that inserts a message that arrives, and its row."""
    if not _is_plain(stored):
        return INSERT, to_row(stored, data, checksum)
    row = _to_plain_row(stored, data, checksum)
    if stored.holder_id is None:
        return INSERT_PLAIN, (*row, stored.state)
    return INSERT_PLAIN_HELD, (*row, stored.state, stored.holder_id)


def _is_plain(stored: StoredMessage) -> bool:
    """Return whether a message is an ordinary one: its row is that of ``_to_plain_row``."""
    md = stored.md
    return (
        stored.expires_at is None
        and stored.properties is None
        and md.correl_id == MQCI_NONE
        and md.accounting_token == MQACT_NONE
        and md.group_id == MQGI_NONE
        and stored.lock_id is None
    )


def _to_plain_row(stored: StoredMessage, data: bytes | None, checksum: int | None) -> Row:
    """Return the row of an ordinary message: the columns that are not null in it, but for the state."""
    md = stored.md
    return (
        stored.seq,
        stored.queue_id,
        stored.completeness,
        stored.order_key,
        stored.put_at,
        stored.data_length,
        _signed(md.report) if md.report else 0,
        md.msg_type,
        md.feedback,
        md.encoding,
        md.coded_char_set_id,
        md.format,
        md.priority,
        md.persistence,
        md.msg_id,
        md.backout_count,
        md.reply_to_q,
        md.reply_to_q_mgr,
        md.user_identifier,
        md.appl_identity_data,
        md.put_appl_type,
        md.put_appl_name,
        md.put_date,
        md.put_time,
        md.appl_origin_data,
        md.msg_seq_number,
        md.offset,
        _signed(md.msg_flags) if md.msg_flags else 0,
        md.original_length,
        data,
        checksum,
    )


def _signed(word: int) -> int:
    """Return a flag word as MQLONG has it: bit 31 is the sign."""
    return word - (1 << 32) if word >= 1 << 31 else word
