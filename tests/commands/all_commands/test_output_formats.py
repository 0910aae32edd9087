"""The output formats of the commands: listed in the help, and no others are taken."""

from __future__ import annotations

import importlib
import shlex

import click
import pytest

from ..conftest import SCRIPT_PACKAGE

FORMATS = importlib.import_module(f"{SCRIPT_PACKAGE}.shared.output_formats")
GROUP = importlib.import_module(f"{SCRIPT_PACKAGE}._cli").mqx
CONTEXT = click.Context(GROUP, info_name="mqx")


def commands(group=GROUP, words=()):
    """Yield the words of each command, and the command."""
    for name in group.list_commands(CONTEXT):
        command = group.get_command(CONTEXT, name)
        if isinstance(command, click.Group):
            yield from commands(command, (*words, name))
        else:
            yield " ".join((*words, name)), command


COMMANDS = dict(commands())
#: Command to the words that it needs, where they cannot be any words.
_NEEDED = {
    "completion": ["bash"],
    "confirm": ["put", "X", "--confirm-id", "1"],
    "unlock": ["X", "--lock-id", "00" * 8],
    "replay": ["X", "--since", "-1h", "--to", "Y"],
    "push": ["X", "--to", "Y:X"],
    "service install": ["X", "qdepth"],
    "channel reset": ["X", "--seqnum", "1"],
    "channel resolve": ["X", "--action", "commit"],
    "pipeline archive": ["--to", "x"],
    "pipeline expire": ["x", "--older", "1d"],
    "pipeline load": ["X", "x.csv", "--job-id", "1"],
    "pipeline reassemble": ["--from", "x", "--to", "y"],
    "pipeline reconcile": ["--sent", "x", "--reports", "y", "--to", "z"],
    "pipeline stats": ["--from", "x"],
    "pipeline stream": ["--checkpoint", "x", "--to", "y"],
    "report-gen": ["X", "--feedback", "coa"],
}


@pytest.mark.parametrize("words", COMMANDS)
def test_the_help_lists_the_formats_and_another_is_refused_with_the_same_list(inline, words):
    command = COMMANDS[words]
    (option,) = (each for each in command.params if each.name == "output")
    listed = option.help.removeprefix("Output format: ")
    needed = _NEEDED.get(words) or [
        "X" for each in command.params if isinstance(each, click.Argument) and each.required
    ]
    done = inline(*words.split(), "-o", "nonsense", *needed)
    assert (done.status, done.out) == (2, b"")
    assert done.err == f"mqx: {words}: no output format 'nonsense' here: {listed.partition(';')[0]}\n"


def test_the_formats_of_depths_are_those_of_their_writer():
    depths = importlib.import_module(f"{SCRIPT_PACKAGE}.qdepth.qdepth")
    assert FORMATS.formats_of("qdepth") == depths.OUTPUTS


#: Command to words that do something with the message ONE on Q, which has a journal.
DOING = {
    "browse": "Q",
    "confirm": "put Q --confirm-id 7",
    "config explain": "",
    "completion": "bash",
    "copy": "Q R",
    "delete": "Q --msg-id text:ONE",
    "diff": "Q R",
    "dlq-handle": "Q --once",
    "doctor": "",
    "edit": "Q --msg-id text:ONE --set priority=3",
    "events": "Q",
    "explain": "2053",
    "get": "Q --confirm-id 9",
    "load": "R one.dump",
    "lock": "Q",
    "log": "",
    "man": "put",
    "move": "Q R",
    "mqsc": "'DISPLAY QLOCAL(Q)'",
    "pub": "topic one",
    "put": "Q one",
    "qdepth": "Q",
    "qmgr backup": "QM1 copy.db",
    "qmgr compact": "QM1",
    "qmgr create": "QM2",
    "qmgr delete": "QM1 --yes",
    "qmgr display": "",
    "qmgr end": "QM1",
    "qmgr export": "",
    "qmgr list": "",
    "qmgr start": "QM1",
    "qmgr use": "QM1",
    "remote add": "PROD --connection localhost(1) --channel OPS",
    "remote list": "",
    "replay": "Q --since -1h --to R",
    "report-gen": "Q --feedback coa --to R",
    "sql": "'select 1'",
    "stats": "",
    "trace": "text:ONE",
    "trash empty": "--yes",
    "trash list": "",
    "trash restore": "--all",
    "undo": "Q --confirm-id 7",
    "unload": "Q all.dump",
    "user add": "ana",
    "user delete": "app",
    "user list": "",
    "user password": "app",
}
#: Option with which a command has other formats, to what it is in a line.
AS_OPTION = {"--exec": "--exec cat", "--list": "--list"}


def lines():
    """Yield the words of a command that does something, and each format that its help lists for them."""
    for words, line in DOING.items():
        (option,) = (each for each in COMMANDS[words].params if each.name == "output")
        own, *others = option.help.removeprefix("Output format: ").split("; with ")
        variants = [(line, own)]
        for other in others:
            names, _, formats = other.partition(": ")
            rest = line.replace(" --confirm-id 9", "").replace(" --once", "")
            variants += [(f"{rest} {AS_OPTION.get(name, name)}", formats) for name in names.split(", ")]
        yield from ((f"{words} {rest}", output) for rest, formats in variants for output in formats.split(", "))


@pytest.mark.parametrize(("line", "output"), list(lines()))
def test_a_command_writes_each_format_that_its_help_lists(inline, qm, monkeypatch, tmp_path, line, output):
    if output == "parquet":
        pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    inline("mqsc", "DEFINE QLOCAL(Q) JOURNAL(BODY)", "DEFINE QLOCAL(R)")
    for words in (
        "put Q gone",
        "delete Q --grep gone --yes",
        "put Q one --msg-id text:ONE",
        "put Q held --confirm-id 7",
        "unload Q one.dump",
    ):
        inline(*words.split())
    if line.startswith("qmgr delete"):
        inline("qmgr", "end", "QM1")
    if line.startswith("remote list"):
        inline("remote", "add", "PROD", "--connection", "localhost(1)", "--channel", "OPS")
    if line.startswith("stats"):
        inline("mqsc", "ALTER QMGR STATMQI(ON) ACCTMQI(ON)")
        inline("put", "R", "counted")
        inline("mqsc", "RESET QMGR TYPE(STATISTICS)")
    done = inline(*shlex.split(line), "-o", output, stdin=b"ACTION(RETRY)\n")
    assert done.status in (0, 1, 9), done
    assert done.out or (output in ("json", "jsonl") and "messages" in done.totals), done


def test_every_command_writes_its_formats_but_those_that_need_more_than_a_queue_manager():
    written = {words.partition(" ")[0] for words in DOING}
    elsewhere = {"pull", "push", "apply"}
    rest = {"channel", "pipeline", "run", "serve", "service", "shell", "sub", "tui", "unlock"}
    assert {words.partition(" ")[0] for words in COMMANDS} == written | rest | elsewhere
