"""Selection applied to the messages of a file: the same options as for a queue; positions count in the file."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from mqtools.constants.states import ALONE, UNLOCKED
from mqtools.formats.mistakes import ReadMessage
from mqtools.formats.properties import properties_to_json
from mqtools.message import Message
from mqtools.mqi.identity import now_ms
from mqtools.operations.selection import Selection, Test, find_with_prefix
from mqtools.store.messages.stored_message import StoredMessage


def select_messages(
    read: Iterator[ReadMessage], selection: Selection, read_again: Callable[[], Iterator[ReadMessage]]
) -> Iterator[ReadMessage]:
    """Yield the selected messages. read_again: reads all messages, to complete prefixes of identifiers.

    Raises MQError as ``mqtools.operations.selection.select``.
    """

    data: list[bytes] = [b""]
    test = Test(
        selection,
        lambda field, prefix: find_with_prefix((each.message.md for each in read_again()), field, prefix),
        lambda _, limit: data[0][:limit],
    )
    now = now_ms()
    for place, each in enumerate(read, 1):
        if selection.last is not None and place > selection.last:
            continue  # what follows is read for its mistakes
        data[0] = each.message.data
        if (selection.first is None or place >= selection.first) and test.holds(_as_stored(each.message, now), now):
            yield each


def _as_stored(message: Message, now: int) -> StoredMessage:
    """Return a message as a queue would store it, for a selection."""
    md = message.md.replace()
    expires_at = now + md.expiry * 100 if md.expiry > 0 else None
    properties = properties_to_json(message.properties)
    return StoredMessage(0, 0, UNLOCKED, ALONE, 0, None, None, expires_at, now, properties, len(message.data), md)
