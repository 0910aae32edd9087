"""Implementation of ``mqx pipeline prepare``."""

from __future__ import annotations

from pyspark_mqx.session import class_cache

from ..shared.command_session import Session
from ..shared.progress import StatusLine
from .job import check_spark, print_totals


def prepare(session: Session) -> int:
    """Write the class archive for Spark, and print its path and size."""
    check_spark()
    with StatusLine(session) as line:
        if line.is_shown:
            line.show("prepare: writing the class archive")
        path, size = class_cache.record_classes()
    print_totals(session, {"kept": path, "bytes": size})
    return 0
