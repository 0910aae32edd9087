"""Places of archives and results: folders, and URIs of any file system that Spark's Hadoop knows."""

from __future__ import annotations

import json
import os
import posixpath
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mqtools.constants.reasons import MQRC_UNKNOWN_OBJECT_NAME
from mqtools.errors import MQError
from mqtools.operations.archive_files import DELTA_LOG, LANDED, files_of, is_data, is_uri, landed_files
from pyspark_mqx.jobs import archive_files, output_files
from pyspark_mqx.jobs.archive_files import ArchiveFile, FoundFiles, in_parallel
from pyspark_mqx.jobs.hadoop_files import Files, HadoopFiles
from pyspark_mqx.jobs.landing_log import LandingLog
from pyspark_mqx.jobs.logged_target import LoggedTarget
from pyspark_mqx.jobs.output_files import PRIVATE, FolderTarget
from pyspark_mqx.jobs.table_names import DELTA, TableName, TablePlace, iceberg_table
from pyspark_mqx.jobs.table_target import TableTarget

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


#: Where the name of a file has the folder of a log of Delta.
_IN_DELTA_LOG = re.compile(rf"(?:^|/){DELTA_LOG}/")


def files_at(spark: SparkSession, uri: str) -> Files:
    """Return the files below a URI. Raises MQError for a scheme without a file system."""
    return HadoopFiles(spark, uri)


def target_at(
    spark: SparkSession | None,
    place: str | TablePlace,
    *,
    waits: bool = False,
    is_shared: bool = False,
    mode: int = PRIVATE,
    log: LandingLog | None = None,
) -> FolderTarget | LoggedTarget:
    """Return the output at a place. waits, is_shared, mode: as of ``FolderTarget``.

    log: of a URI, if known.  spark: needed for a URI and for a table.
    """
    if isinstance(place, TablePlace):
        assert spark is not None
        return TableTarget(spark, place, waits=waits, is_shared=is_shared, mode=mode)
    if is_uri(place):
        assert spark is not None
        return LoggedTarget(files_at(spark, place), log)
    return FolderTarget(place, waits=waits, is_shared=is_shared, mode=mode)


def replace_result(spark: SparkSession, place: str, write: Callable[[str], object], *, mode: int = PRIVATE) -> int:
    """Write a result in place of the previous one; return the number of rows. As ``output_files.replace_result``."""
    if not is_uri(place):
        return output_files.replace_result(place, write, mode=mode)
    with LoggedTarget(files_at(spark, place)) as target:
        for killed in target.killed_runs():
            killed.end()
        return target.write_run(write, replaces=True)


def result_files(spark: SparkSession, place: str) -> list[str]:
    """Return the paths of the files of the last result at a place."""
    if not is_uri(place):
        return [*output_files.result_files(place), *landed_files(place)]
    files = files_at(spark, place)
    return [files.path(name) for name in files_of(read_log(files, files.names(LANDED)))]


def read_result(spark: SparkSession, place: str) -> DataFrame:
    """Read the last result of a job in a folder or below a URI. Raises MQError if there is none."""
    found = result_files(spark, place)
    if not found:
        raise MQError(f"{place}: no result of a job", MQRC_UNKNOWN_OBJECT_NAME)
    return spark.read.parquet(*map(archive_files.spark_path, found))


def read_log(files: Files, names: Sequence[str], folder: str = "") -> list[dict[str, Any]]:
    """Return the entries of the log below a folder, in order. names: of the files of the log."""
    wanted = [posixpath.join(folder, LANDED, name) for name in sorted(names) if name.endswith(".json")]
    return list(in_parallel(lambda name: json.loads(files.read(name)), wanted))


@dataclass(slots=True)
class UriArchives:
    """Archives in and below a URI. others: files that no log names, whose footers nobody has read.

    columns, rows: of the files that a log names.  tables: of Delta.
    """

    files: list[str]
    others: list[str]
    columns: set[str]
    rows: int
    tables: list[TableName]


def find_uri(files: Files) -> UriArchives:
    """Return the archives in and below the root of files."""
    logs: dict[str, list[str]] = {}
    found = UriArchives([], [], set(), 0, [])
    names = files.walk("")
    tables = _delta_folders(names)
    found.tables = [TableName(DELTA, files.path(folder)) for folder in tables]
    for name in names:
        folder, _, last = name.rpartition("/")
        parts = folder.split("/")
        if any("/".join(parts[:n]) in tables for n in range(len(parts) + 1)):
            continue
        if f"/{folder}".endswith(f"/{LANDED}"):
            logs.setdefault(folder.removesuffix(LANDED).rstrip("/"), []).append(last)
        elif is_data(last) and not any(map(archive_files.is_hidden, parts)):
            found.others.append(name)
    for folder, names in logs.items():
        entries = read_log(files, names, folder)
        found.files += [posixpath.join(folder, name) for name in files_of(entries)]
        found.rows += sum(entry.get("rows", 0) for entry in entries)
        found.columns.update(*(entry.get("columns", ()) for entry in entries))
    if not found.others and not logs and not tables and is_data(posixpath.basename(files.root)):
        found.others.append("")
    return found


def _delta_folders(names: Iterable[str]) -> list[str]:
    """Return the folders of tables of Delta, by the names of files; the root is an empty name."""
    logs = {name[: at.start()].rstrip("/") for name in names if (at := _IN_DELTA_LOG.search(name)) is not None}
    return sorted(logs)


def uri_file(files: Files, name: str) -> ArchiveFile:
    """Return a file of an archive below a URI."""
    path = files.path(name)
    return ArchiveFile(path, archive_files.layout_of(posixpath.dirname(path)), base_of(path))


def base_of(uri: str) -> str:
    """Return the root of the file system of a URI."""
    scheme, _, rest = uri.partition(":")
    return f"{scheme}://{rest[2:].partition('/')[0]}/" if rest.startswith("//") else f"{scheme}:/"


def find_files(spark: SparkSession, places: Sequence[str]) -> FoundFiles:
    """Return the files of archives in and below folders and URIs, each once; and the tables, also those of Iceberg."""
    named = {place: iceberg_table(place) for place in places}
    tables = [table for table in named.values() if table is not None]
    found = archive_files.find_files([place for place in places if named[place] is None and not is_uri(place)])
    below: dict[str, ArchiveFile] = {}
    for place in filter(is_uri, places):
        files = files_at(spark, place)
        there = find_uri(files)
        tables += there.tables
        below |= {file.path: file for file in (uri_file(files, name) for name in (*there.files, *there.others))}
    return found.joined(below.values(), tables)


def is_archive(spark: SparkSession, place: str) -> bool:
    """Return whether a place has the folders of an archive, so that a result does not belong there."""
    if not is_uri(place):
        return os.path.isdir(place) and any(map(_is_of_an_archive, os.listdir(place)))
    files = files_at(spark, place)
    if any(map(_is_of_an_archive, files.names(""))):
        return True
    entries = read_log(files, files.names(LANDED))
    return any("files" in entry and not entry.get("replaces") for entry in entries)


def _is_of_an_archive(name: str) -> bool:
    return name.startswith(("qmgr=", "queue="))
