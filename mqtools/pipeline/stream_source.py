"""The journal as a stream: offsets are the numbers of events, given in the order of commits and never twice."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxRows, SupportsTriggerAvailableNow

from mqtools.pipeline.ranges import Options, paths_of, plan
from mqtools.pipeline.source import Task, arrow_schema, check_schema, queue_conditions
from mqtools.store import scan
from mqtools.store.database import open_database

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa
    from pyspark.sql.streaming.datasource import ReadLimit
    from pyspark.sql.types import StructType

#: Events of one batch, unless the option ``maxevents`` says another number.
MAX_EVENTS = 200_000


class MqxStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Reads events behind an offset: for each file the number of the last event that was read.

    What is between two offsets is always the same, so that a batch can be read again.
    """

    def __init__(self, options: Any, schema: StructType) -> None:
        self.options = {**dict(options), "journal": "true"}
        self.schema = schema
        self._end: dict[str, int] | None = None
        check_schema(schema, journal=True)

    def initialOffset(self) -> dict[str, int]:
        """Give the offset before the first event."""
        return dict.fromkeys(paths_of(self.options.get("qmgr", "")), 0)

    def getDefaultReadLimit(self) -> ReadLimit:
        """Give how many events a batch has at most."""
        return ReadMaxRows(int(self.options.get("maxevents", MAX_EVENTS)))

    def prepareForTriggerAvailableNow(self) -> None:
        """Fix the end: what is there now."""
        self._end = self._last()

    def reportLatestOffset(self) -> dict[str, int]:
        """Give the offset of the last event that there is."""
        return self._last()

    def latestOffset(self, start: dict[str, int], limit: ReadLimit) -> dict[str, int]:
        """Give the end of the next batch; the start where there is nothing new."""
        end = self._last() if self._end is None else self._end
        room = None if isinstance(limit, ReadAllAvailable) else int(getattr(limit, "max_rows", MAX_EVENTS))
        reached = dict(start)
        for path, last in end.items():
            before = int(start.get(path, 0))
            step = last - before if room is None else min(last - before, room)
            if step > 0:
                reached[path] = before + step
                room = None if room is None else room - step
        return reached

    def partitions(self, start: dict[str, int], end: dict[str, int]) -> list[InputPartition]:
        """Plan the tasks of a batch."""
        between = {"after": json.dumps(start), "until": json.dumps(end)}
        options = Options({**self.options, **between})
        return [Task([each]) for each in plan(options) if each.path in end] or [Task([])]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Read one task's events."""
        from mqtools.pipeline.reader import read_ranges

        assert isinstance(partition, Task)
        if not partition.ranges:
            return iter(())
        options = Options(self.options)
        return read_ranges(partition.ranges, arrow_schema(self.schema), scan.JOURNAL, queue_conditions(options))

    def commit(self, end: dict[str, int]) -> None:
        """Nothing is to be done: the journal goes by age and size."""

    def stop(self) -> None:
        """Nothing is open."""

    def _last(self) -> dict[str, int]:
        last = {}
        for path in paths_of(self.options.get("qmgr", "")):
            db = open_database(path, read_only=True)
            try:
                last[path] = scan.journal_bounds(db)[1]
            finally:
                db.close()
        return last
