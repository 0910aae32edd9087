"""What ``mqx pipeline load`` does once its line is understood: files to a queue, once by job id."""

from __future__ import annotations

import os

from mqtools.constants.reasons import MQRC_NO_MSG_AVAILABLE
from mqtools.errors import MQError
from mqtools.formats.phrases import counted
from mqtools.pipeline.source.ranges import find_paths, resolve_target
from mqtools.records import Record

from ..shared.command_session import PARTLY, Session, UsageMistake, say
from .frames import column_names, parquet_files, spark_path
from .headers import unknown_columns
from .job import SparkOptions, check_spark, check_totals, print_totals, spark_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from mqtools.pipeline.source.writer import Job

#: Ending of a file to its form; a folder is Parquet.
_FORMS = {".parquet": "parquet", ".jsonl": "jsonl", ".json": "jsonl", ".csv": "csv"}

_NOTHING = "there is nothing in the files"


class LoadRequest(Record):
    """One load command. form: of the files, None to tell it by their names.  quarantine: a folder, None beside them."""

    __slots__ = ("queue", "paths", "form", "job_id", "quarantine")

    def __init__(
        self, queue: str, paths: tuple[str, ...], form: str | None, job_id: str, quarantine: str | None
    ) -> None:
        self.queue = queue
        self.paths = paths
        self.form = form
        self.job_id = job_id
        self.quarantine = quarantine


def load(session: Session, options: SparkOptions, request: LoadRequest) -> int:
    """Load the files unless the job is done; 9 where some rows were set aside, 6 where it is being done."""
    check_totals(session)
    session.about(request.queue)
    form = _form(request)
    if form == "csv" and (found := unknown_columns(request.paths)):
        for mistake in found:
            say(str(mistake), keep="")
        raise UsageMistake(f"{counted(len(found), 'mistake')}; nothing was loaded")
    path = _check_queue(session, request.queue)
    check_spark()
    from mqtools.pipeline.source.writer import Job

    quarantine = os.path.abspath(request.quarantine or f"{request.paths[0].rstrip('/')}.quarantine")
    job = Job(path, request.queue, request.job_id, quarantine)
    with job.lock():
        return _load_once(session, options, request, form, job)


def _load_once(session: Session, options: SparkOptions, request: LoadRequest, form: str, job: Job) -> int:
    from mqtools.pipeline.source.writer import find_result

    if find_result(job) is not None:
        job.delete_staged()
        session.note(f"job {request.job_id} is done already")
        print_totals(session, {"read": 0, "written": 0, "quarantined": 0})
        return 0
    if form == "parquet":
        _check_parquet(request.paths)
    with spark_of(session, options, "load") as spark:
        frame = _frame(session, spark, form, list(map(spark_path, request.paths)))
        writer = frame.write.format("mqx").mode("append")
        writer.options(qmgr=job.path, queue=job.queue, job_id=job.job_id, quarantine=job.quarantine).save()
    done = find_result(job)
    if done is None:
        raise MQError(_NOTHING, MQRC_NO_MSG_AVAILABLE)
    written, refused = done
    print_totals(session, {"read": written + refused, "written": written, "quarantined": refused})
    if refused:
        session.note(f"quarantined {refused}: what could not be loaded is in {job.quarantine_file}")
    return PARTLY if refused else 0


def _form(request: LoadRequest) -> str:
    """Tell the form of the files. Raises UsageMistake for files that are not there, or of several forms."""
    for name in request.paths:
        if not os.path.exists(name):
            raise UsageMistake(f"{name}: there is no such file or folder")
        if ":" in os.path.basename(name) and os.path.isfile(name):
            raise UsageMistake(f"{name}: Spark reads no file with a colon in its name", "a link to it will do")
    if request.form is not None:
        return request.form
    forms = {"parquet" if os.path.isdir(name) else _form_of(name) for name in request.paths}
    form = forms.pop() if len(forms) == 1 else None
    if form is None:
        raise UsageMistake("the names do not say one form for all the files", "--input parquet, jsonl or csv says it")
    return form


def _check_parquet(paths: tuple[str, ...]) -> None:
    """Refuse files that are no Parquet, and folders without any. Raises UsageMistake, MQError."""
    files = [file for path in paths for file in parquet_files(path)]
    if not files:
        raise MQError(_NOTHING, MQRC_NO_MSG_AVAILABLE)
    for file in files:
        column_names(file)


def _form_of(name: str) -> str | None:
    """Tell the form of a file by its name; Spark itself unpacks a text whose name says so."""
    form = _FORMS.get(os.path.splitext(name.removesuffix(".gz"))[1])
    return None if form == "parquet" and name.endswith(".gz") else form


def _check_queue(session: Session, queue: str) -> str:
    """Give the path of the one queue manager. Raises MQError for a queue that cannot be put to, UsageMistake."""
    paths = find_paths(session.qmgr or "")
    if len(paths) != 1:
        raise UsageMistake("a load needs one queue manager")
    resolve_target(paths[0], queue)
    return paths[0]


def _frame(session: Session, spark: SparkSession, form: str, paths: list[str]) -> DataFrame:
    """Read the columns of messages, and report which others there are, except those of an archive.

    Raises MQError where nothing is in the files, UsageMistake where there is no column to load.
    """
    from mqtools.pipeline.jobs.inputs import read_input
    from mqtools.pipeline.source.columns import known_columns
    from mqtools.pipeline.source.rows import ABOUT_ROW, KNOWN

    frame = read_input(spark, form, paths)
    names = [name for name in frame.columns if name not in ABOUT_ROW]
    if not names:
        raise MQError(_NOTHING, MQRC_NO_MSG_AVAILABLE)
    wanted = [name for name in names if name in KNOWN]
    if not wanted:
        raise UsageMistake(f"no column belongs to a message: {', '.join(names)}")
    others = [name for name in names if name not in KNOWN and name not in known_columns(journal=True)]
    if others:
        session.note(f"passed over: {', '.join(others)}; no column of a message has such a name")
    return frame.select(*wanted, *ABOUT_ROW)
