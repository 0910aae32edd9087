"""``mqx completion``: generate shell completion, and answer the completion requests of the shell.

A request creates and writes nothing; any error means that there are no candidates.
"""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import click
from click.shell_completion import CompletionItem, get_completion_class, split_arg_string

from mqtools.configuration.locate import list_names
from mqtools.configuration.read_only import check_writable
from mqtools.configuration.settings import SETTINGS
from mqtools.constants.names import family
from mqtools.errors import MQError
from mqtools.explanations import rules
from mqtools.formats.units import parse_id
from mqtools.operations.queue_manager_view import QueueManagerView, open_view
from mqtools.operations.stored_messages import ids_with_prefix
from mqtools.operations.trace.journals import JournalSource
from mqtools.operations.trace.story import resolve_prefix
from mqtools.predicates import IdPrefix

from .man import topics
from .put.command import TYPES
from .shared import click_options, command_session
from .shared.command_session import Session
from .shared.output_formats import all_formats_of

#: Environment variable with the request of the shell's script: click's convention.
VARIABLE = "_MQX_COMPLETE"

_MOST = 100


#: Shell to where it looks for the script by itself: variable of the environment, its default, path below it.
_PLACES = {
    "bash": ("XDG_DATA_HOME", "~/.local/share", "bash-completion/completions/mqx"),
    "zsh": ("XDG_DATA_HOME", "~/.local/share", "zsh/site-functions/_mqx"),
    "fish": ("XDG_CONFIG_HOME", "~/.config", "fish/completions/mqx.fish"),
}


@click.command("completion")
@click.argument("shell", type=click.Choice(sorted(_PLACES)))
@click.option("--install", is_flag=True, help="Write the script where the shell finds it")
@click_options.general
def command(session: Session, shell: str, install: bool) -> None:
    """Print the completion script of mqx for SHELL: bash, zsh or fish.

    \b
    source <(mqx completion bash)
    mqx completion bash --install
    mqx completion fish --install

    Commands, options, queues, queue managers, channels, message ids, reasons and files are completed. Completion
    creates nothing and only reads a queue manager. zsh reads the file that --install writes if its folder is in fpath.
    """
    kind = get_completion_class(shell)
    assert kind is not None
    # Not source() of the bash class, which starts a bash to ask for its version.
    script = (
        kind.source_template % kind(click.get_current_context().find_root().command, {}, "mqx", VARIABLE).source_vars()
    )
    if not install:
        command_session.write_out(script.encode("utf-8"))
        return
    variable, usual, below = _PLACES[shell]
    place = Path(os.environ.get(variable) or usual).expanduser() / below
    check_writable(str(place))
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(script, encoding="utf-8")
    session.note(f"written: {place}")


def answer(group: click.Group) -> int:
    """Answer the completion script of a shell. Source: click, shell completion."""
    shell, _, instruction = os.environ[VARIABLE].partition("_")
    kind = get_completion_class(shell)
    if kind is None or instruction != "complete":
        return 2
    add_completion(group)
    sys.stdout.write(kind(group, {}, "mqx", VARIABLE).complete() + "\n")
    return 0


def add_completion(command: click.Command) -> None:
    for parameter in command.params:
        for names, offer in _VALUES:
            if parameter.name in names and not isinstance(parameter.type, _CompletedType):
                parameter.type = _CompletedType(parameter.type, offer)
    if isinstance(command, click.Group):
        for below in command.commands.values():
            add_completion(below)


class _CompletedType(click.ParamType[object]):
    """Parameter type that adds candidates to another type."""

    def __init__(self, type: click.ParamType[object], offer: Callable[[click.Context, str], Iterable[str]]) -> None:
        self.name = type.name
        self._type = type
        self._offer = offer

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> object:
        return self._type.convert(value, param, ctx)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG002
        try:
            found = sorted(word for word in self._offer(ctx, incomplete) if word.startswith(incomplete))
        except (MQError, OSError, ValueError):
            return []
        return [CompletionItem(word) for word in found[:_MOST]]


def _view() -> QueueManagerView:
    """Open the queue manager named so far on the line; click does not parse a line that ends in an option."""
    words = _words()
    named = [value for word, value in itertools.pairwise(words) if word in ("-m", "--qmgr")]
    return open_view(named[-1] if named else None)


def _words() -> list[str]:
    return split_arg_string(os.environ.get("COMP_WORDS", ""))


def _queues(_ctx: click.Context, incomplete: str) -> Iterable[str]:
    names = _view().queue_names()
    return [name for name in names if incomplete.startswith("SYSTEM") or not name.startswith("SYSTEM")]


def _names(ctx: click.Context, _incomplete: str) -> Iterable[str]:
    """List the names of what a group of commands is about: channels or queue managers."""
    is_channel = ctx.parent is not None and ctx.parent.info_name == "channel"
    return _view().channel_names() if is_channel else list_names()


def _msg_ids(_ctx: click.Context, incomplete: str) -> Iterable[str]:
    """List the message ids on the queue named on the line."""
    view = _view()
    for word in _words()[2:]:
        queue = view.queue(word)
        if queue is not None:
            prefix = bytes.fromhex(incomplete[: len(incomplete) // 2 * 2])
            return [msg_id.hex().upper() for msg_id in ids_with_prefix(view, queue.id, "msg_id", prefix, _MOST)]
    return []


def _traced_ids(ctx: click.Context, incomplete: str) -> Iterable[str]:
    """List identifiers of the messages that a journal or a queue has."""
    if ctx.info_name != "trace" or not incomplete:
        return []
    prefix = parse_id(incomplete, prefix=True)
    source = JournalSource(_view().path)
    return [each.hex().upper() for each in resolve_prefix([source], prefix, isinstance(prefix, IdPrefix))]


def _reasons(_ctx: click.Context, _incomplete: str) -> Iterable[str]:
    return [name for name in family("MQRC") if name != "MQRC_NONE"]


def _explained(ctx: click.Context, incomplete: str) -> Iterable[str]:
    """List what `mqx explain` knows by name: reason codes, and areas and ids of rules."""
    if ctx.info_name != "explain":
        return []
    return [*_reasons(ctx, incomplete), *rules.complete(incomplete)]


def _settings(ctx: click.Context, _incomplete: str) -> Iterable[str]:
    """List the settings; for a change only those of the configuration file."""
    return [setting.key for setting in SETTINGS if setting.in_file or ctx.info_name == "explain"]


#: Names of parameters to what they offer. A parameter that is not listed offers what click does.
_VALUES: tuple[tuple[tuple[str, ...], Callable[[click.Context, str], Iterable[str]]], ...] = (
    (
        ("queue", "queues", "patterns", "from_queue", "to_queue", "source", "target", "reply_to", "to", "a", "b"),
        _queues,
    ),
    (("qmgr", "to_qmgr", "queue_manager"), lambda *_: list_names()),
    (("name",), _names),
    (("msg_ids", "msg_id"), _msg_ids),
    (("ids",), _traced_ids),
    (("output",), lambda ctx, _: all_formats_of(ctx.command_path.removeprefix("mqx").strip())),
    (("reason",), _reasons),
    (("words",), _explained),
    (("msg_type",), lambda *_: TYPES),
    (("topic",), lambda *_: topics()),
    (("key",), _settings),
)
