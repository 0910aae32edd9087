"""``mqx pipeline``: what is refused or named before Spark starts, and one whole run."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.errors import PySparkRuntimeError

from mqtools.errors import MQError

Q, REPORTS = "DEV.QUEUE.1", "DEV.QUEUE.2"


ARCHIVE = ("pipeline", "archive", "--to", "archive")
TO, STREAM = ("archive", "--to"), ("stream", "--checkpoint", "c")


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """Let no Spark start; return the list of what it would be started with, and the error that comes in its place."""
    found: list[Any] = []

    def fail(*given: Any) -> None:
        error = found.pop() if found and isinstance(found[-1], Exception) else MQError("enough", 2195)
        found.append(given)
        raise error

    monkeypatch.setattr("pyspark_mqx.session.session.start", fail)
    return found


def test_without_java_nothing_begins(qm: str, here: Callable[..., Any], tmp_path: Path) -> None:
    done = here(*ARCHIVE, PATH=str(tmp_path), JAVA_HOME="")
    assert (done.status, done.out) == (2, b"")
    assert "Java is not installed" in done.err
    assert "hint: install Java 17" in done.err


def test_an_old_java_is_named(qm: str, here: Callable[..., Any], java: Callable[[str], str]) -> None:
    here(*ARCHIVE, JAVA_HOME=java("1.8.0_392")).ended(2, "Java 8 is too old")


def test_an_old_pyspark_is_named(qm: str, here: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pyspark.__version__", "4.0.5")
    here(*ARCHIVE).ended(2, "PySpark 4.0.5 is too old", "hint: pip install")
    monkeypatch.setattr("pyspark.__version__", "4.1.4")
    done = here("pipeline", "stream", "--to", "events", "--checkpoint", "c")
    assert (done.status, "PySpark 4.1.4 is too old for streams, 4.2 is the oldest" in done.err) == (2, True)


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (("archive",), 2, "--to"),
        (("archive", "--to", "a", "--queue", "NOPE"), 5, "NOPE"),
        (("archive", "--to", "a", "-m", "NOPE"), 5, "NOPE"),
        (("archive", "--to", "a", "--consume", "--journal"), 2, "--consume requires --queue or --all-queues"),
        (("archive", "--to", "a", "--all-queues", "--consume", "--journal"), 2, "a journal is only read"),
        (("archive", "--to", "a", "--all-queues", "--consume"), 2, "without confirmation"),
        (("archive", "--to", "a", "--all-queues", "--queue", "DEV*"), 2, "cannot be combined with --queue"),
        (("load", "DEV.QUEUE.1", "-", "--input", "csv", "--filter", "1", "--job-id", "j"), 2, "no such file"),
        (("archive", "--to", "a", "--consume", "--no-body", "--all-queues"), 2, "would be lost"),
        (("archive", "--to", "a", "--consume", "--mask", "data", "--all-queues"), 2, "would be lost"),
        (("archive", "--to", "a", "--mask", "data,priority"), 2, "--mask: priority cannot be masked"),
        (("stream", "--to-queue", "DEV.QUEUE.2", "--checkpoint", "c", "--mask", "data"), 2, "--mask requires --to"),
        (("archive", "--to", "a", "--conf", "nonsense"), 2, "KEY=VALUE"),
        (("archive", "--to", "a", "-o", "hex"), 2, "hex"),
        (("reconcile", "--sent", "./nowhere", "--reports", "DEV.QUEUE.1", "--to", "a"), 2, "nowhere"),
        (("reconcile", "--sent", "DEV.QUEUE.1", "--reports", "NOPE", "--to", "a"), 5, "NOPE"),
        (("reconcile", "--sent", "folder/", "--reports", "DEV.QUEUE.1", "--to", "a"), 2, "no Parquet"),
        (("triage", "--by", "moon", "--queue", "DEV.QUEUE.1"), 2, "moon"),
        (("triage",), 2, "exactly one of --queue and --from"),
        (("triage", "--queue", "DEV.QUEUE.1", "--rules", "missing"), 2, "missing"),
        (("triage", "--from", "folder"), 2, "no Parquet"),
        (("triage", "--queue", "DEV.QUEUE.1", "--to", "/dev/null"), 2, "not a folder"),
        (("archive", "--to", "/dev/null/archive"), 2, "/dev/null is not a folder"),
        (("archive", "--to", "a\udcff"), 2, "is not UTF-8 text"),
        (("archive", "--to", "a", "--quarantine", "a\udcff"), 2, "is not UTF-8 text"),
        (("archive", "--to", "a", "-m", "./a\udcff.db"), 2, "is not UTF-8 text"),
        (("triage", "--queue", "DEV.QUEUE.1", "--html", "no/where.html"), 2, "no/where.html"),
        (("triage", "--queue", "DEV.QUEUE.1", "--html", "."), 2, "is a folder"),
        (("reassemble", "--from", "NOPE", "--to", "a"), 5, "NOPE"),
        (("reassemble", "--from", "folder", "--to", "a"), 5, "hint: for the folder of this name: folder/"),
        (("reassemble", "--from", "NOPE", "--to", "a", "-o", "json"), 5, '"queue":"NOPE"'),
        (("archive", "--queue", "NOPE", "--to", "a", "-o", "json"), 5, '"queue":"NOPE"'),
        (("triage", "--queue", "NOPE", "-o", "json"), 5, '"queue":"NOPE"'),
        (("load", "NOPE", "folder", "--job-id", "j", "-o", "json"), 5, '"queue":"NOPE"'),
        (("stats", "--from", "nowhere"), 2, "nowhere"),
        (("stats", "--from", "no*where/"), 2, "no*where/: no such folder"),
        (("stats", "--from", "nowhere", "--to", "a", "--to", "b"), 2, "--to is given 2 times"),
        (("archive", "--to", "a", "--conf", "foo=1"), 2, "--conf foo=1: the names of Spark settings begin with spark."),
        (("archive", "--to", "a", "--mode", "440"), 2, "--mode 440: expected the permissions of files in octal"),
        (("archive", "--to", "a", "--mode", "755"), 2, "--mode 755"),
        (("load", "NOPE", ".", "--job-id", "j"), 5, "NOPE"),
        (("load", "DEV.QUEUE.1", "missing.csv", "--job-id", "j"), 2, "missing.csv"),
        (("load", "DEV.QUEUE.1", "folder", "--job-id", "j"), 3, "the files are empty"),
        (("load", "DEV.QUEUE.1", "/dev/null", "--job-id", "j"), 2, "--input"),
        (("load", "DEV.QUEUE.1", "a.parquet.gz", "--job-id", "j"), 2, "--input"),
        (("load", "DEV.QUEUE.1", "10:30.csv", "--job-id", "j"), 2, "colon"),
        (("load", "DEV.QUEUE.1", "a\udcff.csv", "--job-id", "j"), 2, "is not UTF-8 text"),
        (("load", "DEV.QUEUE.1", "cut", "--input", "parquet", "--job-id", "j"), 2, "cut: not a Parquet file"),
        (("archive", "--to", "file:///dev/null/a%20b"), 2, "/dev/null is not a folder"),
        (("triage", "--from", "file:/nowhere"), 2, "/nowhere: no such folder"),
        (
            ("archive", "--to", "a", "--master", "spark://127.0.0.1:1"),
            1,
            "--master spark://127.0.0.1:1: no answer",
        ),
        (("archive", "--to", "a", "--master", "spark://nowhere"), 1, "--master spark://nowhere: no answer"),
        (("stream", "--checkpoint", "c"), 2, "exactly one of --to and --to-queue"),
        (("stream", "--checkpoint", "a\udcff", "--to", "a"), 2, "is not UTF-8 text"),
        (("stream", "--checkpoint", "c", "--to-queue", "NOPE"), 5, "NOPE"),
        ((*TO, "a", "--format", "parquet", "--staging", "s"), 2, "--format parquet writes files into a local folder"),
        ((*TO, "s3://b/x", "--format", "parquet"), 2, "--format parquet writes files into a local folder"),
        ((*TO, "a", "--format", "orc"), 2, "orc"),
        ((*TO, "s3://b/x", "--staging", "s3://b/s"), 2, "--staging s3://b/s: this has to be a local"),
        ((*TO, "s3://b/x", "--staging", "/dev/null"), 2, "--staging /dev/null: /dev/null is not a folder"),
        ((*TO, "s3://b/x", "--quarantine", "s3://b/q"), 2, "has to be a local folder: lines are added"),
        (("stream", "--to", "x", "--checkpoint", "hdfs://h/c"), 2, "has to be a local folder: a stream locks it"),
        ((*TO, "old"), 2, "hint: mqx pipeline migrate"),
        ((*TO, "notes"), 2, "/notes: not a Delta table: it has a.txt"),
        ((*TO, "lake", "--format", "parquet"), 2, "hint: --format delta"),
        (("reassemble", "--from", Q, "--to", "lake"), 2, "--to lake: the folder has an archive"),
        (("triage", "--queue", Q, "--format=delta", "--to", "a"), 2, "replaces the one before"),
        (("load", Q, "a.csv", "--job-id", "j", "--format", "delta"), 2, "this job does not write files"),
        (("stream", "--checkpoint", "c", "--to-queue", Q, "--staging", "s"), 2, "--staging requires --to"),
        (("stream", "--checkpoint", "c", "--to-queue", Q, "--compact"), 2, "--compact requires a Delta table"),
        ((*TO, "a", "--writer", "spark", "--writer", "spark"), 2, "--writer is given 2 times"),
        ((*STREAM, "--to", "a", "--to-qmgr", "QM1"), 2, "--to-qmgr requires --to-queue"),
        ((*STREAM, "--to-queue", "DEV.QUEUE.2", "--to-qmgr", "NOPE"), 5, "NOPE"),
        ((*STREAM, "--to-queue", Q, "-m", "*", "-m", "./*.db"), 2, "--to-queue with several queue managers requires"),
        ((*STREAM, "--to", "a", "-m", "./NOPE*.db"), 5, "NOPE"),
        ((*STREAM, "--to", "a", "--queue", "NOPE"), 5, "queue NOPE does not exist"),
        ((*STREAM, "--to-queue", "NOPE@QM1"), 5, "queue NOPE does not exist"),
    ],
)
def test_what_is_wrong_is_said_before_spark_starts(
    qm: str,
    here: Callable[..., Any],
    no_spark: None,
    java: Callable[[str], str],
    words: tuple[str, ...],
    status: int,
    said: str,
) -> None:
    for folder in ("folder", "old/qmgr=QM1", "lake/_delta_log", "notes"):
        Path(folder).mkdir(parents=True)
    for name in ("a.parquet.gz", "10:30.csv", "cut", "notes/a.txt"):
        Path(name).touch()
    Path("copy.db").write_bytes(Path(qm).read_bytes())
    here("pipeline", *words, JAVA_HOME=java("17.0.9")).ended(status, said)


def test_filters_of_a_job_are_for_the_store(
    qm: str, here: Callable[..., Any], start: list[Any], java: Callable[[str], str]
) -> None:
    assert "enough" in here(*ARCHIVE, JAVA_HOME=java("17.0.9")).err
    assert start[0][1]["spark.sql.python.filterPushdown.enabled"] == "true"


def test_archives_are_known_by_their_columns(qm: str, here: Callable[..., Any], no_spark: None, tmp_path: Path) -> None:
    for name in ("other", "cut", "junk", "archive"):
        (tmp_path / name).mkdir()
    Path("junk/one.parquet").write_bytes(b"junk")
    pq.write_table(pa.table({"msg_id": ["0"]}), "other/one.parquet")
    Path("cut/one.parquet").write_bytes(Path("other/one.parquet").read_bytes()[:-9])
    Path("archive/queue=Q").mkdir()
    for line, said in {
        ("reassemble", "--from", "other/", "--to", "a"): "no column msg_type",
        ("reassemble", "--from", "junk/", "--to", "a"): "junk/one.parquet: not a Parquet file",
        ("reassemble", "--from", "DEV.QUEUE.1", "--to", "archive"): "the folder has an archive",
    }.items():
        here("pipeline", *line).ended(2, said)
    for line in (("reassemble", "--from", "cut/", "--to", "a"), ("load", Q, "cut/", "--job-id", "j")):
        here("pipeline", *line).ended(10, "one.parquet: the Parquet file is incomplete or damaged")


def test_a_master_that_answers_and_is_none_is_named(
    qm: str, here: Callable[..., Any], start: list[Any], java: Callable[[str], str]
) -> None:
    start.append(PySparkRuntimeError("Cannot call methods on a stopped SparkContext."))
    with socket.create_server(("127.0.0.1", 0)) as server:
        master = f"spark://127.0.0.1:1,127.0.0.1:{server.getsockname()[1]}"
        done = here(*ARCHIVE, "--master", master, JAVA_HOME=java("17.0.9"))
    assert (done.status, f"--master {master}: Spark gave up on it" in done.err) == (1, True)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "An error occurred\n: java.lang.X: Error while instantiating\n"
            "Caused by: java.lang.IllegalArgumentException: spark.a.b should be int, but was abc",
            "--conf spark.a.b=abc: spark.a.b should be int, but was abc",
        ),
        ("[JAVA_GATEWAY_EXITED] Java gateway process exited", "--conf spark.a.b=abc --conf spark.a=1: Spark does not"),
    ],
)
def test_a_setting_that_spark_rejects_is_named(
    qm: str,
    here: Callable[..., Any],
    start: list[Any],
    java: Callable[[str], str],
    text: str,
    said: str,
) -> None:
    start.append(PySparkRuntimeError(text))
    here(*ARCHIVE, "--conf", "spark.a.b=abc", "--conf", "spark.a=1", JAVA_HOME=java("17.0.9")).ended(2, said)


def test_spark_submit_is_given_a_file_and_says_where_spark_runs(
    qm: str, here: Callable[..., Any], start: list[Any], java: Callable[[str], str]
) -> None:
    home = java("17.0.9")
    here(*ARCHIVE, JAVA_HOME=home)
    here(*ARCHIVE, JAVA_HOME=home, PYSPARK_GATEWAY_PORT="1")
    assert [master for master, *_ in start] == ["local[*]", ""]
    file = Path(here("pipeline", "--submit-file").out.decode().strip())
    assert (file.name, file.parent.name) == ("submit.py", "pyspark_mqx")
    done = subprocess.run([sys.executable, str(file), "pipeline", "--help"], capture_output=True, check=True, text=True)
    assert "mqx pipeline archive" in done.stdout


def test_a_table_with_mistakes_is_shown(qm: str, here: Callable[..., Any]) -> None:
    here("pipeline", "triage", "--queue", "DEV.QUEUE.1", "--rules", "-", stdin=b"ACTION(NOPE)\n").ended(2, "<stdin>:1:")


def test_a_stream_onto_a_queue_needs_the_data(
    here: Callable[..., Any], define: Callable[..., None], java: Callable[[str], str]
) -> None:
    define("DEV.QUEUE.1", journal=1)
    done = here("pipeline", "stream", "--checkpoint", "c", "--to-queue", "DEV.QUEUE.2", JAVA_HOME=java("17.0.9"))
    assert (done.status, "JOURNAL(BODY)" in done.err) == (2, True)


@pytest.mark.xdist_group("spark")
def test_a_run_is_quiet_and_says_its_totals_and_loads_nothing_from_the_working_directory(
    qm: str, mqx: Callable[..., Any], mqx_path: str, environment: dict[str, str], tmp_path: Path
) -> None:
    """The one test that starts Spark as an operator does."""
    for data in ("one", "two"):
        mqx("put", "DEV.QUEUE.1", data, check=True)
    folder = str(tmp_path / "archive")
    (tmp_path / "here" / "mqtools").mkdir(parents=True)
    for name in ("mqtools/__init__.py", "json.py", "pyarrow.py"):
        (tmp_path / "here" / name).write_text(f"open({str(tmp_path / 'loaded')!r}, 'w')")
    line = [mqx_path, "pipeline", "archive", "--to", folder, "--master", "local[1]", "-o", "json"]
    done = subprocess.run(line, env=environment, cwd=tmp_path / "here", capture_output=True, timeout=300, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert not (tmp_path / "loaded").exists()
    assert json.loads(done.stdout) == {"read": 2, "written": 2}
    assert sorted(os.listdir(folder)) == ["_delta_log", "_mqx", "qmgr=QM1"]
