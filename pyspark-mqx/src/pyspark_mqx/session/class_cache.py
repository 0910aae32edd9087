"""Cache of Spark's classes in the form that Java has in memory: a job starts in two thirds of the time.

Java calls this class data sharing. A cache is valid for one Java and one installed Spark; Java ignores it for others.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile

from pyspark.sql import DataFrame, SparkSession

from mqtools.admin import queue_managers
from mqtools.constants.reasons import MQRC_UNEXPECTED_ERROR
from mqtools.errors import MQError
from mqtools.message import Message
from mqtools.mqi.connection import connect
from mqtools.mqi.objects.definitions import alter_queue
from pyspark_mqx.jobs import archive, reassemble, reconcile, stats, triage
from pyspark_mqx.jobs import stream as streaming
from pyspark_mqx.jobs.checkpoint import Checkpoint
from pyspark_mqx.jobs.inputs import read_input
from pyspark_mqx.jobs.read_archive import read_archive
from pyspark_mqx.session import session, spark_home

_FROM, _TO = "DEV.QUEUE.1", "DEV.QUEUE.2"
_JOURNAL_WITH_DATA = 2
_OPTIONS = "spark.driver.extraJavaOptions"


def record_classes() -> tuple[str, int]:
    """Run a sample of every job in a Java that records its classes; return the path of the cache and its size in bytes.

    Java writes the cache when it ends, and that is when the program that started it has ended.
    Raises MQError if none can be written.
    """
    place = spark_home.choose()
    if not place:
        text = "SPARK_HOME names another Spark" if "SPARK_HOME" in os.environ else "there is no cache folder"
        raise MQError(f"cannot create the class cache: {text}", MQRC_UNEXPECTED_ERROR)
    path = session.classes_file(place)
    with tempfile.TemporaryDirectory(prefix="classes-", dir=place) as folder:
        made = os.path.join(folder, "classes.jsa")
        # Java has the pipe of the program's output, so the end of that is the end of Java.
        subprocess.run([sys.executable, "-m", __name__, made], capture_output=True, check=False)
        if not os.path.exists(made):
            raise MQError("Java wrote no class cache", MQRC_UNEXPECTED_ERROR)
        with open(made, "rb") as file:
            os.fsync(file.fileno())  # Java ends where the file has less than it says
        os.replace(made, path)
    return path, os.path.getsize(path)


def train(spark: SparkSession) -> None:
    """Run a small sample of every job, so that the recording has the classes for it."""
    with tempfile.TemporaryDirectory(prefix="mqx-spark-") as folder:
        qmgr = _qmgr(os.path.join(folder, "QM1.db"))

        def write(frame: DataFrame, name: str) -> None:
            frame.write.parquet(os.path.join(folder, name))

        archived, events = os.path.join(folder, "archive"), os.path.join(folder, "events")
        archive.archive_and_remove(spark, archived, qmgr, _FROM)
        loaded = read_input(spark, "parquet", [archived])
        loaded.write.format("mqx").mode("append").options(qmgr=qmgr, queue=_TO, job_id="1").save()
        archive.archive_journal(spark, events, qmgr, "")
        found = read_archive(spark, archived)
        write(stats.stats(read_archive(spark, events)), "stats")
        write(triage.groups(found), "triage")
        write(reassemble.reassemble(found), "reassembled")
        write(reconcile.reconcile(found, found), "reconciled")
        with Checkpoint(os.path.join(folder, "checkpoint"), "") as checkpoint:
            stream = streaming.Stream(streaming.FolderSink(os.path.join(folder, "stream"), ""), checkpoint)
            stream.start(streaming.events(spark, qmgr, checkpoint=checkpoint), available_now=True)
            while not stream.wait(60):
                pass


def _qmgr(path: str) -> str:
    queue_managers.create(path, developer=True)
    with connect(path) as connection:
        with connection.work() as work:
            alter_queue(work, "QUEUE", _FROM, {"journal": _JOURNAL_WITH_DATA})
        for number in range(3):
            connection.put1(_FROM, Message(b"%d" % number))
    return path


if __name__ == "__main__":
    recorded = (session.java_options(os.environ), shlex.quote(f"-XX:ArchiveClassesAtExit={sys.argv[1]}"))
    train(session.start(settings={_OPTIONS: " ".join((*recorded, *session.CLASS_CACHE_LOGGING))}))
