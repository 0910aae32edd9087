"""``mqx pipeline`` with Delta tables: options, errors, and the jobs that write and read them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars
import pyarrow.parquet as pq
import pytest

from mqtools.admin.depths import depth
from mqtools.constants.message import MQRO_COD, MQRO_PASS_CORREL_ID
from mqtools.constants.options import MQGMO_BROWSE_NEXT, MQOO_BROWSE
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import connect
from mqtools.mqi.objects.definitions import alter_queue
from mqtools.operations.archive_files import delta_files
from mqtools.operations.load import load_messages

from .bucket import serve_bucket

Q = "DEV.QUEUE.1"
TO = ("archive", "--to")


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
    on_spark(*words, *(("--consume", "--yes", "--queue", Q) if words[0] == "archive" else ())).ended(1, said)
    assert left(qm) == 1


def test_a_table_is_consumed_into_and_read_by_the_jobs(qm: str, on_spark: Callable[..., Any], tmp_path: Path) -> None:
    lake = str(tmp_path / "fleet/lake")
    put(qm, b"0", b"1", b"2")
    assert totals(on_spark("archive", "--queue", Q, "--consume", "--yes", "--to", lake, "-o", "json"))["removed"] == 3
    assert left(qm) == 0
    assert totals(on_spark("triage", "--from", f"{tmp_path}/fleet/", "-o", "json"))["read"] == 3
    whole = totals(on_spark("reassemble", "--from", f"{lake}/", "--to", str(tmp_path / "whole"), "-o", "json"))
    assert whole["outcomes"] == {"complete": 3, "incomplete": 0}
    assert totals(on_spark("load", Q, lake, "--job-id", "j", "-o", "json"))["written"] == 3
    assert totals(on_spark("load", Q, lake, "--job-id", "j", "-o", "json"))["written"] == 0


def test_a_second_archive_adds_what_is_new(qm: str, on_spark: Callable[..., Any], tmp_path: Path) -> None:
    archive = ("archive", "--queue", Q, "--to", str(tmp_path / "lake"), "--mask", "msg_id", "-o", "json")
    for n, (read, written) in enumerate([(0, 0), (1, 1), (1, 0), (2, 1)]):
        if n % 2:
            put(qm, b"%d" % n)
        done = [on_spark(*archive, *more) for more in (["--dry-run"], [])]
        assert [one.status for one in done] == [0 if read else 3] * 2, done
        assert [(each["read"], each["written"]) for each in map(json.loads, (one.out for one in done))] == [
            (read, written)
        ] * 2
    assert totals(on_spark(*TO, "new", "--queue", Q, "--dry-run", "-o", "json"))["written"] == 2
    assert not Path("new").exists()


def test_a_selection_of_an_archive_is_put_without_its_reports(qm: str, on_spark: Callable[..., Any]) -> None:
    with connect(qm) as connection:
        for n in range(3):
            connection.put1(Q, Message(b"x", MQMD(priority=n, report=MQRO_COD | MQRO_PASS_CORREL_ID, reply_to_q="A")))
    assert on_spark("archive", "--queue", Q, "--to", "a").status == 0
    load = ("load", "DEV.QUEUE.2", "a", "--filter", f"priority > 0 and queue = '{Q}'", "-o", "json")
    for more, written, there in ((["--dry-run"], 2, 0), ([], 2, 2), (["--keep-reports"], 2, 4)):
        assert totals(on_spark(*load, "--job-id", f"j{there}", *more))["written"] == written
        with connect(qm) as connection, connection.open("DEV.QUEUE.2", MQOO_BROWSE) as handle:
            reports = [handle.get(MQGMO_BROWSE_NEXT).message.md.report for _ in range(there)]
        assert sorted(reports)[:2] == [MQRO_PASS_CORREL_ID] * min(there, 2)
    assert sorted(reports)[2:] == [MQRO_COD | MQRO_PASS_CORREL_ID] * 2
    done = on_spark(*load[:4], "colour = 1", "--job-id", "k")
    done.ended(2, "--filter colour = 1: A column, variable, or function parameter with name `colour` cannot be")
    assert "SQLSTATE" not in done.err
    on_spark(*load[:4], "priority > 8", "--job-id", "k").ended(3, "no row meets --filter priority > 8")


def test_small_files_are_joined_and_old_days_removed(qm: str, on_spark: Callable[..., Any], tmp_path: Path) -> None:
    lake = str(tmp_path / "lake")
    archive = ("archive", "--queue", Q, "--to", lake)
    old = MQMD(put_date="20250101", put_time="12000000")
    for n, md in enumerate((old, MQMD(), MQMD())):
        with connect(qm) as connection:
            load_messages(connection, Q, [Message(b"%d" % n, md)])
        assert on_spark(*archive).status == 0

    def run(*words: str) -> dict[str, Any]:
        return totals(on_spark(*words, "-o", "json", is_named=True))

    assert run("compact", lake) == {"joined": 2, "written": 1, "deleted": 0}
    assert run("expire", lake, "--older", "90d", "--dry-run") == {
        "dry_run": True,
        "removed": 1,
        "files": 1,
        "deleted": 0,
    }
    on_spark("expire", lake, "--older", "90d", is_named=True).ended(2, "without confirmation")
    assert run("expire", lake, "--older", "90d", "--keep", "0s", "--yes") == {"removed": 1, "files": 1, "deleted": 3}
    found = [row for file in Path(lake).rglob("*.parquet") for row in pq.ParquetFile(file).read(["data"]).to_pylist()]
    assert sorted(row["data"] for row in found) == [b"1", b"2"]
    assert totals(on_spark(*archive, "-o", "json"))["written"] == 1, "it still lies on its queue"
    done = on_spark("compact", str(tmp_path / "none"), is_named=True)
    assert (done.status, "there is no Delta table" in done.err, "hint" in done.err) == (5, True, False), done
    polars.DataFrame({"x": [1]}).write_delta(other := str(tmp_path / "other"))
    on_spark("expire", other, "--older", "90d", "--dry-run", is_named=True).ended(1, "the table is not an archive")
    Path(lake, "link").symlink_to(other)
    on_spark("compact", lake, is_named=True).ended(1, "lake/link is a link")


def test_an_archive_of_files_is_migrated(qm: str, on_spark: Callable[..., Any], tmp_path: Path) -> None:
    old = str(tmp_path / "old")
    put(qm, b"one")
    assert totals(on_spark("archive", "--queue", Q, "--to", old, "--format", "parquet", "-o", "json"))["written"] == 1
    for rows in (1, 0):
        assert totals(on_spark("migrate", old, "-o", "json", is_named=True))["written"] == rows
    put(qm, b"two")
    assert totals(on_spark("archive", "--queue", Q, "--to", old, "-o", "json"))["written"] == 1
    assert sorted(polars.read_delta(old)["data"]) == [b"one", b"two"]
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
    assert totals(on_spark(*words, "--compact"))["written"] == 0
    assert len(delta_files(lake)) == 1
    found = totals(on_spark("stats", "--from", lake, "-o", "json"))
    assert (found["read"], sum(row["puts"] for row in found["groups"])) == (2, 2)
    on_spark("archive", "--journal", "--to", lake).ended(1, "are there already, from another stream")


def test_an_object_store_has_a_table_that_the_jobs_read(
    qm: str, on_spark: Callable[..., Any], mqx: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    with serve_bucket(monkeypatch) as settings:
        put(qm, b"0", b"1", b"2")
        archive = ("archive", "--queue", Q, "--to", "s3://bucket/fleet/a b", "-o", "json")
        assert totals(on_spark(*archive, "--consume", "--yes"))["removed"] == 3
        put(qm, b"3")
        assert totals(on_spark(*archive))["written"] == 1
        assert left(qm) == 1
        # In a process of its own: the workers of the Spark of all tests do not have this environment.
        sources = [word for place in ("a b", "", "*") for word in ("--from", f"s3://bucket/fleet/{place}")]
        found = totals(mqx("pipeline", "stats", *sources, "--master", "local[1]", "-o", "json", **settings))
        assert (found["read"], sum(row["puts"] for row in found["groups"])) == (4, 4)
