"""Checksums of messages: a CRC-32 of the data and of the descriptor fields that never change while it lies there.

Covered: the data, the properties, put and expiry time, and the descriptor but for BackoutCount. Not covered is what
changes in place: state, holder, lock, place in the order of delivery, BackoutCount. A message whose row has no checksum
was put by an older mqx and is not checked.
"""

from __future__ import annotations

import _struct  # without the text functions of struct
from zlib import crc32

from mqtools.constants.reasons import MQRC_OBJECT_DAMAGED
from mqtools.constants.structures import MQACT_NONE, MQCI_NONE, MQGI_NONE
from mqtools.errors import MessageDamaged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.store.messages.stored_message import StoredMessage
    from mqtools.store.types import Row

_numbers = _struct.Struct("<14q").pack
_WORD = 0xFFFFFFFF
_SEPARATOR = "\0"


def checksum(stored: StoredMessage, data: bytes) -> int:
    """Return the checksum of a message."""
    return checksum_of(stored.md.msg_id + rest_of_summed(stored), data)


def checksum_of(summed: bytes, data: bytes) -> int:
    """Return the checksum of a message by its MsgId with what ``rest_of_summed`` gives, and its data."""
    return crc32(data, crc32(summed))


def rest_of_summed(stored: StoredMessage) -> bytes:
    """Return what is summed of a message between its MsgId and its data."""
    md = stored.md
    ids = md.correl_id + md.accounting_token + md.group_id
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
    return (
        ids
        + texts.encode("utf-8", "surrogatepass")
        + _numbers(
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
    )


def checksum_of_row(row: Row) -> int:
    """Return the checksum of a message by its row: all columns of ``to_row`` up to the data."""
    ids = row[19] + (row[20] or MQCI_NONE) + (row[25] or MQACT_NONE) + (row[32] or MQGI_NONE)
    numbers = _numbers(
        row[8], row[7] or 0, row[11] & _WORD, *row[12:16], row[17], row[18], row[27], row[33], row[34],
        row[35] & _WORD, row[36],
    )  # fmt: skip
    texts = _SEPARATOR.join((row[16], *row[22:25], row[26], *row[28:32], row[9] or ""))
    return crc32(row[37], crc32(numbers, crc32(texts.encode("utf-8", "surrogatepass"), crc32(ids))))


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
