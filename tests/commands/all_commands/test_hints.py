"""Hints repeat what was typed: the command they show can be run as it stands."""

from __future__ import annotations

import importlib
import shlex
from collections.abc import Callable
from importlib.metadata import entry_points
from typing import Any

import click
import pytest

Run = Callable[..., Any]
Q = "DEV.QUEUE.1"

(SCRIPT,) = entry_points(group="console_scripts", name="mqx")
PACKAGE = SCRIPT.load().__module__
GROUP = importlib.import_module(f"{PACKAGE}._cli").mqx
SYNONYMS = importlib.import_module(f"{PACKAGE}.shared.synonyms")


def hint(done: Any) -> str:
    """Return the hint of an error: the line behind it."""
    found: str = done.err.splitlines()[1].removeprefix("hint: ")
    return found


def command_in(text: str) -> list[str]:
    """Return the arguments of the command that a hint shows."""
    return shlex.split(text[text.index("mqx ") :])[1:]


# -- queue managers -----------------------------------------------------------------------------------------


@pytest.mark.usefixtures("qm")
def test_an_unknown_queue_manager_is_created_by_its_hint(mqx: Run) -> None:
    done = mqx("-m", "QM7", "put", Q, "x")
    assert (done.status, hint(done)) == (5, "there are: QM1; create it: mqx qmgr create QM7")
    mqx(*command_in(hint(done)), check=True)
    assert mqx("-m", "QM7", "put", Q, "x").err.startswith(f"mqx: put: queue {Q} does not exist")


@pytest.mark.usefixtures("qm")
@pytest.mark.parametrize(
    ("line", "status", "shown"),
    [
        (("get", Q, "-m", "no name"), 5, "there are: QM1"),
        (("get", Q, "-m", "http://x"), 2, "a queue manager elsewhere is mq://HOST:PORT/CHANNEL"),
        (("get", Q), 5, "there are: QM1; create it: mqx qmgr create QM8"),
        (("config", "set", "default_qmgr", "QM9"), 5, "there are: QM1; create it: mqx qmgr create QM9"),
    ],
)
def test_what_names_no_queue_manager_has_a_hint(mqx: Run, line: tuple[str, ...], status: int, shown: str) -> None:
    done = mqx(*line, MQX_QMGR="QM8")
    assert (done.status, hint(done)) == (status, shown)


@pytest.mark.usefixtures("qm")
@pytest.mark.parametrize(
    ("line", "shown"),
    [
        (["browse", "X@QM2"], "mqx -m QM2 browse X"),
        (["browse", "X@QM2", "-m", "QM1", "--where", "colour = 'red'"], None),
        (["get", "X@QM2", "-n", "2"], "mqx -m QM2 get X -n 2"),
        (["qdepth", "X@QM2"], "mqx -m QM2 qdepth X"),
        (["unload", "X@QM2", "-mQM1"], "mqx -m QM2 unload X"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_queue_elsewhere_is_read_with_m(mqx: Run, line: list[str], shown: str | None) -> None:
    done = mqx(*line).ended(5)
    if shown is None:
        assert command_in(hint(done)) == ["-m", "QM2", "browse", "X", "--where", "colour = 'red'"]
    else:
        assert hint(done) == shown


@pytest.mark.usefixtures("qm")
def test_an_unknown_queue_that_another_queue_manager_has_is_named_with_it(mqx: Run) -> None:
    mqx("qmgr", "create", "QM2", check=True)
    mqx("-m", "QM2", "mqsc", "DEFINE QLOCAL(INVOICES)", check=True)
    found = "queue INVOICES is on QM2"
    assert hint(mqx("put", "INVOICES", "one", "two", MQX_QMGR="QM1")) == f"{found}: mqx -m QM2 put INVOICES one two"
    assert hint(mqx("move", Q, "INVOICES", MQX_QMGR="QM1")) == found
    for line in (("load", "INVOICES", "-mQM1", "-"), ("--qmgr=QM1", "move", Q, "INVOICES")):
        assert hint(mqx(*line)) == "to define it: mqx -m QM1 mqsc 'DEFINE QLOCAL(INVOICES)'"
    nowhere = mqx("browse", "-m", "QM1", "NOWHERE.AT.ALL")
    assert hint(nowhere) == "to define it: mqx -m QM1 mqsc 'DEFINE QLOCAL(NOWHERE.AT.ALL)'"


@pytest.mark.usefixtures("qm")
def test_a_hint_changes_the_queue_manager_of_the_line(mqx: Run) -> None:
    mqx("mqsc", "DEFINE QLOCAL(SMALL) MAXDEPTH(1)", check=True)
    full = mqx("put", "SMALL", "one", "two", "-m", "QM1", "--batch", "1")
    mqx(*command_in(hint(full)), check=True)
    assert command_in(hint(full)) == ["-m", "QM1", "mqsc", "ALTER QLOCAL(SMALL) MAXDEPTH(2)"]


@pytest.mark.usefixtures("qm")
@pytest.mark.parametrize("q_name", ["NOWHERE", "nowhere", "A_B/C%D"])
def test_an_unknown_queue_is_defined_by_its_hint(mqx: Run, q_name: str) -> None:
    done = mqx("-m", "QM1", "put", q_name, "x")
    assert (done.status, hint(done).startswith("to define it: mqx -m QM1 mqsc ")) == (5, True)
    mqx(*command_in(hint(done)), check=True)
    mqx("put", q_name, "x", check=True)


@pytest.mark.usefixtures("qm")
def test_what_cannot_name_a_queue_is_not_to_be_defined(mqx: Run) -> None:
    done = mqx("get", "NO WHERE")
    assert (done.status, len(done.err.splitlines())) == (5, 1)


@pytest.mark.usefixtures("qm")
def test_with_two_queue_managers_and_no_default_the_hint_is_the_way_out(mqx: Run) -> None:
    mqx("qmgr", "create", "QM2", check=True)
    done = mqx("qdepth", Q, "--count")
    assert (done.status, done.err.splitlines()[0]) == (
        5, "mqx: qdepth: which queue manager? There are QM1, QM2 (MQRC_Q_MGR_NAME_ERROR 2058)",
    )  # fmt: skip
    assert hint(done) == "name one, as in -m QM1, or make one the default: mqx qmgr use QM1"
    mqx(*command_in(hint(done)), check=True)
    assert mqx("qdepth", Q, "--count").out == b"0\n"


# -- the trash ----------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("qm")
@pytest.mark.parametrize("line", [["undo"], ["undo", Q], ["undo", Q, "--confirm-id", "5"]], ids=" ".join)
def test_undo_after_delete_shows_what_restores(mqx: Run, bodies: Callable[[str], list[bytes]], line: list[str]) -> None:
    mqx("put", Q, "a", "b", check=True)
    mqx("delete", Q, "--pos", "1..2", "--yes", check=True)
    done = mqx(*line).ended(6 if "--confirm-id" in line else 2)
    assert hint(done) == "to restore deleted messages: mqx trash restore --removal 1"
    mqx(*command_in(hint(done)), check=True)
    assert bodies(Q) == [b"a", b"b"]


@pytest.mark.parametrize(
    ("line", "suggested"),
    [
        (("move", Q, "DEV.QUEUE.2"), f"lock --list {Q}"),
        (("unload", Q), f"lock --list {Q}"),
        (("delete", "DEV.QUEUE.2", "--all", "--yes"), "trash restore --removal 1"),
    ],
)
def test_a_suggested_command_has_the_queue_manager_of_the_line(mqx: Run, qm: str, line, suggested) -> None:
    mqx("put", Q, "a", check=True)
    mqx("lock", Q, "--pos", "1", check=True)
    for name in (Q, "DEV.QUEUE.2"):
        mqx("put", name, "b", check=True)
    assert f"mqx -m {qm} {suggested}" in mqx(*line, "-m", qm, check=True).err


@pytest.mark.usefixtures("qm")
def test_undo_without_anything_deleted_shows_where_its_ids_come_from(mqx: Run) -> None:
    assert hint(mqx("undo", Q)) == "mqx lock --list shows them"
    assert hint(mqx("undo")) == "mqx undo --help"


# -- words for commands -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("export ORDERS", "mqx unload ORDERS"),
        ("purge ORDERS", "mqx mqsc 'CLEAR QLOCAL(ORDERS)'"),
        ("-m QM2 clear ORDERS", "mqx -m QM2 mqsc 'CLEAR QLOCAL(ORDERS)'"),
        ("clear ORDERS --qmgr=QM2", "mqx -m QM2 mqsc 'CLEAR QLOCAL(ORDERS)'"),
        ("purge", "mqx mqsc 'CLEAR QLOCAL(QUEUE)'"),
        ("list", "mqx qdepth"),
        ("status", "mqx qdepth"),
        ("peek ORDERS -n 3", "mqx browse ORDERS -n 3"),
        ("redrive DLQ", "mqx dlq-handle DLQ --redrive"),
        ("dlq", "mqx dlq-handle --summary"),
        ("help", "mqx --help"),
        ("help put", "mqx put --help"),
        ("crtmqm QM3", "mqx qmgr create QM3"),
        ("restore ORDERS", "mqx trash restore ORDERS"),
        ("subscribe news/#", "mqx sub 'news/#'"),
        ("dspmqrte -m QM1 -q ORDERS", "mqx -m QM1 trace ID"),
        ("dspmq -x", "mqx qmgr list"),
        ("strmqm QM1", "mqx qmgr start QM1"),
        ("endmqm -i QM1", "mqx qmgr end QM1"),
        ("dltmqm QM1", "mqx qmgr delete QM1"),
        ("runmqlsr -m QM1 -t tcp -p 1414", "mqx -m QM1 channel listen"),
        ("runmqsc QM1", "mqx -m QM1 mqsc"),
        ("amqsput ORDERS QM1", "mqx -m QM1 put ORDERS"),
        ("amqsget ORDERS", "mqx get ORDERS --all"),
        ("amqsbcg ORDERS QM1", "mqx -m QM1 browse ORDERS -o listing"),
        (
            "setmqaut -m QM1 -t queue -n ORDERS -p app +put",
            "mqx -m QM1 mqsc 'SET AUTHREC PROFILE(ORDERS) OBJTYPE(QUEUE) PRINCIPAL(USER) AUTHADD(GET,PUT)'",
        ),
        ("dspmqaut -n ORDERS -t q", "mqx mqsc 'DISPLAY AUTHREC PROFILE(ORDERS)'"),
        ("dmpmqcfg -m QM1 -a", "mqx -m QM1 qmgr export"),
        ("qmgr stop QM1", "mqx qmgr end QM1"),
        ("config list", "mqx config explain"),
        ("lock ORDERS --follow", "mqx lock --help"),
        ("qdepth --follow", "did you mean --watch 2s?"),
        ("get ORDERS --format %i", "did you mean --template?"),
        ("get ORDERS --limit 5", "did you mean -n 10?"),
        ("trace ID --folow", "did you mean --follow?"),
    ],
)
def test_a_word_of_elsewhere_leads_to_the_command(mqx: Run, line: str, shown: str) -> None:
    done = mqx(*shlex.split(line))
    assert (done.status, hint(done)) == (2, shown)


def command_of(words: list[str]) -> click.Command | None:
    """Return the command that a line begins with, of a group its subcommand."""
    context = click.Context(GROUP, info_name="mqx")
    command = GROUP.get_command(context, words[0])
    if isinstance(command, click.Group):
        return command.get_command(context, words[1])
    return command


def test_every_word_leads_to_a_command_that_exists() -> None:
    for line, several in SYNONYMS._LINES:
        for word in several.split():
            typed = ["Q", "QM1"] if word.endswith("+") else ["Q"]
            words = shlex.split(SYNONYMS.find_equivalent(word.rstrip("+="), typed, line.split()[0]))
            words = words[2:] if words[0] == "-m" else words
            assert word in ("help", "version", "dspmqver") or command_of(words) is not None, word


def test_no_line_names_an_option_that_its_command_does_not_have() -> None:
    for line, _ in SYNONYMS._LINES:
        words = line.split()
        command = None if words[0].startswith(("-", "{")) else command_of(words)
        if command is not None:
            known = {option for parameter in command.params for option in parameter.opts}
            assert {word for word in words if word.startswith("--")} <= known, line
