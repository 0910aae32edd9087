"""Spark's own writers on queues, in a Spark with the jar of a table format: ``program.py FORMAT PACKAGE FOLDER``.

Prints a line of JSON for each step. A Spark that the jar does not work with ends it with the line of ``mqx pipeline``.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark_mqx import read_archive
from pyspark_mqx.jobs import archive as jobs
from pyspark_mqx.jobs.delta_target import SETTINGS, DeltaPlace, append_by_spark
from pyspark_mqx.session import spark_home
from pyspark_mqx.session.session import STREAMS_VERSION, start
from pyspark_mqx.source.spark_errors import jar_error, last_words, our_error, unread_file

from mqtools.admin import queue_managers
from mqtools.message import Message
from mqtools.mqi.connection import connect
from mqtools.mqi.objects.definitions import alter_queue

Q = "DEV.QUEUE.1"
#: Maven's repository alone: Spark's own settings ask another one about each jar, which takes minutes.
IVY = """
<ivysettings>
  <settings defaultResolver="maven"/>
  <resolvers><ibiblio name="maven" m2compatible="true"/></resolvers>
</ivysettings>
"""


def settings(form: str, package: str, folder: Path) -> dict[str, str]:
    """Return the settings of a session with the package of a format."""
    ivy = folder / "ivy.xml"
    ivy.write_text(IVY)
    if form == "doors":
        return {}
    found = {"spark.jars.packages": package, "spark.jars.ivy": str(Path.cwd() / "build/ivy")}
    found["spark.jars.ivySettings"] = str(ivy)
    if form == "delta":
        words = SETTINGS.split("--conf ")[2:]
        return found | dict(word.strip().split("=", 1) for word in words)
    catalog = "spark.sql.catalog.lake"
    extensions = "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"
    of_catalog = {catalog: "org.apache.iceberg.spark.SparkCatalog", f"{catalog}.type": "hadoop"}
    of_catalog[f"{catalog}.warehouse"] = str(folder / "warehouse")
    return found | of_catalog | {"spark.sql.extensions": extensions}


def say(**found: Any) -> None:
    print(json.dumps(found), flush=True)


def batches(spark: SparkSession, form: str, qmgr: str) -> None:
    """Write a frame of a queue, save it as a table, and merge it into that."""
    table = "lake.mq.orders" if form == "iceberg" else "orders"
    orders = spark.read.format("mqx").load(f"{qmgr}/{Q}")
    orders.write.format(form).mode("append").saveAsTable(table)
    orders.createOrReplaceTempView("new")
    merged = "WHEN MATCHED THEN UPDATE SET t.priority = 9 WHEN NOT MATCHED THEN INSERT *"
    spark.sql(f"MERGE INTO {table} t USING (SELECT * FROM new WHERE data <> X'30') n ON t.msg_id = n.msg_id {merged}")
    rows = spark.table(table).orderBy("seq").selectExpr("data", "priority", "properties['n']").collect()
    say(rows=[[bytes(row[0]).decode(), row[1], row[2]] for row in rows])


def delta(spark: SparkSession, qmgr: str, folder: Path) -> None:
    """Write and read Delta tables in folders: by Spark, and by ours."""
    place, own = DeltaPlace(str(folder / "archive")), DeltaPlace(str(folder / "by_spark"), by_spark=True)
    say(archived=jobs.archive(spark, place, qmgr, Q)[0], by_spark=jobs.archive(spark, own, qmgr, Q)[0])
    say(read=[spark.read.format("delta").load(each.uri).count() for each in (place, own)])
    say(read_archive=[read_archive(spark, each.uri).count() for each in (place, own)])
    messages = jobs.with_put_day(spark.read.format("mqx").load(f"{qmgr}/{Q}"))
    messages.write.partitionBy("qmgr", "queue", "put_day").parquet(str(folder / "files"))
    for number in (4, 4, 5):
        append_by_spark(spark, own.uri, str(folder / "files"), "mqx-once", number)
    say(appended=spark.read.format("delta").load(own.uri).count())


def streams(spark: SparkSession, form: str, qmgr: str, folder: Path) -> None:
    """Stream a journal into the sink of a format, and into a table by batches, each written twice."""
    events = spark.readStream.format("mqx").option("journal", "true").load(f"{qmgr}/{Q}")
    into = str(folder / "batches")

    def write(batch: DataFrame, number: int) -> None:
        for _ in range(2):
            once = {"txnAppId": "events", "txnVersion": str(number)}
            batch.write.format(form).mode("append").options(**once).save(into)

    for n in range(2):
        sink = events.writeStream.format(form).option("checkpointLocation", str(folder / "c1"))
        sink.trigger(availableNow=True).start(str(folder / "events")).awaitTermination()
        writer = events.writeStream.foreachBatch(write).option("checkpointLocation", str(folder / "c2"))
        writer.trigger(availableNow=True).start().awaitTermination()
        if not n:
            put(qmgr, 1)
    found = [spark.read.format(form).load(place) for place in (str(folder / "events"), into)]
    say(streamed=[frame.where(F.col("event") == "put").count() for frame in found])


def doors(spark: SparkSession, qmgr: str, folder: Path) -> None:
    """Print what of Spark is used that no document promises: each is a line that the test reads."""
    spark.range(9).write.parquet(str(folder / "cut"))
    (file, *_) = (folder / "cut").glob("*.parquet")
    file.write_bytes(file.read_bytes()[:-9])
    try:
        spark.read.schema("id long").parquet(str(folder / "cut")).collect()
    except Exception as error:
        say(unread=unread_file(error) == str(file))
    with connect(qmgr) as connection, connection.work() as work:
        work.db.run("update messages set data_length = 9")
    for is_pushed in ("false", "true"):
        spark.conf.set("spark.sql.python.filterPushdown.enabled", is_pushed)
        frame = spark.read.format("mqx").option("columns", "seq, priority").load(f"{qmgr}/{Q}")
        say(**{f"pushed_{is_pushed}": frame.where("priority = 0").count()})
    try:
        spark.read.format("mqx").load(f"{qmgr}/{Q}").collect()
    except Exception as error:
        say(ours=str(our_error(error)))
    say(home=bool(spark_home.find()))
    try:
        spark.sql("select X'30' data").write.format("mqx").mode("append").option("path", f"{qmgr}/{Q}").saveAsTable("t")
    except Exception as error:
        say(table=last_words(error))


def put(qmgr: str, number: int) -> None:
    with connect(qmgr) as connection:
        for n in range(number):
            connection.put1(Q, Message(b"%d" % n))


def main(form: str, package: str, folder: Path) -> None:
    qmgr = queue_managers.create(str(folder / "QM1.db"), developer=True)
    with connect(qmgr) as connection, connection.work() as work:
        alter_queue(work, "QUEUE", Q, {"journal": 2})
    put(qmgr, 3)
    own = {"spark.sql.warehouse.dir": str(folder / "spark"), "spark.local.dir": str(folder / "scratch")}
    spark = start("local[1]", {**own, **settings(form, package, folder)})
    say(version=spark.version)
    try:
        if form == "doors":
            doors(spark, qmgr, folder)
            return
        batches(spark, form, qmgr)
        if form == "delta":
            delta(spark, qmgr, folder)
            if tuple(map(int, spark.version.split(".")[:2])) >= STREAMS_VERSION:
                streams(spark, form, qmgr, folder)
    except Exception as error:
        if (refused := jar_error(error, spark.version)) is None:
            raise
        say(refused=str(refused))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
