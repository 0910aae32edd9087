"""Benchmark of the pipeline over many queue managers: one job archives all of them, another reconciles the archive.

``python benchmarks/fleet.py [--managers N] [--messages N] [--master M]``. The same messages at one queue manager are
archived and reconciled too; what each queue manager costs beyond its data is the difference, divided. Both in seconds
and in seconds of processor, of Spark and all its processes: the latter is the same on a busy machine.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark_mqx import read_archive, reconcile
from pyspark_mqx.jobs.archive import archive
from pyspark_mqx.session import session

from mqtools.admin import queue_managers
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import connect
from mqtools.mqi.objects.definitions import alter_queue
from mqtools.operations.load import load_messages

QUEUE, BODY, GOAL_MS = "DEV.QUEUE.1", b"x" * 200, 20


def seconds(action: Callable[[], object]) -> tuple[float, float]:
    """Return the seconds that an action takes, and the seconds of processor."""
    begin, used = time.perf_counter(), processor()
    action()
    return time.perf_counter() - begin, processor() - used


def processor() -> float:
    """Return the seconds of processor that this process and all below it have used."""
    ticks, parents = {}, {}
    for place in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = place.read_text().rpartition(")")[2].split()
        except OSError:  # it has just ended
            continue
        parents[place.parent.name] = fields[1]
        ticks[place.parent.name] = sum(map(int, fields[11:15]))

    def is_below(pid: str) -> bool:
        return pid == str(os.getpid()) or (pid in parents and is_below(parents[pid]))

    return sum(number for pid, number in ticks.items() if is_below(pid)) / os.sysconf("SC_CLK_TCK")


def new_qmgr(path: str, messages: int) -> str:
    """Create a queue manager with messages on a queue."""
    with connect(queue_managers.create(path, developer=True)) as connection:
        with connection.work() as work:
            alter_queue(work, "QUEUE", QUEUE, {"max_q_depth": 999_999_999})
        load_messages(connection, QUEUE, [Message(BODY, MQMD(format="MQSTR"))] * messages)
    return path


def measure(spark: SparkSession, folder: str, name: str, paths: list[str]) -> list[tuple[float, float]]:
    """Archive queue managers in one job, and reconcile the archive with itself; return what both take."""
    target = os.path.join(folder, name)
    archived = seconds(lambda: archive(spark, target, ",".join(paths), QUEUE))

    def match() -> None:
        fleet = read_archive(spark, target)
        reconcile(fleet, fleet).write.format("noop").mode("overwrite").save()

    return [archived, seconds(match)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--managers", type=int, default=1000)
    parser.add_argument("--messages", type=int, default=1000, help="of each queue manager")
    parser.add_argument("--master", default="local[2]")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mqx-fleet-") as folder:
        fleet = [new_qmgr(f"{folder}/QM{n}.db", given.messages) for n in range(given.managers)]
        single = new_qmgr(f"{folder}/ONE.db", given.messages * given.managers)
        spark = session.start(given.master, name="benchmark")
        measure(spark, folder, "warm", fleet[:20])
        one = measure(spark, folder, "one", [single])
        many = measure(spark, folder, "many", fleet)
        spark.stop()
    for what, alone, together in zip(("archive", "reconcile"), one, many, strict=True):
        print(f"{what} {given.managers} queue managers of {given.messages}; goal below {GOAL_MS} ms a queue manager")
        for kind, single, several in zip(("seconds", "processor"), alone, together, strict=True):
            beyond = (several - single) / given.managers * 1000
            words = f"{several:.1f} s; one of all {single:.1f} s; {beyond:.1f} ms a queue manager"
            print(f"  {kind:<9} {words}", flush=True)


if __name__ == "__main__":
    main()
