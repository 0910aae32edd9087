"""The configuration file: read, write, backup, and errors."""

from __future__ import annotations

import os
import stat
import tomllib
from pathlib import Path

import pytest
import tomli_w
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mqtools.configuration import file, locate, paths
from mqtools.errors import MQError
from mqtools.rules.exit_status import USAGE, exit_status


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return Path(paths.config_path())


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_without_a_file_the_configuration_is_empty(path: Path) -> None:
    assert file.read() == {}
    assert file.default_qmgr() is None
    assert not path.exists()


@pytest.mark.usefixtures("path")
def test_a_value_that_is_set_is_read_again() -> None:
    assert file.set_value("default_qmgr", "QM1") is None
    assert file.read() == {"default_qmgr": "QM1"}
    assert file.default_qmgr() == "QM1"


def test_only_its_owner_can_read_the_file_and_enter_its_folder(path: Path) -> None:
    write(path, "x = 1\n")
    path.chmod(0o644)
    file.set_value("default_qmgr", "QM1")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_new_folder_is_its_owners_alone(path: Path) -> None:
    file.set_value("default_qmgr", "QM1")
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


@pytest.mark.usefixtures("path")
def test_a_value_of_none_removes_the_key() -> None:
    file.set_value("default_qmgr", "QM1")
    file.set_value("default_qmgr", None)
    assert file.read() == {}
    assert file.set_value("never_there", None) is None


def test_comments_are_kept_beside_the_new_file(path: Path) -> None:
    before = '# mine\ndefault_qmgr = "QM1" # the old one\ncolour = "#ff0000"\n'
    write(path, before)
    kept = file.set_value("default_qmgr", "QM2")
    assert kept == f"{os.path.realpath(path)}.bak"
    assert Path(kept).read_text(encoding="utf-8") == before
    assert stat.S_IMODE(Path(kept).stat().st_mode) == 0o600
    assert file.read() == {"default_qmgr": "QM2", "colour": "#ff0000"}


def test_a_hash_in_a_value_is_no_comment(path: Path) -> None:
    write(path, 'colour = "#ff0000"\n')
    assert file.set_value("default_qmgr", "QM#2") is None
    assert not Path(f"{path}.bak").exists()


def test_a_link_stays_a_link(path: Path, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.toml"
    write(real, "x = 1\n")
    path.parent.mkdir(parents=True)
    path.symlink_to(real)
    file.set_value("default_qmgr", "QM1")
    assert path.is_symlink()
    assert tomllib.loads(real.read_text(encoding="utf-8")) == {"x": 1, "default_qmgr": "QM1"}


def test_nothing_is_left_beside_the_file(path: Path) -> None:
    file.set_value("default_qmgr", "QM1")
    file.set_value("default_qmgr", "QM2")
    assert [entry.name for entry in path.parent.iterdir()] == ["config.toml"]


@pytest.mark.parametrize("content", [b"default_qmgr = ", b"\xff\xfe", b"[a]\n[a]\n", b"default_qmgr = 5"])
def test_a_file_that_is_not_right_is_a_configuration_error(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    with pytest.raises(file.ConfigError) as raised:
        file.default_qmgr()
    assert str(path) in raised.value.text
    assert exit_status(raised.value.reason, 2) == USAGE


def test_a_broken_file_is_not_written_over(path: Path) -> None:
    write(path, "this is no TOML\n")
    with pytest.raises(file.ConfigError):
        file.set_value("default_qmgr", "QM1")
    assert path.read_text(encoding="utf-8") == "this is no TOML\n"


def test_a_folder_in_the_place_of_the_file_is_a_configuration_error(path: Path) -> None:
    path.mkdir(parents=True)
    with pytest.raises(file.ConfigError):
        file.read()
    with pytest.raises(MQError):
        locate.find()


def test_a_value_that_is_no_text_changes_nothing(path: Path) -> None:
    file.set_value("default_qmgr", "QM1")
    with pytest.raises(file.ConfigError):
        file.set_value("default_qmgr", "/tmp/\udcff.db")
    assert file.default_qmgr() == "QM1"
    assert [entry.name for entry in path.parent.iterdir()] == ["config.toml"]


SCALARS = st.one_of(
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.text(st.characters(codec="utf-8", exclude_characters="\r")),
    st.datetimes(),
    st.dates(),
)
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab-. é#"), inner))


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(values=st.dictionaries(st.text("abc_é #", min_size=1), VALUES, max_size=4))
def test_keys_that_mqx_does_not_know_are_kept(tmp_path: Path, values: dict[str, object]) -> None:
    path = tmp_path / "config.toml"
    path.write_text(tomli_w.dumps(values), encoding="utf-8", newline="")
    assert file.set_value("default_qmgr", "QM1", str(path)) is None
    assert file.read(str(path)) == {**values, "default_qmgr": "QM1"}
