"""The reserve of a file: made for its owner only, never through a link, and warned of in time."""

from __future__ import annotations

import os
import stat
import warnings
from pathlib import Path
from types import SimpleNamespace

import pytest

from mqtools.admin import backup, queue_managers
from mqtools.configuration.disk_limit import limit_bytes
from mqtools.configuration.file import ConfigError
from mqtools.message import Message
from mqtools.mqi.connection import Connection, connect
from mqtools.store.file_warnings import StorageWarning
from mqtools.store.log import reserve
from mqtools.store.log.reserve_size import PAGE, RESERVE, wanted_bytes

GIB = 1 << 30


def reserve_of(path: str) -> Path:
    return Path(path + RESERVE)


@pytest.fixture
def created(tmp_path: Path) -> str:
    return queue_managers.create(str(tmp_path / "NEW.db"))


def test_a_new_queue_manager_has_a_reserve_for_its_owner_only(created: str) -> None:
    found = reserve_of(created).stat()
    assert (stat.S_IMODE(found.st_mode), found.st_size) == (0o600, wanted_bytes(os.path.getsize(created) // PAGE))
    assert found.st_blocks * 512 >= found.st_size, "it takes room on the disk"
    assert sorted(os.listdir(os.path.dirname(created))) == ["NEW.db", "NEW.db-reserve"]


def test_it_goes_with_the_queue_manager(created: str) -> None:
    queue_managers.delete(created)
    assert os.listdir(os.path.dirname(created)) == []


def test_a_backup_has_none_and_leaves_none(created: str, tmp_path: Path) -> None:
    backup.back_up(created, str(tmp_path / "copy"))
    backup.restore(str(tmp_path / "copy"), str(tmp_path / "OTHER.db"))
    assert sorted(os.listdir(tmp_path)) == ["NEW.db", "NEW.db-reserve", "OTHER.db", "copy"]


def test_a_file_of_an_older_version_gets_one_by_its_first_change(created: str) -> None:
    reserve_of(created).unlink()
    with connect(created) as connection, connection.work():
        pass
    assert reserve_of(created).stat().st_size == wanted_bytes(os.path.getsize(created) // PAGE)


@pytest.mark.parametrize("kind", ["link", "hard link", "folder", "pipe"])
def test_what_is_no_plain_file_is_left_alone(qmgr: str, tmp_path: Path, kind: str) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    place = reserve_of(qmgr)
    place.unlink(missing_ok=True)
    if kind == "link":
        place.symlink_to(victim)
    elif kind == "hard link":
        place.hardlink_to(victim)
    elif kind == "folder":
        place.mkdir()
    else:
        os.mkfifo(place)
    with connect(qmgr) as connection:
        connection.put1("Q", Message(b"x"))
        assert not connection.db.is_room_low
    assert not reserve.give_up(qmgr)
    assert victim.read_bytes() == b"precious"


def test_a_dangling_link_makes_nothing(qmgr: str, tmp_path: Path) -> None:
    reserve_of(qmgr).unlink(missing_ok=True)
    reserve_of(qmgr).symlink_to(tmp_path / "nowhere")
    with connect(qmgr) as connection:
        connection.put1("Q", Message(b"x"))
    assert not (tmp_path / "nowhere").exists()


def put_with_room(connection: Connection, monkeypatch: pytest.MonkeyPatch, left: int) -> list[str]:
    """Put a message while the disk has so many bytes left; return what is warned of."""
    monkeypatch.setattr(os, "statvfs", lambda _: SimpleNamespace(f_bavail=left, f_frsize=1))
    connection.db.next_look = 0.0
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        connection.put1("Q", Message(b"x"))
    return [str(one.message) for one in caught if issubclass(one.category, StorageWarning)]


@pytest.fixture
def connection(qmgr: str, monkeypatch: pytest.MonkeyPatch) -> Connection:
    monkeypatch.setattr(reserve, "_warned", set())
    return connect(qmgr)


def test_a_process_warns_once_below_the_limit(connection: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MQX_DISK_FREE_LIMIT", "2GiB")
    assert put_with_room(connection, monkeypatch, 3 * GIB) == []
    (words,) = put_with_room(connection, monkeypatch, GIB)
    assert "only 1024 MiB are left on this disk; disk_free_limit is 2048 MiB" in words
    assert put_with_room(connection, monkeypatch, GIB) == []


def test_the_limit_is_64_mib_where_none_is_set(connection: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    assert put_with_room(connection, monkeypatch, 65 << 20) == []
    assert len(put_with_room(connection, monkeypatch, 63 << 20)) == 1


def test_0_warns_of_nothing(connection: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MQX_DISK_FREE_LIMIT", "0")
    assert put_with_room(connection, monkeypatch, 2 << 20) == []


def test_a_limit_that_cannot_be_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MQX_DISK_FREE_LIMIT", "17GiB")
    with pytest.raises(ConfigError, match="more than 16GiB"):
        limit_bytes()
