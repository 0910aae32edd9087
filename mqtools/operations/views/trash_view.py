"""Contents of the trash for display: removals, messages, sizes."""

from __future__ import annotations

from collections.abc import Iterable

from mqtools.message import Message
from mqtools.mqi.authority import check_browse
from mqtools.mqi.identity import now_ms
from mqtools.operations.stored_messages import as_message
from mqtools.store.messages import messages, trash
from mqtools.store.messages.trash import Removal as Removal
from mqtools.store.messages.trash import Trashed as Trashed
from mqtools.store.source import Source


def list_removals(source: Source, q_name: str | None = None) -> list[Removal]:
    """Return the removals of a queue, or of all for None, the oldest first. Raises MQError: MQRC_NOT_AUTHORIZED."""
    found = [removal for removal in trash.removals(source.db) if q_name in (None, removal.q_name)]
    for removal in found:
        check_browse(source.db, removal.q_name)
    return found


def load_trashed(source: Source, trashed: Trashed) -> Message:
    return as_message(trashed.stored, trash.load_data(source.db, trashed.number), now_ms())


def trash_size(source: Source, keys: Iterable[int]) -> int:
    """Return the bytes that messages of a queue would use in the trash."""
    found = (messages.by_seq(source.db, key) for key in keys)
    return sum(trash.size_of(stored) for stored in found if stored is not None)
