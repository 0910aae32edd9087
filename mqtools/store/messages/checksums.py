"""Checksums of messages: of the data and of the descriptor fields that never change while it lies there.

It is a CRC-32; with data longer than ``MOST_BY_CRC`` it is the lower 63 bits of XXH3, whose seed is the CRC-32 of the
descriptor: that takes a tenth of the time, and short messages import nothing for it. Covered: the data, the properties,
put and expiry time, and the descriptor but for BackoutCount. Not covered is what changes in place: state, holder, lock,
place in the order of delivery, BackoutCount. A message whose row has no checksum was put by an older mqx and is not
checked.

The first sums of a process are made in Python, for a command mostly makes no more: importing zlib and _struct takes
half a millisecond, the sum of a short message in Python a tenth of that.
"""

from __future__ import annotations

from mqtools.constants.reasons import MQRC_OBJECT_DAMAGED
from mqtools.constants.structures import MQACT_NONE, MQCI_NONE, MQGI_NONE
from mqtools.errors import MessageDamaged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from mqtools.store.messages.stored_message import StoredMessage
    from mqtools.store.messages.xxh3_in_python import Xxh3
    from mqtools.store.types import Row

#: Bytes of data that are summed by CRC-32 at most. It is part of the file's format.
MOST_BY_CRC = 1024

#: Sums that are still made in Python, two of each message, and of how many bytes at most.
_left, _MOST_IN_PYTHON = 4, 512
#: CRC-32 of each half of a byte, with the polynomial of zlib.
_TABLE = (
    0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC, 0x76DC4190, 0x6B6B51F4, 0x4DB26158, 0x5005713C,
    0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C, 0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C,
)  # fmt: skip
_WORD = 0xFFFFFFFF
_SEPARATOR = "\0"
#: Bytes of the numbers that are summed behind the texts, and of put and expiry time in front of them.
_NUMBERS_LENGTH, _TIMES_LENGTH = 14 * 8, 2 * 8
_BITS = (1 << 63) - 1  # that an integer of SQLite has, without its sign
_class: type[Xxh3] | None = None


def crc32_in_python(data: bytes, value: int) -> int:
    """Return what ``zlib.crc32`` does."""
    table, rest = _TABLE, value ^ _WORD
    for byte in data:
        rest ^= byte
        rest = table[rest & 15] ^ (rest >> 4)
        rest = table[rest & 15] ^ (rest >> 4)
    return rest ^ _WORD


def pack_in_python(*numbers: int) -> bytes:
    """Return signed numbers in eight bytes each, the lowest first. Raises OverflowError."""
    return b"".join([number.to_bytes(8, "little", signed=True) for number in numbers])


def _first_crc32(data: bytes, value: int) -> int:
    """Return a CRC-32, and from the third message on, or for a longer one, have zlib return them."""
    global _left
    if _left and len(data) <= _MOST_IN_PYTHON:
        _left -= 1
        return crc32_in_python(data, value)
    _import()
    return _crc32(data, value)


def _import() -> None:
    global _crc32, _numbers, _times, _numbers_behind_times
    from _struct import Struct  # without the text functions of struct
    from zlib import crc32

    _crc32, _numbers = crc32, Struct("<14q").pack
    _times, _numbers_behind_times = Struct("<2q").pack, Struct("<12q").pack


_crc32: Callable[[bytes, int], int] = _first_crc32
_numbers: Callable[..., bytes] = pack_in_python
_times = _numbers_behind_times = _numbers


def checksum(stored: StoredMessage, data: bytes) -> int:
    """Return the checksum of a message."""
    return checksum_of(stored.md.msg_id + stored.md.correl_id + rest_of_summed(stored), data)


def checksum_of(summed: bytes, data: bytes) -> int:
    """Return the checksum of a message. summed: MsgId, CorrelId, and what ``rest_of_summed`` gives."""
    if len(data) > MOST_BY_CRC:
        return _xxh3(data, _crc32(summed, 0)).intdigest() & _BITS
    return _crc32(data, _crc32(summed, 0))


def _xxh3(data: bytes, seed: int) -> Xxh3:
    global _class
    if _class is None:  # the statement that imports costs more than the sum
        from mqtools.store.messages import xxh3

        _class = xxh3.Xxh3
    return _class(data, seed)


def rest_of_summed(stored: StoredMessage) -> bytes:
    """Return what is summed of the descriptor of a message behind MsgId and CorrelId."""
    md = stored.md
    ids = md.accounting_token + md.group_id
    texts = _SEPARATOR.join(
        (
            md.format,
            md.reply_to_q,
            md.reply_to_q_mgr,
            md.user_identifier,
            md.appl_identity_data,
            md.put_appl_name,
            md.put_date,
            md.put_time,
            md.appl_origin_data,
            stored.properties or "",
        )
    )
    numbers = _numbers(
        stored.put_at,
        stored.expires_at or 0,
        md.report & _WORD,
        md.msg_type,
        md.feedback,
        md.encoding,
        md.coded_char_set_id,
        md.priority,
        md.persistence,
        md.put_appl_type,
        md.msg_seq_number,
        md.offset,
        md.msg_flags & _WORD,
        md.original_length,
    )
    return ids + texts.encode("utf-8", "surrogatepass") + numbers


def around_put_time(stored: StoredMessage) -> tuple[bytes, bytes]:
    """Return what ``rest_of_summed`` has before the put date, and behind the put time."""
    md, rest = stored.md, rest_of_summed(stored)
    before = (md.format, md.reply_to_q, md.reply_to_q_mgr, md.user_identifier, md.appl_identity_data, md.put_appl_name)
    at = len(md.accounting_token) + len(md.group_id) + len(_encoded((*before, "")))
    return rest[:at], rest[at + len(put_time_summed(md.put_date, md.put_time)) :]


def put_time_summed(put_date: str, put_time: str) -> bytes:
    """Return what is summed of put date and time."""
    return _encoded((put_date, put_time))


def _encoded(texts: Iterable[str]) -> bytes:
    return _SEPARATOR.join(texts).encode("utf-8", "surrogatepass")


def checksum_of_row(row: Row) -> int:
    """Return the checksum of a message by its row: all columns of ``to_row`` up to the data."""
    return checksums_of_row(row, row[8], row[7])[0]


def checksums_of_row(row: Row, put_at: int, expires_at: int | None) -> tuple[int, int]:
    """Return the checksum of a message by its row, and what it is with other put and expiry times."""
    (
        expired_at, was_put_at, properties, _, report, msg_type, feedback, encoding, ccsid, format_name, priority,
        persistence, msg_id, correl_id, _, reply_to_q, reply_to_q_mgr, user, token, identity, appl_type, appl_name,
        date, time, origin, group_id, number, offset, flags, length, data,
    ) = row[7:38]  # fmt: skip
    texts = (
        f"{format_name}\0{reply_to_q}\0{reply_to_q_mgr}\0{user}\0{identity}\0{appl_name}\0{date}\0{time}\0{origin}"
        f"\0{properties or ''}"
    ).encode("utf-8", "surrogatepass")
    begun = msg_id + (correl_id or MQCI_NONE) + (token or MQACT_NONE) + (group_id or MQGI_NONE) + texts
    numbers = _numbers_behind_times(
        report & _WORD, msg_type, feedback, encoding, ccsid, priority, persistence, appl_type, number, offset,
        flags & _WORD, length,
    )  # fmt: skip
    return checksums_around_times(begun, numbers, data, (was_put_at, expired_at or 0), (put_at, expires_at or 0))


def around_times(stored: StoredMessage) -> tuple[bytes, bytes]:
    """Return what ``rest_of_summed`` has behind the put time in front of put and expiry time, and behind them."""
    rest = around_put_time(stored)[1]
    return rest[:-_NUMBERS_LENGTH], rest[_TIMES_LENGTH - _NUMBERS_LENGTH :]


def checksums_around_times(
    begun: bytes, numbers: bytes, data: bytes, times: tuple[int, int], others: tuple[int, int]
) -> tuple[int, int]:
    """Return the checksum of a message, and what it is with other put and expiry times.

    begun, numbers: what is summed in front of these times and behind them.
    """
    if len(data) > MOST_BY_CRC:
        before = checksum_of(begun + _times(*times) + numbers, data)
        return before, before if others == times else checksum_of(begun + _times(*others) + numbers, data)
    value = _crc32(begun, 0)
    before = _crc32(data, _crc32(_times(*times) + numbers, value))
    return before, before if others == times else _crc32(data, _crc32(_times(*others) + numbers, value))


def check(stored: StoredMessage, data: bytes, where: str = "") -> None:
    """Check a message that was read with its checksum. where: words in front of the error's.  Raises MessageDamaged."""
    if len(data) != stored.data_length:
        raise damage_error(stored, f"it should have {stored.data_length} bytes, and has {len(data)}", where)
    if checksum(stored, data) != stored.checksum:
        raise damage_error(stored, where=where)


def check_pieces(stored: StoredMessage, pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the pieces of data longer than ``MOST_BY_CRC``, and raise MessageDamaged at the end where they are damaged.

    The reader of a part has it already by then: a long message is not read twice.
    """
    total = _xxh3(b"", _crc32(stored.md.msg_id + stored.md.correl_id + rest_of_summed(stored), 0))
    for piece in pieces:
        total.update(piece)
        yield piece
    if stored.checksum not in (None, total.intdigest() & _BITS):
        raise damage_error(stored)


def damage_error(
    stored: StoredMessage, why: str = "its bytes are not those that were put", where: str = ""
) -> MessageDamaged:
    """Return the error of a message that is not as it was put."""
    return MessageDamaged(
        f"{where}message {stored.md.msg_id.hex().upper()} is damaged: {why}",
        MQRC_OBJECT_DAMAGED,
        hint="mqx doctor lists the damaged messages; mqx get passes over them once it has met them",
        seq=stored.seq,
    )
