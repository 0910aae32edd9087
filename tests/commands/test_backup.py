"""A queue manager's file by itself, its backup and its restore, as operators make them."""

from __future__ import annotations

import json
import os
import shutil
import signal
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mqtools.operations.views.message_view import open_database

from .conftest import Done

Mqx = Callable[..., Done]
QUEUE = "DEV.QUEUE.1"


def copied(qm: str, name: str = "COPY") -> str:
    """Copy the file alone, as ``cp`` does, and give the copy's path."""
    folder = Path(qm).parent.with_name("copies")
    folder.mkdir(exist_ok=True)
    target = str(folder / f"{name}.db")
    shutil.copyfile(qm, target)
    return target


def browsed(mqx: Mqx, path: str) -> list[bytes]:
    done = mqx("-m", path, "browse", QUEUE, "-o", "json")
    assert done.status in (0, 3), done
    return [message["data"].encode() for message in json.loads(done.out or b"[]")]


def killed(start: Any, eventually: Any, mqx: Mqx, *data: str) -> None:
    """Put messages while a getter of another queue is there, then kill it: the log stays."""
    getter = start("get", "DEV.QUEUE.3", "--wait", "1h")
    eventually(lambda: json.loads(mqx("qdepth", "DEV.QUEUE.3", "-o", "json").out)[0]["open_input"])
    mqx("put", QUEUE, *data, check=True)
    getter.send_signal(signal.SIGKILL)
    getter.wait()


@pytest.mark.parametrize("persistent", [[], ["--persistent"]], ids=["nonpersistent", "persistent"])
def test_the_file_alone_has_everything_when_the_last_process_has_gone(qm: str, mqx: Mqx, persistent: list[str]) -> None:
    mqx("put", QUEUE, *persistent, "a", "b", "c", check=True)
    mqx("get", QUEUE, check=True)
    assert not os.path.exists(f"{qm}-wal")
    assert browsed(mqx, copied(qm)) == [b"b", b"c"]


def test_the_file_alone_has_everything_when_the_last_to_go_only_read(qm: str, mqx: Mqx) -> None:
    reader = open_database(qm, read_only=True)
    mqx("put", QUEUE, "a", check=True)
    assert os.path.getsize(f"{qm}-wal")
    reader.close()
    assert not os.path.exists(f"{qm}-wal")
    assert browsed(mqx, copied(qm)) == [b"a"]


def test_a_copy_with_its_log_that_was_only_read_is_complete_then(qm: str, mqx: Mqx) -> None:
    reader = open_database(qm, read_only=True)
    mqx("put", QUEUE, "a", check=True)
    target = copied(qm)
    shutil.copyfile(f"{qm}-wal", f"{target}-wal")
    reader.close()
    assert browsed(mqx, target) == [b"a"]
    assert not os.path.exists(f"{target}-wal")
    assert mqx("-m", target, "browse", QUEUE, check=True).err == ""


def test_a_log_left_by_a_kill_is_reported_and_moved_into_the_file_by_the_next_command(
    qm: str, mqx: Mqx, start: Any, eventually: Any
) -> None:
    killed(start, eventually, mqx, "a")
    before = Path(qm).read_bytes()
    finding = next(row for row in json.loads(mqx("doctor", "-o", "json").out) if row["check"] == "log")
    assert "killed" in finding["what"]
    assert "qmgr backup" in finding["hint"]
    assert Path(qm).read_bytes() == before  # doctor changes nothing
    assert mqx("qdepth", "--count", QUEUE).out == b"1\n"
    assert not os.path.exists(f"{qm}-wal")
    assert browsed(mqx, copied(qm)) == [b"a"]


@pytest.mark.parametrize("command", ["qdepth --count", "get", "browse --read-only", "put"])
def test_a_copy_of_a_file_in_use_without_its_log_is_refused_until_that_is_accepted(
    qm: str, mqx: Mqx, start: Any, eventually: Any, command: str
) -> None:
    killed(start, eventually, mqx, "a")
    copy = copied(qm)
    before = Path(copy).read_bytes()
    for _ in range(2):
        done = mqx("-m", copy, *command.split(), QUEUE, stdin=b"data")
        assert (done.status, done.out) == (10, b"")
        assert f"mqx doctor -m {copy} --accept-missing-log" in done.err
    assert mqx("qmgr", "restore", copy, "OTHER").status == mqx("doctor", "-m", copy).status == 10
    assert mqx("doctor", "-m", copy, "--read-only", "--accept-missing-log").status == 8
    assert Path(copy).read_bytes() == before
    assert mqx("doctor", "-m", copy, "--accept-missing-log").status != 10
    assert mqx("-m", copy, "get", QUEUE).status == 3
    assert browsed(mqx, qm) == [b"a"]


@pytest.mark.parametrize("command", [["qdepth", "--count", QUEUE], ["get", "DEV.QUEUE.2"]], ids=["reads", "may write"])
def test_a_copy_with_its_log_that_a_command_only_opens_lacks_nothing_afterwards(
    qm: str, mqx: Mqx, start: Any, eventually: Any, command: list[str]
) -> None:
    killed(start, eventually, mqx, "a")
    copy = copied(qm)
    shutil.copyfile(f"{qm}-wal", f"{copy}-wal")
    mqx("-m", copy, *command)
    assert browsed(mqx, copy) == [b"a"]


def test_a_link_to_a_file_in_use_reaches_its_log(qm: str, mqx: Mqx, start: Any, eventually: Any) -> None:
    killed(start, eventually, mqx, "a")
    link = Path(qm).parent.with_name("link.db")
    link.symlink_to(qm)
    done = mqx("-m", str(link), "get", QUEUE)
    assert (done.status, done.out, done.err) == (0, b"a", "")
    assert not os.path.exists(f"{link}-wal")


@pytest.mark.parametrize("command", [["put", QUEUE, "a"], ["qdepth"], ["doctor"]], ids=" ".join)
def test_a_file_with_two_hard_links_is_refused_by_either_name(qm: str, mqx: Mqx, command: list[str]) -> None:
    other = Path(qm).with_name("OTHER.db")
    os.link(qm, other)
    for path in (qm, str(other)):
        done = mqx(*command, "-m", path)
        assert (done.status, done.out) == (10, b"")
        assert "more than one hard link" in done.err
    other.unlink()
    assert mqx(*command, "-m", qm).status == 0


# A log of another time


@pytest.mark.parametrize("how", ["over it", "in its place"])
def test_a_copy_put_back_beside_an_old_log_is_the_copy(
    qm: str, mqx: Mqx, start: Any, eventually: Any, how: str
) -> None:
    mqx("put", QUEUE, "old", check=True)
    copy = copied(qm)
    killed(start, eventually, mqx, *["newer"] * 50)
    if how == "over it":
        shutil.copyfile(copy, qm)
    else:
        os.replace(copy, qm)
    done = mqx("browse", QUEUE, "-o", "json", check=True)
    assert [message["data"] for message in json.loads(done.out)] == ["old"]
    assert "log of another file or of another time" in done.err
    assert os.path.exists(f"{qm}-wal.foreign-1")
    assert mqx("browse", QUEUE, check=True).err == ""  # said once
    mqx("put", QUEUE, "next", check=True)
    assert mqx("doctor", "--thorough").out.startswith(b"file\tok\t")


def test_a_restore_beside_an_old_log_is_the_backup(
    qm: str, mqx: Mqx, start: Any, eventually: Any, tmp_path: Path
) -> None:
    backup = str(tmp_path / "backup.db")
    mqx("put", QUEUE, "old", check=True)
    mqx("qmgr", "backup", backup, check=True)
    killed(start, eventually, mqx, *["newer"] * 50)
    os.unlink(qm)
    done = mqx("qmgr", "restore", backup, check=True)
    assert browsed(mqx, qm) == [b"old"], done
    assert mqx("doctor", "--thorough").out.startswith(b"file\tok\t")


def test_the_log_of_a_kill_is_never_taken_for_that_of_another_file(
    qm: str, mqx: Mqx, start: Any, eventually: Any
) -> None:
    for number in range(3):
        killed(start, eventually, mqx, f"{number}")
        assert mqx("qdepth", "--count", QUEUE) == Done(0, b"%d\n" % (number + 1), "")


# Backup and restore


def test_a_backup_of_a_queue_manager_in_use_is_complete_by_itself(
    qm: str, mqx: Mqx, start: Any, eventually: Any, tmp_path: Path
) -> None:
    getter = start("get", "DEV.QUEUE.3", "--wait", "1h")
    eventually(lambda: json.loads(mqx("qdepth", "DEV.QUEUE.3", "-o", "json").out)[0]["open_input"])
    mqx("put", QUEUE, "a", "b", check=True)
    backup = tmp_path / "elsewhere" / "backup.db"
    backup.parent.mkdir()
    done = mqx("qmgr", "backup", "QM1", str(backup), check=True)
    assert done.err.count("\n") == 1
    assert "2 messages" in done.err
    assert f"{backup.stat().st_size} bytes" in done.err
    assert os.listdir(backup.parent) == ["backup.db"]
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert getter.poll() is None
    restored = mqx("qmgr", "restore", str(backup), "QM2", "-o", "json", check=True)
    assert json.loads(restored.out)[0]["messages"] == 2
    assert browsed(mqx, "QM2") == [b"a", b"b"]
    assert json.loads(mqx("qmgr", "display", "QM2", "-o", "json").out)[0]["q_mgr_name"] == "QM2"
    assert os.listdir(backup.parent) == ["backup.db"]


def test_a_backup_never_replaces_a_file_unless_forced(qm: str, mqx: Mqx, tmp_path: Path) -> None:
    backup = tmp_path / "backup.db"
    backup.write_text("precious")
    assert mqx("qmgr", "backup", str(backup)).status == 2
    assert backup.read_text() == "precious"
    mqx("qmgr", "backup", str(backup), "--force", check=True)
    assert backup.read_bytes().startswith(b"SQLite format 3")
    assert mqx("qmgr", "backup", qm, "--force").status == 2  # onto itself
    assert mqx("qmgr", "backup", "NONE", str(tmp_path / "x")).status == 5


def test_a_restore_never_replaces_a_queue_manager_unless_forced_and_ended(qm: str, mqx: Mqx, tmp_path: Path) -> None:
    backup = str(tmp_path / "backup.db")
    mqx("put", QUEUE, "a", "--persistent", check=True)
    mqx("qmgr", "backup", backup, check=True)
    mqx("put", QUEUE, "b", "--persistent", check=True)
    assert mqx("qmgr", "restore", backup).status == 2
    assert mqx("qmgr", "restore", backup, "--force").status == 6
    assert browsed(mqx, qm) == [b"a", b"b"]
    mqx("qmgr", "end", "QM1", "--wait", check=True)
    assert mqx("qmgr", "restore", backup).status == 2
    mqx("qmgr", "restore", backup, "--force", check=True)
    assert browsed(mqx, qm) == [b"a"]  # it was running when the backup was made


@pytest.mark.parametrize("content", [b"", b"no database at all", b"SQLite format 3\0" + bytes(5000)])
def test_a_restore_of_what_is_no_queue_manager_makes_nothing(qm: str, mqx: Mqx, tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "file"
    file.write_bytes(content)
    home = sorted(os.listdir(Path(qm).parent))
    for name in ([], ["OTHER"]):
        assert mqx("qmgr", "restore", str(file), *name).status == 10
    assert sorted(os.listdir(Path(qm).parent)) == home
    assert mqx("qmgr", "restore", str(tmp_path / "none")).status == 2


def test_a_damaged_file_is_neither_backed_up_nor_restored(qm: str, mqx: Mqx, tmp_path: Path) -> None:
    mqx("put", QUEUE, "x" * 50_000, check=True)
    size = os.path.getsize(qm)
    with open(qm, "r+b") as file:
        file.seek(size // 2)
        file.write(b"\xff" * (size // 4))
    before = Path(qm).read_bytes()
    assert mqx("qmgr", "backup", str(tmp_path / "backup.db")).status == 10
    assert mqx("qmgr", "restore", qm, "OTHER").status == 10
    assert Path(qm).read_bytes() == before
    assert not list(tmp_path.glob("*backup*"))
    assert not list(Path(qm).parent.glob("OTHER*"))


def test_what_was_held_when_the_backup_was_made_is_free_after_the_restore(
    qm: str, mqx: Mqx, start: Any, eventually: Any, tmp_path: Path
) -> None:
    backup = str(tmp_path / "backup.db")
    mqx("put", QUEUE, "a", check=True)
    holder = start("get", QUEUE, "--exec", "sleep 600")
    eventually(lambda: json.loads(mqx("qdepth", QUEUE, "-o", "json").out)[0]["uncommitted"])
    mqx("qmgr", "backup", backup, check=True)
    holder.terminate()
    mqx("qmgr", "restore", backup, "QM2", check=True)
    assert mqx("-m", "QM2", "get", QUEUE, check=True).out.strip() == b"a"


# A file that was removed, and few descriptors


@pytest.mark.parametrize("how", ["removed", "replaced"])
def test_nothing_is_put_to_a_file_that_was_removed_or_replaced(
    qm: str, mqx: Mqx, start: Any, eventually: Any, how: str
) -> None:
    mqx("qmgr", "backup", f"{qm}.copy", check=True)
    putter = start("put", QUEUE, "--lines")
    putter.stdin.write(b"first\n")
    putter.stdin.flush()
    eventually(lambda: mqx("qdepth", "--count", QUEUE).out == b"1\n")
    if how == "removed":
        os.unlink(qm)
    else:
        os.replace(f"{qm}.copy", qm)
    _, err = putter.communicate(b"second\n", timeout=60)
    assert putter.returncode in (5, 9), err
    assert b"was removed, moved or replaced" in err
    assert b"Traceback" not in err
    if how == "replaced":
        assert mqx("qdepth", "--count", QUEUE).out == b"0\n"


def test_a_backup_into_a_folder_that_is_not_there_names_the_folder(qm: str, mqx: Mqx, tmp_path: Path) -> None:
    folder = tmp_path / "none"
    done = mqx("qmgr", "backup", "QM1", str(folder / "x.db"))
    assert (done.status, done.err) == (2, f"mqx: qmgr backup: {folder}: No such file or directory\n")


def test_a_backup_to_standard_output_is_the_file_and_nothing_else(qm: str, mqx: Mqx, tmp_path: Path) -> None:
    mqx("put", QUEUE, "a", "b", check=True)
    done = mqx("qmgr", "backup", "QM1", "-", check=True)
    assert done.err.startswith("queue manager QM1 backed up: standard output, ")
    (tmp_path / "copy.db").write_bytes(done.out)
    assert browsed(mqx, str(tmp_path / "copy.db")) == [b"a", b"b"]
    assert not Path("-").exists()
    assert mqx("qmgr", "backup", "QM1", "-", "-o", "json").status == 2


def test_a_backup_to_standard_output_that_nobody_reads_is_141(
    qm: str, environment: dict[str, str], mqx_path: str, closed_pipe: int
) -> None:
    line = [mqx_path, "qmgr", "backup", "QM1", "-"]
    assert subprocess.run(line, stdout=closed_pipe, env=environment, check=False).returncode == 141
