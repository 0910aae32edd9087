"""Command line with click: the group of lazily imported subcommands, and usage errors in the form of mqx."""

from __future__ import annotations

import os
import warnings
from importlib import import_module
from shlex import quote
from types import ModuleType
from typing import Any

import click

from mqtools.formats.phrases import did_you_mean, nearest

from ._subcommands import SUBCOMMANDS, groups
from .shared.click_options import general_elsewhere
from .shared.command_session import USAGE, Session, UsageError, end_on_sigterm
from .shared.group import CommandGroup
from .shared.hints import without_qmgr
from .shared.option_groups import fit_examples, group_options, narrow_width
from .shared.output_formats import describe_formats
from .shared.protection_options import kept_protection
from .shared.synonyms import find_equivalent, find_option


class Commands(CommandGroup):
    """Group that imports each subcommand of the table when it is used."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Make the context of a command line, of the width of the terminal also where click would take 50 columns."""
        return super().make_context(info_name, args, parent, **{"terminal_width": narrow_width(), **extra})

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(SUBCOMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in SUBCOMMANDS:
            return None
        module = import_module(f".{SUBCOMMANDS[cmd_name][0]}", __package__)
        command: click.Command = module.command
        command.short_help = SUBCOMMANDS[cmd_name][1]  # what completion shows
        group_options(command)
        describe_formats(command, cmd_name)
        if completion := _requested_completion():
            completion.add_completion(command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in SUBCOMMANDS:
            raise UsageError(f"no such command: {args[0]}", _hint_at_command(ctx, args))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        # Names of one width, so that the columns of all groups are aligned.
        width = max(map(len, SUBCOMMANDS))
        for heading, rows in groups():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(width), summary) for name, summary in rows])


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="mqtools", prog_name="mqx", help="Show the version and exit")
@general_elsewhere
def mqx(session: Session) -> None:
    """IBM MQ's message semantics in one SQLite file, with the operator's tools around it.

    \b
    mqx qmgr create QM1 --dev        # create a queue manager and three queues
    mqx put DEV.QUEUE.1 hello        # put a message
    mqx browse DEV.QUEUE.1           # show it
    mqx get DEV.QUEUE.1              # get it
    """


fit_examples(mqx)


def _hint_at_command(ctx: click.Context, args: list[str]) -> str:
    """Return the command line for an unknown command word, with the arguments that were typed."""
    q_mgr_name, typed = without_qmgr(args[1:])
    q_mgr_name = q_mgr_name or ctx.params.get("qmgr")
    line = find_equivalent(args[0], typed)
    if line is None:
        return did_you_mean(nearest(args[0], SUBCOMMANDS)) or "mqx --help"
    return f"mqx -m {quote(q_mgr_name)} {line}" if q_mgr_name else f"mqx {line}"


def _requested_completion() -> ModuleType | None:
    """Return the module that answers the shell, if it asks: that loads most of mqx."""
    if "_MQX_COMPLETE" not in os.environ:
        return None
    from . import completion

    return completion


def _similar(context: click.Context, mistake: click.NoSuchOption) -> str:
    """Return a hint: the option that does it here, the most similar one, or where the options are listed."""
    known = [name for each in context.command.params for name in (*each.opts, *each.secondary_opts)]
    likely = find_option(mistake.option_name, known)
    if likely is None:
        by_word = {name.lstrip("-"): name for name in known}
        near = nearest(mistake.option_name.lstrip("-"), by_word)
        likely = by_word[near] if near else None
    return did_you_mean(likely) or f"{context.command_path} --help"


def _in_our_style(text: str) -> str:
    """Return a message of click as one line, without a capital at its beginning and a full stop."""
    line = " ".join(text.split())  # click lists choices on lines of their own
    return (line[:1].lower() + line[1:]).removesuffix(".")


def run(session: Session, arguments: list[str]) -> int:
    """Run a command line with click, or answer a shell completion request; return the exit status."""
    if completion := _requested_completion():
        return int(completion.answer(mqx))
    end_on_sigterm()
    _note_warnings(session)
    with kept_protection():
        return _run(session, arguments)


def _note_warnings(session: Session) -> None:
    """Print Python's warnings as notes, too, for a command whose libraries may warn."""

    def show(message: Warning | str, *_: object) -> None:
        session.note(f"mqx: {message}")

    warnings.showwarning = show  # type: ignore[assignment]


def _run(session: Session, arguments: list[str]) -> int:
    try:
        # Not through Group.main: it would end a closed pipe with 1 and an interrupt with words.
        with mqx.make_context("mqx", list(arguments), obj=session) as context:
            status = mqx.invoke(context)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.Abort:
        raise KeyboardInterrupt from None
    except click.exceptions.NoArgsIsHelpError as shown:
        click.echo(shown.format_message(), err=True)
        return USAGE
    except click.ClickException as mistake:
        where = getattr(mistake, "ctx", None)
        path = where.command_path if where is not None else "mqx"
        session.command = path.removeprefix("mqx").strip()
        if isinstance(mistake, click.NoSuchOption) and where is not None:
            raise UsageError(f"no such option {mistake.option_name!r}", _similar(where, mistake)) from mistake
        raise UsageError(_in_our_style(mistake.format_message()), f"{path} --help") from mistake
    return status if isinstance(status, int) else 0
