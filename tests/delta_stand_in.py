"""Stand-in for Delta in Spark: a data source ``delta`` with a log of numbered files, and with its transactions.

It keeps what ``jobs.delta_table`` relies on: an append with ``txnAppId`` and ``txnVersion`` counts only if the log has
no version of that name which is as high, a column that is new comes with ``mergeSchema`` only, and rows count from
their entry in the log on. It cannot be given partitions by Spark, as no source in Python can.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceWriter, InputPartition, WriterCommitMessage
from pyspark.sql.types import StructType

LOG = "_delta_log"


def create(path: str, schema: str) -> None:
    """Create a table with columns, as Spark's DDL names them."""
    os.makedirs(f"{path}/{LOG}")
    parsed = StructType.fromDDL(schema)
    assert isinstance(parsed, StructType)
    _commit(path, 0, {"schema": parsed.jsonValue(), "add": []})


def entries(path: str) -> list[dict[str, Any]]:
    """Return the log of a table."""
    found = []
    for name in sorted(os.listdir(f"{path}/{LOG}")):
        with open(f"{path}/{LOG}/{name}", encoding="utf-8") as file:
            found.append(json.load(file))
    return found


def _commit(path: str, number: int, entry: dict[str, Any]) -> None:
    with open(f"{path}/{LOG}/{number:020d}.json", "x", encoding="utf-8") as file:
        json.dump(entry, file)


def _schema(path: str) -> StructType:
    return StructType.fromJson(entries(path)[-1]["schema"])


class Added(WriterCommitMessage):
    def __init__(self, name: str) -> None:
        self.name = name


class StandIn(DataSource):
    @classmethod
    def name(cls) -> str:
        return "delta"

    def schema(self) -> StructType:
        return _schema(self.options["path"])

    def reader(self, schema: StructType) -> Reader:
        return Reader(self.options["path"], schema)

    def writer(self, schema: StructType, overwrite: bool) -> Writer:
        assert not overwrite
        return Writer(dict(self.options), schema)


@contextmanager
def session(spark: Any) -> Iterator[Any]:
    """Begin a session of a running Spark that has the stand-in; Spark looks for formats in that of the thread."""
    java = spark._jvm.org.apache.spark.sql.classic.SparkSession
    made = spark.newSession()
    made.dataSource.register(StandIn)
    java.setActiveSession(made._jsparkSession)
    try:
        yield made
    finally:
        java.setActiveSession(spark._jsparkSession)


class Reader(DataSourceReader):
    def __init__(self, path: str, schema: StructType) -> None:
        self._path = path
        self._schema = schema

    def read(self, partition: InputPartition) -> Iterator[tuple[Any, ...]]:
        from pyspark.sql import Row

        for name in [name for entry in entries(self._path) for name in entry["add"]]:
            for row in pq.read_table(f"{self._path}/{name}").to_pylist(maps_as_pydicts="strict"):
                values = (row.get(field.name) for field in self._schema)
                yield tuple(
                    Row(**value) if isinstance(value, dict) and "reason" in value else value for value in values
                )


class Writer(DataSourceWriter):
    def __init__(self, options: dict[str, str], schema: StructType) -> None:
        self._path = options["path"]
        self._names = schema.names
        self._schema = schema.jsonValue()
        self._merges = options.get("mergeschema", options.get("mergeSchema")) == "true"
        given = {name.lower(): value for name, value in options.items()}
        self._once = (given["txnappid"], int(given["txnversion"]))

    def write(self, iterator: Iterator[Any]) -> Added:
        rows = [row.asDict(recursive=True) for row in iterator]
        name = f"part-{os.urandom(8).hex()}.parquet"
        if rows:
            columns = {each: [row[each] for row in rows] for each in self._names}
            kinds = {each: pa.map_(pa.string(), pa.string()) for each in columns if each == "properties"}
            arrays = [
                pa.array([list(v.items()) if v is not None else None for v in values], kinds[each])
                if each in kinds
                else pa.array(values)
                for each, values in columns.items()
            ]
            pq.write_table(pa.table(arrays, names=list(columns)), f"{self._path}/{name}")
        return Added(name if rows else "")

    def commit(self, messages: list[Any]) -> None:
        log = entries(self._path)
        app, version = self._once
        if any(entry.get("txn") == app and entry["version"] >= version for entry in log):
            return
        old = [field["name"] for field in log[-1]["schema"]["fields"]]
        assert self._merges or set(self._names) <= set(old)
        add = [message.name for message in messages if message is not None and message.name]
        _commit(self._path, len(log), {"schema": self._schema, "add": add, "txn": app, "version": version})
