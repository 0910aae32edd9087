"""Events of traced messages in an archive, read without Spark.

An archive of events has those of the journal. One of messages says of each only that it was put, in its descriptor.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.compute as pc

from mqtools.constants.names import value_of
from mqtools.constants.states import STATE_NAMES
from mqtools.message import MQMD
from mqtools.operations import archive_files
from mqtools.rules.selector.selector import Selector
from mqtools.store.messages.journal import COPY_OF
from mqtools.store.messages.journal_events import Event

_OF_EVENT = (
    "event_seq event_at event holder appl_name outcome qmgr queue seq state_before state_after held_at undone detail"
    " msg_id correl_id group_id msg_type feedback report format backout_count user_identifier put_appl_name put_at"
    " arrived_at"
)
_COLUMNS = tuple(_OF_EVENT.split())
_IDENTIFIERS = ("msg_id", "correl_id", "group_id")
#: Rows that are read at a time; they have no bodies.
_ROWS = 65_536
#: Words for a message of an archive without events.
_NO_EVENTS = "as its descriptor says: the archive has messages, no events"


class ArchiveSource:
    """Archive in a folder. Raises UsageError where it has no files."""

    is_live = False

    def __init__(self, path: str) -> None:
        self.name = path
        self._files = archive_files.data_files(path)

    def close(self) -> None:
        """Close nothing: files are open only while they are read."""

    def on_queues(self, field: str, ids: Iterable[bytes]) -> list[Event]:  # noqa: ARG002 - an archive does not know
        """Return nothing: an archive does not know the present messages of a queue."""
        return []

    def events(self, field: str, ids: Iterable[bytes]) -> list[Event]:
        """Return the events of the messages with one of some identifiers. Raises UsageError."""

        wanted = pa.array([each.hex().upper() for each in ids], pa.string())
        return self._events(lambda batch: pc.is_in(_column(batch, field), wanted))

    def replays(self, ids: Iterable[bytes]) -> list[Event]:
        """Return the events of replays that gave a new id to a message with one of some ids, as ``events``."""

        pattern = COPY_OF + f"({'|'.join(each.hex().upper() for each in ids)})"
        return self._events(
            lambda batch: pc.and_(
                pc.equal(_column(batch, "event"), "replay"), pc.match_substring_regex(_column(batch, "detail"), pattern)
            )
        )

    def _events(self, which: Callable[[Any], Any]) -> list[Event]:
        """Return the events of the rows that a function marks in each batch of them."""
        return [_event(row) for batch in self._batches(_COLUMNS) for row in batch.filter(which(batch)).to_pylist()]

    def ids_between(self, low: bytes, high: bytes) -> set[bytes]:
        """Return the identifiers in a range. Raises UsageError."""

        first, last = low.hex().upper(), high.hex().upper()
        found: set[bytes] = set()
        for batch in self._batches(_IDENTIFIERS):
            for name in _IDENTIFIERS:
                column = _column(batch, name)
                between = pc.and_(pc.greater_equal(column, first), pc.less_equal(column, last))
                found.update(bytes.fromhex(text) for text in pc.unique(column.filter(between)).to_pylist())
        return found

    def unread(self, selector: Selector) -> int:  # noqa: ARG002 - that of any source
        """Return 0: how many messages there are is not known before they are read."""
        return 0

    def selected_ids(self, selector: Selector, advance: Callable[[int], None] | None = None) -> set[bytes]:  # noqa: ARG002
        """Return the message ids of the messages that a selector selects. Raises UsageError, MQError."""
        messages = map(archive_files.message_of, archive_files.rows(self.name, (*MQMD.__slots__, "properties_json")))
        return {each.md.msg_id for each in messages if selector.matches(each.md, each.properties)}

    def _batches(self, columns: Iterable[str]) -> Iterator[Any]:
        """Yield the columns that there are, with those that the names of the folders have."""

        for name, batch in archive_files.batches(self._files, columns, _ROWS):
            for key, value in _partition(name).items():
                if key in columns and key not in batch.schema.names:
                    batch = batch.append_column(key, pa.repeat(pa.scalar(value), batch.num_rows))
            yield batch


def _column(batch: Any, name: str) -> Any:

    if name in batch.schema.names:
        return batch.column(name).cast(pa.string())
    return pa.nulls(batch.num_rows, pa.string())


def _partition(path: str) -> dict[str, str]:
    """Return the columns that the folders of a file name: ``queue=ORDERS``."""
    folders = os.path.dirname(os.path.abspath(path)).split(os.sep)
    named = [folder.partition("=") for folder in folders if "=" in folder]
    return {key: unquote(value) for key, _, value in named}


def _event(row: Mapping[str, Any]) -> Event:
    """Return the event of a row; of a message without events its put."""
    is_event = row.get("event") is not None
    at = _ms(row.get("event_at") or row.get("put_at")) or 0
    appl_name = row.get("appl_name") if is_event else row.get("put_appl_name")
    return Event(
        int(row.get("event_seq") or -1),
        at,
        row.get("event") or "put",
        (row.get("holder") if is_event else row.get("user_identifier")) or "",
        appl_name or "",
        _reason(row.get("outcome")),
        row.get("queue") or "",
        int(row.get("seq") or 0),
        *_states(row, is_event),
        _ms(row.get("held_at")),
        row.get("undone"),
        row.get("detail") if is_event else _NO_EVENTS,
        bytes.fromhex(row["msg_id"]),
        _identifier(row.get("correl_id")),
        _identifier(row.get("group_id")),
        int(row.get("msg_type") or 0),
        int(row.get("feedback") or 0),
        int(row.get("report") or 0),
        row.get("format") or "",
        int(row.get("backout_count") or 0),
        row.get("user_identifier") or "",
        row.get("put_appl_name") or "",
        _ms(row.get("arrived_at") or row.get("put_at")) or at,
        None,
        row.get("qmgr") or "",
    )


def _states(row: Mapping[str, Any], is_event: bool) -> tuple[int | None, int | None]:
    if not is_event:
        return None, STATE_NAMES.index("unlocked")
    before, after = row.get("state_before"), row.get("state_after")
    return (
        STATE_NAMES.index(before) if before in STATE_NAMES else None,
        STATE_NAMES.index(after) if after in STATE_NAMES else None,
    )


def _reason(name: str | None) -> int:
    """Return the number of a reason: a column has its name, or the number of one without a name."""
    if not name:
        return 0
    try:
        return value_of("MQRC", name)
    except ValueError:
        return 0


def _identifier(text: str | None) -> bytes | None:
    value = bytes.fromhex(text) if text else b""
    return value if any(value) else None


def _ms(at: datetime | None) -> int | None:
    if at is None:
        return None
    aware = at if at.tzinfo is not None else at.replace(tzinfo=UTC)
    return round(aware.timestamp() * 1000)
