"""Streaming read of journals: offsets are event numbers, assigned in commit order and never reused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadLimit, ReadMaxRows, SupportsTriggerAvailableNow

from mqtools.arrow.key_range import Range
from mqtools.arrow.masks import mask_of
from mqtools.arrow.queue_reader import query_of
from mqtools.arrow.read_options import STREAM_OPTIONS, Options, check_names, number_of
from mqtools.arrow.reader import read_file
from mqtools.arrow.whole_files import write_json
from mqtools.store.database import Database
from mqtools.store.messages import journal
from pyspark_mqx.source import offsets
from pyspark_mqx.source.read_schema import arrow_schema, as_named, check_schema

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructType

    from pyspark_mqx.source.offsets import Journal, Offset, Piece

#: Events of one batch, unless the option ``maxevents`` sets another number.
MAX_EVENTS = 200_000


class StreamTask(InputPartition):
    """Input of one task of a batch; nothing if the piece is None."""

    def __init__(self, piece: Piece | None) -> None:
        super().__init__(None)
        self.piece = piece


class MqxStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Stream reader of the events behind an offset (module ``offsets``).

    What is between two offsets is always the same, so that a batch can be read again. Where events have gone that were
    never read the stream ends with an error, or, with the option ``lostfolder``, writes down which and continues.
    """

    def __init__(self, options: Any, schema: StructType) -> None:
        self.options = {**dict(options), "journal": "true"}
        check_names(self.options, STREAM_OPTIONS)
        self.schema = schema
        self._mask = mask_of(Options.parse(self.options).mask)
        self._most = number_of("maxevents", self.options.get("maxevents", str(MAX_EVENTS)), "events", least=1)
        self._end: dict[str, int] | None = None
        self._planned: Offset | None = None
        check_schema(schema, journal=True)

    def initialOffset(self) -> Offset:
        """Return the offset before the first event: each journal is read from its oldest event."""
        return {}

    def getDefaultReadLimit(self) -> ReadLimit:
        """Return the maximum number of events of a batch."""
        return ReadMaxRows(self._most)

    def prepareForTriggerAvailableNow(self) -> None:
        """Set the end of the stream to the present last event."""
        self._end = {path: each.last for path, each in self._there().items()}

    def reportLatestOffset(self) -> Offset:
        """Return the offset of the last event."""
        return offsets.advance({}, self._there(), None)[0]

    def latestOffset(self, start: Offset, limit: ReadLimit) -> Offset:
        """Return the end of the next batch; the start if there is nothing new. Raises MQError: lost events."""
        there = self._there()
        if self._end is not None:
            known = self._end | {path: int(entry["seq"]) for path, entry in start.items() if path not in self._end}
            there = {path: replace(each, last=known[path]) for path, each in there.items() if path in known}
        room = None if isinstance(limit, ReadAllAvailable) else int(getattr(limit, "max_rows", MAX_EVENTS))
        self._planned, gaps = offsets.advance(start, there, room)
        self._record(gaps)
        return self._planned

    def partitions(self, start: Offset, end: Offset) -> list[InputPartition]:
        """Plan the tasks of a batch. Raises MQError: lost events."""
        pieces, gaps = offsets.plan_pieces(start, end, self._there(), is_new=end == self._planned)
        self._record(gaps)
        if path := self.options.get("planned"):
            write_json(path, end)
        return [StreamTask(piece) for piece in pieces] or [StreamTask(None)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Read the events of one task. Raises MQError: lost events."""
        assert isinstance(partition, StreamTask)
        piece = partition.piece
        if piece is None:
            return iter(())

        def find(db: Database) -> list[Range]:
            gap = piece.gap(journal.span(db)[0])
            self._record([] if gap is None else [gap])
            return [Range(piece.path, piece.q_mgr_name, "", None, piece.after, piece.last)]

        options = Options.parse(self.options)
        query = replace(query_of(options, arrow_schema(self.schema), mask=self._mask), is_alone=True)
        return as_named(read_file(piece.path, find, query), self.schema)

    def commit(self, end: Offset) -> None:
        """Do nothing: the journal removes events by age and size."""

    def stop(self) -> None:
        """Do nothing: no resource is open."""

    def _there(self) -> dict[str, Journal]:
        return offsets.read_journals(self.options.get("qmgr", ""))

    def _record(self, gaps: list[offsets.EventGap]) -> None:
        offsets.record_gaps(gaps, self.options.get("lostfolder", ""))
