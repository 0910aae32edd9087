"""Read of archives of any version as frames: local files by Spark, others by ``deltalake`` or Spark's own Delta."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from mqtools.arrow import columns
from pyspark_mqx.jobs import archive_files, places
from pyspark_mqx.jobs.archive_files import FoundFiles
from pyspark_mqx.jobs.delta_target import read_delta
from pyspark_mqx.source.object_store import is_reached


def read_archive(spark: SparkSession, path: str | Sequence[str], names: Sequence[str] = ()) -> DataFrame:
    """Read archives of messages or events, of any version; a column that an archive does not have is null.

    path: folders, or URIs, with archives in them or below them.  names: just these columns, none for all.
    """
    return read_files(spark, places.find_files([path] if isinstance(path, str) else path), names)


def read_files(spark: SparkSession, given: FoundFiles, names: Sequence[str] = ()) -> DataFrame:
    """Read files of archives, as ``read_archive``."""
    wanted = tuple(names) or tuple(columns.known_columns(journal=True))
    schema = columns.ddl(wanted, journal=True)
    together = archive_files.by_layout(given.files)
    if given.roots:
        together = {kind: list(given.roots) for kind in together}
    reader = spark.read.schema(schema).options(ignoreInvalidPartitionPaths="true", pathGlobFilter="*.parquet")
    found = [
        reader.option("basePath", "/").parquet(*map(archive_files.spark_path, paths)).select(*wanted)
        for paths in together.values()
    ]
    found += [_read_uri(spark, uri, wanted) for uri in given.uris]
    return reduce(DataFrame.union, found) if found else spark.createDataFrame([], schema)


def _read_uri(spark: SparkSession, uri: str, names: Sequence[str]) -> DataFrame:
    """Return columns of an archive that is not local; one that it does not have is null."""
    if is_reached(uri):
        schema = columns.ddl(names, journal=True)
        return spark.read.format("mqx").schema(schema).option("archive", uri).load()
    known, rows = columns.known_columns(journal=True), read_delta(spark, uri)
    return rows.select(*(name if name in rows.columns else F.lit(None).cast(known[name]).alias(name) for name in names))
