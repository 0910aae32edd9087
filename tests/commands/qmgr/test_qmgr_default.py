"""The default queue manager: which it is when queue managers come and go."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


# the default, when queue managers come and go


@pytest.fixture
def own_home(tmp_path: Path) -> dict[str, str]:
    """Return an environment without MQX_HOME: the queue managers and the configuration file of one user."""
    return {"MQX_HOME": "", "XDG_DATA_HOME": f"{tmp_path}/data", "XDG_CONFIG_HOME": f"{tmp_path}/config"}


def test_a_second_queue_manager_leaves_the_first_the_default(mqx: Run, own_home: dict[str, str]) -> None:
    assert "default" not in mqx("qmgr", "create", "QMB", "--dev", check=True, **own_home).err
    done = mqx("qmgr", "create", "QMA", "--dev", check=True, **own_home)
    assert done.err.splitlines()[1:] == ["QMB stays the default queue manager; to change it: mqx qmgr use NAME"]
    mqx("put", "DEV.QUEUE.1", "one", check=True, **own_home)
    assert mqx("-m", "QMB", "get", "DEV.QUEUE.1", **own_home).out == b"one"
    assert "default" not in mqx("qmgr", "create", "QMC", check=True, **own_home).err


def test_a_restored_queue_manager_leaves_the_first_the_default(
    mqx: Run, own_home: dict[str, str], tmp_path: Path
) -> None:
    mqx("qmgr", "create", "QMB", check=True, **own_home)
    mqx("qmgr", "backup", f"{tmp_path}/backup.db", check=True, **own_home)
    assert "QMB stays" in mqx("qmgr", "restore", f"{tmp_path}/backup.db", "QMA", check=True, **own_home).err


def test_after_the_default_is_deleted_the_one_left_is_the_default(mqx: Run, own_home: dict[str, str]) -> None:
    for name in ("QMB", "QMA"):
        mqx("qmgr", "create", name, "--dev", check=True, **own_home)
    done = mqx("qmgr", "delete", "QMB", "--yes", check=True, **own_home)
    assert done.err.splitlines()[1:] == ["QMA is now the default queue manager"]
    assert mqx("qdepth", "DEV.QUEUE.1", "--count", check=True, **own_home).out == b"0\n"


def test_a_deleted_default_is_forgotten_however_it_is_named(mqx: Run, own_home: dict[str, str], tmp_path: Path) -> None:
    """Also when the line names it by another path, or $MQX_QMGR overrides it."""
    (tmp_path / "below").mkdir()
    mqx("qmgr", "create", f"{tmp_path}/t.db", "--default", check=True, **own_home)
    mqx("qmgr", "delete", f"{tmp_path}/below/../t.db", "--yes", check=True, **own_home)
    for name in ("QMB", "QMA"):
        mqx("qmgr", "create", name, check=True, **own_home)
    assert '"QMB"' in (tmp_path / "config/mqx/config.toml").read_text()
    assert "default" not in mqx("qmgr", "delete", "QMB", "--yes", check=True, MQX_QMGR="QMA", **own_home).err
    assert mqx("qdepth", **own_home).status == 0


def test_a_default_of_the_same_name_in_another_home_stays(mqx: Run, own_home: dict[str, str], tmp_path: Path) -> None:
    for name in ("QMB", "QMA"):
        mqx("qmgr", "create", name, check=True, **own_home)
    elsewhere = {**own_home, "MQX_HOME": f"{tmp_path}/elsewhere"}
    mqx("qmgr", "create", "QMB", check=True, **elsewhere)
    mqx("qmgr", "delete", "QMB", "--yes", check=True, **elsewhere)
    assert mqx("qdepth", **own_home).status == 0


def test_an_unwritable_configuration_does_not_fail_the_deletion(
    mqx: Run, own_home: dict[str, str], tmp_path: Path
) -> None:
    for name in ("QMB", "QMA"):
        mqx("qmgr", "create", name, check=True, **own_home)
    file = tmp_path / "config/mqx/config.toml"
    file.rename(tmp_path / "kept.toml")
    file.symlink_to(tmp_path / "kept.toml")
    (tmp_path / "kept.toml.bak").mkdir()
    with open(file, "a", encoding="utf-8") as config:
        config.write("# a comment\n")
    mqx("qmgr", "delete", "QMB", "--yes", **own_home).ended(0, "still names it", "choose another")


def test_an_unwritable_configuration_does_not_fail_the_creation(mqx: Run, own_home: dict[str, str]) -> None:
    mqx("qmgr", "create", "QMB", check=True, **own_home)
    mqx("qmgr", "create", "QMA", **{**own_home, "XDG_CONFIG_HOME": "/dev/null"}).ended(0, "-m QMB")


@pytest.mark.usefixtures("qm")
def test_with_mqx_home_the_configuration_file_is_left_alone(mqx: Run) -> None:
    done = mqx("qmgr", "create", "QM2", check=True)
    assert done.err.splitlines()[1:] == [
        "hint: there is no default queue manager now: name one as in -m QM1, or mqx qmgr use QM1"
    ]
    assert mqx("qdepth").status == 5


def test_a_default_belongs_to_its_home(mqx: Run, own_home: dict[str, str], tmp_path: Path) -> None:
    homes = [{**own_home, "MQX_HOME": f"{tmp_path}/{name}"} for name in ("first", "second")]
    for home in homes:
        mqx("qmgr", "create", "QMA", check=True, **home)
        mqx("qmgr", "create", "QMB", "--dev", check=True, **home)
    mqx("qmgr", "use", "QMB", check=True, **homes[0])
    assert not (tmp_path / "config").exists()
    assert mqx("qdepth", check=True, **homes[0]).out
    explained = mqx("config", "explain", "default_qmgr", check=True, **homes[0]).out
    assert explained == f"default_qmgr\tQMB\tfile\t{tmp_path}/first/config.toml\n".encode()
    assert mqx("qdepth", **homes[1]).status == 5
    mqx("qmgr", "delete", "QMB", "--yes", check=True, **homes[0])
    assert mqx("qdepth", **homes[0]).status == 0


def test_a_default_of_the_own_home_does_not_reach_another(mqx: Run, own_home: dict[str, str], tmp_path: Path) -> None:
    mqx("qmgr", "create", "MINE", "--default", check=True, **own_home)
    elsewhere = {**own_home, "MQX_HOME": f"{tmp_path}/elsewhere"}
    done = mqx("qmgr", "create", "QMA", "--dev", check=True, **elsewhere)
    assert done.err.endswith(f"QMA is the default queue manager in {tmp_path}/elsewhere\n")
    assert mqx("qdepth", "DEV.QUEUE.1", "--count", check=True, **elsewhere).out == b"0\n"
    assert mqx("qmgr", "display", check=True, **own_home).out.startswith(b"name\tMINE\n")
