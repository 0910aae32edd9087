"""Digest of a message: how ``pull``, ``push`` and ``apply`` recognize a message on another queue manager."""

from __future__ import annotations

import json
from hashlib import sha256

from mqtools.formats.properties import properties_to_dict
from mqtools.message import BYTE_FIELDS, CHARACTER_FIELDS, MQMD, Message
from mqtools.rules.message_forms import plain_form

#: Fields that change while a message is on its queue, and the version, which is that of the program.
_NOT_COMPARED = ("version", "expiry", "backout_count")
#: Fields of the message context, which a put without authority to set it changes.
CONTEXT = (
    *("user_identifier", "accounting_token", "appl_identity_data"),
    *("put_appl_type", "put_appl_name", "put_date", "put_time", "appl_origin_data"),
)
_WORD = 0xFFFF_FFFF


def message_digest(message: Message, without: tuple[str, ...] = ()) -> bytes:
    """Return the SHA-256 of descriptor, properties and data; expiry and backout count do not count.

    It is the same whether properties are next to the data or in an MQRFH2.  without: further fields that do not count.
    """
    message = plain_form(message)
    fields = [_text(message.md, name) for name in MQMD.__slots__ if name not in _NOT_COMPARED and name not in without]
    head = json.dumps([fields, properties_to_dict(message.properties)], sort_keys=True)
    return sha256(b"%d %s%s" % (len(head), head.encode("ascii"), message.data)).digest()


def has_same_content(a: Message, b: Message) -> bool:
    """Return whether two messages differ in nothing but their context, expiry and backout count."""
    return message_digest(a, CONTEXT) == message_digest(b, CONTEXT)


def _text(md: MQMD, name: str) -> str:
    value = getattr(md, name)
    if name in BYTE_FIELDS:
        return bytes(value).hex()
    return str(value) if name in CHARACTER_FIELDS else str(int(value) & _WORD)
