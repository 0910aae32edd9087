"""Implementation of ``mqx pipeline load``: load files onto a queue, once by job id."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark.errors import AnalysisException
from pyspark_mqx.jobs.archive_files import find_files, in_parallel, spark_path
from pyspark_mqx.jobs.inputs import read_input, try_load, without_reports
from pyspark_mqx.session import session as sessions
from pyspark_mqx.source.load_job import LoadJob
from pyspark_mqx.source.rows import ABOUT_ROW, KNOWN
from pyspark_mqx.source.writer import find_result, finish_load

from mqtools.arrow.columns import known_columns
from mqtools.arrow.ranges import find_paths, resolve_target
from mqtools.constants.reasons import MQRC_NO_MSG_AVAILABLE
from mqtools.errors import MQError
from mqtools.formats.phrases import counted
from mqtools.operations.archive_files import is_uri

from ..shared.command_session import PARTLY, Session, UsageError, as_text, print_error_line
from .headers import unknown_columns
from .job import print_totals, spark_of
from .sources import read_footer
from .spark_options import JobOptions

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


#: Ending of a file to its form; a folder is Parquet.
_FORMS = {".parquet": "parquet", ".jsonl": "jsonl", ".json": "jsonl", ".csv": "csv"}

_NOTHING = "the files are empty"
#: What Spark adds to the words of an error.
_OF_SPARK = re.compile(r"^\[[\w.]+\] | SQLSTATE: \w+.*$")


@dataclass(frozen=True, slots=True)
class PipelineLoadRequest:
    """Request of ``mqx pipeline load``. form: of the files, None to infer it from the names.

    condition: SQL on the rows of an archive.
    """

    queue: str
    paths: tuple[str, ...]
    form: str | None
    job_id: str
    condition: str | None
    keep_reports: bool
    dry_run: bool


def load(session: Session, options: JobOptions, request: PipelineLoadRequest) -> int:
    """Load the files unless the job is done; return 9 where rows were quarantined, 6 where the job is running."""
    session.queue = as_text(request.queue)
    form = _form(request)
    local = tuple(name for name in request.paths if not is_uri(name))
    if form == "csv" and (found := unknown_columns(local)):
        for mistake in found:
            print_error_line(str(mistake), keep="")
        raise UsageError(f"{counted(len(found), 'mistake')}; nothing was loaded")
    if request.condition is not None and form != "parquet":
        raise UsageError("--filter requires an archive: it is about its columns")
    path = _check_queue(session, request.queue)
    sessions.check()
    first = request.paths[0].rstrip("/")
    beside = os.path.basename(first) if is_uri(first) else first
    quarantine = os.path.abspath(options.quarantine or f"{beside}.quarantine")
    job = LoadJob(path, request.queue, request.job_id, quarantine)
    with job.lock():
        return _load_once(session, options, request, form, job)


def _load_once(session: Session, options: JobOptions, request: PipelineLoadRequest, form: str, job: LoadJob) -> int:
    if finish_load(job) is not None:
        job.delete_staged()
        session.note(f"job {request.job_id} is already done")
        print_totals(session, {"read": 0, "written": 0, "quarantined": 0}, options=options)
        return 0
    places, rows = _find_input(request.paths, form)
    with spark_of(session, options, "load", rows=rows) as spark:
        frame = _frame(session, spark, request, form, list(map(spark_path, places)))
        if request.dry_run:
            return _try_load(session, frame, job)
        writer = frame.write.format("mqx").mode("append")
        writer.options(qmgr=job.path, queue=job.queue, job_id=job.job_id, quarantine=job.quarantine).save()
    done = find_result(job)
    if done is None:
        words = _NOTHING if request.condition is None else f"no row meets --filter {request.condition}"
        raise MQError(words, MQRC_NO_MSG_AVAILABLE)
    written, refused = done
    print_totals(session, {"read": written + refused, "written": written, "quarantined": refused}, options=options)
    if refused:
        session.note(f"quarantined {refused}: rejected rows are in {job.quarantine_file}")
    return PARTLY if refused else 0


def _try_load(session: Session, frame: DataFrame, job: LoadJob) -> int:
    """Print what a load would do."""
    written, refused = try_load(frame, job)
    for line in refused:
        session.note(f"{line.file}, row {line.row}: {line.reason}")
    totals = {"read": written + len(refused), "written": written, "quarantined": len(refused)}
    print_totals(session, {"dry_run": True, **totals})
    return PARTLY if refused else 0


def _form(request: PipelineLoadRequest) -> str:
    """Return the format of the files. Raise UsageError for missing files or several formats."""
    for name in request.paths:
        if is_uri(name):
            continue
        if not os.path.exists(name):
            raise UsageError(f"{name}: no such file or folder")
        if ":" in os.path.basename(name) and os.path.isfile(name):
            raise UsageError(f"{name}: Spark cannot read a file with a colon in its name", "use a link to the file")
    if request.form is not None:
        return request.form
    forms = {_form_of(name) for name in request.paths}
    form = forms.pop() if len(forms) == 1 else None
    if form is None:
        raise UsageError(
            "cannot infer a single input format from the file names; use --input",
            "--input parquet, --input jsonl or --input csv",
        )
    return form


def _find_input(paths: tuple[str, ...], form: str) -> tuple[list[str], int | None]:
    """Return what Spark reads, and the number of its rows if it is known.

    Raise UsageError or MQError for files that are not Parquet, and for folders without any.
    """
    if form != "parquet":
        return [*paths], None
    files = [file.path for file in find_files([path for path in paths if not is_uri(path)]).files]
    found = [*files, *filter(is_uri, paths)]
    if not found:
        raise MQError(_NOTHING, MQRC_NO_MSG_AVAILABLE)
    return found, sum(rows for _, rows in in_parallel(read_footer, files))


def _form_of(name: str) -> str | None:
    """Return the format of a file by its name, of a folder Parquet; Spark itself decompresses a text by its name."""
    if os.path.isdir(name) or (is_uri(name) and "." not in os.path.basename(name)):
        return "parquet"
    form = _FORMS.get(os.path.splitext(name.removesuffix(".gz"))[1])
    return None if form == "parquet" and name.endswith(".gz") else form


def _check_queue(session: Session, queue: str) -> str:
    """Return the path of the only queue manager. Raise MQError for a queue that cannot be put to, UsageError."""
    paths = find_paths(session.qmgr or "")
    if len(paths) != 1:
        raise UsageError("load requires exactly one queue manager")
    resolve_target(paths[0], queue)
    return paths[0]


def _frame(
    session: Session, spark: SparkSession, request: PipelineLoadRequest, form: str, places: list[str]
) -> DataFrame:
    """Return the message columns of the files; report other columns, except those of an archive.

    Raise MQError where the files are empty, UsageError where there is no column to load.
    """
    try:
        frame = read_input(spark, form, places, request.condition or "true")
    except AnalysisException as error:
        if request.condition is None:
            raise
        raise UsageError(f"--filter {request.condition}: {_OF_SPARK.sub('', str(error).split(chr(10))[0])}") from error
    if form == "parquet" and not request.keep_reports:
        frame = without_reports(frame)
    names = [name for name in frame.columns if name not in ABOUT_ROW]
    if not names:
        raise MQError(_NOTHING, MQRC_NO_MSG_AVAILABLE)
    wanted = [name for name in names if name in KNOWN]
    if not wanted:
        raise UsageError(f"no column of the input is a message column: {', '.join(names)}")
    strange = [name for name in names if name not in known_columns(journal=True) and name not in KNOWN]
    if form == "csv" and strange:
        raise UsageError(f"unknown columns: {', '.join(strange)}; nothing was loaded")
    if strange:
        session.note(f"ignored unknown columns: {', '.join(strange)}")
    return frame.select(*wanted, *ABOUT_ROW)
