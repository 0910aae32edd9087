"""The output formats of the commands: listed in the help, and no others are taken."""

from __future__ import annotations

import importlib

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
    "service install": ["X", "qdepth"],
    "channel reset": ["X", "--seqnum", "1"],
    "channel resolve": ["X", "--action", "commit"],
    "pipeline archive": ["--to", "x"],
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
    assert done.err == f"mqx: {words}: no output format 'nonsense' here: {listed}\n"


def test_the_formats_of_messages_and_depths_are_those_of_their_writers():
    writers = importlib.import_module(f"{SCRIPT_PACKAGE}.shared.messages")
    depths = importlib.import_module(f"{SCRIPT_PACKAGE}.qdepth.qdepth")
    assert FORMATS.formats_of("browse") == writers.FORMATS
    assert FORMATS.formats_of("qdepth") == depths.OUTPUTS


@pytest.mark.parametrize("words", ["qdepth", "stats", "doctor", "qmgr list", "config explain"])
def test_a_command_takes_each_format_that_its_help_lists(inline, qm, words):
    for output in FORMATS.formats_of(words):
        done = inline(*words.split(), "-o", output)
        assert done.status in (0, 3), done
        assert "no output format" not in done.err
