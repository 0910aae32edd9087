"""Dead letters for display: descriptor, dead-letter header, and the number of redrives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

from mqtools.constants.message import MQFMT_DEAD_LETTER_HEADER
from mqtools.constants.structures import MQDLH_LENGTH_1
from mqtools.errors import MQError
from mqtools.headers.chain import read_dlh
from mqtools.headers.mqdlh import MQDLH
from mqtools.message import Property
from mqtools.mqi.get.search import by_page, properties_of
from mqtools.operations.browsed_queue import BrowsedQueue
from mqtools.operations.selection import EVERYTHING, Selection, select
from mqtools.store.database import Database
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


def available(db: Database, queue_id: int) -> Iterator[StoredMessage]:
    """Yield the messages of a queue that no program holds in delivery order, also expired ones."""
    return by_page(lambda after, limit: messages.available(db, queue_id, after=after, limit=limit))


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
    dlh = None
    if stored.md.format == MQFMT_DEAD_LETTER_HEADER:
        with suppress(MQError):
            dlh = read_dlh(stored.md, head)
    is_counted = stored.properties is not None and REDRIVE_COUNT in stored.properties
    return Letter(stored, dlh, redrive_count(properties_of(stored)) if is_counted else 0)


def redrive_count(properties: Mapping[str, Property]) -> int:
    """Return the count that a redrive has written; 0 for any other value under that name."""
    count = properties.get(REDRIVE_COUNT)
    return count.value if count is not None and isinstance(count.value, int) else 0
