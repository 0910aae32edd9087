"""Spark data source ``mqx``: queues and journals of queue manager files.

Options of a read: ``qmgr`` (names, paths, patterns, with commas), ``queue`` (names or patterns), ``selector``,
``columns`` (names, with commas), ``mask`` (columns and ``property:NAME`` with digests for values), ``body`` (default
true), ``properties`` (``text``, or ``typed`` for the column
``properties_json``), ``journal``, ``numpartitions`` (tasks of a file; without it as many as pay, see ``shared_copy``),
``quarantine`` (folder for lines about damaged data, see ``damage``), ``verify`` (messages against their checksums);
or ``archive``, a place: its rows without Spark's own Parquet and Delta.
Only the ``columns``, or those of a schema, are read, whatever a query uses. A stream reads journals, without
``numpartitions``, with ``maxevents`` (of a batch) and ``lostfolder``; without a schema it has the columns of events if
``journal`` is true. ``load("QM1/ORDERS")`` is short for ``qmgr`` and ``queue``; ``load`` takes a list of these too.
Mistakes in options, selectors and names are refused by ``load``; with a schema, which Spark takes unseen, when the read
is planned, as is an option of a batch in a stream, or the reverse: Spark says which of both it is only then.

Filters are pushed to the store only if ``spark.sql.python.filterPushdown.enabled`` is set, as in the jobs of ``mqx
pipeline``, which read each frame in one query. It is off by default: Spark keeps the filters pushed for one query of a
frame for all later ones, which then lack rows. A ``selector`` is always evaluated in the store.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSource, DataSourceReader, Filter, InputPartition

from mqtools.arrow import columns
from mqtools.arrow.key_range import Range
from mqtools.arrow.masks import mask_of
from mqtools.arrow.queue_reader import query_of
from mqtools.arrow.ranges import check_named, cut, look_at_files, number_of_messages, ranges_of_file
from mqtools.arrow.read_options import BATCH_OPTIONS, NO_TABLE, STREAM_OPTIONS, Options, check_names, normalise
from mqtools.arrow.reader import read_file
from mqtools.errors import StorageError
from mqtools.mqi.identity import now_ms
from mqtools.operations.batches import in_batches
from mqtools.store.database import Database
from mqtools.store.maintenance.space import space
from mqtools.store.scans.scan import MESSAGES, Scan
from pyspark_mqx.source.pushdown import named_values, push
from pyspark_mqx.source.read_schema import arrow_schema, as_named, check_schema
from pyspark_mqx.source.shared_copy import Place, number_of_ranges, share
from pyspark_mqx.source.writer import MqxWriter

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructType

    from mqtools.predicates import Predicate
    from pyspark_mqx.source.stream_source import MqxStreamReader
    from pyspark_mqx.source.stream_writer import MqxStreamWriter


#: The option for a read of an archive.
_ARCHIVE = "archive"


class MqxDataSource(DataSource):
    """``spark.read.format("mqx").load("QM1/ORDERS")``, and likewise ``write``, ``readStream`` and ``writeStream``."""

    def __init__(self, options: Mapping[str, str]) -> None:
        super().__init__(normalise(options))

    @classmethod
    def name(cls) -> str:
        """Return the name for ``format``."""
        return "mqx"

    def schema(self) -> str:
        """Return all columns, or those of ``columns``; without the data if ``body`` is false.

        Spark asks for them in ``load``, of a batch or a stream: so mistakes that are known by now are refused here.
        """
        options = Options.parse(self.options)
        check_names(self.options, dict.fromkeys((*BATCH_OPTIONS, *STREAM_OPTIONS)))
        if _ARCHIVE in self.options:
            return columns.ddl(columns.known_columns(journal=True), journal=True)
        found = columns.default_schema(
            journal=options.journal, body=options.body, typed=options.typed, chosen=options.columns
        )
        check_named(options)
        return found

    def reader(self, schema: StructType) -> DataSourceReader:
        """Return the reader of a batch query: of queues or a journal, or of an archive."""
        if not {_ARCHIVE, "qmgr", "queue"} & set(self.options):
            raise ValueError(NO_TABLE)
        if _ARCHIVE not in self.options:
            return MqxReader(self.options, schema)
        from pyspark_mqx.source.archive_reader import ArchiveReader

        return ArchiveReader(self.options[_ARCHIVE], schema)

    def streamReader(self, schema: StructType) -> MqxStreamReader:
        """Return the reader of a stream: of the journal, whatever the option says. Needs PySpark 4.2."""
        from pyspark_mqx.source.stream_source import MqxStreamReader

        return MqxStreamReader(self.options, schema)

    def writer(self, schema: StructType, overwrite: bool) -> MqxWriter:
        """Return the writer of a batch. Messages are added to a queue; nothing is overwritten."""
        if overwrite:
            raise ValueError("a queue cannot be overwritten; use mode append")
        return MqxWriter(dict(self.options), schema.names)

    def streamWriter(self, schema: StructType, overwrite: bool) -> MqxStreamWriter:
        """Return the writer of a stream: each batch is put once."""
        if overwrite:
            raise ValueError("a queue cannot be overwritten; use output mode append or update")
        from pyspark_mqx.source.stream_writer import MqxStreamWriter

        return MqxStreamWriter(dict(self.options), schema.names)


#: The name that Spark looks for.
DefaultSource = MqxDataSource

#: Hint for tasks on another machine than the planning, or as another user.
_NOT_HERE = "leave out the option numpartitions where tasks do not run on the machine of the queue manager"

#: Numbers of files, and of keys of them together, at which a task gets no more: a task costs as much as some thousand
#: messages.
_FILES, _KEYS = 64, 20_000


class Task(InputPartition):
    """Input of one task: one range; or, if that is None, files whose queues are read as they are then.

    paths: of the files; of a range the file itself, or the copy that all ranges of the file are read from.  now_ms: the
    time for expiry, 0 for the time of the task. Each file is read in its own transaction.
    """

    def __init__(self, paths: Sequence[str], span: Range | None = None, now_ms: int = 0) -> None:
        super().__init__(None)
        self.paths = tuple(paths)
        self.span = span
        self.now_ms = now_ms


class MqxReader(DataSourceReader):
    """Reader of ranges of keys. Raises MQError on planning, for an unknown queue manager or queue.

    conditions: filters of the store.  only: values of ``queue`` and ``qmgr`` to which the read is restricted.
    place: where copies may lie that several tasks read; None for what Spark's environment says.
    """

    def __init__(self, options: Any, schema: StructType) -> None:
        self.options = dict(options)
        check_names(self.options, BATCH_OPTIONS)
        self.schema = schema
        self.conditions: list[Predicate] = []
        self.only: dict[str, set[str]] = {}
        self.place: Place | None = None
        options = Options.parse(self.options)
        self._mask = mask_of(options.mask)  # here, where the key is
        check_schema(schema, journal=options.journal)

    @property
    def pushFilters(self) -> Any:
        """Return what Spark calls with its filters, if its setting allows that."""
        return _Push(self)

    def partitions(self) -> list[InputPartition]:
        """Plan the tasks: one that reads nothing if there is nothing to read.

        A file whose queues are empty has a task: messages may arrive before it begins.
        """
        options = Options.parse(self.options)
        place = self.place or Place.of_planner()
        now = now_ms()
        tasks: list[InputPartition] = []
        keys: dict[str, int] = {}

        def look(db: Database, ranges: list[Range]) -> tuple[list[Range], str | None]:
            wanted = self._wanted(ranges)
            return (wanted, db.path) if options.journal else self._cut(db, wanted, options, place)

        for path, (wanted, source) in look_at_files(options, look).items():
            if source is not None:
                tasks += [Task([source], each, now) for each in wanted]
            elif wanted or not self.only:
                keys[path] = sum(each.last - each.after for each in wanted)
        return [*tasks, *map(Task, in_batches(keys.items(), _FILES, _KEYS))] or [Task([])]

    def _cut(self, db: Database, wanted: list[Range], options: Options, place: Place) -> tuple[list[Range], str | None]:
        """Return ranges of a copy and its path; or the ranges as they are and None, for one task that reads the file.

        The second also where an index finds what is wanted, and for messages that are locked, which are few.
        """
        number = options.partitions
        has_index = any(Scan(MESSAGES, each.queue_id, self.conditions).index is not None for each in wanted)
        if not number and not options.locks and not has_index:
            number = number_of_ranges(number_of_messages(db, wanted), space(db).file, place)
        copy = share(db, place) if number > 1 and wanted else None
        return (wanted, None) if copy is None else (cut(wanted, number), copy)

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Read the input of one task."""
        assert isinstance(partition, Task)
        span = partition.span
        options = Options.parse(self.options)

        def find(db: Database) -> list[Range]:
            return self._wanted(ranges_of_file(db, options)) if span is None else [span]

        query = query_of(options, arrow_schema(self.schema), self.conditions, self._mask)
        query = replace(query, is_alone=True, now=partition.now_ms)
        for path in partition.paths:
            if span is not None and not os.access(path, os.R_OK):
                raise StorageError(f"{path}: this task cannot read what was planned", hint=_NOT_HERE)
            yield from as_named(read_file(path, find, query), self.schema)

    def _wanted(self, ranges: list[Range]) -> list[Range]:
        """Return the ranges that the filters on queue and queue manager let through."""
        return [
            each
            for each in ranges
            if all(getattr(each, name) in values or not each.queue for name, values in self.only.items())
        ]


class _Push:
    """Filter pushdown of a reader, in place of the method ``pushFilters``.

    Spark rejects a reader that overrides the method while pushdown is off, and detects it by ``__func__``: so this
    object has the ``__func__`` of Spark's own method, and is called only while pushdown is on.
    """

    __func__ = staticmethod(DataSourceReader.pushFilters)

    def __init__(self, reader: MqxReader) -> None:
        self._reader = reader

    def __call__(self, filters: list[Filter]) -> Iterable[Filter]:
        options = Options.parse(self._reader.options)
        if options.mask:  # the store has the values, the filters mean digests
            return filters
        conditions, left = push(filters, options.table)
        self._reader.conditions = conditions
        for each in left:
            name, values = named_values(each)
            if name in ("queue", "qmgr"):
                self._reader.only[name] = self._reader.only.get(name, values) & values
        return left
