"""What ``mqx pipeline prepare`` does once its line is understood."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..shared.progress import StatusLine
from .job import SparkOptions, check_spark, check_totals, print_totals, spark_of

if TYPE_CHECKING:
    from ..shared.command_session import Session


def prepare(session: Session) -> int:
    """Keep Spark's classes, and say where and how many bytes."""
    check_totals(session)
    check_spark()
    from mqtools.pipeline.session import class_cache

    with class_cache.record_classes() as recording:
        settings = [f"{key}={value}" for key, value in recording.settings.items()]
        with spark_of(session, SparkOptions("local[*]", settings), "prepare") as spark:
            class_cache.train(spark)
        with StatusLine(session) as line:
            if line.is_shown:
                line.show("prepare: Java writes the classes")
            size = recording.keep(spark)
    print_totals(session, {"kept": recording.path, "bytes": size})
    return 0
