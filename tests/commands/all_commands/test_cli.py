"""The command line as a whole: help, general options, and mistakes before any subcommand runs."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from ..conftest import SCRIPT_PACKAGE

Run = Callable[..., Any]


def listed(text: str) -> list[str]:
    """The subcommands of a help text: the words at the beginning of the lines below the headings of the groups."""
    lines = text.split("Messages:\n")[1].splitlines()
    return [line.split()[0] for line in lines if line.startswith("  ") and not line.startswith("   ")]


def test_the_version_is_that_of_the_package(mqx: Run) -> None:
    assert mqx("--version", check=True).out.decode() == f"mqx, version {version('mqtools')}\n"


def test_every_subcommand_has_one_heading_in_the_help(mqx: Run) -> None:
    table = import_module(f"{SCRIPT_PACKAGE}._subcommands").SUBCOMMANDS
    done = mqx("--help", check=True)
    assert (sorted(listed(done.out.decode())), done.err) == (sorted(table), "")


@pytest.mark.parametrize("line", ["put", "qmgr delete", "man"])
def test_help_lists_options_for_changes_only_where_they_apply(mqx: Run, line: str) -> None:
    words = mqx(*line.split(), "--help", check=True).out.decode().split()
    assert ("--yes" in words, "--read-write" in words) == (line != "man", line == "put")


def test_without_a_subcommand_help_goes_to_stderr(mqx: Run) -> None:
    done = mqx()
    assert (done.status, done.out) == (2, b"")
    assert "mqx qmgr create" in done.err


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("brwose", "did you mean browse?"),
        ("qdpeth", "did you mean qdepth?"),
        ("mqcs", "did you mean mqsc?"),
        ("xyzzy", "mqx --help"),
    ],
)
def test_an_unknown_command_suggests_the_one_meant_or_the_help(mqx: Run, line: str, said: str) -> None:
    mqx(line).ended(2, line, f"hint: {said}")


@pytest.mark.usefixtures("qm")
@pytest.mark.parametrize(
    "line",
    [
        ("-o", "json", "-m", "QM1", "qdepth", "DEV.QUEUE.1"),
        ("-o", "json", "qdepth", "-m", "QM1", "DEV.QUEUE.1"),
        ("qdepth", "DEV.QUEUE.1", "-m", "QM1", "-o", "json"),
        ("qdepth", "DEV.QUEUE.1", "--qmgr=QM1", "--output=json"),
        ("-q", "qdepth", "-v", "-ojson", "DEV.QUEUE.1"),
    ],
)
def test_general_options_work_before_and_after_the_subcommand(mqx: Run, line: tuple[str, ...]) -> None:
    (row,) = json.loads(mqx(*line, check=True).out)
    assert (row["name"], row["depth"]) == ("DEV.QUEUE.1", 0)


@pytest.mark.usefixtures("qm")
def test_the_option_after_the_subcommand_wins(mqx: Run) -> None:
    assert json.loads(mqx("-o", "table", "qdepth", "DEV.QUEUE.1", "-o", "json", check=True).out)


@pytest.mark.usefixtures("qm")
@pytest.mark.parametrize(
    "line",
    [
        ("\x1b[31mred",),
        ("explain", "2053", "--\x1b[31m"),
        ("explain", "\x1b[31m"),
        ("qdepth", "\x9b31m\u202e"),
        ("put", "\x1b]0;title\x07", "x"),
        ("get", "DEV.QUEUE.1", "extra\x1b[2J"),
        ("get", "DEV.QUEUE.1", "-n", "\x1b[2J"),
        ("qdepth", "-m", "\x1b[31m"),
        ("-o", "\x1b[31m", "qdepth"),
        ("qmgr", "\x1b[31m"),
        ("qmgr", "create", "\x1b[31m"),
        ("mqsc", "\x1b[31m"),
        ("sql", "select \x1b[31m"),
        ("sql", "select 1", "-p", "\x1b[31m"),
    ],
)
def test_control_characters_of_an_argument_are_made_visible_in_errors(mqx: Run, line: tuple[str, ...]) -> None:
    done = mqx(*line)
    assert done.status != 0
    assert done.err
    assert not {"\x1b", "\x9b", "\u202e", "\x07"} & set(done.err)
    assert b"\x1b" not in done.out


@pytest.mark.usefixtures("qm")
def test_an_error_is_one_line_of_json_where_the_output_is_json(mqx: Run) -> None:
    done = mqx("qdepth", "NOPE", "-o", "json")
    assert (done.status, done.out) == (5, b"")
    error = json.loads(done.err)["error"]
    assert (error["comp_code"], error["reason"], error["name"]) == (2, 2085, "MQRC_UNKNOWN_OBJECT_NAME")


@pytest.mark.parametrize(
    ("line", "about"),
    [
        (["dlq-handle", "--by"], "dlq-handle"),
        (["browse", "Q", "--nonsense"], "browse"),
        (["explain", "--nonsense"], "explain"),
        (["qmgr", "create", "--profile"], "qmgr create"),
        (["qmgr", "--nonsense", "list"], "qmgr"),
        (["-o", "plain", "trash", "restore", "--to"], "trash restore"),
    ],
    ids=lambda given: " ".join(given) if isinstance(given, list) else "",
)
def test_a_mistake_in_an_option_says_of_which_command_it_is(mqx: Run, line: list[str], about: str) -> None:
    done = mqx(*line)
    said, hint = done.err.splitlines()
    assert done.status == 2
    assert said.startswith(f"mqx: {about}: ")
    assert hint == f"hint: mqx {about} --help"


@pytest.mark.parametrize("name", ["put", "get", "browse", "delete", "unload"])
def test_a_line_without_its_queue_says_that_it_is_missing(mqx: Run, name: str) -> None:
    done = mqx(name).ended(2)
    assert done.err.startswith(f"mqx: {name}: missing argument 'QUEUE'\n")


def test_what_an_argument_may_be_is_said_on_one_line(mqx: Run) -> None:
    assert mqx("confirm").err.splitlines()[0].endswith("Choose from: put, get")


@pytest.mark.parametrize(
    ("line", "word"),
    [
        (["-m", "", "get", "DEV.QUEUE.1"], "-m"),
        (["get", "DEV.QUEUE.1", "-m", ""], "-m"),
        (["put", "DEV.QUEUE.1", "x", "-m", ""], "-m"),
        (["qdepth", "-m", ""], "-m"),
        (["browse", "DEV.QUEUE.1", "-o", ""], "-o"),
        (["trash", "restore", "--all", "--to", ""], "--to"),
        (["dlq-handle", "--redrive", "--to", ""], "--to"),
        (["trash", "restore", ""], "QUEUE"),
        (["trash", "empty", "", "--yes"], "QUEUE"),
        (["qmgr", "end", ""], "NAME"),
        (["lock", "", "--list"], "QUEUE"),
        (["pipeline", "archive", "--consume", "--to", "archive", "--queue", ""], "--queue"),
        (["pipeline", "archive", "--to", ""], "--to"),
        (["pipeline", "archive", "--to", "archive", "-m", "QM1", "-m", ""], "-m"),
        (["pipeline", "load", "DEV.QUEUE.1", "archive", "--job-id", ""], "--job-id"),
        (["pipeline", "stream", "--to", "events", "--checkpoint", ""], "--checkpoint"),
        (["pipeline", "triage", "--queue", "DEV.QUEUE.1", "--html", ""], "--html"),
    ],
    ids=" ".join,
)
def test_an_empty_word_is_not_the_same_as_none(mqx: Run, qm: str, line: list[str], word: str) -> None:
    mqx("put", "DEV.QUEUE.1", "kept", "in trash", check=True)
    mqx("delete", "DEV.QUEUE.1", "--pos", "2", "--yes", check=True)
    done = mqx(*line)
    assert (done.status, done.out) == (2, b"")
    assert f": {word} is empty" in done.err
    assert mqx("qdepth", "DEV.QUEUE.1", "--count", check=True).out == b"1\n"
    assert mqx("trash", "list", check=True).out


@pytest.mark.parametrize("line", [["get", "DEV.QUEUE.1"], ["put", "DEV.QUEUE.2"]], ids=" ".join)
def test_too_little_memory_has_its_words_and_nothing_is_lost(
    mqx: Run, qm: str, start: Any, tmp_path: Path, line: list[str]
) -> None:
    import resource

    big = tmp_path / "big"
    big.write_bytes(b"x" * 100_000_000)
    mqx("mqsc", "ALTER QMGR MAXMSGL(104857600)", "ALTER QLOCAL(DEV.QUEUE.1) MAXMSGL(104857600)", check=True)
    mqx("put", "DEV.QUEUE.1", "--file", str(big), check=True)
    limit = 120 << 20
    with big.open("rb") as stdin:
        process = start(*line, stdin=stdin, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
        err = process.communicate(timeout=60)[1].decode()
    assert (process.returncode, "out of memory (MQRC_STORAGE_NOT_AVAILABLE 2071)" in err) == (10, True), err
    assert (
        mqx("qdepth", "DEV.QUEUE.*", "--count", check=True).out == b"DEV.QUEUE.1\t1\nDEV.QUEUE.2\t0\nDEV.QUEUE.3\t0\n"
    )


def test_a_number_that_is_none_is_said_in_plain_words(mqx: Run, qm: str) -> None:
    mqx("get", "DEV.QUEUE.1", "-n", "x").ended(2, "'x' is not a valid number")
    mqx("get", "DEV.QUEUE.1", "-n", "0").ended(2, "0 is not in the range x>=1")
    assert "-n NUMBER" in mqx("get", "--help").out.decode()


@pytest.mark.usefixtures("qm")
@pytest.mark.parametrize(
    ("line", "about"),
    [
        (["put", "X", "x", "-m", "QM7"], {"qmgr": "QM7"}),
        (["qmgr", "start", "QM7"], {"qmgr": "QM7"}),
        (["qmgr", "create", "QM1"], {"qmgr": "QM1"}),
        (["put", "X@QM9", "x"], {"qmgr": "QM9"}),
        (["qdepth", "NOPE", "-m", "QM1"], {"queue": "NOPE"}),
        (["qdepth", "NO*"], {"queue": "NO*"}),
        (["copy", "DEV.QUEUE.1", "NOPE"], {"queue": "NOPE"}),
        (["browse", "NOPE"], {"queue": "NOPE"}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_an_error_in_json_names_the_queue_manager_or_the_queue_it_is_about(
    mqx: Run, line: list[str], about: dict[str, str]
) -> None:
    mqx("put", "DEV.QUEUE.1", "x", check=True)
    error = json.loads(mqx(*line, "-o", "json").err)["error"]
    assert {name: error[name] for name in ("qmgr", "queue") if name in error} == about
