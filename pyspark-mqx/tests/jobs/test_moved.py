"""Queue managers that move while a killed run of theirs is unfinished: to another host, path or working folder."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark_mqx.jobs import archive as jobs
from pyspark_mqx.jobs import stream
from pyspark_mqx.jobs.output_files import FolderTarget, OutputRun
from pyspark_mqx.source.offsets import read_journals

from mqtools.admin import queue_managers
from mqtools.errors import MQError

from ..conftest import QM
from .kills import die_after
from .local import archived, without_spark

pytestmark = pytest.mark.usefixtures("spark")

HOST = "socket.gethostname"
NO_SPARK: Any = None


@pytest.fixture
def on(spark: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[str], None]:
    """Return a function that moves this process to a host, and to a working folder of its own there."""
    without_spark(monkeypatch)

    def move(host: str) -> None:
        monkeypatch.setattr(HOST, lambda: host)
        (tmp_path / host).mkdir(exist_ok=True)
        monkeypatch.chdir(tmp_path / host)

    move("one")
    return move


def moved(qm: QM, folder: Path) -> str:
    """Move the file of a queue manager into a folder; return its new path."""
    qm.main.disconnect()
    folder.mkdir(exist_ok=True)
    path = str(folder / "MOVED.db")
    shutil.move(qm.path, path)
    for ending in ("-wal", "-shm"):
        if os.path.exists(qm.path + ending):
            shutil.move(qm.path + ending, path + ending)
    qm.path = path
    qm.main = qm.connect()
    return path


def wait_for_the_next_second() -> None:
    """Wait until a queue manager that is created has another QMID, which tells the second of its creation."""
    begun = int(time.time())
    while int(time.time()) == begun:
        time.sleep(0.05)


def left(folder: Path) -> list[str]:
    """Return the unfinished runs into a folder."""
    return [path.name for path in (folder / "_mqx").iterdir() if path.is_dir()]


@pytest.mark.parametrize("step", ["seal", "publish"])
@pytest.mark.parametrize("host", ["one", "two"])
def test_events_of_a_queue_manager_that_moved_after_a_kill_are_archived_once(
    qm: QM, make_qm: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, on: Any, step: str, host: str
) -> None:
    folder = tmp_path / "a"
    qm.define("Q", "QUEUE", journal=2)
    qm.put(b"one")
    die_after(OutputRun, step, lambda: jobs.archive_journal(NO_SPARK, str(folder), qm.path, ""))
    path = moved(qm, tmp_path / "elsewhere")
    qm.put(b"two")
    on(host)
    assert jobs.archive_journal(NO_SPARK, os.path.relpath(folder), path, "") == 1
    assert (archived(folder, "event_seq"), left(folder)) == ([1, 2], [])
    on("one")
    jobs.archive(NO_SPARK, str(folder), make_qm("QM2").path, "")  # as the first host does with what it still has
    on(host)
    assert jobs.archive_journal(NO_SPARK, str(folder), path, "") == 0
    assert archived(folder, "event_seq") == [1, 2]


def test_one_of_two_queue_managers_of_a_killed_run_goes_on_without_the_other(
    qm: QM, make_qm: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, on: Any
) -> None:
    """Each is archived by a host of its own now, at the same time: both know what the killed run has written."""
    folder = tmp_path / "a"
    other = make_qm("QM2")
    for each in (qm, other):
        each.define("Q", "QUEUE", journal=2)
        each.put(b"one")
    both = f"{qm.path},{other.path}"
    die_after(OutputRun, "seal", lambda: jobs.archive_journal(NO_SPARK, str(folder), both, ""))
    on("two")
    name = jobs.writers.archive_note(read_journals(other.path)[other.path].q_mgr_identifier)
    with FolderTarget(str(folder), is_shared=True) as target, target.hold([name]):
        assert jobs.archive_journal(NO_SPARK, str(folder), qm.path, "") == 0
    assert jobs.archive_journal(NO_SPARK, str(folder), other.path, "") == 0
    assert (sorted(each.name for each in folder.glob("qmgr=*")), archived(folder, "event_seq")) == (
        ["qmgr=QM1", "qmgr=QM2"],
        [1, 1],
    )


def test_a_batch_of_a_stream_whose_checkpoint_moved_after_a_kill_is_written_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, on: Any
) -> None:
    folder = tmp_path / "a"
    end = {"/here/QM1.db": {"id": "QM1", "from": 0, "seq": 2}}

    def sink(batch: Any, number: int) -> Any:
        return stream.FolderSink(str(folder), "me", ["Q"])(batch, number, end)

    die_after(OutputRun, "seal", lambda: sink([1], 0))
    on("two")
    assert sink([1], 0) is None
    assert (archived(folder, "event_seq"), left(folder)) == ([1], [])


@pytest.mark.parametrize("host", ["one", "two"])
@pytest.mark.parametrize("step", ["begin", "seal", "publish"])
def test_messages_of_a_queue_manager_that_moved_after_a_kill_are_archived_once(
    qm: QM, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, on: Any, step: str, host: str
) -> None:
    folder = tmp_path / "a"
    qm.put(b"one")
    work = lambda: jobs.archive_and_remove(NO_SPARK, str(folder), qm.path, "Q")  # noqa: E731
    die_after(FolderTarget if step == "begin" else OutputRun, step, work)
    path = moved(qm, tmp_path / "elsewhere")
    qm.put(b"two")
    on(host)
    assert jobs.archive_and_remove(NO_SPARK, str(folder), path, "Q") == 2
    assert (archived(folder, "data"), left(folder), qm.depth()) == ([b"one", b"two"], [], 0)


def test_a_run_is_not_finished_in_another_queue_manager_at_its_path(
    qm: QM, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, on: Any
) -> None:
    folder, before = tmp_path / "a", qm.path
    qm.put(b"one")
    die_after(OutputRun, "seal", lambda: jobs.archive_and_remove(NO_SPARK, str(folder), qm.path, "Q"))
    path = moved(qm, tmp_path / "elsewhere")
    wait_for_the_next_second()
    queue_managers.create(before, developer=True)
    with pytest.raises(MQError, match=f"an unfinished run has locked messages of {before}") as refused:
        jobs.archive_and_remove(NO_SPARK, str(folder), before, "DEV.*")
    assert left(folder)[0] in str(refused.value.hint)
    assert jobs.archive_and_remove(NO_SPARK, str(folder), path, "Q") == 1
    assert (archived(folder, "data"), left(folder), qm.depth()) == ([b"one"], [], 0)


@pytest.mark.parametrize("job", [jobs.archive_journal, jobs.archive_and_remove])
def test_what_could_not_be_published_is_published_by_the_next_run_of_the_same_process(
    qm: QM, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, on: Any, job: Any
) -> None:
    """As in a notebook, which lives on: its own run must not look to it like one that is still writing."""
    qm.define("Q", "QUEUE", journal=2)
    qm.put(b"one")

    def full(run: OutputRun, manifest: Any) -> None:
        raise OSError("disk full")

    with monkeypatch.context() as patch:
        patch.setattr(OutputRun, "place", full)
        with pytest.raises(OSError, match="disk full"):
            job(NO_SPARK, str(tmp_path / "a"), qm.path, "Q")
    job(NO_SPARK, str(tmp_path / "a"), qm.path, "Q")
    assert (archived(tmp_path / "a", "data"), left(tmp_path / "a")) == ([b"one"], [])
