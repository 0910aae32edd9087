"""Targets of Spark jobs: result folders and pages, and counts of what is in them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from pyspark_mqx.jobs.delta_target import DeltaPlace
from pyspark_mqx.jobs.output_files import result_files
from pyspark_mqx.jobs.places import read_result

from mqtools.arrow.masks import mask_of
from mqtools.arrow.read_options import words
from mqtools.operations.archive_files import DELTA_LOG, is_uri

from ..shared.command_session import UsageError
from .spark_options import JobOptions

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: How the folders of an archive begin.
_OF_AN_ARCHIVE = ("qmgr=", "queue=", DELTA_LOG)
_HAS_AN_ARCHIVE = "the folder has an archive; use another one for results"


def check_writable(path: str, option: str = "--to") -> None:
    """Raise UsageError for a folder that cannot be created or written; of a URI only Spark knows. option: its name."""
    if is_uri(path):
        return
    there = os.path.abspath(path)
    while not os.path.lexists(there):
        there = os.path.dirname(there)
    if not os.path.isdir(there):
        raise UsageError(f"{option} {path}: {there} is not a folder")
    if not os.access(there, os.W_OK | os.X_OK):
        raise UsageError(f"{option} {path}: {there} is not writable")


def mask_option(text: str) -> dict[str, str]:
    """Return the option of the data source for --mask. Raise UsageError."""
    try:
        mask_of(words(text))
    except ValueError as error:
        raise UsageError(f"--mask: {error}") from error
    return {"mask": text}


def place_of(folder: str, form: str, writer: str, staging: str | None) -> str | DeltaPlace:
    """Return the output of a job that appends. staging: None for the default.  Raise UsageError."""
    if form == "parquet":
        if staging is not None or writer != "deltalake" or is_uri(folder):
            raise UsageError("--format parquet writes files into a local folder, without --staging and --writer")
        check_writable(folder)
        if os.path.isdir(os.path.join(folder, DELTA_LOG)):
            raise UsageError(f"--to {folder}: this is a Delta table", "--format delta")
        return folder
    if not is_uri(folder):
        check_writable(folder)
        folder = os.path.abspath(folder)
        names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
        if DELTA_LOG not in names and (visible := [name for name in names if not name.startswith((".", "_"))]):
            hint = f"mqx pipeline migrate {folder}" if visible[0].startswith(_OF_AN_ARCHIVE) else "use another folder"
            raise UsageError(f"--to {folder}: not a Delta table: it has {visible[0]}", hint)
    place = DeltaPlace(folder, os.path.abspath(staging) if staging is not None else "", writer == "spark")
    check_writable(place.folder, "--staging")
    return place


def check_outputs(options: JobOptions) -> str:
    """Return the folder of a result. Raise UsageError where it, or the page, cannot be written, and for an archive."""
    folder, page = options.folder or "", options.html
    if folder:
        check_writable(folder)
        if os.path.isdir(folder) and any(name.startswith(_OF_AN_ARCHIVE) for name in os.listdir(folder)):
            raise UsageError(f"--to {folder}: {_HAS_AN_ARCHIVE}")
    if page is not None and not os.path.isdir(os.path.dirname(page) or "."):
        raise UsageError(f"--html {page}: no such folder")
    if page is not None and os.path.isdir(page):
        raise UsageError(f"--html {page}: is a folder")
    return folder


def sort_counts(counted: Mapping[object, int]) -> dict[str, int]:
    """Return counts by the texts of values, the largest first."""
    found = sorted(counted.items(), key=lambda one: (-one[1], str(one[0])))
    return {"none" if value is None else str(value): number for value, number in found}


def count_result(spark: SparkSession, folder: str, *names: str) -> list[tuple[tuple[object, ...], int]]:
    """Return the values of columns of a result, each with the number of its rows."""
    if not is_uri(folder) and not result_files(folder):
        return []
    rows = read_result(spark, folder).groupBy(*names).count().collect()
    return [(tuple(row)[:-1], int(row[-1])) for row in rows]
