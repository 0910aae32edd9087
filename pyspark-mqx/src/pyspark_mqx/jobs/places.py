"""Places of archives and results: folders, Delta tables, and URIs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mqtools.constants.reasons import MQRC_UNKNOWN_OBJECT_NAME
from mqtools.errors import MQError
from mqtools.operations.archive_files import is_uri, local_place
from pyspark_mqx.jobs import archive_files, output_files
from pyspark_mqx.jobs.archive_files import FoundFiles
from pyspark_mqx.jobs.delta_target import DeltaPlace, DeltaTarget, read_delta
from pyspark_mqx.jobs.output_files import PRIVATE, FolderTarget
from pyspark_mqx.source.object_store import find_archives, is_reached

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def target_at(spark: SparkSession | None, place: str | DeltaPlace, **given: Any) -> FolderTarget:
    """Return the output at a place: a folder of Parquet files, or a Delta table. given: as of ``FolderTarget``."""
    return DeltaTarget(place, spark, **given) if isinstance(place, DeltaPlace) else FolderTarget(place, **given)


def replace_result(frame: DataFrame, place: str, *, mode: int = PRIVATE) -> int:
    """Write a result in place of the previous one; return the number of rows.

    In a folder it is Parquet files, at a URI a Delta table by Spark's own writer.
    """
    if not is_uri(place):
        return output_files.replace_result(place, frame.write.parquet, mode=mode)
    frame.write.format("delta").mode("overwrite").option("overwriteSchema", "true").save(place)
    return read_delta(frame.sparkSession, place).count()


def read_result(spark: SparkSession, place: str) -> DataFrame:
    """Read the last result of a job, in a folder or at a URI. Raises MQError if there is none."""
    if is_uri(place):
        return read_delta(spark, place)
    found = output_files.result_files(local_place(place))
    if not found:
        raise MQError(f"{place}: no result of a job", MQRC_UNKNOWN_OBJECT_NAME)
    return spark.read.parquet(*map(archive_files.spark_path, found))


def find_files(places: Sequence[str]) -> FoundFiles:
    """Return the files of archives in and below folders, each once, and the archives that URIs name."""
    found = archive_files.find_files([local_place(place) for place in places if not is_uri(place)])
    named = [find_archives(uri) if is_reached(uri) else [uri] for uri in filter(is_uri, places)]
    return FoundFiles(found.files, found.roots, tuple(dict.fromkeys(uri for uris in named for uri in uris)))
