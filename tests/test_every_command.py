"""Every command: registered, documented, tested, with options that mean the same everywhere."""

from __future__ import annotations

import importlib
import inspect
import re

import click
import pytest

from .project import PACKAGE, ROOT

SUBCOMMANDS = importlib.import_module(f"{PACKAGE}._subcommands").SUBCOMMANDS
GROUP = importlib.import_module(f"{PACKAGE}._cli").mqx


def commands():
    """Every command with its words: ``("qmgr", "create")``."""
    context = click.Context(GROUP, info_name="mqx")
    for name in SUBCOMMANDS:
        command = GROUP.get_command(context, name)
        yield (name,), command
        if isinstance(command, click.Group):
            for inner in command.list_commands(context):
                yield (name, inner), command.get_command(context, inner)


def test_every_command_of_the_tree_is_registered_and_the_other_way_round():
    folder = ROOT / "commands"
    modules = {path.stem for path in folder.glob("*.py") if not path.stem.startswith("_")}
    packages = {f"{path.parent.name}.command" for path in folder.glob("*/command.py")}
    assert modules | packages == {module for module, _ in SUBCOMMANDS.values()}


def test_a_command_is_called_like_its_module():
    assert {name.replace("-", "_"): name for name in SUBCOMMANDS} == {
        module.removesuffix(".command"): name for name, (module, _) in SUBCOMMANDS.items()
    }


@pytest.mark.parametrize("name", SUBCOMMANDS)
def test_every_command_has_a_man_page_and_a_test_file(name):
    assert (ROOT / "man" / f"mqx-{name}.1").is_file()
    assert any((ROOT / "tests" / "commands").rglob(f"test_{name.replace('-', '_')}.py"))


@pytest.mark.parametrize(("words", "command"), [pytest.param(*one, id=" ".join(one[0])) for one in commands()])
def test_every_command_has_help_that_shows_examples_of_itself(words, command):
    assert command.help, "there is no help"
    blocks = re.findall(r"^\x08\n((?:.+\n?)+)", inspect.cleandoc(command.help), re.M)
    examples = [line for block in blocks for line in block.splitlines()]
    assert 1 <= len(examples) <= 6
    assert len(words) > 1 or len(examples) > 1
    assert f"mqx {' '.join(words)}" in examples[0]
    assert all("mqx " in example for example in examples), examples


@pytest.mark.parametrize(("words", "command"), [pytest.param(*one, id=" ".join(one[0])) for one in commands()])
def test_every_option_says_what_it_is_for(words, command):
    options = [parameter for parameter in command.params if isinstance(parameter, click.Option)]
    assert [option.name for option in options if not option.help and not option.hidden] == []


def test_only_commands_that_ask_for_confirmation_list_yes():
    listed = {
        " ".join(words)
        for words, command in commands()
        for each in command.params
        if each.name == "yes" and not each.hidden
    }
    elsewhere = {"apply", "copy", "dlq-handle", "events", "get", "load", "move", "mqsc", "pub", "push", "put", "run"}
    here = {"delete", "pipeline archive", "pipeline expire", "qmgr delete", "trash empty", "unload"}
    assert listed == elsewhere | here


@pytest.mark.parametrize(("words", "command"), [pytest.param(*one, id=" ".join(one[0])) for one in commands()])
def test_help_in_lists_is_a_short_phrase_without_a_full_stop(words, command):
    summary = SUBCOMMANDS[words[0]][1] if len(words) == 1 else command.short_help or ""
    assert 0 < len(summary) <= 60
    assert not summary.endswith(".")
    own = [parameter for parameter in command.params if isinstance(parameter, click.Option) and parameter.help]
    assert [option.name for option in own if option.help.endswith(".") and "." not in option.help[:-1]] == []


TRACE = ("trace",)


def test_an_option_of_several_commands_means_the_same_everywhere():
    """Except for trace, which takes several queue managers, and for which --where is another way to name messages.

    The formats of -o differ, and are listed behind its meaning.
    """
    shared = {}
    for words, command in commands():
        for parameter in command.params:
            if words == TRACE and parameter.name in ("qmgr", "where"):
                continue
            if parameter.name in ("qmgr", "output", "quiet", "verbose", "debug", "color", "yes", "where", "msg_ids"):
                meaning = parameter.help.partition(":")[0] if parameter.name == "output" else parameter.help
                shared.setdefault(parameter.name, {}).setdefault(meaning, []).append(words)
    assert {name: list(helps) for name, helps in shared.items() if len(helps) > 1} == {}


#: Options that name another kind of thing in some commands: channels, Spark, triage, a dump played back, a server,
#: one pass of dlq-handle, and files of an archive.
DIFFERENT = {"--to", "--wait", "--convert", "--action", "--reports", "--queue", "--from", "--delay", "--dev", "--once"}
DIFFERENT.add("--format")


def test_an_option_of_several_commands_takes_the_same_value_everywhere():
    taken = {}
    for words, command in commands():
        for option in command.params:
            if isinstance(option, click.Option) and not option.hidden:
                value = "" if option.is_flag else option.make_metavar(click.Context(command))
                taken.setdefault(option.opts[0], {}).setdefault(value, []).append(words)
    assert {name for name, values in taken.items() if len(values) > 1} == DIFFERENT
    spelled = {value for values in taken.values() for value in values}
    assert {"DURATION", "TIME"} <= spelled
    assert not spelled & {"SECONDS", "AGE", "INTERVAL", "WHEN", "DATE", "MOMENT"}


def test_every_duration_and_every_time_has_one_metavar():
    kinds = {}
    for _, command in commands():
        for option in command.params:
            if option.type.name in ("duration", "time"):
                kinds.setdefault(option.type.name, set()).add(option.make_metavar(click.Context(command)))
    assert kinds == {"duration": {"DURATION"}, "time": {"TIME"}}
