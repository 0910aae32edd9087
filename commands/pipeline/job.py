"""Common parts of the jobs of ``mqx pipeline``: Spark start, progress, totals, error translation."""

from __future__ import annotations

import errno
import json
import logging
import os
import re
import sys
import tempfile
import threading
import time
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING

from pyspark import __version__ as spark_version
from pyspark_mqx.jobs.durable_files import folder_mode
from pyspark_mqx.session import session as sessions
from pyspark_mqx.source.spark_errors import jar_error, last_words, our_error, unread_file

from mqtools.constants.reasons import (
    MQRC_HOST_NOT_AVAILABLE,
    MQRC_OBJECT_DAMAGED,
    MQRC_STORAGE_MEDIUM_FULL,
    MQRC_UNEXPECTED_ERROR,
)
from mqtools.errors import MQError
from mqtools.formats.files import replace_text
from mqtools.formats.rows import Column
from mqtools.formats.units import rfc3339

from ..shared.command_session import Session, UsageError, end_on_sigterm
from ..shared.output_rows import print_rows
from ..shared.progress import ProgressBar
from .spark_options import JobOptions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

    Totals = dict[str, object]


#: How often the progress is looked at, in seconds.
_GLANCE_S = 0.5

#: Filters are for the store: a job reads each queue in one query (``pipeline.source`` says why that matters).
_OF_JOBS = {"spark.sql.python.filterPushdown.enabled": "true"}

#: Error texts of the system when nothing more can be written.
_FULL = [os.strerror(number) for number in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)]

_SET_ASIDE = "--quarantine of reconcile, triage, reassemble and stats skips such files"

#: Part of Spark's error after its session ended, as with an invalid master.
_STOPPED = "stopped SparkContext"


@contextmanager
def spark_of(
    session: Session, options: JobOptions, what: str, *, bar: bool = True, rows: int | None = None
) -> Iterator[SparkSession]:
    """Start Spark for a job, with a progress bar on a terminal unless quiet; translate its errors.

    rows: number of rows that the job reads, if it is known.
    Raise UsageError before anything is done where Spark cannot start; MQError for what fails in it.
    """
    settings = _settings(options)
    sessions.check()
    if not sessions.is_reachable(options.master):  # Spark itself tries for a minute
        raise MQError(f"--master {options.master}: no answer", MQRC_HOST_NOT_AVAILABLE)
    end_on_sigterm()
    os.umask(0o777 & ~folder_mode(options.mode))
    os.environ.setdefault("PYTHONSAFEPATH", "1")  # Spark's Python processes load nothing from the working directory
    label = what if rows is None else f"{what}: {rows:,} rows"
    progress: AbstractContextManager[list[SparkSession]] = _progress(session, label) if bar else nullcontext([])
    # After an interrupt Java may still write into the folder while it is removed.
    scratch = tempfile.TemporaryDirectory(prefix="mqx-spark-", ignore_cleanup_errors=True)
    with _hide_stderr(session), scratch as folder, progress as running:
        own = {"spark.local.dir": folder, "spark.sql.warehouse.dir": folder}
        has_started = False
        try:
            spark = sessions.start(options.master, {**own, **_OF_JOBS, **settings}, f"mqx pipeline {what}")
            has_started = True
            running.append(spark)
            yield spark
        except (MQError, UsageError):
            raise
        except Exception as error:
            wrong = jar_error(error, spark_version) or _find_wrong_setting(error, settings, has_started=has_started)
            raise wrong or _translate_error(error, options) from error


def _settings(options: JobOptions) -> dict[str, str]:
    settings = {}
    for word in options.settings:
        key, equals, value = word.partition("=")
        if not equals or not key:
            raise UsageError(f"--conf {word}: expected KEY=VALUE")
        if not key.startswith("spark."):
            raise UsageError(f"--conf {word}: the names of Spark settings begin with spark.")
        settings[key] = value
    return settings


def _find_wrong_setting(error: Exception, settings: dict[str, str], *, has_started: bool) -> UsageError | None:
    """Return the error to report for a setting that Spark rejects, None if the error is about something else.

    settings: those given with --conf. Where Spark does not start at all, it is one of these.
    """
    if not settings or not type(error).__module__.startswith(("pyspark", "py4j")):
        return None
    text = str(error)
    named = [key for key in settings if re.search(rf"{re.escape(key)}(?![\w.])", text)]
    if not named and (has_started or _STOPPED in text):
        return None
    words = " ".join(f"--conf {key}={settings[key]}" for key in named or settings)
    why = (line[line.index(key) :] for line in _lines_of(text) for key in named if key in line)
    return UsageError(f"{words}: {next(why, 'Spark does not start with it')}")


def _lines_of(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()]


def _translate_error(error: Exception, options: JobOptions) -> Exception:
    """Return the error to report for an error of Spark; return one of another kind unchanged."""
    if not type(error).__module__.startswith(("pyspark", "py4j")):
        return error
    text = str(error)
    if (ours := our_error(error)) is not None:
        return ours
    if full := [words for words in _FULL if any(line.endswith(words) for line in _lines_of(text))]:
        scratch = f"{tempfile.gettempdir()}, the folder for Spark's temporary files (set TMPDIR to change it)"
        disk = f"this is the disk of {options.folder}, or of {scratch}" if options.folder else f"the disk of {scratch}"
        return MQError(f"Spark: {full[0]}", MQRC_STORAGE_MEDIUM_FULL, hint=disk)
    if unread := unread_file(error):
        hint = _SET_ASIDE if unread.endswith(".parquet") else None
        return MQError(f"{unread}: the file is damaged", MQRC_OBJECT_DAMAGED, hint=hint)
    if _STOPPED in text and not options.master.startswith("local"):
        return MQError(f"--master {options.master}: Spark gave up on it", MQRC_HOST_NOT_AVAILABLE)
    return MQError(f"Spark: {last_words(error)}", MQRC_UNEXPECTED_ERROR)


@contextmanager
def _hide_stderr(session: Session) -> Iterator[None]:
    """Hide what Java, its workers and PySpark's loggers write to stderr; --debug shows it."""
    if session.debug:
        yield
        return
    logged = logging.root.manager.disable
    logging.disable()
    sys.stderr.flush()
    ours = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
    os.dup2(nowhere, 2)
    os.close(nowhere)
    before, sys.stderr = sys.stderr, os.fdopen(ours, "w", buffering=1, encoding="utf-8", errors="backslashreplace")
    try:
        yield
    finally:
        sys.stderr.flush()
        os.dup2(sys.stderr.fileno(), 2)
        sys.stderr, done = before, sys.stderr
        done.close()
        logging.disable(logged)


@contextmanager
def _progress(session: Session, what: str) -> Iterator[list[SparkSession]]:
    """Show the start of Spark and the progress of its tasks on a terminal; yield the list that gets the session."""
    running: list[SparkSession] = []
    if session.quiet or not sys.stderr.isatty():
        yield running
        return
    ended = threading.Event()
    watcher = threading.Thread(target=_watch, args=(session, running, what, ended), daemon=True)
    watcher.start()
    try:
        yield running
    finally:
        ended.set()
        watcher.join()


def _watch(session: Session, running: list[SparkSession], what: str, ended: threading.Event) -> None:
    """Update the progress: tasks done of all known; tasks of a finished stage count as done."""
    known: dict[int, int] = {}
    with ProgressBar(session, f"{what}, starting Spark", None) as bar:
        while not ended.wait(_GLANCE_S) and not running:
            bar.show(0, None)
        bar.describe(f"{what}, tasks")
        while running and not ended.wait(_GLANCE_S):
            tracker = running[0].sparkContext.statusTracker()
            stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
            there = [stage for stage in stages if stage is not None]
            known |= {stage.stageId: stage.numTasks for stage in there}
            total = sum(known.values())
            done = total - sum(stage.numTasks - stage.numCompletedTasks for stage in there)
            bar.show(done, total if total > 1 else None)  # one task does not report its progress


def write_metrics(options: JobOptions, totals: Totals, outcomes: dict[str, int] | None = None) -> None:
    """Replace the file of ``--metrics`` by one JSON object: times, rows per second, totals."""
    if options.metrics is None:
        return
    seconds = round(time.time() - options.begun, 3)
    rows = totals.get("read", totals.get("written"))
    rate = round(rows / seconds, 1) if isinstance(rows, int) and seconds else None
    found = {
        "job": options.job,
        "begun_at": rfc3339(round(options.begun * 1000)),
        "seconds": seconds,
        "rows_per_second": rate,
        **totals,
    }
    replace_text(options.metrics, json.dumps(found | ({} if outcomes is None else {"outcomes": outcomes})) + "\n")


def print_totals(
    session: Session, totals: Totals, outcomes: dict[str, int] | None = None, options: JobOptions | None = None
) -> None:
    """Print the totals: one row each in a table, one object in JSON. options: of a job, with the file for metrics."""
    if options is not None:
        write_metrics(options, totals, outcomes)
    output = session.list_output
    if output in ("json", "jsonl"):
        whole = {**totals, "outcomes": outcomes} if outcomes is not None else totals
        print_rows(session, [whole], [], "jsonl")
        return
    rows = [{"total": name, "number": value} for name, value in {**totals, **(outcomes or {})}.items()]
    print_rows(session, rows, [Column("total"), Column("number", align="right")], output)
