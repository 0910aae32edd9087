"""One process that archives a row into a table of Iceberg, and kills itself at a step; run by ``test_iceberg``.

``python run.py FOLDER JARS STEP WORD``: the warehouse and the staging folder are in FOLDER. The last line of stdout is
JSON: the words in the table, sorted, and how many killed runs were finished.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession
from pyspark_mqx.jobs import iceberg_table
from pyspark_mqx.jobs.iceberg_table import IcebergTable
from pyspark_mqx.jobs.output_files import FolderTarget
from pyspark_mqx.jobs.table_names import ICEBERG, TableName, TablePlace
from pyspark_mqx.jobs.table_target import TableRun, TableTarget, read_run
from pyspark_mqx.jobs.tables import AppendIdentity

from mqtools.errors import MQError

TABLE = "local.lake.messages"

#: What is done when the process dies.
STEPS: dict[str, tuple[Any, str]] = {
    "begin": (FolderTarget, "begin"),
    "sealed": (TableRun, "seal"),
    "created": (IcebergTable, "_create"),
    "staged": (IcebergTable, "_stage"),
    "published": (IcebergTable, "_publish"),
    "in the table": (TableRun, "place"),
    "noted": (TableRun, "publish"),
    "end": (TableRun, "end"),
}


def die_after(step: str) -> None:
    where, name = STEPS[step]
    real = getattr(where, name)

    def killed(*given: Any, **named: Any) -> Any:
        real(*given, **named)
        os.kill(os.getpid(), signal.SIGKILL)

    setattr(where, name, killed)


def start(folder: str, jars: str) -> SparkSession:
    catalog = "spark.sql.catalog.local"
    settings = {
        "spark.jars": jars,
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "1",
        catalog: "org.apache.iceberg.spark.SparkCatalog",
        f"{catalog}.type": "hadoop",
        f"{catalog}.warehouse": f"{folder}/warehouse",
    }
    builder: Any = SparkSession.builder.master("local[1]")
    for key, value in settings.items():
        builder = builder.config(key, value)
    session: SparkSession = builder.getOrCreate()
    return session


def lay(word: str, **more: str) -> Callable[[str], None]:
    """Return the write of a file with one row; more: further columns."""

    def write(folder: str) -> None:
        inner = os.path.join(folder, "qmgr=007", "queue=ORDERS", "put_day=2026-11-22")
        os.makedirs(inner)
        pq.write_table(
            pa.table({"word": [word], **{name: [value] for name, value in more.items()}}), f"{inner}/a.parquet"
        )

    return write


def words(spark: SparkSession) -> list[str]:
    try:
        return sorted(row.word for row in spark.table(TABLE).collect())
    except Exception as error:
        if "TABLE_OR_VIEW_NOT_FOUND" not in str(error):
            raise
        return []


def archive(spark: SparkSession, folder: str, step: str, word: str) -> dict[str, Any]:
    place = TablePlace(TableName(ICEBERG, TABLE), f"{folder}/staging")
    before, finished = words(spark), 0
    with TableTarget(spark, place, is_shared=True) as target:
        for run in target.killed_runs():
            if run.manifest is not None:
                run.publish()
                run.publish()
                finished += 1
            run.end()
        if step in STEPS:
            die_after(step)
        if word:
            target.write_run(lay(word), {"journal-A": {"last": 1}})
        left = [name for name in os.listdir(target.aside) if os.path.isdir(os.path.join(target.aside, name))]
    return {"before": before, "words": words(spark), "finished": finished, "left": left}


def race(spark: SparkSession, folder: str) -> dict[str, Any]:
    """A process that was thought dead publishes what its successor has published; a column is new; history is lost."""
    lay("one")(f"{folder}/one")
    lay("two", colour="red")(f"{folder}/two")
    one, two = (read_run(spark, f"{folder}/{name}") for name in ("one", "two"))
    table, late = IcebergTable(spark, TABLE), IcebergTable(spark, TABLE)
    first, second = AppendIdentity("run 1", 0), AppendIdentity("run 2", 0)
    table.append(one, first)
    late._stage(one, "run 1 0")
    staged = late._staged("run 1 0")
    late._publish(staged, "run 1 0")
    late.append(one, first)
    late.append(one, first, 0.0)
    late._stage(two, "run 2 0")
    table.append(one, AppendIdentity("run 3", 0))  # so that the snapshot of the late one is not the next of the history
    late.append(two, second, 0.0)
    late.append(two, second, 0.0)
    found = sorted((row.word, row.colour, row.qmgr, str(row.put_day)) for row in table.frame().collect())
    partitions = [row.asDict()["partition"].asDict() for row in spark.table(f"{TABLE}.partitions").collect()]
    table._java.expireSnapshots().expireOlderThan(2**62).retainLast(1).commit()
    try:
        late.append(one, AppendIdentity("run 0", 0), 0.0)
        refused = ""
    except MQError as error:
        refused = error.text
    try:
        IcebergTable(spark, "nothing.lake.messages").check()
        unknown = ""
    except MQError as error:
        unknown = f"{error.text}: {error.hint}"
    return {
        "was staged": staged is not None,
        "rows": found,
        "partitions": [sorted(each) for each in partitions],
        "refused": refused,
        "unknown": unknown,
        "property": iceberg_table.RUN in table._java.currentSnapshot().summary() or "published-wap-id",
    }


if __name__ == "__main__":
    where, of_iceberg, at, row = sys.argv[1:]
    session = start(where, of_iceberg)
    print(json.dumps(race(session, where) if at == "race" else archive(session, where, at, row)))
