"""The run folder is not trusted whoever has made it: links, strangers and files in place of pipes are refused."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mqtools.constants.reasons import MQRC_NOT_AUTHORIZED
from mqtools.errors import StorageError
from mqtools.store.creation import create_database
from mqtools.store.liveness import Presence, ring
from mqtools.store.log.writer_lock import WriterLock


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "QM.db").touch()
    return tmp_path / "QM.db-run"


def refusal(folder: Path) -> StorageError:
    with pytest.raises(StorageError) as caught:
        WriterLock(str(folder))
    assert caught.value.reason == MQRC_NOT_AUTHORIZED
    return caught.value


def test_a_folder_that_everybody_can_write_to_is_refused(folder):
    folder.mkdir()
    folder.chmod(0o777)
    assert "by everybody" in refusal(folder).text


def test_a_link_is_refused(folder, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    folder.symlink_to(tmp_path / "elsewhere")
    assert "is not a folder" in refusal(folder).text


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a folder of another user")
def test_the_folder_of_a_stranger_is_refused(folder):
    folder.mkdir(0o700)
    os.chown(folder, 12345, -1)
    assert "belongs to user 12345" in refusal(folder).text


@pytest.mark.parametrize("name", ["turn", "writer"])
def test_a_lock_file_that_is_a_link_is_refused(folder, tmp_path, name):
    folder.mkdir(0o700)
    (folder / name).symlink_to(tmp_path / "victim")
    refusal(folder)
    assert not (tmp_path / "victim").exists()


@pytest.mark.parametrize("name", ["turn", "writer"])
@pytest.mark.parametrize("kind", ["pipe", "second name of a file"])
def test_a_lock_file_that_is_not_a_file_of_its_own_is_refused(folder, tmp_path, name, kind):
    folder.mkdir(0o700)
    victim = tmp_path / "victim"
    victim.write_bytes(b"kept")
    if kind == "pipe":
        os.mkfifo(folder / name)
    else:
        os.link(victim, folder / name)
    assert f"{name} is not a file of its own" in refusal(folder).text
    assert victim.read_bytes() == b"kept"


def test_nothing_is_written_into_a_file_in_place_of_a_bell(folder):
    folder.mkdir(0o700)
    bell = folder / f"bell-{b'12345678'.hex()}"
    bell.write_bytes(b"kept")
    ring(str(folder), b"12345678")
    assert bell.read_bytes() == b"kept"


def test_a_link_in_place_of_a_bell_is_not_followed(folder, tmp_path):
    (tmp_path / "QM.db").unlink()
    database = create_database(str(tmp_path / "QM.db"))
    presence = Presence(database)
    presence.listen()
    (tmp_path / "QM.db-run" / f"bell-{b'12345678'.hex()}").symlink_to(folder / f"bell-{presence.token.hex()}")
    ring(str(folder), b"12345678")
    assert not presence.wait(0)
    presence.close()
    database.close()
