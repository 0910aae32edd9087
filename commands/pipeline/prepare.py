"""Implementation of ``mqx pipeline prepare``."""

from __future__ import annotations

from pyspark_mqx.session import class_cache

from ..shared.command_session import Session
from ..shared.progress import StatusLine
from .job import check_spark, print_totals, spark_of
from .spark_options import SparkOptions


def prepare(session: Session) -> int:
    """Write the class archive for Spark, and print its path and size."""
    check_spark()
    with class_cache.record_classes() as recording:
        settings = [f"{key}={value}" for key, value in recording.settings.items()]
        with spark_of(session, SparkOptions("local[*]", settings), "prepare") as spark:
            class_cache.train(spark)
        with StatusLine(session) as line:
            if line.is_shown:
                line.show("prepare: writing the class archive")
            size = recording.keep(spark)
    print_totals(session, {"kept": recording.path, "bytes": size})
    return 0
