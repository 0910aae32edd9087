"""``mqx pipeline`` with tables of Delta and Iceberg: options, errors, and archives in a stand-in of Delta."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark")
pytest.importorskip("pyarrow")

from mqtools.admin.depths import depth
from mqtools.arrow.columns import ddl, known_columns
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import connect
from mqtools.mqi.objects.definitions import alter_queue
from mqtools.operations.load import load_messages

from ... import delta_stand_in

pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.timeout(300)]

Q = "DEV.QUEUE.1"
SCHEMA = f"{ddl(known_columns(journal=True), journal=True)}, put_day date"
ARCHIVE = ("archive", "--to-format")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("archive", "--to", "a", "--staging", "s"), "--staging requires --to-format delta or iceberg"),
        ((*ARCHIVE, "orc", "--to", "a"), "orc"),
        (
            (*ARCHIVE, "iceberg", "--to", "a"),
            "expected the name of a table of Iceberg, such as CATALOG.NAMESPACE.TABLE",
        ),
        ((*ARCHIVE, "iceberg", "--to", "./a.b", "--staging", "s"), "--to ./a.b: expected the name of a table"),
        ((*ARCHIVE, "iceberg", "--to", "c.n.t"), "--to c.n.t: this requires --staging DIR, a local folder"),
        (
            (*ARCHIVE, "iceberg", "--to", "c.n.t", "--staging", "s3a://b/x"),
            "--staging s3a://b/x: this has to be a local",
        ),
        (
            (*ARCHIVE, "iceberg", "--to", "c.n.t", "--staging", "/dev/null"),
            "--staging /dev/null: /dev/null is not a folder",
        ),
        ((*ARCHIVE, "delta", "--to", "s3a://b/x"), "--to s3a://b/x: this requires --staging DIR"),
        ((*ARCHIVE, "delta", "--to", "old"), "--to old: not a table of Delta: it has qmgr=QM1"),
        (("archive", "--to", "lake"), "hint: --to-format delta"),
        (("reassemble", "--from", Q, "--to", "lake"), "--to lake: the folder has an archive"),
        (("triage", "--queue", Q, "--to-format=delta", "--to", "a"), "replaces the one before"),
        (("load", Q, "a.csv", "--job-id", "j", "--to-format", "delta"), "this job does not write files"),
        (
            ("stream", "--checkpoint", "c", "--to-queue", Q, "--to-format", "delta"),
            "--to-format and --staging require --to",
        ),
        (("stream", "--checkpoint", "c", "--to", "c.n.t", "--to-format", "iceberg"), "this requires --staging DIR"),
        (("archive", "--to", "a", "--to-format", "delta", "--to-format", "delta"), "--to-format is given 2 times"),
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
    (tmp_path / "old/qmgr=QM1").mkdir(parents=True)
    (tmp_path / "lake/_delta_log").mkdir(parents=True)
    done = here("pipeline", *words)
    assert done.status == 2, done.err
    assert said in done.err


@pytest.fixture
def on_lake(spark: Any, on_spark: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Any]]:
    """Run jobs on a Spark that has the stand-in of Delta."""
    from pyspark_mqx.session import session

    with delta_stand_in.session(spark) as lake:
        monkeypatch.setattr(session, "start", lambda *_: lake)
        yield on_spark


def put(path: str, *several: Message) -> None:
    with connect(path) as connection:
        assert load_messages(connection, Q, list(several)) == (len(several), None)


def totals(done: Any) -> dict[str, Any]:
    assert done.status == 0, done.err
    found: dict[str, Any] = json.loads(done.out)
    return found


def test_without_the_format_nothing_is_locked(qm: str, on_spark: Callable[..., Any], tmp_path: Path) -> None:
    put(qm, Message(b"one", MQMD()))
    place = ("--to", str(tmp_path / "lake"), "--to-format", "delta")
    done = on_spark("archive", "--queue", Q, "--consume", *place)
    assert done.status == 1
    assert f"{tmp_path}/lake: Spark does not have the format delta" in done.err
    assert "hint: --conf spark.jars.packages=io.delta:delta-spark_2.13:VERSION" in done.err
    with connect(qm) as connection:
        assert depth(connection.db, Q) == 1
    done = on_spark("stats", "--from", "iceberg:cat.lake.events")
    assert done.status == 1
    assert "spark.jars.packages=org.apache.iceberg:iceberg-spark-runtime" in done.err


def test_a_table_is_consumed_into_and_read_by_the_jobs(qm: str, on_lake: Callable[..., Any], tmp_path: Path) -> None:
    lake = str(tmp_path / "fleet/lake")
    delta_stand_in.create(lake, SCHEMA)
    put(qm, *(Message(b"%d" % number, MQMD()) for number in range(3)))
    to_lake = ("--to", lake, "--to-format", "delta")
    assert totals(on_lake("archive", "--queue", Q, "--consume", *to_lake, "-o", "json"))["removed"] == 3
    with connect(qm) as connection:
        assert depth(connection.db, Q) == 0
    assert totals(on_lake("triage", "--from", f"{tmp_path}/fleet/", "-o", "json"))["read"] == 3
    whole = totals(on_lake("reassemble", "--from", f"{lake}/", "--to", str(tmp_path / "whole"), "-o", "json"))
    assert whole["outcomes"] == {"complete": 3, "incomplete": 0}
    done = on_lake("load", Q, lake, "--job-id", "j")
    assert (done.status, "a table of Delta" in done.err) == (1, True)
    assert "is not a table" not in done.err


def test_a_stream_goes_into_a_table(qm: str, on_lake: Callable[..., Any], tmp_path: Path) -> None:
    lake = str(tmp_path / "lake")
    delta_stand_in.create(lake, SCHEMA)
    with connect(qm) as connection, connection.work() as work:
        alter_queue(work, "QLOCAL", Q, {"journal": 1})
    where = ("--to", lake, "--to-format", "delta", "--staging", str(tmp_path / "staging"))
    words = ("stream", "--queue", Q, *where, "--checkpoint", str(tmp_path / "c"), "--available-now", "-o", "json")
    for number in range(2):
        put(qm, Message(b"%d" % number, MQMD()))
        assert totals(on_lake(*words))["written"] == 1
    found = totals(on_lake("stats", "--from", lake, "-o", "json"))
    assert (found["read"], sum(row["puts"] for row in found["groups"])) == (2, 2)
    versions = {entry["txn"]: entry["version"] for entry in delta_stand_in.entries(lake) if "txn" in entry}
    assert [name.startswith("mqx-stream-") for name in versions] == [True]
