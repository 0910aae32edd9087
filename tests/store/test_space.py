"""Room in the file that nothing needs: measured, and given back while others read and write."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mqtools.constants.reasons import MQRC_STORAGE_MEDIUM_FULL
from mqtools.errors import StorageError
from mqtools.store.creation import create_database
from mqtools.store.database import Database
from mqtools.store.maintenance import checkup, space
from mqtools.store.open_database import open_database

PIECE = b"x" * 100_000


def nothing() -> None:
    pass


def keep(db: Database, number: int, *, name: str = "n") -> None:
    with db.writing():
        for n in range(number):
            db.run(
                "insert into trash_chunks (trash_number, number, data) values (?, ?, ?)", (hash(name) >> 8, n, PIECE)
            )


def drop(db: Database) -> None:
    with db.writing():
        db.run("delete from trash_chunks")


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    """A file of which most is needed for nothing."""
    made = create_database(str(tmp_path / "Q.db"))
    keep(made, 100)
    drop(made)
    keep(made, 3, name="kept")
    yield made
    made.close()


def test_room_is_measured_without_counting(db: Database) -> None:
    found = space.space(db)
    assert found.file > 100 * len(PIECE) > 90 * len(PIECE) < found.free < found.file
    assert 3 * len(PIECE) < found.needed < 10 * len(PIECE)
    assert found.log == os.path.getsize(f"{db.path}-wal")
    assert found.growth == found.file - os.path.getsize(db.path)


def test_the_disk_has_the_room_back_and_nothing_is_lost(db: Database) -> None:
    assert space.compact(db, nothing)
    found = space.space(db)
    assert (found.free, found.log, found.growth) == (0, 0, 0)
    assert os.path.getsize(db.path) == found.file < 10 * len(PIECE)
    assert db.all("select data from trash_chunks") == [(PIECE,)] * 3
    assert [os.stat(f"{db.path}{end}").st_mode & 0o777 for end in ("", "-wal", "-shm")] == [0o600] * 3


def test_a_copy_that_nobody_has_written_to_is_made_smaller_too(db: Database, tmp_path: Path) -> None:
    db.all("pragma wal_checkpoint(truncate)")
    path = shutil.copyfile(db.path, str(tmp_path / "copy.db"))
    assert checkup.accept_missing_log(path)
    copy = open_database(path)
    assert space.compact(copy, nothing)
    assert space.space(copy).free == 0
    copy.close()


def test_where_nothing_is_to_be_given_back_the_file_is_not_written_anew(db: Database) -> None:
    space.compact(db, nothing)
    before = Path(db.path).stat().st_mtime_ns
    ticks: list[int] = []
    assert space.compact(db, lambda: ticks.append(1))
    assert (ticks, Path(db.path).stat().st_mtime_ns) == ([], before)


def test_who_writes_waits_for_its_turn(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(space, "_TICK", 100)
    other = open_database(db.path)
    writer = threading.Thread(target=keep, args=(other, 1), kwargs={"name": "late"})
    seen: list[int] = []

    def begin() -> None:
        if not seen:
            writer.start()
            writer.join(0.1)
            seen.append(writer.is_alive())

    assert space.compact(db, begin)
    writer.join(60)
    assert seen == [True]
    assert db.all("select count(*) from trash_chunks") == [(4,)]
    other.close()


def test_what_is_raised_meanwhile_ends_it_and_the_file_is_as_it_was(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(space, "_TICK", 100)
    before = space.space(db)

    def stop() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        space.compact(db, stop)
    assert (space.space(db).file, space.space(db).free) == (before.file, before.free)
    keep(db, 1, name="goes on")
    assert space.compact(db, nothing)


KILLED = """
import os, signal, sys
from mqtools.store.maintenance import space
from mqtools.store.open_database import open_database
space._TICK = 100
def kill():
    os.kill(os.getpid(), signal.SIGKILL)
space.compact(open_database(sys.argv[1]), kill)
"""


def test_a_kill_leaves_the_file_as_it_was_and_no_lock(db: Database) -> None:
    assert subprocess.run([sys.executable, "-c", KILLED, db.path], check=False).returncode == -9
    assert db.all("select data from trash_chunks") == [(PIECE,)] * 3
    assert db.all("pragma integrity_check") == [("ok",)]
    assert space.compact(db, nothing)


def refusal(act: Callable[[], object]) -> StorageError:
    with pytest.raises(StorageError) as raised:
        act()
    assert raised.value.reason == MQRC_STORAGE_MEDIUM_FULL
    return raised.value


def test_too_little_room_is_said_before_anything_is_done(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(space, "room", lambda _: 1_000)
    db.all("pragma wal_checkpoint(truncate)")
    before = Path(db.path).read_bytes()
    error = refusal(lambda: space.compact(db, nothing))
    assert "has 1000 bytes left" in error.text
    assert error.hint is not None
    assert Path(db.path).read_bytes() == before


def test_too_little_room_for_what_the_log_has_is_said(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(space, "room", lambda _: 1_000)
    monkeypatch.setattr(space, "space", lambda _: space.Space(9_000_000, 5_000_000, 0, 2_000, 4096))
    assert "has to grow by 2000" in refusal(lambda: space.compact(db, nothing)).text


def _on_another_disk(folder: Path) -> Path:
    for other in (Path("/dev/shm"), Path("/tmp"), Path.cwd()):
        if other.exists() and other.stat().st_dev != folder.stat().st_dev:
            return other
    pytest.skip("there is no second file system here")


@pytest.mark.parametrize(("other_disk", "status"), [(True, "done"), (False, "refused")])
def test_a_large_copy_needs_a_place_for_temporary_files_too(
    db: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, other_disk: bool, status: str
) -> None:
    monkeypatch.setattr(space, "_IN_MEMORY", 0)
    folder = _on_another_disk(tmp_path) if other_disk else tmp_path
    monkeypatch.setenv("SQLITE_TMPDIR", str(folder))
    assert space.temporary_folder() == str(folder)
    found = space.space(db)
    monkeypatch.setattr(space, "room", lambda _: found.needed * 3 // 2 + found.growth)
    db.all("pragma wal_checkpoint(truncate)")
    if status == "done":
        assert space.compact(db, nothing)
    else:
        assert "SQLITE_TMPDIR" in (refusal(lambda: space.compact(db, nothing)).hint or "")


def test_a_full_file_says_what_helps(db: Database) -> None:
    pages = db.one("pragma page_count")
    assert pages is not None
    db.run(f"pragma max_page_count = {pages[0]}")
    error = refusal(lambda: keep(db, 500, name="more"))
    assert "mqx qmgr compact" in (error.hint or "")
