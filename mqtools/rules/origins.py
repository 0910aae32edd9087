"""Original of a pulled message: which one it is, and what has become of it on its queue manager."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mqtools.message import MQMD, Message
from mqtools.rules.message_digest import has_same_content, message_digest

#: State of an original: unchanged; replaced by the message here; gone; it was
#: changed; several messages have its identifiers.
THERE, REPLACED, GONE, CHANGED, SEVERAL = "there", "replaced", "gone", "changed", "several"
#: State in which an original cannot be replaced to its words.
NOT_REPLACED = {
    GONE: "the original has gone",
    CHANGED: "the original has changed",
    SEVERAL: "several messages could be the original",
}


@dataclass(frozen=True, slots=True)
class MessageOrigin:
    """Original of a message here.

    q_mgr_identifier, q_name: of its queue manager and queue.  put_date, put_time: of its descriptor.
    digest: of the original (``message_digest``).  here: that of the message here when both were equal, or were made so.
    expiry: what remained then, tenths of a second, -1 without limit.  copies: number of equal messages there.
    """

    q_mgr_identifier: str
    q_name: str
    msg_id: bytes
    correl_id: bytes
    put_date: str
    put_time: str
    digest: bytes
    here: bytes
    expiry: int
    copies: int = 1


def origin_of(there: Message, q_mgr_identifier: str, q_name: str, here: Message | None = None) -> MessageOrigin:
    """Return the origin of a message here. there: the original.  here: the message, None where both are equal."""
    md, digest = there.md, message_digest(there)
    place = (q_mgr_identifier, q_name, bytes(md.msg_id), bytes(md.correl_id), md.put_date, md.put_time)
    own = digest if here is None else message_digest(here)
    return MessageOrigin(*place, digest, own, (here or there).md.expiry)


def choose_origin(origins: Sequence[MessageOrigin], digest: bytes) -> MessageOrigin | None:
    """Return the origin of a message among those with its MsgId and put time; None where there is not one.

    digest: of the message: its own origin comes first, else there must be one only, whose message was edited.
    """
    equal = [origin for origin in origins if origin.here == digest]
    found = equal or origins
    return found[0] if len(found) == 1 else None


def compare_original(found: Sequence[Message], digest: bytes, replacement: Message | None = None) -> str:
    """Return what has become of an original: THERE, REPLACED, GONE, CHANGED or SEVERAL.

    found: messages there with its identifiers.  digest: of the original.  replacement: message that may have taken its
    place already.
    """
    if len(found) != 1:
        return SEVERAL if found else GONE
    if message_digest(found[0]) == digest:
        return THERE
    return REPLACED if replacement is not None and has_same_content(found[0], replacement) else CHANGED


def identity(md: MQMD) -> tuple[bytes, str, str]:
    """Return what a message here is found by: MsgId and put time."""
    return bytes(md.msg_id), md.put_date, md.put_time
