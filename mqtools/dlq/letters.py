"""Dead letters for display: descriptor, dead-letter header, and the number of redrives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from mqtools.constants.message import MQFMT_DEAD_LETTER_HEADER
from mqtools.constants.structures import MQDLH_LENGTH_1
from mqtools.errors import MQError
from mqtools.headers.chain import read_dlh
from mqtools.headers.mqdlh import MQDLH
from mqtools.message import Property
from mqtools.mqi.get.search import properties_of
from mqtools.operations.browsed_queue import BrowsedQueue
from mqtools.operations.selection import EVERYTHING, Selection, select
from mqtools.store.messages import messages
from mqtools.store.messages.stored_message import StoredMessage
from mqtools.store.source import Source

#: Property that counts how often a message was redriven (int32), and that says when it was last (text, RFC 3339).
REDRIVE_COUNT = "mqx.redrive.count"
REDRIVE_LAST = "mqx.redrive.last"

#: Bytes of the data of a letter elsewhere that are read for its header.
HEAD_BYTES = 512


@dataclass(frozen=True, slots=True)
class Letter:
    """A message of a dead-letter queue. dlh: None where it has no valid MQDLH.  redrives: number of redrives so far."""

    stored: StoredMessage
    dlh: MQDLH | None
    redrives: int = 0


def letters(source: Source, queue_id: int, selection: Selection = EVERYTHING) -> Iterator[Letter]:
    """Yield the selected messages of a queue in delivery order; of the data only the header is read.

    Locked and uncommitted messages are left out.
    Raises MQError as ``selection.select`` does.
    """
    db = source.db
    for stored in select(db, queue_id, selection):
        is_dead = stored.md.format == MQFMT_DEAD_LETTER_HEADER
        yield _letter(stored, messages.load_data(db, stored.seq, MQDLH_LENGTH_1) if is_dead else b"")


def letters_elsewhere(queue: BrowsedQueue, selection: Selection = EVERYTHING) -> Iterator[Letter]:
    """Yield the selected messages of a queue elsewhere, as ``letters`` does."""
    for stored in queue.select(selection, max_length=HEAD_BYTES):
        yield _letter(stored, stored.data or b"")


def _letter(stored: StoredMessage, head: bytes) -> Letter:
    return Letter(stored, _header(stored, head), redrives_of(stored))


def _header(stored: StoredMessage, head: bytes) -> MQDLH | None:
    if stored.md.format != MQFMT_DEAD_LETTER_HEADER:
        return None
    try:
        return read_dlh(stored.md, head)
    except MQError:
        return None


def redrives_of(stored: StoredMessage) -> int:
    """Return the count that a redrive has written; 0 for any other value under that name."""
    if stored.properties is None or REDRIVE_COUNT not in stored.properties:
        return 0
    return redrive_count(properties_of(stored))


def redrive_count(properties: Mapping[str, Property]) -> int:
    """Return the count of a message's properties, as ``redrives_of``."""
    count = properties.get(REDRIVE_COUNT)
    return count.value if count is not None and isinstance(count.value, int) else 0
