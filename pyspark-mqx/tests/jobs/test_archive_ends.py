"""Archives whose runs fail, are interrupted or killed: what is left, and what the next run finishes."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest
from pyspark_mqx.jobs import archive as jobs
from pyspark_mqx.jobs import output_files
from pyspark_mqx.jobs.archive_tasks import ArchiveRead
from pyspark_mqx.jobs.output_files import FolderTarget, OutputRun

from mqtools.arrow.whole_files import write_json
from mqtools.constants.reasons import MQRC_GET_INHIBITED
from mqtools.errors import MQError
from mqtools.lifecycle.locks import browse_messages_and_lock
from mqtools.lifecycle.verbs import undo
from mqtools.mqi.objects.definitions import delete_queue

from .local import archived, without_spark, write_here

pytestmark = pytest.mark.usefixtures("spark")


def left(folder: Path) -> list[str]:
    """Return what is left of runs."""
    return [name for name in os.listdir(folder / "_mqx") if not name.endswith("lock")]


def test_rows_that_are_not_those_that_were_locked_complete_no_run(tmp_path: Path) -> None:
    with FolderTarget(str(tmp_path / "a")) as target:
        run = target.begin({})
        os.mkdir(run.data)
        with pytest.raises(MQError, match="0 messages were written, not 3"):
            run.seal(expected=3)
        assert run.manifest is None


def test_a_folder_that_cannot_be_locked_keeps_no_file_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def no_locks(number: int, _: int) -> None:
        asked.append(number)
        raise OSError(errno.ENOLCK, "no locks available")

    monkeypatch.setattr("fcntl.flock", no_locks)
    with pytest.raises(OSError, match="no locks available"), FolderTarget(str(tmp_path / "a")):
        pass
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(asked[0])


@pytest.mark.parametrize("job", [jobs.archive, jobs.archive_and_remove])
def test_a_run_that_fails_leaves_no_files_and_no_lock(
    spark: Any, qm: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, job: Any
) -> None:
    def fails(spark: object, read: ArchiveRead, folder: str) -> None:
        write_here(spark, read, folder)
        raise OSError("disk full")

    without_spark(monkeypatch)
    monkeypatch.setattr(jobs, "write_files", fails)
    qm.put(b"one")
    with pytest.raises(OSError, match="disk full"):
        job(None, str(tmp_path / "a"), qm.path, "Q")
    assert os.listdir(tmp_path / "a") == ["_mqx"]
    assert left(tmp_path / "a") == []
    assert qm.main.db.all("select state, lock_id from messages") == [(1, None)]


@pytest.mark.parametrize("job", [jobs.archive, jobs.archive_and_remove])
def test_a_run_that_is_interrupted_when_its_files_are_complete_counts_for_nothing(
    spark: Any, qm: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, job: Any
) -> None:
    """Also if its folder cannot be deleted: the next run does not publish what is still on the queue."""

    def interrupt(path: str, content: dict[str, Any], mode: int) -> None:
        write_json(path, content, mode)
        if path.endswith("manifest.json"):
            raise KeyboardInterrupt

    def refuse(run: OutputRun) -> None:
        raise OSError(errno.ENOTEMPTY, run.path)

    write_json = output_files.write_json
    without_spark(monkeypatch)
    qm.put(b"one")
    with monkeypatch.context() as broken:
        broken.setattr(output_files, "write_json", interrupt)
        broken.setattr(OutputRun, "end", refuse)
        with pytest.raises(KeyboardInterrupt):
            job(None, str(tmp_path / "a"), qm.path, "Q")
    assert job(None, str(tmp_path / "a"), qm.path, "Q") in (1, (1, 0))
    assert (archived(tmp_path / "a"), left(tmp_path / "a")) == ([b"one"], [])


def test_a_queue_that_cannot_be_got_from_leaves_nothing_of_a_run(qm: Any, tmp_path: Path) -> None:
    qm.put(b"one")
    qm.define("Q", "QUEUE", inhibit_get=1)
    with pytest.raises(MQError) as caught:
        jobs.archive_and_remove(None, str(tmp_path / "a"), qm.path, "Q")  # type: ignore[arg-type]
    assert (caught.value.reason, os.listdir(tmp_path / "a" / "_mqx")) == (MQRC_GET_INHIBITED, ["lock"])


def test_a_record_takes_the_place_of_a_link_and_leaves_what_it_leads_to(tmp_path: Path) -> None:
    (tmp_path / "other").write_text("{}")
    with FolderTarget(str(tmp_path / "a"), mode=0o640) as target:
        record = tmp_path / "a" / "_mqx" / "result.json"
        record.symlink_to(tmp_path / "other")
        target.write_run(os.mkdir, replaces=True)
    assert (record.is_symlink(), record.stat().st_mode & 0o777) == (False, 0o640)
    assert (tmp_path / "other").read_text() == "{}"


@pytest.mark.parametrize(
    ("error", "named"), [(OSError(errno.ENOSPC, "No space left on device"), "a.json"), (OSError("No space"), None)]
)
def test_what_cannot_be_written_is_reported_with_its_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: OSError, named: str | None
) -> None:
    def refuse(_descriptor: int) -> None:
        raise error

    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(OSError, match="No space") as caught:
        write_json(str(tmp_path / "a.json"), {})
    assert (caught.value.filename, os.listdir(tmp_path)) == (named and str(tmp_path / named), [])


def sealed(qm: Any, folder: Path) -> Any:
    """A run that was killed when its files were complete: it holds what is on Q."""
    with FolderTarget(str(folder)) as target:
        run = target.begin({"path": qm.path, "queue": "Q", "confirm_id": 7})
        lock = browse_messages_and_lock(qm.main, "Q", confirm_id=7).lock_id.hex()
        options = {"qmgr": qm.path, "queue": "Q", "lock": lock}
        write_here(None, ArchiveRead(jobs.column_names(), options), run.data)
        run.seal()
        run.unlock()  # as the end of its process does
    return run


def test_a_run_whose_queue_was_deleted_is_finished(qm: Any, tmp_path: Path) -> None:
    qm.put(b"one")
    sealed(qm, tmp_path / "a")
    with qm.main.work() as work:
        undo(qm.main, "Q", confirm_id=7)
        delete_queue(work, "QLOCAL", "Q", purge=True)
    with FolderTarget(str(tmp_path / "a")) as target:
        assert jobs.recover_runs(target) == 1
    assert (archived(tmp_path / "a"), os.listdir(tmp_path / "a" / "_mqx")) == ([b"one"], ["lock"])
    assert archived(tmp_path / "a", "state") == ["unlocked"], "it is locked for the archive only"


@pytest.mark.parametrize("more", [0, 1])
def test_an_archive_counts_what_it_finishes_of_a_killed_run(
    spark: Any, qm: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: int
) -> None:
    without_spark(monkeypatch)
    qm.put(b"one")
    sealed(qm, tmp_path / "a")
    for _ in range(more):
        qm.put(b"two")
    assert jobs.archive(spark, str(tmp_path / "a"), qm.path, "Q") == (1 + more, 0)
    assert (qm.depth(), archived(tmp_path / "a")) == (more, [b"one", b"two"][: 1 + more])


def test_a_run_whose_queue_manager_is_not_there_says_so_and_its_files_are(qm: Any, tmp_path: Path) -> None:
    qm.put(b"one")
    run = sealed(qm, tmp_path / "a")
    with qm.left_alone():
        os.rename(qm.path, tmp_path / "away")
        try:
            with FolderTarget(str(tmp_path / "a")) as target, pytest.raises(MQError, match="unfinished run") as caught:
                jobs.recover_runs(target)
        finally:
            os.rename(tmp_path / "away", qm.path)
    assert (archived(tmp_path / "a"), run.path in str(caught.value.hint)) == ([b"one"], True)
    with FolderTarget(str(tmp_path / "a")) as target:
        assert (jobs.recover_runs(target), qm.depth(), archived(tmp_path / "a")) == (1, 0, [b"one"])
