"""Benchmarks of the pipeline on Spark as ratios measured in one run.

``python benchmarks/spark.py [SECTION…] [--messages N] [--originals N]``. Sections: scan, load, reconcile; many queue
managers have ``fleet.py``. Only the ratios mean something from one machine to the next. The machine should have nothing
else to do; where it has, the ratios of processor time are nearer to what they would be.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from statistics import median
from typing import Any, cast

from fleet import seconds as cost
from pyspark.sql import Column, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark_mqx import read_archive
from pyspark_mqx.jobs import reconcile
from pyspark_mqx.jobs.inputs import read_input
from pyspark_mqx.session import session

from mqtools.admin import queue_managers
from mqtools.arrow import columns
from mqtools.arrow.columns import DESCRIPTOR
from mqtools.constants.message import MQFB_COA, MQFB_COD, MQMT_DATAGRAM, MQMT_REPORT, MQRO_COA, MQRO_COD
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import connect
from mqtools.mqi.objects.definitions import alter_queue

ROUNDS = 3
WARM_UPS = 6
#: Runs until Java compiles next to nothing any more, each of one part of so many.
RECONCILE_WARM_UPS, WARM_UP_PART = 40, 40
RECONCILE_ROUNDS = 5
BODY = 1024
#: Work of two processes at once, in that of one alone, from which on a machine has two processors.
WHOLE_MACHINE = 1.9
#: What is read of each archive to reconcile.
RECONCILED = {"sent": reconcile.NEEDED, "reports": reconcile.NEEDED, "extended": reconcile.EXTENDED}


def report(section: str, what: str, ratio: float, goal: str) -> None:
    print(f"{section:<10} {what:<76} {ratio:>6.2f}   goal {goal}", flush=True)


def seconds(action: Callable[[], object]) -> float:
    begin = time.perf_counter()
    action()
    return time.perf_counter() - begin


def new_qmgr(messages: int = 0) -> str:
    """Create a queue manager with a deep queue: copies of one message, each with its own id and data."""
    path = queue_managers.create(os.path.join(tempfile.mkdtemp(), "BENCH.db"), developer=True)
    with connect(path) as connection:
        with connection.work() as work:
            alter_queue(work, "QUEUE", "DEV.QUEUE.1", {"max_q_depth": 999_999_999})
            alter_queue(work, "QUEUE", "DEV.QUEUE.2", {"max_q_depth": 999_999_999})
        if messages:
            connection.put1("DEV.QUEUE.1", Message(b"x" * BODY, MQMD(format="MQSTR", persistence=0)))
    if messages:
        fill(path, messages)
    return path


def fill(path: str, count: int) -> None:
    sql = sqlite3.connect(path)
    names = [row[0] for row in sql.execute("select name from pragma_table_info('messages')")]
    changed = {
        "seq": "(queue_id << 40) | n",
        "order_key": "(9 << 48) | n",
        "msg_id": "cast('AMQ FILLED      ' || printf('%08d', n) as blob)",
        "put_at": "put_at + n",
        "put_time": "printf('%02d%02d%02d%02d', n / 360000 % 24, n / 6000 % 60, n / 100 % 60, n % 100)",
        "data": f"randomblob({BODY})",
    }
    sql.execute(
        f"with recursive numbers (n) as (select 2 union all select n + 1 from numbers where n < {count})"
        f" insert into messages ({', '.join(names)}) select {', '.join(changed.get(name, name) for name in names)}"
        " from numbers, (select * from messages order by seq limit 1)"
    )
    sql.execute("update queue_status set depth = ?, last_number = ? where depth > 0", (count, count))
    sql.commit()
    sql.execute("pragma wal_checkpoint(truncate)")
    sql.close()


class Ready(DataSource):
    """Data source at the limit of Spark: one batch repeated, or rows as tuples read by sqlite3."""

    @classmethod
    def name(cls) -> str:
        return "bench"

    def schema(self) -> str:
        return self.options["ddl"]

    def reader(self, schema: Any) -> DataSourceReader:
        return ReadyReader(dict(self.options), schema)


class ReadyReader(DataSourceReader):
    def __init__(self, options: dict[str, str], schema: Any) -> None:
        self.options = options
        self.schema = schema

    def partitions(self) -> list[InputPartition]:
        return [InputPartition(0)]

    def read(self, partition: InputPartition) -> Any:  # noqa: ARG002 - Spark's signature
        from pyspark_mqx.source.read_schema import arrow_schema

        from mqtools.arrow.ranges import plan
        from mqtools.arrow.read_options import Options
        from mqtools.arrow.reader import RowQuery, read_file

        ranges = plan(Options.parse(self.options))
        if self.options["how"] == "tuples":
            yield from tuples(self.options["qmgr"], self.schema.names)
            return
        made = next(read_file(ranges[0].path, lambda _: ranges, RowQuery(arrow_schema(self.schema), "messages")))
        for _ in range(int(self.options["messages"]) // made.num_rows):
            yield made


def tuples(path: str, names: list[str]) -> Any:
    """Yield messages as a plain reader would: a tuple for each row."""
    from datetime import UTC, datetime

    ours = {"qmgr": "'BENCH'", "queue": "'Q'", "state": "'unlocked'", "version": "2", "expiry": "-1", "dlh": "null"}
    ids = ("msg_id", "correl_id", "group_id", "accounting_token")
    selected = [ours.get(name, f"hex(ifnull({name}, zeroblob(24)))" if name in ids else name) for name in names]
    put_at, properties = names.index("put_at"), names.index("properties")
    sql = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    for row in sql.execute(f"select {', '.join(selected)} from messages order by seq"):
        made = list(row)
        made[put_at] = datetime.fromtimestamp(row[put_at] / 1000, UTC)
        made[properties] = {}
        yield tuple(made)


def scan(spark: SparkSession, given: argparse.Namespace) -> None:
    """Measure the scan against Spark's own limit and against tuples; fewer columns against all.

    The limit is what Spark takes in from a source in Python that costs nothing: the first batch of our scan, sent over
    and over. All columns go through it, into Spark's rows, on one core; reading the file runs beside it on another. The
    tuples are read by the shortest program that gives the same columns. Of fewer columns the processor time counts too,
    of Java and Python together, since it is what a scan costs a machine that is busy.
    """
    path = new_qmgr(given.messages)
    spark.dataSource.register(Ready)
    full = columns.default_schema(journal=False, body=True, typed=False)

    def job(form: str, schema: str, **options: str) -> Callable[[], object]:
        frame = spark.read.format(form).schema(schema).options(qmgr=path, queue="DEV.QUEUE.1", **options).load()
        return lambda: frame.write.format("noop").mode("overwrite").save()

    known = {"ddl": full, "messages": str(given.messages)}
    counted = spark.read.format("mqx").options(qmgr=path, queue="DEV.QUEUE.1", columns="seq").load()
    jobs = [
        job("mqx", full),
        job("bench", full, how="ready", **known),
        job("bench", full, how="tuples", **known),
        job("mqx", columns.ddl(DESCRIPTOR)),
        job("bench", columns.ddl(DESCRIPTOR), how="ready", **known),
        counted.count,
    ]
    # In turn, so that none is measured while Java is still compiling for another.
    rounds = [[cost(each) for each in jobs] for _ in range(WARM_UPS + ROUNDS)][WARM_UPS:]
    ours, limit, plain, short, short_limit, count = (
        tuple(map(min, zip(*of_job, strict=True))) for of_job in zip(*rounds, strict=True)
    )
    rates = [given.messages / taken for taken, _ in (ours, limit, plain, short, short_limit, count)]
    report("scan", f"{rates[0]:.0f} messages/s; Spark's limit {rates[1]:.0f}/s", limit[0] / ours[0], "0.85")
    report("scan", f"against tuples, {rates[2]:.0f}/s", plain[0] / ours[0], "2.5")
    words = f"descriptor alone {rates[3]:.0f}/s against all; its limit {rates[4]:.0f}/s"
    report("scan", words, ours[0] / short[0], "1.5")
    words = f"descriptor alone {short[1]:.1f} s of processor, all {ours[1]:.1f} s"
    report("scan", words, ours[1] / short[1], "1.5")
    words = f"count() of the column seq {rates[5]:.0f}/s against all, {count[1]:.1f} s of processor"
    report("scan", words, ours[0] / count[0], "5")
    shutil.rmtree(os.path.dirname(path))


def load(spark: SparkSession, given: argparse.Namespace) -> None:
    """Measure a load of Parquet onto an empty queue against executemany of the same rows into an empty file."""
    path = new_qmgr(given.messages)
    folder = os.path.join(os.path.dirname(path), "parquet")
    names = [name for name in columns.MESSAGE if name not in ("queue", "qmgr", "seq")]
    spark.read.format("mqx").schema(columns.ddl(names)).options(qmgr=path, queue="DEV.QUEUE.1").load().write.parquet(
        folder
    )
    frame = read_input(spark, "parquet", [folder])

    def ours(target: str) -> None:
        frame.write.format("mqx").mode("append").options(qmgr=target, queue="DEV.QUEUE.2").save()

    # In turn, so that what else the machine does hits both.
    rounds = [(into_new(ours), into_new(lambda target: copy(path, target))) for _ in range(1 + ROUNDS)][1:]
    times, raw = (min(each) for each in zip(*rounds, strict=True))
    report(
        "load", f"{given.messages / times:.0f} messages/s; executemany {given.messages / raw:.0f}/s", times / raw, "1.5"
    )
    shutil.rmtree(os.path.dirname(path))


def into_new(fill_it: Callable[[str], None]) -> float:
    """Return the seconds that it takes to fill a new queue manager."""
    target = new_qmgr()
    taken = seconds(lambda: fill_it(target))
    shutil.rmtree(os.path.dirname(target))
    return taken


def copy(path: str, target: str) -> None:
    """Copy all messages to another file, row by row, with the same indexes."""
    source, sink = sqlite3.connect(path), sqlite3.connect(target)
    number = len(source.execute("select * from messages limit 1").description)
    with sink:
        sink.executemany(
            f"insert into messages values ({', '.join('?' * number)})", source.execute("select * from messages")
        )
    sink.close()
    source.close()


def make_archives(spark: SparkSession, folder: str, originals: int) -> None:
    """Write archives of originals, and of two reports about each: COA and COD."""

    def ident(number: str) -> Column:
        return F.concat(F.lit(b"AMQ QM1         ".hex().upper()), F.lpad(F.hex(F.expr(number)), 16, "0"))

    base = [F.lit(0).alias(name) for name in ("offset", "msg_flags", "encoding", "data_length")] + [
        F.lit("QM1").alias("qmgr"),
        F.col("id").alias("seq"),
        F.lit("unlocked").alias("state"),
        F.lit("").alias("format"),
        F.lit("0" * 48).alias("group_id"),
        F.lit(1).alias("msg_seq_number"),
        F.lit(-1).alias("original_length"),
        F.timestamp_micros(F.col("id") * 1000).alias("put_at"),
        F.lit(b"").alias("data"),
    ]
    sent = spark.range(originals).select(
        *base,
        ident("id").alias("msg_id"),
        F.lit("0" * 48).alias("correl_id"),
        F.lit("Q").alias("queue"),
        F.lit(MQMT_DATAGRAM).alias("msg_type"),
        F.lit(MQRO_COA | MQRO_COD).alias("report"),
        F.lit(0).alias("feedback"),
    )
    about = spark.range(2 * originals).select(
        *base,
        ident(f"id + {1 << 40}").alias("msg_id"),
        ident("id div 2").alias("correl_id"),
        F.lit("R").alias("queue"),
        F.lit(MQMT_REPORT).alias("msg_type"),
        F.lit(0).alias("report"),
        F.when(F.col("id") % 2 == 0, F.lit(MQFB_COA)).otherwise(F.lit(MQFB_COD)).alias("feedback"),
    )
    sent.write.parquet(os.path.join(folder, "sent"))
    about.write.parquet(os.path.join(folder, "reports"))


class Running:
    """Spark session in a process of its own that reconciles archives on request."""

    def __init__(self, cores: int) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, its_end = context.Pipe()
        self._process = context.Process(target=serve, args=(cores, its_end))
        self._process.start()

    def begin(self, folder: str) -> None:
        self._pipe.send(folder)

    def end(self) -> tuple[float, float]:
        """Return the seconds and the processor seconds of the current job."""
        return cast("tuple[float, float]", self._pipe.recv())

    def run(self, folder: str) -> tuple[float, float]:
        self.begin(folder)
        return self.end()

    def stop(self) -> None:
        self._pipe.send("")
        self._process.join()


def serve(cores: int, pipe: Connection) -> None:
    """Reconcile each archive whose folder arrives, in one session, until an empty name arrives."""
    spark = start(cores)
    while folder := pipe.recv():
        pipe.send(reconcile_archives(spark, folder))
    spark.stop()


def reconcile_archives(spark: SparkSession, folder: str) -> tuple[float, float]:
    """Reconcile archives; return the seconds and the processor seconds."""
    frames = [
        read_archive(spark, os.path.join(folder, "sent" if name == "sent" else "reports"), names=names)
        for name, names in RECONCILED.items()
    ]
    before = processor_seconds(spark)
    taken = seconds(lambda: reconcile.reconcile(*frames).write.format("noop").mode("overwrite").save())
    return taken, processor_seconds(spark) - before


def processor_seconds(spark: SparkSession) -> float:
    """Return the processor time that Java has used."""
    java: Any = spark.sparkContext._jvm
    duration = java.java.lang.ProcessHandle.current().info().totalCpuDuration().get()
    return float(duration.toMillis()) / 1000


def reconcile_section(given: argparse.Namespace) -> None:
    """Measure four times the data against once; two cores against one.

    All sessions run at once and work in turn, so that a machine that is slower for a while is so for each. Two sessions
    of one core at the same time, which share nothing, tell what more than one core there is to have.
    """
    home = tempfile.mkdtemp()
    tiny, small, large = (os.path.join(home, name) for name in ("tiny", "small", "large"))
    spark = start(2)
    make_archives(spark, tiny, given.originals // WARM_UP_PART)
    make_archives(spark, small, given.originals // 4)
    make_archives(spark, large, given.originals)
    spark.stop()
    sessions = two, one, other = Running(2), Running(1), Running(1)
    # Java compiles meanwhile, on whatever core is free: on another than the task of local[1], beside those of local[2].
    for each in sessions * RECONCILE_WARM_UPS:
        each.run(tiny)
    for each in sessions * ROUNDS:
        each.run(small)
    rounds = []
    for _ in range(ROUNDS + RECONCILE_ROUNDS):
        quarter, both_cores, one_core, alone = two.run(small), two.run(large), one.run(large), one.run(small)
        one.begin(small)
        other.begin(small)
        together = max(one.end(), other.end())
        rounds.append((quarter, both_cores, one_core, alone, together))
    for each in sessions:
        each.stop()
    shutil.rmtree(home)
    report_reconcile(f"{given.originals} originals", rounds[ROUNDS:])


def report_reconcile(of: str, rounds: Sequence[Sequence[tuple[float, float]]]) -> None:
    """Print the medians of the rounds' ratios, with the medians of their times."""
    quarter, two, one, alone, together = (median(took for took, _ in each) for each in zip(*rounds, strict=True))
    growth = median(two[0] / quarter[0] for quarter, two, *_ in rounds)
    report("reconcile", f"{of} {two:.1f} s, a quarter {quarter:.1f} s", growth, "at most 4")
    quarter_cpu, two_cpu, one_cpu, *_ = (median(used for _, used in each) for each in zip(*rounds, strict=True))
    text = f"{of} {two_cpu:.1f} s of processor time, a quarter {quarter_cpu:.1f} s"
    report("reconcile", text, median(two[1] / quarter[1] for quarter, two, *_ in rounds), "at most 4")
    machine = [2 * alone[0] / together[0] for *_, alone, together in rounds]
    ratios = sorted(one[0] / two[0] for _, two, one, *_ in rounds)
    shares = [one[0] / two[0] / limit for (_, two, one, *_), limit in zip(rounds, machine, strict=True)]
    text = f"local[1] {one:.1f} s ({one_cpu:.1f} of processor time), local[2] {two:.1f} s"
    limit = median(machine)
    goal = "1.8" if limit >= WHOLE_MACHINE else "none: this machine has less"
    report("reconcile", f"{text}; {ratios[0]:.2f} to {ratios[-1]:.2f}", median(ratios), goal)
    text = f"two of local[1] at once {together:.1f} s, alone {alone:.1f} s: what this machine has"
    report("reconcile", text, limit, "none")
    report("reconcile", "local[2] of what this machine has", median(shares), "0.95")


def start(cores: int) -> SparkSession:
    return session.start(f"local[{cores}]", {"spark.driver.memory": "6g"}, "benchmark")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sections", nargs="*", default=["scan", "load", "reconcile"])
    parser.add_argument("--messages", type=int, default=600_000)
    parser.add_argument("--originals", type=int, default=4_000_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mqx-spark-bench-") as tempfile.tempdir:
        measure(given)


def measure(given: argparse.Namespace) -> None:
    """Run the selected sections."""
    if {"scan", "load"} & set(given.sections):
        spark = start(1)
        if "scan" in given.sections:
            scan(spark, given)
        if "load" in given.sections:
            load(spark, given)
        spark.stop()
    if "reconcile" in given.sections:
        reconcile_section(given)


if __name__ == "__main__":
    main()
