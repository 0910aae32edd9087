"""A stored message, and the columns of its row."""

from __future__ import annotations

from mqtools.constants.completeness import ALONE
from mqtools.constants.message import MQFB_NONE, MQMF_NONE, MQMT_DATAGRAM, MQOL_UNDEFINED, MQRO_NONE
from mqtools.constants.states import PUT_UNCONFIRMED, UNLOCKED
from mqtools.constants.structures import MQACT_NONE, MQCI_NONE, MQGI_NONE
from mqtools.message import MQMD
from mqtools.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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

_ALL = (*(name.strip() for name in COLUMNS.split(",")), "data", "checksum")
_MARKS = tuple(f"?{at}" for at in range(1, len(_ALL) + 1))

#: Columns that every ordinary message has the same values in when it arrives. They stand in the statement, which is
#: much less work than to give them each time. A column that is neither here nor in ``_ORDINARY`` is null.
_ALIKE: dict[str, object] = {
    "completeness": ALONE, "report": MQRO_NONE, "feedback": MQFB_NONE, "backout_count": 0, "appl_identity_data": "",
    "appl_origin_data": "", "msg_seq_number": 1, "offset": 0, "msg_flags": MQMF_NONE, "original_length": MQOL_UNDEFINED,
}  # fmt: skip
#: Beside these a plain message has the same values in these columns too: one that is no request or reply, and does not
#: expire.
_ALIKE_IN_PLAIN: dict[str, object] = {
    "expires_at": None, "msg_type": MQMT_DATAGRAM, "reply_to_q": "", "reply_to_q_mgr": "", "correl_id": None
}  # fmt: skip
#: The row of a plain message, from queue_id on what its descriptor and its time say; and that of any ordinary one.
_PLAIN = (
    "holder_id", "seq", "order_key", "msg_id", "data_length", "data", "checksum", "queue_id", "put_at", "encoding",
    "coded_char_set_id", "format", "priority", "persistence", "user_identifier", "put_appl_type", "put_appl_name",
    "put_date", "put_time",
)  # fmt: skip
_ORDINARY = (*_PLAIN, *_ALIKE_IN_PLAIN)
_HELD: dict[str, object] = {"state": PUT_UNCONFIRMED}
_AVAILABLE: dict[str, object] = {"state": UNLOCKED, "holder_id": None}


def insert_statement(given: Sequence[str], alike: Mapping[str, object]) -> str:
    """Return the insert of a row. alike: columns whose values stand in the statement; those of the row do not count."""
    values = dict(zip(given, _MARKS, strict=False))
    values |= {name: _literal(value) for name, value in alike.items()}
    return f"insert into messages ({', '.join(values)}) values ({', '.join(values.values())})"  # noqa: S608 - our words


def _literal(value: object) -> str:
    """Return null, a number or an empty text as SQL has it. Raises ValueError for any other, which is to be bound."""
    if value is None:
        return "null"
    if isinstance(value, int):
        return str(int(value))
    if value != "":
        raise ValueError(f"{value!r} must not stand in a statement")
    return "''"


#: Insert what ``to_row`` gives.
INSERT = insert_statement(_ALL, {})
#: Insert an ordinary message that is put at once, or in a unit of work; and a plain one.
INSERT_ORDINARY = insert_statement(_ORDINARY, _ALIKE | _AVAILABLE)
INSERT_ORDINARY_HELD = insert_statement(_ORDINARY, _ALIKE | _HELD)
INSERT_PLAIN = insert_statement(_PLAIN, _ALIKE | _ALIKE_IN_PLAIN | _AVAILABLE)
INSERT_PLAIN_HELD = insert_statement(_PLAIN, _ALIKE | _ALIKE_IN_PLAIN | _HELD)
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
        correl_id_column(md.correl_id),
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
    if not is_ordinary(stored):
        return INSERT, to_row(stored, data, checksum)
    md, held = stored.md, stored.holder_id is not None
    own = (stored.holder_id, stored.seq, stored.order_key, md.msg_id, stored.data_length, data, checksum)
    return ordinary_insertion(own, ordinary_columns(stored), md.correl_id, held=held)


def ordinary_insertion(own: Row, columns: Row, correl_id: bytes, *, held: bool) -> tuple[str, Row]:
    """Return the statement that inserts an ordinary message that arrives, and its row.

    own: what no other message has, as ``_PLAIN`` begins.  columns: of ``ordinary_columns``.  held: see there.
    """
    if correl_id == MQCI_NONE and len(columns) == _OF_PLAIN:
        return INSERT_PLAIN_HELD if held else INSERT_PLAIN, own + columns
    if len(columns) == _OF_PLAIN:
        columns += _NO_MORE
    row = (*own, *columns, correl_id_column(correl_id))
    return INSERT_ORDINARY_HELD if held else INSERT_ORDINARY, row


def is_ordinary(stored: StoredMessage) -> bool:
    """Return whether a message that arrives is an ordinary one: most of its columns are as in all of these."""
    md = stored.md
    return (
        (
            stored.completeness, md.report, md.feedback, md.backout_count, md.appl_identity_data,
            md.appl_origin_data, md.msg_seq_number, md.offset, md.msg_flags, md.original_length,
        ) == _SAME
        and (stored.lock_id, stored.properties) == _NONE
        and (md.accounting_token, md.group_id) == _NO_IDS
        and stored.state == (UNLOCKED if stored.holder_id is None else PUT_UNCONFIRMED)
    )  # fmt: skip


_SAME = tuple(_ALIKE.values())
_NO_MORE = tuple(_ALIKE_IN_PLAIN.values())[:-1]
_OF_PLAIN = len(_PLAIN) - 7
_NONE = (None, None)
_NO_IDS = (MQACT_NONE, MQGI_NONE)


def correl_id_column(correl_id: bytes) -> bytes | None:
    """Return a correlation id as rows have it."""
    return None if correl_id == MQCI_NONE else correl_id


def ordinary_columns(stored: StoredMessage) -> Row:
    """Return what descriptor and time of an ordinary message say, of a plain one no more than ``_PLAIN`` has."""
    md = stored.md
    columns = (
        stored.queue_id, stored.put_at, md.encoding, md.coded_char_set_id, md.format, md.priority, md.persistence,
        md.user_identifier, md.put_appl_type, md.put_appl_name, md.put_date, md.put_time,
    )  # fmt: skip
    more = (stored.expires_at, md.msg_type, md.reply_to_q, md.reply_to_q_mgr)
    return columns if more == _NO_MORE else columns + more


def _signed(word: int) -> int:
    """Return a flag word as MQLONG has it: bit 31 is the sign."""
    return word - (1 << 32) if word >= 1 << 31 else word
