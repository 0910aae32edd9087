"""Location of queue managers: precedence and errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqtools.configuration import file, locate, paths
from mqtools.constants.reasons import MQRC_Q_MGR_NAME_ERROR
from mqtools.errors import MQError

from ..errors import fails


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("MQX_QMGR", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("MQX_HOME", str(tmp_path / "qmgrs"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "qmgrs").mkdir()
    return tmp_path / "qmgrs"


def have(home: Path, *names: str) -> None:
    for name in names:
        (home / f"{name}.db").touch()


def test_a_name_is_a_file_in_the_home_folder(home: Path) -> None:
    assert locate.path_of("QM1") == str(home / "QM1.db")


@pytest.mark.parametrize("name", ["./QM1", "a/b", "/x/QM1.db", "QM1.db"])
@pytest.mark.usefixtures("home")
def test_a_slash_or_the_ending_makes_a_path(name: str) -> None:
    assert locate.path_of(name) == name


@pytest.mark.parametrize(("path", "name"), [("/x/QM1.db", "QM1"), ("QM1.db", "QM1"), ("/x/QM1", "QM1")])
def test_the_name_of_a_path_is_that_of_its_file(path: str, name: str) -> None:
    assert locate.name_of_path(path) == name


def test_the_home_folder_follows_xdg(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MQX_HOME")
    assert paths.home() == str(home.parent / ".local/share/mqx")
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    assert paths.home() == "/data/mqx"


@pytest.mark.parametrize("value", ["", "relative/folder"])
def test_an_empty_or_relative_xdg_folder_is_ignored(home: Path, monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", value)
    assert paths.config_path() == str(home.parent / ".config/mqx/config.toml")


def test_the_name_given_goes_before_the_environment_before_the_file(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    have(home, "GIVEN", "ENVIRONMENT", "FILE")
    file.set_value("default_qmgr", "FILE")
    assert locate.find() == str(home / "FILE.db")
    monkeypatch.setenv("MQX_QMGR", "ENVIRONMENT")
    assert locate.find() == str(home / "ENVIRONMENT.db")
    assert locate.find("GIVEN") == str(home / "GIVEN.db")


def test_an_empty_variable_names_nothing(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    have(home, "QM1", "QM2")
    file.set_value("default_qmgr", "QM2")
    monkeypatch.setenv("MQX_QMGR", "")
    assert locate.find() == str(home / "QM2.db")


def test_the_only_queue_manager_is_the_default(home: Path) -> None:
    have(home, "QM1")
    assert locate.find() == str(home / "QM1.db")


@pytest.mark.usefixtures("home")
def test_the_default_may_lie_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "other.db").touch()
    file.set_value("default_qmgr", str(tmp_path / "other.db"))
    assert locate.find() == str(tmp_path / "other.db")


def test_with_several_and_no_default_one_has_to_choose(home: Path) -> None:
    have(home, "QM1", "QM2")
    with fails(MQRC_Q_MGR_NAME_ERROR, "QM1, QM2") as raised:
        locate.find()
    assert "mqx qmgr use" in (raised.value.hint or "")


@pytest.mark.usefixtures("home")
def test_with_none_the_error_says_how_to_create_one() -> None:
    with fails(MQRC_Q_MGR_NAME_ERROR) as raised:
        locate.find()
    assert "mqx qmgr create" in (raised.value.hint or "")


def test_an_unknown_name_lists_those_there(home: Path) -> None:
    have(home, "QM1")
    with pytest.raises(MQError, match="there is no queue manager NOPE") as raised:
        locate.find("NOPE")
    assert "QM1" in (raised.value.hint or "")


@pytest.mark.parametrize("by", ["environment", "file"])
def test_a_default_that_is_not_there_is_no_other_and_says_who_named_it(
    home: Path, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    have(home, "QM1")
    if by == "environment":
        monkeypatch.setenv("MQX_QMGR", "GONE")
    else:
        file.set_value("default_qmgr", "GONE")
    with fails(MQRC_Q_MGR_NAME_ERROR, "GONE") as raised:
        locate.find()
    assert ("$MQX_QMGR" if by == "environment" else paths.config_path()) in raised.value.text
    assert ("choose one: mqx qmgr use QM1" in (raised.value.hint or "")) == (by == "file")


def test_the_list_has_names_in_order_and_nothing_else(home: Path) -> None:
    have(home, "QM2", "QM1")
    for name in (".db", "QM1.db-wal", "QM3.db.new", "notes.txt"):
        (home / name).touch()
    assert locate.list_names() == ["QM1", "QM2"]


def test_a_home_folder_that_is_not_there_has_no_queue_managers(home: Path) -> None:
    home.rmdir()
    assert locate.list_names() == []


def test_a_home_folder_that_is_no_folder_is_an_error_of_ours(home: Path) -> None:
    home.rmdir()
    home.touch()
    with pytest.raises(MQError):
        locate.list_names()
