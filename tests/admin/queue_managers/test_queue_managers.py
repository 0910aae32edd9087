"""Lifetime of queue managers: creating, describing and deleting them, while others use them."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from mqtools.admin import channels, developer_objects, queue_managers
from mqtools.configuration import file
from mqtools.constants import reasons as rc
from mqtools.errors import MQError
from mqtools.mqi.connection import connect
from mqtools.mqi.objects.definitions import find_of_type
from mqtools.mqi.transaction import Work

from ...errors import fails
from .holding import depth, put

# Making


def test_a_new_queue_manager_runs_and_has_its_queues(path: str) -> None:
    found = queue_managers.describe(path)
    assert (found.name, found.state, found.profile, found.queues) == ("QM1", "running", "distributed", 5)
    assert queue_managers.attributes(path)["dead_letter_q_name"] == "DEV.DEAD.LETTER.QUEUE"
    with connect(path) as connection, connection.db.reading():
        users = {
            name: channels.find_channel(connection.db, name)["mca_user_identifier"]
            for name in channels.names(connection.db)
            if name.startswith("DEV.")
        }
        assert users == {"DEV.APP.SVRCONN": "app", "DEV.ADMIN.SVRCONN": ""}
        assert find_of_type(connection.db, "QMODEL", "DEV.APP.MODEL.QUEUE")


def test_only_its_owner_can_read_it(path: str, home: Path) -> None:
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert stat.S_IMODE(home.stat().st_mode) == 0o700


def test_every_folder_that_is_made_is_its_owners_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MQX_HOME", str(tmp_path / "a/b"))
    queue_managers.create("QM1")
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o700


def test_nothing_but_the_file_and_its_reserve_is_left(path: str, home: Path) -> None:
    name = os.path.basename(path)
    assert sorted(entry.name for entry in home.iterdir()) == [name, f"{name}-reserve"]


def test_profile_and_character_set_are_those_chosen() -> None:
    found = queue_managers.attributes(queue_managers.create("QMZ", profile="zos", ccsid=500))
    assert (found["profile"], found["coded_char_set_id"]) == ("ZOS", 500)


def test_a_path_makes_the_file_there_and_names_it_after_the_file(tmp_path: Path) -> None:
    assert queue_managers.create(str(tmp_path / "there.db")) == str(tmp_path / "there.db")
    assert queue_managers.attributes(str(tmp_path / "there.db"))["q_mgr_name"] == "there"


def test_a_name_that_is_taken_changes_nothing(path: str) -> None:
    put(path)
    before = Path(path).read_bytes()
    with fails(rc.MQRC_OBJECT_ALREADY_EXISTS):
        queue_managers.create("QM1")
    assert Path(path).read_bytes() == before
    assert depth(path) == 1


def test_a_file_of_another_kind_is_not_written_over(tmp_path: Path) -> None:
    other = tmp_path / "notes.db"
    other.write_text("mine", encoding="utf-8")
    with fails(rc.MQRC_OBJECT_ALREADY_EXISTS):
        queue_managers.create(str(other))
    assert other.read_text(encoding="utf-8") == "mine"


def test_a_failure_half_way_leaves_nothing(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(work: Work) -> None:
        raise MQError(f"no room for {work.db.path}", rc.MQRC_STORAGE_MEDIUM_FULL)

    monkeypatch.setattr(developer_objects, "define_all", fail)
    with pytest.raises(MQError):
        queue_managers.create("QM1", developer=True)
    assert list(home.iterdir()) == []
    monkeypatch.undo()


def test_a_folder_that_cannot_be_made_is_an_error_of_ours(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(MQError):
        queue_managers.create(str(tmp_path / "file" / "QM1.db"))


def test_what_an_earlier_one_of_the_name_left_does_not_come_back(path: str) -> None:
    # Given a file that was removed by hand while its log was not
    connection = sqlite3.connect(path)
    connection.execute("select * from qmgr").fetchall()
    put(path)
    log = Path(f"{path}-wal").read_bytes()
    connection.close()
    Path(path).unlink()
    Path(f"{path}-wal").write_bytes(log)
    # When one of the same name is made
    queue_managers.create("QM1", developer=True)
    # Then it is empty
    assert depth(path) == 0


# Describing


def test_the_default_is_described_wherever_it_lies(path: str, tmp_path: Path) -> None:
    elsewhere = queue_managers.create(str(tmp_path / "elsewhere.db"))
    file.set_value(file.DEFAULT_QMGR, elsewhere)
    assert [one.path for one in queue_managers.describe_all()] == [path, elsewhere]
    assert queue_managers.default_path() == elsewhere


def test_there_is_no_default_among_several(path: str) -> None:
    assert queue_managers.default_path() == path
    queue_managers.create("QM2")
    assert queue_managers.default_path() is None


# Deleting


def test_a_deleted_queue_manager_leaves_nothing(path: str, home: Path) -> None:
    put(path)
    Path(f"{path}.v1.bak").touch()
    queue_managers.delete(path)
    assert list(home.iterdir()) == []


def test_an_ended_one_can_be_deleted(path: str) -> None:
    queue_managers.end(path)
    queue_managers.delete(path)
    assert not os.path.exists(path)


def test_all_messages_are_counted_the_uncommitted_too(path: str, hold: Callable[[], subprocess.Popen[str]]) -> None:
    put(path)
    hold()
    assert queue_managers.count_messages(path) == 2
