"""Checksums of messages: of the data and of the descriptor fields that never change on a queue.

It is a CRC-32; with data longer than ``MOST_BY_CRC`` it is the lower 63 bits of XXH3, whose seed is the CRC-32 of the
descriptor: that takes a tenth of the time. Covered: the data, the properties, put, expiry and delivery time, and the
descriptor but for BackoutCount. Not covered is what changes in place: state, holder, lock, place in the order of
delivery, BackoutCount. A message whose row has no checksum was put by an older mqx and is not checked.
"""

from __future__ import annotations

from _struct import Struct  # what ``struct`` has it from, one module fewer
from zlib import crc32

from mqtools.constants.reasons import MQRC_OBJECT_DAMAGED
from mqtools.errors import MessageDamaged
from mqtools.store.messages.stored_message import StoredMessage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from xxhash import xxh3_64


#: Bytes of data that are summed by CRC-32 at most. It is part of the file's format.
MOST_BY_CRC = 1024

_WORD = 0xFFFFFFFF
_BITS = (1 << 63) - 1  # that an integer of SQLite has, without its sign
_numbers = Struct("<14q").pack


def checksum(stored: StoredMessage, data: bytes) -> int:
    """Return the checksum of a message; without data it is the CRC-32 of the descriptor."""
    md = stored.md
    texts = (
        f"{md.format}\0{md.reply_to_q}\0{md.reply_to_q_mgr}\0{md.user_identifier}\0{md.appl_identity_data}\0"
        f"{md.put_appl_name}\0{md.put_date}\0{md.put_time}\0{md.appl_origin_data}\0{stored.properties or ''}"
    )
    if stored.deliver_at is not None:
        texts += f"\0{stored.deliver_at}"
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
    ids = md.msg_id + md.correl_id + md.accounting_token + md.group_id
    value = crc32(ids + texts.encode("utf-8", "surrogatepass") + numbers)
    if len(data) > MOST_BY_CRC:
        return int(_xxh3(data, value).intdigest()) & _BITS
    return crc32(data, value)


def _xxh3(data: bytes, seed: int) -> xxh3_64:
    from xxhash import xxh3_64  # a command that puts or gets a short message does not need it

    return xxh3_64(data, seed)


def check(stored: StoredMessage, data: bytes, where: str = "") -> None:
    """Check a message that was read with its checksum. where: words in front of the error's.  Raises MessageDamaged."""
    if len(data) != stored.data_length:
        raise damage_error(stored, f"it should have {stored.data_length} bytes, and has {len(data)}", where)
    if checksum(stored, data) != stored.checksum:
        raise damage_error(stored, where=where)


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
