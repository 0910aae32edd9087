"""``mqx qmgr``: what operators see of making, listing, ending and deleting queue managers."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mqtools.admin import queue_managers
from mqtools.configuration import file

from .holding import hold, rows

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


def test_create_of_a_name_that_is_taken_fails(mqx: Run, qm: str) -> None:
    done = mqx("qmgr", "create", "QM1")
    assert done.status == 1
    assert "already exists" in done.err
    assert qm in done.err


@pytest.mark.parametrize(
    "arguments",
    [(), ("Q M",), ("Q\x1b[31m",), ("QM1", "-m", "QM2"), ("QM1", "--profile", "vms"), ("QM1", "--ccsid", "1200")],
)
def test_create_of_what_cannot_be_is_a_usage_mistake(mqx: Run, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    done = mqx("qmgr", "create", *arguments)
    assert done.status == 2
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
    done = mqx("qmgr", "create", "QM1", "--default")
    assert done.status == 2
    assert "config.toml" in done.err
    assert not (tmp_path / "qmgrs").exists()


# list


def test_list_says_what_there_is(mqx: Run, qm: str) -> None:
    mqx("qmgr", "create", "QMZ", "--profile", "zos", check=True)
    mqx("qmgr", "end", "QMZ", check=True)
    path = qm.replace("QM1", "QMZ")
    assert rows(mqx("qmgr", "list", "-o", "json")) == [
        {"name": "QM1", "state": "running", "path": qm, "default": False, "profile": "distributed", "queues": 4},
        {"name": "QMZ", "state": "ended", "path": path, "default": False, "profile": "zos", "queues": 0},
    ]


def test_list_is_plain_when_piped(mqx: Run, qm: str) -> None:
    assert mqx("qmgr", "list").out == f"QM1\trunning\t{qm}\t*\tdistributed\t4\n".encode()


@pytest.mark.parametrize("output", ["table", "csv", "jsonl"])
def test_list_has_every_row_format(mqx: Run, qm: str, output: str) -> None:
    done = mqx("qmgr", "list", "-o", output)
    assert done.status == 0
    assert qm in done.out.decode()


def test_list_of_none_is_empty_and_says_how_to_make_one(mqx: Run) -> None:
    done = mqx("qmgr", "list", "-o", "json")
    assert rows(done) == []
    assert "mqx qmgr create" in done.err


def test_list_survives_damaged_files_and_shows_them(mqx: Run, qm: str) -> None:
    home = Path(qm).parent
    (home / "BROKEN.db").write_bytes(b"\x00" * 9000)
    (home / "CUT.db").write_bytes(Path(qm).read_bytes()[:9000])
    done = mqx("qmgr", "list", "-o", "json")
    found = {row["name"]: row for row in rows(done)}
    assert {name: row["state"] for name, row in found.items()} == {
        "QM1": "running",
        "BROKEN": "damaged",
        "CUT": "damaged",
    }
    assert found["BROKEN"]["queues"] is None
    assert "BROKEN.db" in found["BROKEN"]["error"]
    assert "BROKEN.db" in done.err
    assert "CUT.db" in done.err


def test_list_marks_what_the_environment_names(mqx: Run, qm: str) -> None:
    mqx("qmgr", "create", "QM2", "--default", check=True)
    found = rows(mqx("qmgr", "list", "-o", "json", MQX_QMGR="QM1"))
    assert [row["path"] for row in found if row["default"]] == [qm]


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


# start and end


@pytest.mark.conformance("BEY-46")
@pytest.mark.usefixtures("qm")
def test_start_says_how_many_nonpersistent_messages_it_discarded(mqx: Run) -> None:
    mqx("put", "DEV.QUEUE.1", "one", "two", check=True)
    mqx("put", "DEV.QUEUE.1", "--persistent", "three", check=True)
    mqx("qmgr", "end", "QM1", check=True)
    done = mqx("qmgr", "start", "QM1", check=True)
    assert "2 nonpersistent messages discarded" in done.err
    assert mqx("get", "DEV.QUEUE.1", "--all").out == b"three"
    assert "already" in mqx("qmgr", "start", "QM1", check=True).err


@pytest.mark.usefixtures("qm")
def test_an_ended_queue_manager_takes_no_connection(mqx: Run) -> None:
    mqx("qmgr", "end", "QM1", check=True)
    done = mqx("put", "DEV.QUEUE.1", "x")
    assert done.status == 5
    assert "mqx qmgr start QM1" in done.err


def test_end_returns_while_somebody_is_connected_and_it_ends_when_they_leave(mqx: Run, qm: str) -> None:
    process = hold(qm)
    done = mqx("qmgr", "end", "QM1", "-o", "json")
    assert rows(done)[0]["state"] == "quiescing"
    assert "quiescing" in done.err
    assert mqx("put", "DEV.QUEUE.1", "x").status == 5
    assert mqx("qmgr", "start", "QM1").status == 6
    process.communicate()
    assert queue_managers.state_of(qm) == "ended"


def test_end_wait_returns_when_the_last_connection_has_left(mqx: Run, qm: str) -> None:
    process = hold(qm)
    assert process.stdin is not None
    # Given an end that waits: what the holder is told to do comes after the queue manager quiesces
    leaving = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys\nfrom mqtools.admin import queue_managers as admin\n"
            "while admin.state_of(sys.argv[1]) == 'running': pass\n"
            "print('quiescing')",
            qm,
        ],
        stdout=process.stdin,
    )
    process.stdin.close()  # now only the other process keeps it open
    # When it is through
    done = mqx("qmgr", "end", "QM1", "--wait", check=True)
    # Then the queue manager has ended
    assert "has ended" in done.err
    assert queue_managers.state_of(qm) == "ended"
    assert (leaving.wait(60), process.wait(60)) == (0, 0)
    assert process.stdout is not None
    process.stdout.close()


@pytest.mark.parametrize("options", [("--wait", "60s"), ("--follow", "--grep", "x"), ("--follow", "--confirm-id", "3")])
@pytest.mark.parametrize("how", ["--immediate", "--quiesce"])
def test_a_get_that_waits_is_told_that_its_queue_manager_ends(
    mqx: Run, start: Any, eventually: Any, count_rows: Any, options: tuple[str, ...], how: str
) -> None:
    process = start("get", "DEV.QUEUE.1", *options)
    eventually(lambda: count_rows("waiters") == 1)
    mqx("qmgr", "end", "QM1", how, check=True)
    assert process.wait(60) == 5
    assert "queue manager QM1 " in process.stderr.read().decode()


def test_end_immediate_does_not_wait(mqx: Run, qm: str) -> None:
    process = hold(qm)
    assert "has ended" in mqx("qmgr", "end", "QM1", "--immediate", check=True).err
    process.communicate()


def test_a_waiting_get_ends_when_the_queue_manager_quiesces(mqx: Run, qm: str) -> None:
    from mqtools.store import queues
    from mqtools.store.open_database import open_database

    command = [str(Path(sys.executable).with_name("mqx")), "get", "-m", qm, "DEV.QUEUE.1", "--wait", "60s"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    watch = open_database(qm, read_only=True)
    while not getattr(queues.by_name(watch, "DEV.QUEUE.1"), "waiters", 0):
        assert process.poll() is None
    watch.close()
    mqx("qmgr", "end", "QM1", "--wait", check=True)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (5, b"")
    assert b"quiescing" in err


@pytest.mark.usefixtures("qm")
def test_the_ways_to_end_exclude_each_other(mqx: Run) -> None:
    assert mqx("qmgr", "end", "QM1", "--wait", "--immediate").status == 2


# delete


def test_delete_asks_and_without_a_terminal_needs_yes(mqx: Run, qm: str) -> None:
    mqx("put", "DEV.QUEUE.1", "one", "two", check=True)
    done = mqx("qmgr", "delete", "QM1")
    assert done.status == 2
    assert "2 messages" in done.err
    assert Path(qm).exists()
    assert mqx("qmgr", "delete", "QM1", "--yes").status == 0
    assert not Path(qm).exists()


def test_delete_asks_with_the_count_on_a_terminal(environment: dict[str, str], qm: str, mqx: Run) -> None:
    import pexpect

    mqx("put", "DEV.QUEUE.1", "one", check=True)
    script = str(Path(sys.executable).with_name("mqx"))
    for answer, status, there in (("", 1, True), ("n", 1, True), ("y", 0, False)):
        child = pexpect.spawn(script, ["qmgr", "delete", "QM1"], env=environment, encoding="utf-8", timeout=60)
        child.expect("QM1 with 1 message")
        child.sendline(answer)
        child.expect(pexpect.EOF)
        child.wait()
        child.close()
        assert (child.exitstatus, Path(qm).exists()) == (status, there)


def test_a_dry_run_deletes_nothing(mqx: Run, qm: str) -> None:
    done = mqx("qmgr", "delete", "QM1", "--dry-run")
    assert (done.status, done.out) == (0, b"")
    assert "would delete" in done.err
    assert Path(qm).exists()


def test_delete_never_takes_the_default(mqx: Run, qm: str) -> None:
    assert mqx("qmgr", "delete", "--yes", MQX_QMGR="QM1").status == 2
    assert Path(qm).exists()


def test_delete_of_one_in_use_is_refused(mqx: Run, qm: str) -> None:
    process = hold(qm)
    done = mqx("qmgr", "delete", "QM1", "--yes")
    process.communicate()
    assert done.status == 6
    assert queue_managers.state_of(qm) == "running"


def test_delete_of_the_default_says_so(mqx: Run) -> None:
    mqx("qmgr", "create", "QM1", "--default", check=True)
    assert "mqx qmgr use" in mqx("qmgr", "delete", "QM1", "--yes", check=True).err


# use


@pytest.mark.usefixtures("qm")
def test_use_sets_the_default_and_keeps_what_else_is_configured(mqx: Run) -> None:
    mqx("qmgr", "create", "QM2", "--dev", check=True)
    file.set_value("other", {"key": [1, 2]})
    done = mqx("qmgr", "use", "QM2", check=True)
    assert "comments" not in done.err
    assert file.read() == {"other": {"key": [1, 2]}, "default_qmgr": "QM2"}
    mqx("put", "DEV.QUEUE.1", "for QM2", check=True)
    assert mqx("get", "DEV.QUEUE.1", "-m", "QM2").out == b"for QM2"


@pytest.mark.usefixtures("qm")
def test_use_says_that_comments_are_lost(mqx: Run, tmp_path: Path) -> None:
    path = tmp_path / "config/mqx/config.toml"
    path.parent.mkdir(parents=True)
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
    assert file.default_qmgr() == qm
    assert mqx("qmgr", "display").status == 0


@pytest.mark.usefixtures("qm")
def test_use_says_that_the_environment_goes_before(mqx: Run) -> None:
    assert "$MQX_QMGR" in mqx("qmgr", "use", "QM1", check=True, MQX_QMGR="QM9").err


# all


@pytest.mark.parametrize("action", ["display", "start", "end", "delete", "use"])
@pytest.mark.usefixtures("qm")
def test_an_unknown_queue_manager_is_5_and_those_there_are_named(mqx: Run, action: str) -> None:
    done = mqx("qmgr", action, "NOPE", "--yes")
    assert done.status == 5
    assert done.err.startswith(f"mqx: qmgr {action}: there is no queue manager NOPE (MQRC_Q_MGR_NAME_ERROR 2058)\n")
    assert "QM1" in done.err


@pytest.mark.parametrize("action", ["display", "start", "end", "delete", "use"])
@pytest.mark.parametrize("content", [b"", b"not a queue manager\n" * 1000])
def test_a_file_that_is_not_ours_is_10_and_stays(mqx: Run, qm: str, action: str, content: bytes) -> None:
    other = Path(qm).with_name("OTHER.db")
    other.write_bytes(content)
    done = mqx("qmgr", action, "OTHER", "--yes")
    assert done.status == 10
    assert "OTHER.db" in done.err
    assert "not a queue manager" in done.err
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


@pytest.mark.usefixtures("qm")
def test_the_general_options_work_in_every_place(mqx: Run) -> None:
    places = [
        ("-o", "json", "qmgr", "list"),
        ("qmgr", "-o", "json", "list"),
        ("qmgr", "list", "-o", "json"),
    ]
    assert len({mqx(*place, check=True).out for place in places}) == 1


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
