"""Landing below a URI: what a log of runs decides, and kills between every two steps.

The files are local ones here, created as on an object store: each whole, and only if it is not there.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark_mqx.jobs import archive as jobs
from pyspark_mqx.jobs import batch_locks, hadoop_files, logged_target, places, stream
from pyspark_mqx.jobs.archive_files import find_files, spark_path
from pyspark_mqx.jobs.archive_tasks import ArchiveRead
from pyspark_mqx.jobs.landing_log import LandingLog
from pyspark_mqx.jobs.logged_target import LoggedRun, LoggedTarget
from pyspark_mqx.jobs.output_files import FolderTarget
from pyspark_mqx.jobs.table_names import DELTA, ICEBERG, TableName

from mqtools.constants.reasons import (
    MQRC_FUNCTION_NOT_SUPPORTED,
    MQRC_OBJECT_CHANGED,
    MQRC_OBJECT_IN_USE,
)
from mqtools.errors import MQError
from mqtools.operations import archive_files as local_files
from mqtools.operations.archive_files import ASIDE, LANDED, is_uri
from tests.errors import fails

from .archives import read_here
from .kills import die_after

#: Stand-in for Spark, which nothing here needs.
SPARK: Any = object()

HOST = "pyspark_mqx.jobs.run_home.socket.gethostname"


class BucketFiles:
    """Files of a folder that stands for an object store."""

    why_not_exact = ""

    def __init__(self, root: Path) -> None:
        self.root = str(root)

    def path(self, name: str) -> str:
        return os.path.join(self.root, name).rstrip("/")

    def names(self, folder: str) -> list[str]:
        return os.listdir(self.path(folder)) if os.path.isdir(self.path(folder)) else []

    def walk(self, folder: str) -> list[str]:
        files = (path for path in Path(self.path(folder)).rglob("*") if path.is_file())
        return sorted(str(path.relative_to(self.root)) for path in files)

    def read(self, name: str) -> bytes:
        return Path(self.path(name)).read_bytes()

    def create(self, name: str, content: bytes) -> bool:
        return hadoop_files.link_new(self.path(name), content)

    def delete(self, name: str) -> None:
        path = self.path(name)
        shutil.rmtree(path) if os.path.isdir(path) else Path(path).unlink(missing_ok=True)

    def settle(self, names: Sequence[str]) -> None: ...

    def footers(self, names: Iterable[str]) -> list[tuple[list[str], int]]:
        read = [pq.read_metadata(self.path(name)) for name in names]
        return [(file.schema.names, file.num_rows) for file in read]


@pytest.fixture
def bucket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A URI whose files are in the folder ``bucket``, and Arrow in place of Spark."""
    monkeypatch.setattr(places, "files_at", lambda spark, uri: BucketFiles(tmp_path / uri.partition("://")[2]))
    monkeypatch.setattr(jobs, "write_read", write)
    return "test://bucket"


def write(spark: object, read: ArchiveRead, folder: str) -> None:
    lay(folder, read_here(read))


def lay(folder: str, table: Any) -> None:
    inner = Path(folder) / "qmgr=QM1" / "queue=Q" / "put_day=2026-11-22"
    inner.mkdir(parents=True)
    pq.write_table(table, inner / f"part-{os.urandom(4).hex()}.parquet")


def lay_bytes(*data: bytes) -> Callable[[str], None]:
    return lambda folder: lay(folder, pa.table({"data": pa.array(data, pa.binary())}))


def landed(folder: Path, column: str = "data") -> list[Any]:
    """Return what a reader of an archive finds."""
    return sorted(value.as_py() for file in local_files.parquet_files(str(folder)) for value in rows_of(file, column))


def rows_of(file: str, column: str) -> Any:
    return pq.ParquetFile(file).read([column])[column]


STEPS: dict[str, tuple[Any, str, str]] = {
    "begin": (LoggedTarget, "begin", ""),
    "lock": (batch_locks, "browse_messages_and_lock", ""),
    "write": (jobs, "write_read", ""),
    "about to land": (BucketFiles, "footers", ""),
    "landed": (BucketFiles, "create", LANDED),
    "sealed": (LoggedRun, "seal", ""),
    "get": (jobs, "_get_locked", ""),
    "record deleted": (BucketFiles, "delete", "open"),
    "end": (LoggedRun, "end", ""),
}


def die_at(step: str, work: Callable[[], object]) -> None:
    """Do work in a process that is killed as soon as a step is done."""
    where, name, part = STEPS[step]
    die_after(where, name, work, when=lambda *given: part in str(given[-1]) or part in str(given[1:2]))


@pytest.mark.parametrize("step", STEPS)
def test_a_consuming_run_killed_anywhere_is_finished_or_undone(
    qm: Any, tmp_path: Path, bucket: str, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    for number in range(4):
        qm.put(b"%d" % number)

    def move() -> int:
        return jobs.archive_and_remove(SPARK, bucket, qm.path, "Q")

    die_at(step, move)
    before = landed(tmp_path / "bucket")
    assert before == ([] if list(STEPS).index(step) < list(STEPS).index("landed") else [b"0", b"1", b"2", b"3"])
    move()
    assert (landed(tmp_path / "bucket"), qm.depth()) == ([b"0", b"1", b"2", b"3"], 0)
    assert os.listdir(tmp_path / "bucket" / ASIDE / "open") == []
    assert not list(Path(f"{qm.path}-run").glob("archive-*"))


def test_a_run_that_was_undone_never_lands(qm: Any, tmp_path: Path, bucket: str) -> None:
    """Its process was thought dead, and comes back behind the one that unlocked its messages."""
    with places.target_at(SPARK, bucket) as late, places.target_at(SPARK, bucket) as other:
        run = late.begin({"path": qm.path, "queue": "Q", "confirm_id": 7})
        assert list(other.killed_runs()) == []
        run.unlock()
        (killed,) = other.killed_runs()
        assert killed.manifest is None
        lay_bytes(b"late")(run.data)
        with fails(MQRC_OBJECT_IN_USE, "took this run for a killed one"):
            run.seal(expected=1)
        assert run.undo()
    assert landed(tmp_path / "bucket") == []


def test_a_run_that_has_landed_is_not_undone(qm: Any, tmp_path: Path, bucket: str) -> None:
    with places.target_at(SPARK, bucket) as late, places.target_at(SPARK, bucket) as other:
        run = late.begin({"path": qm.path, "queue": "Q", "confirm_id": 7})
        lay_bytes(b"landed")(run.data)
        run.seal(expected=1)
        assert not run.undo()
        run.unlock()
        (killed,) = other.killed_runs()
        assert (killed.manifest is not None, killed.publish()) == (True, 1)
    assert landed(tmp_path / "bucket") == [b"landed"]


def test_messages_that_have_landed_stay_locked_until_they_are_got(
    qm: Any, tmp_path: Path, bucket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer to the landing is lost: the error must not unlock what is in the archive."""
    qm.put(b"one")
    real = BucketFiles.create

    def lost(files: BucketFiles, name: str, content: bytes) -> bool:
        done = real(files, name, content)
        if LANDED in name:
            raise MQError("no answer", MQRC_OBJECT_IN_USE)
        return done

    with monkeypatch.context() as patch:
        patch.setattr(BucketFiles, "create", lost)
        with pytest.raises(MQError, match="no answer"):
            jobs.archive_and_remove(SPARK, bucket, qm.path, "Q")
    assert (landed(tmp_path / "bucket"), qm.depth()) == ([b"one"], 1)
    assert jobs.archive_and_remove(SPARK, bucket, qm.path, "Q") == 1
    assert (landed(tmp_path / "bucket"), qm.depth()) == ([b"one"], 0)


def test_a_killed_run_is_left_to_the_machine_that_has_its_messages(
    qm: Any, bucket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with places.target_at(SPARK, bucket) as target:
        target.begin({"path": qm.path, "qmid": "another of this path", "queue": "Q", "confirm_id": 7}).unlock()
        target.begin({})
        assert isinstance(target, LoggedTarget)
        monkeypatch.setattr(HOST, lambda: "another machine")
        assert list(target.killed_runs()) == []
        monkeypatch.setattr(logged_target.time, "time", lambda: 1e12)
        assert [run.claim.get("path") for run in target.killed_runs()] == [None]


@pytest.mark.parametrize("host", ["this machine", "another machine"])
@pytest.mark.parametrize("step", ["begin", "landed"])
def test_messages_of_a_queue_manager_that_moved_after_a_kill_are_archived_once(
    qm: Any, tmp_path: Path, bucket: str, monkeypatch: pytest.MonkeyPatch, step: str, host: str
) -> None:
    monkeypatch.setattr(HOST, lambda: "this machine")
    qm.put(b"one")
    die_at(step, lambda: jobs.archive_and_remove(SPARK, bucket, qm.path, "Q"))
    new = str(tmp_path / "MOVED.db")
    with qm.left_alone():
        os.rename(qm.path, new)
        qm.path = new
    monkeypatch.setattr(HOST, lambda: host)
    assert jobs.archive_and_remove(SPARK, bucket, new, "Q") == 1
    assert (landed(tmp_path / "bucket"), qm.depth(), os.listdir(tmp_path / "bucket" / ASIDE / "open")) == (
        [b"one"],
        0,
        [],
    )


def test_who_loses_a_number_reads_the_other_and_checks_again(tmp_path: Path) -> None:
    one, other = (LandingLog(BucketFiles(tmp_path)) for _ in range(2))
    one.settle({"run": "a", "files": []})
    seen = []

    def check() -> None:
        if not seen:
            one.settle({"run": "b", "files": []})  # between the last look of the other, and its attempt
        seen.append([entry["run"] for entry in other.entries])

    other.settle({"run": "c", "files": []}, check)
    assert seen == [["a"], ["a", "b"]]
    assert sorted(os.listdir(tmp_path / LANDED)) == ["000000000001.json", "000000000002.json", "000000000003.json"]


@pytest.mark.parametrize("step", ["begin", "write", "about to land", "landed", "sealed", "record deleted", "end"])
def test_events_archived_by_a_run_killed_anywhere_are_there_once(
    qm: Any, tmp_path: Path, bucket: str, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    qm.define("Q", journal=1)
    qm.put(b"one")
    qm.put(b"two")

    def archive() -> int:
        return jobs.archive_journal(SPARK, bucket, qm.path, "Q")

    die_at(step, archive)
    archive()
    assert landed(tmp_path / "bucket", "event_seq") == [1, 2]
    qm.put(b"three")
    assert archive() == 1
    assert landed(tmp_path / "bucket", "event_seq") == [1, 2, 3]


def test_of_two_runs_with_the_same_events_one_lands(
    qm: Any, tmp_path: Path, bucket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    qm.define("Q", journal=1)
    qm.put(b"one")

    def write_and_lose(spark: object, read: ArchiveRead, folder: str) -> None:
        write(spark, read, folder)
        monkeypatch.setattr(jobs, "write_read", write)
        assert jobs.archive_journal(SPARK, bucket, qm.path, "Q") == 1

    monkeypatch.setattr(jobs, "write_read", write_and_lose)
    with pytest.raises(MQError, match="another run has just written events"):
        jobs.archive_journal(SPARK, bucket, qm.path, "Q")
    assert landed(tmp_path / "bucket", "event_seq") == [1]


BATCH: Any = None
END = {"/QM1.db": {"id": "QM1", "from": 0, "seq": 2}}


@pytest.fixture
def sink(bucket: str, monkeypatch: pytest.MonkeyPatch) -> Callable[[], stream.FolderSink]:
    """A function that starts the sink of one stream, as each of its processes does."""
    monkeypatch.setattr(stream, "write", lambda batch, folder: lay_bytes(b"1", b"2")(folder))
    return lambda: stream.FolderSink(bucket, "me", ["Q"], spark=SPARK)


@pytest.mark.parametrize("step", ["begin", "about to land", "landed", "sealed", "record deleted", "end"])
def test_a_batch_of_a_stream_killed_anywhere_is_there_once(
    sink: Callable[[], stream.FolderSink], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    die_at(step, lambda: sink()(BATCH, 0, END))
    has_landed = list(STEPS).index(step) >= list(STEPS).index("landed")
    assert sink()(BATCH, 0, END) == (None if has_landed else (2, 2))
    assert landed(tmp_path / "bucket") == [b"1", b"2"]


def test_a_batch_that_lands_while_another_process_writes_it_is_there_once(
    sink: Callable[[], stream.FolderSink], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process before, thought dead, was quicker."""

    def slow(batch: object, folder: str) -> None:
        lay_bytes(b"1", b"2")(folder)
        monkeypatch.setattr(stream, "write", lambda batch, folder: lay_bytes(b"1", b"2")(folder))
        assert sink()(BATCH, 0, END) == (2, 2)

    monkeypatch.setattr(stream, "write", slow)
    assert sink()(BATCH, 0, END) is None
    assert landed(tmp_path / "bucket") == [b"1", b"2"]
    with fails(MQRC_OBJECT_CHANGED):
        stream.FolderSink("test://bucket", "other", ["Q"], spark=SPARK)(BATCH, 0, END)


def test_a_result_replaces_the_one_before_for_readers_at_once(tmp_path: Path, bucket: str) -> None:
    for data in (b"old", b"new"):
        assert places.replace_result(SPARK, bucket, lay_bytes(data)) == 1
        assert landed(tmp_path / "bucket") == [data]
    assert len(list((tmp_path / "bucket").rglob("*.parquet"))) == 1
    assert not places.is_archive(SPARK, bucket)


def test_a_failed_run_leaves_nothing(tmp_path: Path, bucket: str) -> None:
    with places.target_at(SPARK, bucket) as target, pytest.raises(ZeroDivisionError):
        target.write_run(lambda folder: lay_bytes(b"x")(folder) or 1 / 0)  # type: ignore[func-returns-value]
    assert list(BucketFiles(tmp_path / "bucket").walk("")) == []


def test_an_archive_that_was_copied_goes_on_with_its_records(tmp_path: Path, bucket: str) -> None:
    """Files and records of local runs count; the log adds to them, and a path does not go on with it."""
    with FolderTarget(str(tmp_path / "bucket")) as target:
        target.write_run(lay_bytes(b"local"), {"journal-A": {"last": 1}, "journal-B": {"last": 2}})
    with places.target_at(SPARK, bucket) as target:
        target.write_run(lay_bytes(b"logged"), {"journal-B": {"last": 5}})
        assert target.notes("journal-") == {"A": {"last": 1}, "B": {"last": 5}}
        assert (target.note("journal-B"), target.note("journal-C")) == ({"last": 5}, {})
    assert landed(tmp_path / "bucket") == [b"local", b"logged"]
    assert len(find_files([str(tmp_path)]).files) == 2
    there = places.find_uri(BucketFiles(tmp_path))
    assert (len(there.files), len(there.others), there.rows, there.columns) == (1, 1, 1, {"data"})
    with pytest.raises(MQError, match="it was written by a URI"), FolderTarget(str(tmp_path / "bucket")):
        pass


def test_a_table_of_delta_below_a_uri_is_found_as_such_and_its_files_are_not(tmp_path: Path, bucket: str) -> None:
    log = tmp_path / "bucket" / "lake" / "orders" / "_delta_log"
    log.mkdir(parents=True)
    (log / "00000000000000000000.json").write_text("{}")
    lay(str(log.parent), pa.table({"data": pa.array([b"deleted"], pa.binary())}))
    lay(str(tmp_path / "bucket" / "archive"), pa.table({"data": pa.array([b"kept"], pa.binary())}))
    found = places.find_files(SPARK, [bucket, "iceberg:cat.lake.orders"])
    assert found.tables == (TableName(ICEBERG, "cat.lake.orders"), TableName(DELTA, str(log.parent)))
    assert ["bucket/archive/" in file.path for file in found.files] == [True]


def test_a_file_system_that_cannot_create_exclusively_is_refused(tmp_path: Path, bucket: str) -> None:
    files = BucketFiles(tmp_path)
    files.why_not_exact = "the file system ftp cannot"
    with fails(MQRC_FUNCTION_NOT_SUPPORTED, "exactly once: the file system ftp cannot"), LoggedTarget(files):
        pass


def test_an_entry_is_json_that_other_programs_can_read(tmp_path: Path, bucket: str) -> None:
    with places.target_at(SPARK, bucket) as target:
        target.write_run(lay_bytes(b"x"))
    (entry,) = (tmp_path / "bucket" / LANDED).iterdir()
    there = json.loads(entry.read_text())
    assert (there["rows"], there["columns"], there["notes"]) == (1, ["data"], {})
    assert (tmp_path / "bucket" / ASIDE / there["run"] / "data" / there["files"][0]).is_file()


@pytest.mark.parametrize(
    ("place", "is_one"),
    [("s3a://b/x", True), ("viewfs:/x", True), ("file:///x", False), ("/x", False), ("C:x", False), ("./a:b/c", False)],
)
def test_a_uri_is_told_from_a_path(place: str, is_one: bool) -> None:
    assert is_uri(place) is is_one
    assert not is_one or spark_path(f"{place}/[1]") == f"{place}/\\[1\\]"
