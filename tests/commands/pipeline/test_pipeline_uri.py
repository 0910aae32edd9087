"""``mqx pipeline`` with URIs: ``viewfs``, and another scheme, over local folders through Hadoop's own file systems."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark")
pq = pytest.importorskip("pyarrow.parquet")

from pyspark_mqx import read_result  # noqa: E402
from pyspark_mqx.jobs.hadoop_files import HadoopFiles  # noqa: E402

from mqtools.constants.message import MQRO_COA  # noqa: E402
from mqtools.errors import MQError  # noqa: E402
from mqtools.message import MQMD, Message  # noqa: E402
from mqtools.mqi.connection import connect  # noqa: E402
from mqtools.mqi.objects.definitions import alter_queue  # noqa: E402
from mqtools.operations.load import load_messages  # noqa: E402

pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.timeout(300)]

Q, REPORTS = "DEV.QUEUE.1", "DEV.QUEUE.2"


@pytest.fixture
def mount(spark: Any, tmp_path: Path) -> Callable[[str], str]:
    """A function that gives a scheme a file system whose root is the folder ``store``; returns how URIs begin."""
    from pyspark.sql import SparkSession

    assert isinstance(spark, SparkSession)
    (tmp_path / "store").mkdir()
    conf = spark._jsc.hadoopConfiguration()  # type: ignore[attr-defined]
    where = f"file://{tmp_path}/store"

    def give(scheme: str) -> str:
        host = f"{scheme}{tmp_path.name.replace('_', '-')}"[:60]
        begin = f"{scheme}://{host}/"
        conf.set(f"fs.viewfs.mounttable.{host}.link./data", f"{where}/data")
        (tmp_path / "store/data").mkdir(exist_ok=True)
        if scheme != "viewfs":
            conf.set(f"fs.{scheme}.impl", "org.apache.hadoop.fs.viewfs.ViewFileSystemOverloadScheme")
            conf.set(f"fs.viewfs.overload.scheme.target.{scheme}.impl", "org.apache.hadoop.fs.RawLocalFileSystem")
        return f"{begin}data/"

    return give


@pytest.fixture
def store(mount: Callable[[str], str]) -> str:
    return mount("viewfs")


def totals(done: Any) -> dict[str, Any]:
    assert done.status == 0, done
    found: dict[str, Any] = json.loads(done.out)
    return found


def put(path: str, queue: str, *messages: Message) -> None:
    with connect(path) as connection:
        assert load_messages(connection, queue, list(messages)) == (len(messages), None)


@pytest.mark.parametrize("scheme", ["viewfs", "bucket"])
def test_files_of_hadoop_are_created_once_listed_and_deleted(
    spark: Any, mount: Callable[[str], str], tmp_path: Path, scheme: str
) -> None:
    files = HadoopFiles(spark, mount(scheme))
    assert (files.why_not_exact, files.walk("a"), files.names("a")) == ("", [], [])
    assert files.create("a/b c/1.json", b"first")
    assert not files.create("a/b c/1.json", b"second")
    assert files.create("a/k=A%2FB,{x}", b"\x00\xff")
    assert files.read("a/b c/1.json") == b"first"
    assert (files.names("a"), files.walk("")) == (["b c", "k=A%2FB,{x}"], ["a/b c/1.json", "a/k=A%2FB,{x}"])
    assert (tmp_path / "store/data/a/k=A%2FB,{x}").read_bytes() == b"\x00\xff"
    assert HadoopFiles(spark, f"{files.root}/*").expand() == [files.path("a")]
    files.settle(["a/b c/1.json"])
    files.delete("a")
    files.delete("a")
    assert files.walk("") == []


def test_a_queue_is_consumed_reconciled_and_loaded_by_uri(
    spark: Any, qm: str, on_spark: Callable[..., Any], store: str, tmp_path: Path
) -> None:
    asking = MQMD(msg_id=b"1" * 24, report=MQRO_COA, reply_to_q=REPORTS)
    put(qm, Q, Message(b"one", asking), Message(b"two", MQMD(msg_id=b"2" * 24)))
    archive = f"{store}hosts/a"
    assert totals(on_spark("archive", "--to", archive, "--consume", "-o", "json"))["removed"] == 3
    landed = list((tmp_path / "store/data/hosts/a/_mqx").glob("*/data/qmgr=*/queue=*/*/*.parquet"))
    assert len(landed) == 2
    assert not [path for path in (tmp_path / "store").rglob("*.parquet") if "_mqx" not in path.parts]

    result = f"{store}outcome"
    for source in (f"{store}hosts/*", archive):
        words = ("--sent", source, "--reports", store, "--to", result, "--html", "page.html", "-o", "json")
        assert totals(on_spark("reconcile", *words))["outcomes"] == {"arrived": 1, "unasked": 1}
    outcomes = read_result(spark, result).groupBy("outcome").count().collect()
    assert {tuple(row) for row in outcomes} == {("arrived", 1), ("unasked", 1)}
    with pytest.raises(MQError, match="no result of a job"):
        read_result(spark, f"{store}nowhere")
    assert "page.html" in {path.name for path in tmp_path.iterdir()}
    found = totals(on_spark("stats", "--from", archive, "-o", "json"))
    assert (found["read"], sum(row["puts"] for row in found["groups"])) == (3, 3)

    for loaded in (3, 0):
        words = ("DEV.QUEUE.3", archive, "--job-id", "1", "-o", "json")
        assert totals(on_spark("load", *words))["written"] == loaded


def test_an_archive_without_a_log_is_read_by_uri(
    qm: str, on_spark: Callable[..., Any], store: str, tmp_path: Path
) -> None:
    """One that was written to a folder, and copied; a damaged file of it is set aside."""
    put(qm, Q, Message(b"one"))
    copied = str(tmp_path / "store/data/copied")
    assert totals(on_spark("archive", "--to", copied, "--queue", Q, "-o", "json"))["written"] == 1
    assert totals(on_spark("reassemble", "--from", f"{store}copied", "--to", "whole", "-o", "json"))["written"] == 1
    (file,) = Path(copied).rglob("*.parquet")
    (file.parent / "torn.parquet").write_bytes(file.read_bytes()[:-9])
    done = on_spark("stats", "--from", f"{store}copied", "-o", "json")
    assert (done.status, "torn.parquet: the Parquet file is incomplete" in done.err) == (10, True), done
    done = on_spark("stats", "--from", f"{store}copied", "--quarantine", "aside", "-o", "json")
    assert (done.status, json.loads(done.out)["quarantined"]) == (9, 1), done


def test_a_stream_into_a_uri_has_each_event_once(
    qm: str, on_spark: Callable[..., Any], store: str, tmp_path: Path
) -> None:
    with connect(qm) as connection, connection.work() as work:
        alter_queue(work, "QLOCAL", Q, {"journal": 2})
    words = ("--to", f"{store}events", "--checkpoint", "checkpoint", "--available-now", "-o", "json")
    for number in (1, 1, 0):
        put(qm, Q, *[Message(b"x")] * number)
        assert totals(on_spark("stream", *words))["written"] == number
    # The commit of the last batch is lost, as by a kill: it comes again.
    last = max((tmp_path / "checkpoint/commits").glob("[0-9]*"), key=lambda path: int(path.name))
    last.unlink()
    (last.parent / f".{last.name}.crc").unlink(missing_ok=True)
    assert totals(on_spark("stream", *words))["written"] == 0
    done = on_spark("archive", "--journal", "--to", f"{store}events")
    assert (done.status, "are there already, from another stream" in done.err) == (1, True), done
    assert totals(on_spark("archive", "--journal", "--to", f"{store}own", "-o", "json"))["written"] == 2
    assert on_spark("archive", "--journal", "--to", f"{store}own").status == 3


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("archive", "--to", "s3a://b/x"), "Spark has no file system for s3a"),
        (("stats", "--from", "viewfs://nobody/x"), "viewfs://nobody/x"),
        (("archive", "--to", "s3a://b/x", "--quarantine", "s3a://b/q"), "has to be a local folder: lines are added"),
        (("stream", "--to", "x", "--checkpoint", "hdfs://h/c"), "has to be a local folder: a stream locks it"),
    ],
)
def test_a_uri_that_will_not_do_is_refused(
    qm: str, on_spark: Callable[..., Any], words: tuple[str, ...], said: str
) -> None:
    done = on_spark(*words)
    assert (done.status != 0, said in done.err) == (True, True), done


def test_a_result_does_not_replace_an_archive(qm: str, on_spark: Callable[..., Any], store: str) -> None:
    put(qm, Q, Message(b"one"))
    assert on_spark("archive", "--to", store).status == 0
    done = on_spark("reassemble", "--from", store, "--to", store)
    assert (done.status, "the folder has an archive" in done.err) == (2, True), done
    done = on_spark("reassemble", "--from", f"{store}nothing", "--to", f"{store}whole")
    assert (done.status, "no Parquet files of an archive below this URI" in done.err) == (2, True), done
