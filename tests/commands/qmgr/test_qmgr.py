"""``mqx qmgr``: what operators see of making, listing, choosing and displaying queue managers."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mqtools.admin import queue_managers
from mqtools.configuration import file, paths

from .holding import rows

Run = Callable[..., Any]


# create


def test_create_makes_a_queue_manager_that_takes_messages(mqx: Run) -> None:
    done = mqx("qmgr", "create", "QM1", "--dev")
    assert (done.status, done.out) == (0, b"")
    assert "QM1 created" in done.err
    mqx("put", "DEV.QUEUE.1", "hello", check=True)
    assert mqx("get", "DEV.QUEUE.1").out == b"hello"


def test_create_defines_no_queue_without_dev(mqx: Run) -> None:
    assert rows(mqx("qmgr", "create", "QM1", "-o", "json"))[0]["queues"] == 0


def test_create_with_m_instead_of_the_name(mqx: Run) -> None:
    assert mqx("qmgr", "create", "-m", "QM1").status == 0
    assert [row["name"] for row in rows(mqx("qmgr", "list", "-o", "json"))] == ["QM1"]


@pytest.mark.parametrize(
    "arguments",
    [
        *((), ("Q M",), ("Q\x1b[31m",), ("Q" * 49,), ("ÄQ",), ("QM1", "-m", "QM2"), ("QM1", "--profile", "vms")),
        *(("QM1", "--ccsid", ccsid) for ccsid in ("0", "1", "1200", "99999")),
    ],
)
def test_create_of_what_cannot_be_is_a_usage_mistake(mqx: Run, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    done = mqx("qmgr", "create", *arguments).ended(2)
    assert "\x1b" not in done.err
    assert not (tmp_path / "qmgrs").exists()


def test_create_does_not_change_the_default_but_with_default(mqx: Run) -> None:
    mqx("qmgr", "create", "QM1", "--default", check=True)
    mqx("qmgr", "create", "QM2", check=True)
    assert [row["name"] for row in rows(mqx("qmgr", "list", "-o", "json")) if row["default"]] == ["QM1"]
    mqx("qmgr", "create", "QM3", "--default", check=True)
    assert [row["name"] for row in rows(mqx("qmgr", "list", "-o", "json")) if row["default"]] == ["QM3"]


def test_create_with_default_makes_nothing_when_the_configuration_is_broken(mqx: Run, tmp_path: Path) -> None:
    (tmp_path / "config/mqx").mkdir(parents=True)
    (tmp_path / "config/mqx/config.toml").write_text("broken", encoding="utf-8")
    mqx("qmgr", "create", "QM1", "--default").ended(2, "config.toml")
    assert not (tmp_path / "qmgrs").exists()


# list


def test_list_says_what_there_is(mqx: Run, qm: str) -> None:
    mqx("qmgr", "create", "QMZ", "--profile", "zos", check=True)
    mqx("qmgr", "end", "QMZ", check=True)
    path = qm.replace("QM1", "QMZ")
    assert rows(mqx("qmgr", "list", "-o", "json")) == [
        {"name": "QM1", "state": "running", "path": qm, "default": False, "profile": "distributed", "queues": 5},
        {"name": "QMZ", "state": "ended", "path": path, "default": False, "profile": "zos", "queues": 0},
    ]


def test_list_is_plain_when_piped(mqx: Run, qm: str) -> None:
    assert mqx("qmgr", "list").out == f"QM1\trunning\t{qm}\t*\tdistributed\t5\n".encode()


def test_list_of_none_is_empty_and_says_how_to_make_one(mqx: Run) -> None:
    done = mqx("qmgr", "list", "-o", "json")
    assert rows(done) == []
    assert "mqx qmgr create" in done.err


def test_list_survives_damaged_files_and_shows_them(mqx: Run, qm: str) -> None:
    home = Path(qm).parent
    damaged = {"BROKEN": b"\x00" * 9000, "CUT": Path(qm).read_bytes()[:9000], "EMPTY": b"", "TEXT": b"text" * 1000}
    for name, content in damaged.items():
        (home / f"{name}.db").write_bytes(content)
    sqlite3.connect(home / "FOREIGN.db").executescript("create table x (y)")
    done = mqx("qmgr", "list", "-o", "json")
    found = {row["name"]: row for row in rows(done)}
    assert {name: row["state"] for name, row in found.items()} == {
        "QM1": "running",
        **dict.fromkeys((*damaged, "FOREIGN"), "damaged"),
    }
    for name in (*damaged, "FOREIGN"):
        assert found[name]["queues"] is None
        assert f"{name}.db" in found[name]["error"]
        assert f"{name}.db" in done.err


def test_list_marks_what_the_environment_names(mqx: Run, qm: str) -> None:
    mqx("qmgr", "create", "QM2", "--default", check=True)
    found = rows(mqx("qmgr", "list", "-o", "json", MQX_QMGR="QM1"))
    assert [row["path"] for row in found if row["default"]] == [qm]
    assert mqx("qmgr", "list", MQX_QMGR="mq:", check=True).out.count(b"running") == 2


# display


def test_display_shows_the_attributes(mqx: Run, qm: str) -> None:
    (found,) = rows(mqx("qmgr", "display", "-o", "json"))
    assert found["name"] == found["q_mgr_name"] == "QM1"
    assert found["path"] == qm
    assert found["dead_letter_q_name"] == "DEV.DEAD.LETTER.QUEUE"
    assert (found["coded_char_set_id"], found["state"], found["profile"]) == (1208, "running", "distributed")
    assert b"dead_letter_q_name\tDEV.DEAD.LETTER.QUEUE\n" in mqx("qmgr", "display", "QM1").out


@pytest.mark.usefixtures("qm")
def test_display_works_on_one_that_has_ended(mqx: Run) -> None:
    mqx("qmgr", "end", "QM1", check=True)
    assert rows(mqx("qmgr", "display", "QM1", "-o", "json"))[0]["state"] == "ended"


# use


@pytest.mark.usefixtures("qm")
def test_use_sets_the_default_and_keeps_what_else_is_configured(mqx: Run) -> None:
    mqx("qmgr", "create", "QM2", "--dev", check=True)
    file.set_value("other", {"key": [1, 2]}, paths.default_path())
    done = mqx("qmgr", "use", "QM2", check=True)
    assert "comments" not in done.err
    assert file.read(paths.default_path()) == {"other": {"key": [1, 2]}, "default_qmgr": "QM2"}
    mqx("put", "DEV.QUEUE.1", "for QM2", check=True)
    assert mqx("get", "DEV.QUEUE.1", "-m", "QM2").out == b"for QM2"


@pytest.mark.usefixtures("qm")
def test_use_says_that_comments_are_lost(mqx: Run, tmp_path: Path) -> None:
    path = tmp_path / "qmgrs/config.toml"
    path.write_text("# mine\n", encoding="utf-8")
    done = mqx("qmgr", "use", "QM1", check=True)
    assert "comments" in done.err
    assert f"{path}.bak" in done.err


def test_use_of_a_path_holds_in_every_folder(
    mqx: Run, qm: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(Path(qm).parent)
    mqx("qmgr", "use", "./QM1.db", check=True)
    monkeypatch.chdir(tmp_path)
    assert file.default_qmgr(paths.default_path()) == qm
    assert mqx("qmgr", "display").status == 0


@pytest.mark.usefixtures("qm")
def test_use_says_that_the_environment_goes_before(mqx: Run) -> None:
    assert "$MQX_QMGR" in mqx("qmgr", "use", "QM1", check=True, MQX_QMGR="QM9").err


# all


@pytest.mark.parametrize("action", ["display", "start", "end", "delete", "use"])
@pytest.mark.usefixtures("qm")
def test_an_unknown_queue_manager_is_5_and_those_there_are_named(mqx: Run, action: str) -> None:
    done = mqx("qmgr", action, "NOPE", "--yes").ended(5, "QM1")
    assert done.err.startswith(f"mqx: qmgr {action}: there is no queue manager NOPE (MQRC_Q_MGR_NAME_ERROR 2058)\n")


@pytest.mark.parametrize("action", ["display", "start", "end", "delete", "use"])
@pytest.mark.parametrize("content", [b"", b"not a queue manager\n" * 1000])
def test_a_file_that_is_not_ours_is_10_and_stays(mqx: Run, qm: str, action: str, content: bytes) -> None:
    other = Path(qm).with_name("OTHER.db")
    other.write_bytes(content)
    mqx("qmgr", action, "OTHER", "--yes").ended(10, "OTHER.db", "not a queue manager")
    assert other.read_bytes() == content


@pytest.mark.parametrize("action", ["display", "start", "end", "delete", "use"])
@pytest.mark.usefixtures("qm")
def test_a_name_and_another_with_m_is_a_usage_mistake(mqx: Run, action: str) -> None:
    assert mqx("qmgr", action, "QM1", "-m", "QM2", "--yes").status == 2


@pytest.mark.usefixtures("qm")
def test_m_goes_before_the_environment_before_the_configuration(mqx: Run) -> None:
    for name in ("QM2", "QM3"):
        mqx("qmgr", "create", name, check=True)
    mqx("qmgr", "use", "QM3", check=True)

    def shown(*arguments: str, **extra: str) -> str:
        return str(rows(mqx("qmgr", "display", "-o", "json", *arguments, **extra))[0]["name"])

    assert shown() == "QM3"
    assert shown(MQX_QMGR="QM2") == "QM2"
    assert shown("-m", "QM1", MQX_QMGR="QM2") == "QM1"
    assert shown("QM1", MQX_QMGR="QM2") == "QM1"


@pytest.mark.parametrize("limit", [16_384, 40_000])
@pytest.mark.parametrize(
    "line",
    [
        ["put", "DEV.QUEUE.1", "x" * 100_000],
        ["delete", "DEV.QUEUE.1", "--yes", "--pos", "1"],
        ["mqsc", "CLEAR QLOCAL(DEV.QUEUE.1)"],
    ],
    ids=lambda line: line[0],
)
def test_a_file_that_may_not_grow_says_what_helps(
    mqx: Run, qm: str, start: Any, environment: dict[str, str], line: list[str], limit: int
) -> None:
    import resource

    environment["PYTHONDONTWRITEBYTECODE"] = "1"  # the limit would cut what Python compiles
    mqx("put", "DEV.QUEUE.1", *["x" * 100_000] * 3, check=True)
    done = start(*line, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    err = done.communicate(timeout=60)[1].decode()
    assert done.returncode == 10, err
    assert "MQRC_STORAGE_MEDIUM_FULL" in err
    assert "hint: make room on that disk" in err
    assert "mqx qmgr compact" in err
    assert queue_managers.count_messages(qm) == 3


def test_delete_reports_in_json(mqx, qm):
    mqx("put", "DEV.QUEUE.1", "x", check=True)
    foreseen = json.loads(mqx("qmgr", "delete", "QM1", "--dry-run", "-o", "json", check=True).out)
    done = json.loads(mqx("qmgr", "delete", "QM1", "--yes", "-o", "json", check=True).out)
    assert done == {"deleted": 1, "qmgr": "QM1", "path": qm, "messages": 1}
    assert foreseen == {**done, "deleted": 0}
