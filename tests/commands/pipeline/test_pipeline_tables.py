"""``mqx pipeline`` with Delta tables: options, errors, and the jobs that write and read them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark")
pq = pytest.importorskip("pyarrow.parquet")
polars = pytest.importorskip("polars")

from mqtools.admin.depths import depth  # noqa: E402
from mqtools.message import MQMD, Message  # noqa: E402
from mqtools.mqi.connection import connect  # noqa: E402
from mqtools.mqi.objects.definitions import alter_queue  # noqa: E402
from mqtools.operations.load import load_messages  # noqa: E402

from .bucket import serve_bucket  # noqa: E402

pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.timeout(300)]

Q = "DEV.QUEUE.1"
TO = ("archive", "--to")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((*TO, "a", "--format", "parquet", "--staging", "s"), "--format parquet writes files into a local folder"),
        ((*TO, "s3://b/x", "--format", "parquet"), "--format parquet writes files into a local folder"),
        ((*TO, "a", "--format", "orc"), "orc"),
        ((*TO, "s3://b/x", "--staging", "s3://b/s"), "--staging s3://b/s: this has to be a local"),
        ((*TO, "s3://b/x", "--staging", "/dev/null"), "--staging /dev/null: /dev/null is not a folder"),
        ((*TO, "s3://b/x", "--quarantine", "s3://b/q"), "has to be a local folder: lines are added"),
        (("stream", "--to", "x", "--checkpoint", "hdfs://h/c"), "has to be a local folder: a stream locks it"),
        ((*TO, "old"), "hint: mqx pipeline migrate"),
        ((*TO, "notes"), "/notes: not a Delta table: it has a.txt"),
        ((*TO, "lake", "--format", "parquet"), "hint: --format delta"),
        (("reassemble", "--from", Q, "--to", "lake"), "--to lake: the folder has an archive"),
        (("triage", "--queue", Q, "--format=delta", "--to", "a"), "replaces the one before"),
        (("load", Q, "a.csv", "--job-id", "j", "--format", "delta"), "this job does not write files"),
        (("stream", "--checkpoint", "c", "--to-queue", Q, "--staging", "s"), "--staging requires --to"),
        ((*TO, "a", "--writer", "spark", "--writer", "spark"), "--writer is given 2 times"),
    ],
)
def test_wrong_options_are_named_before_spark_starts(
    qm: str,
    here: Callable[..., Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in ("old/qmgr=QM1", "lake/_delta_log", "notes"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "notes/a.txt").touch()
    done = here("pipeline", *words)
    assert done.status == 2, done.err
    assert said in done.err


def put(path: str, *several: bytes) -> None:
    with connect(path) as connection:
        load_messages(connection, Q, [Message(data, MQMD()) for data in several])


def left(path: str) -> int:
    with connect(path) as connection:
        return depth(connection.db, Q)


def totals(done: Any) -> dict[str, Any]:
    assert done.status == 0, done.err
    found: dict[str, Any] = json.loads(done.out)
    return found


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((*TO, "hdfs://head/x"), "deltalake has no store for hdfs"),
        ((*TO, "hdfs://head/x", "--writer", "spark"), "hdfs://head/x: Spark does not have the format delta"),
        (("stats", "--from", "hdfs://head/x"), "hint: --conf spark.jars.packages=io.delta:delta-spark_4.2_2.13:4.4.0"),
    ],
)
def test_without_the_format_nothing_is_locked(
    qm: str, on_spark: Callable[..., Any], words: tuple[str, ...], said: str
) -> None:
    put(qm, b"one")
    done = on_spark(*words, *(("--consume", "--queue", Q) if words[0] == "archive" else ()))
    assert (done.status, said in done.err) == (1, True), done
    assert left(qm) == 1


def test_a_table_is_consumed_into_and_read_by_the_jobs(qm: str, on_spark: Callable[..., Any], tmp_path: Path) -> None:
    lake = str(tmp_path / "fleet/lake")
    put(qm, b"0", b"1", b"2")
    assert totals(on_spark("archive", "--queue", Q, "--consume", "--to", lake, "-o", "json"))["removed"] == 3
    assert left(qm) == 0
    assert totals(on_spark("triage", "--from", f"{tmp_path}/fleet/", "-o", "json"))["read"] == 3
    whole = totals(on_spark("reassemble", "--from", f"{lake}/", "--to", str(tmp_path / "whole"), "-o", "json"))
    assert whole["outcomes"] == {"complete": 3, "incomplete": 0}
    assert totals(on_spark("load", Q, lake, "--job-id", "j", "-o", "json"))["written"] == 3
    assert totals(on_spark("load", Q, lake, "--job-id", "j", "-o", "json"))["written"] == 0


def test_an_archive_of_files_is_migrated(qm: str, on_spark: Callable[..., Any], tmp_path: Path) -> None:
    old = str(tmp_path / "old")
    put(qm, b"one")
    assert totals(on_spark("archive", "--queue", Q, "--to", old, "--format", "parquet", "-o", "json"))["written"] == 1
    for rows in (1, 0):
        assert totals(on_spark("migrate", old, "-o", "json", is_named=True))["written"] == rows
    assert totals(on_spark("archive", "--queue", Q, "--to", old, "-o", "json"))["written"] == 1
    assert list(polars.read_delta(old)["data"]) == [b"one"] * 2
    assert on_spark("migrate", str(tmp_path / "none"), is_named=True).status == 5


def journal(path: str) -> None:
    with connect(path) as connection, connection.work() as work:
        alter_queue(work, "QLOCAL", Q, {"journal": 2})


def test_a_stream_into_a_table_has_each_event_once(qm: str, on_spark: Callable[..., Any], tmp_path: Path) -> None:
    lake = str(tmp_path / "lake")
    journal(qm)
    words = ("stream", "--to", lake, "--checkpoint", "checkpoint", "--available-now", "-o", "json")
    for number in (1, 1, 0):
        put(qm, *[b"x"] * number)
        assert totals(on_spark(*words))["written"] == number
    # The commit of the last batch is lost, as by a kill: it comes again.
    last = max(Path("checkpoint/commits").glob("[0-9]*"), key=lambda path: int(path.name))
    last.unlink()
    (last.parent / f".{last.name}.crc").unlink(missing_ok=True)
    assert totals(on_spark(*words))["written"] == 0
    found = totals(on_spark("stats", "--from", lake, "-o", "json"))
    assert (found["read"], sum(row["puts"] for row in found["groups"])) == (2, 2)
    done = on_spark("archive", "--journal", "--to", lake)
    assert (done.status, "are there already, from another stream" in done.err) == (1, True), done


def test_an_object_store_has_a_table_that_the_jobs_read(
    qm: str, on_spark: Callable[..., Any], mqx: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    with serve_bucket(monkeypatch) as settings:
        put(qm, b"0", b"1", b"2")
        archive = ("archive", "--queue", Q, "--to", "s3://bucket/fleet/a b", "-o", "json")
        assert totals(on_spark(*archive, "--consume"))["removed"] == 3
        put(qm, b"3")
        assert totals(on_spark(*archive))["written"] == 1
        assert left(qm) == 1
        # In a process of its own: the workers of the Spark of all tests do not have this environment.
        sources = [word for place in ("a b", "", "*") for word in ("--from", f"s3://bucket/fleet/{place}")]
        found = totals(mqx("pipeline", "stats", *sources, "--master", "local[1]", "-o", "json", **settings))
        assert (found["read"], sum(row["puts"] for row in found["groups"])) == (4, 4)
