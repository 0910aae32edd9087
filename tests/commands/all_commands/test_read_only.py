"""``--read-only``, ``MQX_READ_ONLY`` and protected queue managers: no command changes anything."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqtools.message import Message
from mqtools.mqi.connection import connect

#: Command lines that change something, one a command.
CHANGES = (
    "put DEV.QUEUE.1 x",
    "put DEV.QUEUE.1 x --priority 9 --confirm-id 4",
    "get DEV.QUEUE.1",
    "get DEV.QUEUE.1 --exec true",
    "browse DEV.QUEUE.1 --mark",
    "lock DEV.QUEUE.1",
    "unlock DEV.QUEUE.1 --lock-id 0000000000000001",
    "confirm put DEV.QUEUE.1 --confirm-id 1",
    "undo DEV.QUEUE.1 --confirm-id 1",
    "delete DEV.QUEUE.1 --pos 1 --yes",
    "move DEV.QUEUE.1 DEV.QUEUE.2",
    "copy DEV.QUEUE.1 DEV.QUEUE.2",
    "edit DEV.QUEUE.1 --pos 1 --set priority=3",
    "trash empty --yes",
    "trash restore --all",
    "load DEV.QUEUE.1",
    "unload DEV.QUEUE.1 --move",
    "dlq-handle --redrive",
    "report-gen DEV.QUEUE.1 --feedback pan --to DEV.QUEUE.2",
    "mqsc CLEAR\\ QLOCAL(DEV.QUEUE.1)",
    "channel start NONE",
    "channel receive",
    "qmgr create QM9",
    "qmgr start QM1",
    "qmgr end QM1",
    "qmgr delete QM1 --yes",
    "qmgr compact QM1",
    "qmgr use QM1",
    "user add ana",
    "user password app",
    "user delete app",
    "config set trash.max_age 3d",
    "completion fish --install",
)

#: Command lines that only read.
READS = (
    "browse DEV.QUEUE.1",
    "qdepth DEV.QUEUE.1",
    "lock --list DEV.QUEUE.1",
    "move DEV.QUEUE.1 DEV.QUEUE.2 --dry-run",
    "put DEV.QUEUE.1 y --dry-run",
    "unload DEV.QUEUE.1",
    "mqsc DISPLAY\\ QLOCAL(DEV.QUEUE.1)",
    "qmgr list",
    "user list",
    "doctor",
    "sql select\\ 1",
    "explain 2053",
    "config explain",
)


def words_of(line: str) -> list[str]:
    return [word.replace("\0", " ") for word in line.replace("\\ ", "\0").split()]


def contents(path: str) -> bytes:
    return Path(path).read_bytes()


@pytest.fixture
def one_message(qm):
    with connect(qm) as connection:
        connection.put1("DEV.QUEUE.1", Message(b"a"))
    return qm


@pytest.mark.parametrize("line", CHANGES)
def test_every_change_is_refused_with_8(inline, one_message, line):
    before = contents(one_message)
    inline("--read-only", *words_of(line)).ended(8, "read-only (MQRC_NOT_AUTHORIZED 2035)")
    assert contents(one_message) == before


@pytest.mark.parametrize("line", READS)
def test_what_only_reads_works(inline, one_message, line):
    before = contents(one_message)
    assert inline(*words_of(line), "--read-only").status in (0, 3)
    assert contents(one_message) == before


def test_the_environment_variable_counts_and_no_is_no(inline, one_message, monkeypatch):
    monkeypatch.setenv("MQX_READ_ONLY", "1")
    assert inline("get", "DEV.QUEUE.1").status == 8
    monkeypatch.setenv("MQX_READ_ONLY", "0")
    assert inline("get", "DEV.QUEUE.1").out == b"a"


def test_the_option_ends_with_its_command(inline, one_message):
    assert inline("--read-only", "get", "DEV.QUEUE.1").status == 8
    assert inline("get", "DEV.QUEUE.1").status == 0


def test_a_program_gets_2035(mqx, one_message, tmp_path):
    program = tmp_path / "app.py"
    program.write_text(
        "import pymqi\ntry:\n    pymqi.connect('QM1')\nexcept pymqi.MQMIError as e:\n    print(e.reason)\n"
    )
    assert mqx("--read-only", "run", str(program), check=True).out == b"2035\n"


@pytest.fixture
def protected(inline, one_message):
    inline("config", "set", "protected", "PROD*,QM1", check=True)
    return one_message


@pytest.mark.parametrize("line", ["get DEV.QUEUE.1", "put DEV.QUEUE.1 x", "qmgr end QM1", "mqsc ALTER\\ QMGR"])
def test_a_protected_queue_manager_is_not_changed(inline, protected, line):
    inline(*words_of(line)).ended(8, "protected", "hint: --yes-protected")


def test_yes_protected_changes_it(inline, protected):
    assert inline("--yes-protected", "get", "DEV.QUEUE.1").out == b"a"
    assert inline("put", "DEV.QUEUE.1", "b").status == 8
    inline("qmgr", "create", "QM2", check=True)
    assert inline("-m", "QM2", "mqsc", "DEFINE QLOCAL(A)").status == 0


def test_reading_a_protected_queue_manager_works(inline, protected):
    assert inline("browse", "DEV.QUEUE.1").status == 0
    text = (Path(protected).parents[1] / "config" / "mqx" / "config.toml").read_text()
    assert "PROD*" in text


def test_a_pattern_that_is_no_text_is_2(inline, one_message, environment):
    file = Path(environment["XDG_CONFIG_HOME"]) / "mqx" / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text("protected = [1]\n")
    assert inline("get", "DEV.QUEUE.1").status == 2
