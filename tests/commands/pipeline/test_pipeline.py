"""``mqx pipeline``: what is refused before Spark starts, the jobs on the Spark of all tests, and one whole run."""

from __future__ import annotations

import json
import os
import resource
import shutil
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark")
pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

from mqtools.constants.message import MQMF_LAST_SEGMENT, MQMF_SEGMENT, MQMT_REPORT, MQRO_COD  # noqa: E402
from mqtools.errors import MQError  # noqa: E402
from mqtools.headers.chain import prefix_dlh  # noqa: E402
from mqtools.message import MQMD, Message  # noqa: E402
from mqtools.mqi.connection import connect  # noqa: E402
from mqtools.operations.load import load_messages  # noqa: E402

Q, REPORTS = "DEV.QUEUE.1", "DEV.QUEUE.2"


@pytest.fixture
def java(tmp_path: Path) -> Callable[[str], str]:
    """Make a folder that has a Java of some version; gives what JAVA_HOME would be."""

    def make(version: str) -> str:
        program = tmp_path / "java" / "bin" / "java"
        program.parent.mkdir(parents=True)
        program.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n")
        program.chmod(0o755)
        return str(tmp_path / "java")

    return make


@pytest.fixture
def lay(qm: str) -> Callable[..., None]:
    """Lay messages on a queue: each data, and fields of the descriptor."""

    def put(queue: str, *several: tuple[bytes, dict[str, Any]]) -> None:
        with connect(qm) as connection:
            messages = [Message(data, MQMD(**fields)) for data, fields in several]
            assert load_messages(connection, queue, messages) == (len(several), None)

    return put


ARCHIVE = ("pipeline", "archive", "--to", "archive")


def test_without_java_nothing_begins(qm: str, here: Callable[..., Any], tmp_path: Path) -> None:
    done = here(*ARCHIVE, PATH=str(tmp_path), JAVA_HOME="")
    assert (done.status, done.out) == (2, b"")
    assert "Java is not installed" in done.err
    assert "hint: install Java 17" in done.err


def test_an_old_java_is_named(qm: str, here: Callable[..., Any], java: Callable[[str], str]) -> None:
    done = here(*ARCHIVE, JAVA_HOME=java("1.8.0_392"))
    assert (done.status, "Java 8 is too old" in done.err) == (2, True)


def test_an_old_pyspark_is_named(qm: str, here: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pyspark.__version__", "4.1.4")
    done = here(*ARCHIVE)
    assert (done.status, "PySpark 4.1.4 is too old" in done.err, "hint: pip install" in done.err) == (2, True, True)


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (("archive",), 2, "--to"),
        (("archive", "--to", "a", "--queue", "NOPE"), 5, "NOPE"),
        (("archive", "--to", "a", "-m", "NOPE"), 5, "NOPE"),
        (("archive", "--to", "a", "--consume", "--journal"), 2, "a journal is only read"),
        (("archive", "--to", "a", "--consume", "--no-body"), 2, "would be lost"),
        (("archive", "--to", "a", "--conf", "nonsense"), 2, "KEY=VALUE"),
        (("archive", "--to", "a", "-o", "hex"), 2, "hex"),
        (("reconcile", "--sent", "./nowhere", "--reports", "DEV.QUEUE.1", "--to", "a"), 2, "nowhere"),
        (("reconcile", "--sent", "DEV.QUEUE.1", "--reports", "NOPE", "--to", "a"), 5, "NOPE"),
        (("reconcile", "--sent", "./", "--reports", "DEV.QUEUE.1", "--to", "a"), 2, "no Parquet"),
        (("triage", "--by", "moon", "--queue", "DEV.QUEUE.1"), 2, "moon"),
        (("triage",), 2, "exactly one of --queue and --from"),
        (("triage", "--queue", "DEV.QUEUE.1", "--rules", "missing"), 2, "missing"),
        (("triage", "--from", "."), 2, "no Parquet"),
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
        (("load", "DEV.QUEUE.1", ".", "--job-id", "j"), 3, "the files are empty"),
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
    ],
)
def test_what_is_wrong_is_said_before_spark_starts(
    qm: str,
    here: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
    java: Callable[[str], str],
    words: tuple[str, ...],
    status: int,
    said: str,
) -> None:
    monkeypatch.setattr("mqtools.pipeline.session.session.start", lambda *_: pytest.fail("Spark was started"))
    for name in ("a.parquet.gz", "10:30.csv", "cut"):
        Path(name).touch()
    Path("folder").mkdir()
    done = here("pipeline", *words, JAVA_HOME=java("17.0.9"))
    assert done.status == status, done
    assert said in done.err


@pytest.mark.parametrize(
    "words",
    [
        ("archive", "--to", "a"),
        ("archive", "--to", "/a", "--quarantine", "a"),
        ("load", "DEV.QUEUE.1", "a.csv", "--job-id", "j"),
        ("stream", "--checkpoint", "c", "--to-queue", "DEV.QUEUE.2"),
        ("stats", "--from", "archive"),
        ("reconcile", "--sent", "archive/", "--reports", "DEV.QUEUE.1", "--to", "/a"),
    ],
)
def test_a_folder_in_one_whose_name_is_no_text_is_refused(
    qm: str, here: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.setattr("mqtools.pipeline.session.session.start", lambda *_: pytest.fail("Spark was started"))
    os.makedirs("x\udcff/archive")
    monkeypatch.chdir("x\udcff")
    done = here("pipeline", *words)
    assert (done.status, done.err.count("\n")) == (2, 1)
    assert "x\\udcff/" in done.err
    assert "is not UTF-8 text" in done.err


def test_filters_of_a_job_are_for_the_store(
    qm: str, here: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, java: Callable[[str], str]
) -> None:
    given: dict[str, str] = {}

    def start(_master: str, settings: dict[str, str], _name: str) -> None:
        given.update(settings)
        raise MQError("enough", 2195)

    monkeypatch.setattr("mqtools.pipeline.session.session.start", start)
    assert "enough" in here(*ARCHIVE, JAVA_HOME=java("17.0.9")).err
    assert given["spark.sql.python.filterPushdown.enabled"] == "true"


def test_archives_are_known_by_their_columns(
    qm: str, here: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("mqtools.pipeline.session.session.start", lambda *_: pytest.fail("Spark was started"))
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
        done = here("pipeline", *line)
        assert (done.status, said in done.err) == (2, True), done
    for line in (("reassemble", "--from", "cut/", "--to", "a"), ("load", Q, "cut/", "--job-id", "j")):
        done = here("pipeline", *line)
        assert (done.status, "one.parquet: the Parquet file is incomplete or damaged" in done.err) == (10, True), done


def test_a_master_that_answers_and_is_none_is_named(
    qm: str, here: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, java: Callable[[str], str]
) -> None:
    from pyspark.errors import PySparkRuntimeError

    def start(*_: object) -> None:
        raise PySparkRuntimeError("Cannot call methods on a stopped SparkContext.")

    monkeypatch.setattr("mqtools.pipeline.session.session.start", start)
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
    monkeypatch: pytest.MonkeyPatch,
    java: Callable[[str], str],
    text: str,
    said: str,
) -> None:
    from pyspark.errors import PySparkRuntimeError

    def start(*_: object) -> None:
        raise PySparkRuntimeError(text)

    monkeypatch.setattr("mqtools.pipeline.session.session.start", start)
    done = here(*ARCHIVE, "--conf", "spark.a.b=abc", "--conf", "spark.a=1", JAVA_HOME=java("17.0.9"))
    assert (done.status, said in done.err) == (2, True), done


def test_spark_submit_is_given_a_file_and_says_where_spark_runs(
    qm: str, here: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, java: Callable[[str], str]
) -> None:
    masters = []

    def start(master: str, *_: object) -> None:
        masters.append(master)
        raise MQError("enough", 2195)

    monkeypatch.setattr("mqtools.pipeline.session.session.start", start)
    home = java("17.0.9")
    here(*ARCHIVE, JAVA_HOME=home)
    here(*ARCHIVE, JAVA_HOME=home, PYSPARK_GATEWAY_PORT="1")
    assert masters == ["local[*]", ""]
    file = Path(here("pipeline", "--submit-file").out.decode().strip())
    assert (file.name, file.parent.name) == ("submit.py", "pyspark_mqx")
    done = subprocess.run([sys.executable, str(file), "pipeline", "--help"], capture_output=True, check=True, text=True)
    assert "mqx pipeline archive" in done.stdout


@pytest.mark.xdist_group("spark")
@pytest.mark.timeout(300)
def test_a_file_of_an_archive_that_cannot_be_read_is_set_aside(
    lay: Callable[..., None], on_spark: Callable[..., Any], tmp_path: Path
) -> None:
    lay(Q, (b"one", {}))
    lay(REPORTS, (b"two", {}))
    assert on_spark("archive", "--to", "a[r]").status == 0
    good, *_ = sorted(Path("a[r]").rglob("*.parquet"))
    cut, damaged = good.with_name("cut.parquet"), good.with_name("damaged.parquet")
    cut.write_bytes(good.read_bytes()[:-9])
    whole = bytearray(good.read_bytes())
    whole[4:200] = bytes(196)  # the pages; the footer is as it was
    damaged.write_bytes(whole)
    done = on_spark("reassemble", "--from", "a[r]/", "--to", "whole")
    said = f"{cut.name}: the Parquet file is incomplete or damaged"
    assert (done.status, said in done.err, "--quarantine" in done.err) == (10, True, True)
    done = on_spark("reassemble", "--from", "a[r]/", "--to", "whole", "--quarantine", "aside", "-o", "json")
    assert done.status == 9, done
    assert json.loads(done.out) == {
        "written": 2,
        "quarantined": 2,
        "outcomes": {"complete": 2, "incomplete": 0},
    }
    (file,) = Path("aside").iterdir()
    assert sorted(map(json.loads, file.read_text().splitlines()), key=str) == [
        {"file": str(path.absolute()), "reason": "the Parquet file is incomplete or damaged"} for path in (cut, damaged)
    ]
    cut.unlink()
    done = on_spark("reassemble", "--from", "a[r]/", "--to", "other")
    assert (done.status, f"{damaged.absolute()}: the file is damaged (MQRC_OBJECT_DAMAGED 2101)" in done.err) == (
        10,
        True,
    ), done
    cut.write_bytes(b"")
    done = on_spark("stats", "--from", "a[r]", "--quarantine", "aside", "-o", "json")
    assert (done.status, json.loads(done.out)["read"], json.loads(done.out)["quarantined"]) == (9, 2, 2)
    assert "a[r] has no events: its messages are counted as puts" in done.err
    for path in Path("a[r]").rglob("*.parquet"):
        if path not in (cut, damaged):
            path.unlink()
    done = on_spark("reassemble", "--from", "a[r]/", "--to", "whole", "--quarantine", "aside", "-o", "json")
    assert (done.status, json.loads(done.out)["written"]) == (9, 0)


@pytest.mark.xdist_group("spark")
@pytest.mark.timeout(300)
def test_csv_files_with_other_headers_are_named(on_spark: Callable[..., Any]) -> None:
    Path("a.csv").write_text("data,priority\nx,1\n")
    Path("b.csv").write_text("priority,data\n1,x\n")
    Path("c.csv").write_text("data\nx\n")
    for name in ("b.csv", "c.csv"):
        done = on_spark("load", Q, "a.csv", name, "--job-id", name)
        assert (done.status, f"{name}: its header differs from that of the first file" in done.err) == (2, True), done


def test_a_table_with_mistakes_is_shown(qm: str, here: Callable[..., Any]) -> None:
    done = here("pipeline", "triage", "--queue", "DEV.QUEUE.1", "--rules", "-", stdin=b"ACTION(NOPE)\n")
    assert (done.status, "<stdin>:1:" in done.err) == (2, True)


def test_a_stream_onto_a_queue_needs_the_data(
    here: Callable[..., Any], define: Callable[..., None], java: Callable[[str], str]
) -> None:
    define("DEV.QUEUE.1", journal=1)
    done = here("pipeline", "stream", "--checkpoint", "c", "--to-queue", "DEV.QUEUE.2", JAVA_HOME=java("17.0.9"))
    assert (done.status, "JOURNAL(BODY)" in done.err) == (2, True)


@pytest.mark.xdist_group("spark")
@pytest.mark.timeout(300)
def test_reconcile_says_how_many_there_are_of_each_outcome(
    lay: Callable[..., None], on_spark: Callable[..., Any]
) -> None:
    lay(Q, (b"one", {"msg_id": b"1" * 24, "report": MQRO_COD, "reply_to_q": REPORTS}), (b"two", {"msg_id": b"2" * 24}))
    report = {"msg_type": MQMT_REPORT, "feedback": 260}
    lay(REPORTS, (b"", {**report, "correl_id": b"1" * 24}), (b"", {**report, "correl_id": b"9" * 24}))
    done = on_spark("reconcile", "--sent", Q, "--reports", REPORTS, "--to", "result", "-o", "json")
    assert (done.status, done.err) == (0, "")
    outcomes = {"delivered": 1, "unasked": 1}
    assert json.loads(done.out) == {"read": 2, "written": 3, "orphans": 1, "outcomes": outcomes}


@pytest.mark.xdist_group("spark")
@pytest.mark.timeout(300)
def test_triage_shows_groups_and_draws_them(lay: Callable[..., None], on_spark: Callable[..., Any]) -> None:
    md, data = prefix_dlh(MQMD(format="MQSTR"), b"body", reason=2053, dest_q_name="<ORDERS>")
    lay("DEV.DEAD.LETTER.QUEUE", (data, {"format": md.format, "encoding": md.encoding, "coded_char_set_id": 819}))
    rules = b"REASON(MQRC_Q_FULL) ACTION(RETRY)\n"
    line = ("triage", "--queue", "DEV.DEAD.LETTER.QUEUE", "--by", "reason,destq", "--rules", "-", "--html", "page.html")
    done = on_spark(*line, stdin=rules)
    assert (done.status, done.err) == (0, "read 1, written 0, RETRY 1\n")
    assert done.out.split()[:5] == [b"QM1", b"MQRC_Q_FULL", b"<ORDERS>", b"1", b"%d" % len(data)]
    assert "&lt;ORDERS&gt;" in Path("page.html").read_text(encoding="utf-8")


@pytest.mark.xdist_group("spark")
@pytest.mark.timeout(300)
def test_a_picture_says_how_many_groups_it_leaves_out(lay: Callable[..., None], on_spark: Callable[..., Any]) -> None:
    reasons = (65_999, *[2053] * 30)
    letters = [prefix_dlh(MQMD(), b"", reason=reason, dest_q_name=f"Q{n}") for n, reason in enumerate(reasons)]
    lay("DEV.DEAD.LETTER.QUEUE", *((data, {"format": md.format, "encoding": md.encoding}) for md, data in letters))
    line = ("triage", "--queue", "DEV.DEAD.LETTER.QUEUE", "--by", "destq", "--html", "page.html", "-o", "json")
    assert len(json.loads(on_spark(*line).out)["groups"]) == 31
    page = Path("page.html").read_text(encoding="utf-8")
    assert page.count("<rect") == 31
    assert "The first 30 of 31, and the others together." in page
    groups = json.loads(on_spark("triage", "--queue", "DEV.DEAD.LETTER.QUEUE", "-o", "json").out)["groups"]
    assert [(group["reason"], group["count"]) for group in groups] == [("MQRC_Q_FULL", 30), (65_999, 1)]


@pytest.fixture
def events(here: Callable[..., Any]) -> str:
    """An archive of a journal: two messages come, and three hours later one is got."""
    at = [datetime(2026, 11, 22, hour, 5, tzinfo=UTC) for hour in (8, 8, 11)]
    rows: dict[str, Any] = {
        "event": ["put", "put", "get"],
        "event_at": at,
        "event_seq": [1, 2, 3],
        "qmgr": ["QM1"] * 3,
        "seq": [1, 2, 1],
        "msg_type": pa.array([8] * 3, pa.int32()),
        "msg_id": ["00"] * 3,
        "group_id": ["00" * 24] * 3,
        "msg_flags": pa.array([0] * 3, pa.int32()),
        "put_at": [at[0]] * 3,
    }
    Path("events/queue=Q").mkdir(parents=True)
    pq.write_table(pa.table(rows), "events/queue=Q/one.parquet")
    return "events/"


@pytest.mark.parametrize(
    ("journaled", "words", "note"),
    [
        ((), (), "no queue has a journal: start one with mqx mqsc 'ALTER QLOCAL(QUEUE) JOURNAL(YES)'\n"),
        (
            (),
            ("--queue", "DEV.*"),
            "no queue has a journal: start one with mqx mqsc 'ALTER QLOCAL(QUEUE) JOURNAL(YES)'\n",
        ),
        ((), ("--queue", Q), f"{Q} without a journal: start one with mqx mqsc 'ALTER QLOCAL({Q}) JOURNAL(YES)'\n"),
        (
            (REPORTS,),
            ("--queue", Q),
            f"{Q} without a journal: start one with mqx mqsc 'ALTER QLOCAL({Q}) JOURNAL(YES)'\n",
        ),
        ((Q,), ("--queue", Q), ""),
        ((Q,), (), ""),
    ],
)
def test_where_there_is_no_journal_it_is_said_how_one_begins(
    qm: str,
    define: Callable[..., None],
    here: Callable[..., Any],
    java: Callable[[str], str],
    journaled: tuple[str, ...],
    words: tuple[str, ...],
    note: str,
) -> None:
    """Then the Java of this test fails."""
    for name in journaled:
        define(name, journal=1)
    home = java("17.0.9")
    for command in (("archive", "--journal"), ("stream", "--checkpoint", "c", "--available-now")):
        done = here("pipeline", *command, "--to", "a", *words, JAVA_HOME=home)
        assert done.err[: len(note)] == note
        assert ("start one with" in done.err) == bool(note)


@pytest.mark.xdist_group("spark")
@pytest.mark.timeout(300)
def test_a_message_of_a_journal_is_looked_at_once(events: str, on_spark: Callable[..., Any]) -> None:
    done = on_spark("reassemble", "--from", events, "--to", "whole", "-o", "json")
    assert (done.status, json.loads(done.out)["written"]) == (0, 2)


@pytest.mark.xdist_group("spark")
@pytest.mark.timeout(300)
def test_stats_draw_every_hour(events: str, on_spark: Callable[..., Any]) -> None:
    done = on_spark("stats", "--from", events, "--html", "page.html", "-o", "json")
    assert (done.status, done.err) == (0, "")
    assert json.loads(done.out) == {
        "read": 3,
        "written": 0,
        "groups": [
            {
                "qmgr": "QM1",
                "queue": "Q",
                "hour": "2026-11-22T08:00:00.000Z",
                "puts": 2,
                "gets": 0,
                "put_to_get_p50_s": None,
            }
            | {"p99_s": None, "depth": 2},
            {
                "qmgr": "QM1",
                "queue": "Q",
                "hour": "2026-11-22T11:00:00.000Z",
                "puts": 0,
                "gets": 1,
                "put_to_get_p50_s": 10800.0,
            }
            | {"p99_s": 10800.0, "depth": 1},
        ],
    }
    page = Path("page.html").read_text(encoding="utf-8")
    assert all(words in page for words in ("QM1 / Q", "11-22 08:00Z", "11-22 11:00Z", "Waiting times"))


@pytest.mark.xdist_group("spark")
@pytest.mark.timeout(300)
def test_stats_without_a_get_draw_no_waiting_times(events: str, on_spark: Callable[..., Any]) -> None:
    file = Path(events, "queue=Q", "one.parquet")
    pq.write_table(pq.read_table(file, partitioning=None).slice(0, 2), file)
    assert on_spark("stats", "--from", events, "--html", "page.html").status == 0
    page = Path("page.html").read_text(encoding="utf-8")
    assert ("Puts and gets" in page, "Waiting times" in page) == (True, False)


@pytest.mark.xdist_group("spark")
@pytest.mark.timeout(300)
def test_reassemble_ends_with_9_where_there_are_gaps(lay: Callable[..., None], on_spark: Callable[..., Any]) -> None:
    segment = {"group_id": b"g" * 24, "msg_flags": MQMF_SEGMENT | MQMF_LAST_SEGMENT, "offset": 3, "original_length": 3}
    lay(Q, (b"end", segment), (b"whole", {}))
    done = on_spark("reassemble", "--from", Q, "--to", "result", "-o", "json")
    assert (done.status, done.err) == (9, "")
    assert json.loads(done.out) == {"written": 2, "outcomes": {"complete": 1, "incomplete": 1}}


@pytest.mark.xdist_group("spark")
@pytest.mark.timeout(300)
def test_load_sets_aside_what_is_refused(define: Callable[..., None], on_spark: Callable[..., Any]) -> None:
    define(Q, max_msg_length=4)
    Path("a.csv").write_text("data,priority,seq\none,1,\ntwo,77,\nthree,3,\nfour,4,\n", encoding="utf-8")
    done = on_spark("load", Q, "a.csv", "--job-id", "j", "--quarantine", "q", "-o", "json")
    assert (done.status, json.loads(done.out)) == (9, {"read": 4, "written": 2, "quarantined": 2})
    assert done.err.splitlines() == [f"quarantined 2: rejected rows are in {Path('q/j.jsonl').absolute()}"]
    refused = [json.loads(line) for line in Path("q/j.jsonl").read_text().splitlines()]
    assert [(row["file"], row["row"]) for row in refused] == [(str(Path("a.csv").absolute()), row) for row in (2, 3)]


def test_load_refuses_columns_of_csv_that_no_message_has(qm: str, here: Callable[..., Any]) -> None:
    Path("a.csv").write_text('data,"prio",seq\none,,1\n', encoding="utf-8")
    Path("b.csv").write_text("dta,file,propertys,event\n", encoding="utf-8")
    done = here("pipeline", "load", Q, "a.csv", "b.csv", "-m", qm, "--job-id", "j")
    assert (done.status, done.out) == (2, b"")
    assert done.err.splitlines()[:4] == [
        "a.csv:1:6: prio: unknown column; did you mean priority?",
        "b.csv:1:1: dta: unknown column; did you mean data?",
        "b.csv:1:10: propertys: unknown column; did you mean properties?",
        "mqx: pipeline load: 3 mistakes; nothing was loaded",
    ]


@pytest.mark.xdist_group("spark")
@pytest.mark.timeout(300)
def test_load_fails_where_the_queue_is_full(
    define: Callable[..., None], lay: Callable[..., None], on_spark: Callable[..., Any]
) -> None:
    define(Q, max_q_depth=2)
    lay(Q, (b"one", {}), (b"two", {}))
    Path("a.csv").write_text("data,priority\none,1\n", encoding="utf-8")
    done = on_spark("load", Q, "a.csv", "--job-id", "k")
    assert (done.status, done.out) == (7, b"")
    assert "a.csv, row 1: queue DEV.QUEUE.1 is full; nothing was written (MQRC_Q_FULL 2053)" in done.err


@pytest.mark.xdist_group("spark")
@pytest.mark.timeout(300)
def test_load_names_columns_that_say_nothing_of_a_message(on_spark: Callable[..., Any]) -> None:
    Path("a.csv").write_text("body,prio\none,1\n", encoding="utf-8")
    done = on_spark("load", Q, "a.csv", "--job-id", "k")
    assert (done.status, "a.csv:1:6: prio: unknown column; did you mean priority?" in done.err) == (2, True)


@pytest.mark.xdist_group("spark")
@pytest.mark.timeout(300)
def test_a_name_with_the_signs_of_a_pattern_is_just_that_file(on_spark: Callable[..., Any]) -> None:
    for name, number in {"[a].jsonl": 1, "a.jsonl": 2}.items():
        Path(name).write_text('{"data":"x"}\n' * number, encoding="utf-8")
    done = on_spark("load", Q, "[a].jsonl", "--job-id", "j", "-o", "json")
    assert (done.status, json.loads(done.out)["written"]) == (0, 1)


@pytest.mark.xdist_group("spark")
@pytest.mark.timeout(300)
def test_a_name_with_the_signs_of_a_pattern_is_just_that_folder(
    lay: Callable[..., None], on_spark: Callable[..., Any]
) -> None:
    lay(Q, (b"one", {}))
    done = on_spark("archive", "--queue", Q, "--to", "b*")
    assert done.status == 0
    shutil.copytree("b*", "bb")
    done = on_spark("reassemble", "--from", "b*/", "--to", "whole", "-o", "json")
    assert (done.status, json.loads(done.out)["written"]) == (0, 1)


@pytest.fixture
def limit_files(spark: Any) -> Iterator[Callable[[int], None]]:
    """Have Spark, its Java and its workers, write files of so many bytes at most; as it was at the end."""
    java = spark.sparkContext._jvm.java.lang.ProcessHandle.current()
    before = resource.prlimit(java.pid(), resource.RLIMIT_FSIZE)

    def limit(size: int) -> None:
        for process in (java, *java.descendants().toList()):
            with suppress(ProcessLookupError):
                resource.prlimit(process.pid(), resource.RLIMIT_FSIZE, (size, before[1]))

    yield limit
    limit(before[0])


@pytest.mark.xdist_group("spark")
@pytest.mark.timeout(300)
def test_where_no_more_can_be_written_it_says_so_and_nothing_is_taken(
    lay: Callable[..., None],
    here: Callable[..., Any],
    on_spark: Callable[..., Any],
    limit_files: Callable[[int], None],
) -> None:
    lay(Q, *[(os.urandom(3_000_000), {})] * 2)
    limit_files(5_000_000)
    done = on_spark("archive", "--queue", Q, "--to", "archive", "--consume")
    assert (done.status, done.out) == (10, b"")
    assert "Spark: File too large (MQRC_STORAGE_MEDIUM_FULL 2192)" in done.err
    assert [len(here("get", Q).out) for _ in range(2)] == [3_000_000] * 2


@pytest.mark.xdist_group("spark")
@pytest.mark.timeout(300)
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
    assert sorted(os.listdir(folder)) == ["_mqx", "qmgr=QM1"]


@pytest.mark.parametrize(
    "words",
    [
        ("archive", "--to", "a"),
        ("reconcile", "--sent", "Q", "--reports", "R", "--to", "a"),
        ("triage", "--queue", "DLQ"),
        ("reassemble", "--from", "Q", "--to", "a"),
    ],
)
def test_a_file_that_cannot_be_opened_is_named_with_the_way_round_it(
    mqx: Callable[..., Any], java: Callable[[str], str], tmp_path: Path, words: tuple[str, ...]
) -> None:
    """With the quarantine the next thing that fails is the Java of this test."""
    path = tmp_path / "BAD.db"
    path.write_bytes(b"no database" * 100)
    done = mqx("pipeline", *words, "-m", str(path), JAVA_HOME=java("17.0.9"))
    assert done.status not in (0, 1, 3)
    assert f"{path}: the file is not a queue manager of mqx" in done.err
    assert "--quarantine" in done.err
    done = mqx(
        "pipeline", *words, "-m", str(path), "--quarantine", str(tmp_path / "q"), JAVA_HOME=str(tmp_path / "java")
    )
    assert f"{path}" not in done.err
    (file,) = (tmp_path / "q").iterdir()
    assert json.loads(file.read_text())["file"] == str(path)


@pytest.mark.xdist_group("spark")
@pytest.mark.timeout(300)
def test_what_cannot_be_read_is_set_aside_and_counted(
    qm: str, lay: Callable[..., None], on_spark: Callable[..., Any], tmp_path: Path
) -> None:
    lay(Q, (b"bad", {}), (b"one", {}))
    with sqlite3.connect(qm) as sql:
        sql.execute("update messages set data_length = 9 where data = x'626164'")
    sql.close()
    done = on_spark("archive", "--to", str(tmp_path / "a"), "--queue", Q)
    assert (done.status, "message 1" in done.err, "MQRC_OBJECT_DAMAGED 2101" in done.err) == (10, True, True), done
    (tmp_path / "BAD.db").write_bytes(b"no database" * 100)
    given = ("--to", str(tmp_path / "a"), "--quarantine", str(tmp_path / "q"), "-m", qm, "-m", str(tmp_path / "BAD.db"))
    done = on_spark("archive", "--consume", *given, "-o", "json")
    assert done.status == 9, done
    assert json.loads(done.out) == {"read": 1, "written": 1, "removed": 1, "quarantined": 2}
    assert "quarantined 2: unreadable records are in " in done.err
    with sqlite3.connect(qm) as sql:
        assert sql.execute("select data, state, lock_id from messages").fetchall() == [(b"bad", 1, None)]
    sql.close()
