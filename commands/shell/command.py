"""``mqx shell``: many command lines in one process, typed with completion and history, or read from standard input."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext

import click

from mqtools.mqi import close_all

from .. import run_line
from ..shared import click_options, command_session
from ..shared.command_session import DONE, INTERRUPTED, TERMINATED, USAGE, Session, UsageError
from ..shared.protection_options import kept_protection
from .history import History
from .line_readers import prompt_reader, readline_reader

_ENDS = ("exit", "quit")
_HELP = ("help", "?")


@click.command("shell")
@click.option("--stop", is_flag=True, help="End at the first command that fails, with its exit status")
@click_options.general
def command(session: Session, stop: bool) -> int:
    """Run command lines of mqx, one a line, until exit, quit or the end of input.

    \b
    mqx shell
    mqx -m QM1 shell < commands.txt
    printf 'put ORDERS hello\\nqdepth ORDERS --count\\n' | mqx shell --stop

    A line is a command line without mqx, quoted as in a shell; # begins a comment. -m, -o, -q, --read-only and the
    other general options of mqx shell apply to all lines. help lists the commands, help COMMAND explains
    one. Fed from standard input it runs many commands without starting a process for each; they have no input of their
    own.

    On a terminal, tab completes commands, options, queues and ids; the arrow up and ctrl-r find lines typed before,
    which are kept in $XDG_STATE_HOME/mqx/shell-history. With pip install 'mqtools[shell]' (prompt_toolkit) the
    completions are a menu with a line of help for each. The rest of an earlier line is shown in grey: the arrow to the
    right takes it.

    Exit status: that of the last command.
    """
    is_typed = sys.stdin.isatty() and sys.stdout.isatty()
    status = DONE
    with nullcontext(_lines_typed(session)) if is_typed else _lines_read() as lines:
        for number, line in lines:
            found = _run_line(session, line, "" if is_typed else f"line {number}: ")
            if found is None:
                break
            status = found
            if (stop and status) or (not is_typed and status in (INTERRUPTED, TERMINATED)):
                break
    return status


@contextmanager
def _lines_read() -> Iterator[Iterator[tuple[int, str]]]:
    """Yield the numbered lines of standard input; the commands get an empty one."""
    source = sys.stdin.buffer
    with open(os.devnull, encoding="utf-8") as nothing:
        before, sys.stdin = sys.stdin, nothing
        try:
            yield ((n, line.decode("utf-8", "surrogateescape")) for n, line in enumerate(iter(source.readline, b""), 1))
        finally:
            sys.stdin = before


def _lines_typed(session: Session) -> Iterator[tuple[int, str]]:
    # A terminal without cursor movement has no place for a menu.
    is_able = os.environ.get("TERM", "dumb") not in ("dumb", "unknown")
    history = History()
    read = (prompt_reader(history) if is_able else None) or readline_reader(history)
    return _typed(read, f"mqx {session.qmgr}> " if session.qmgr else "mqx> ")


def _typed(read: Callable[[str], str], prompt: str) -> Iterator[tuple[int, str]]:
    while True:
        try:
            yield 0, read(prompt)
        except EOFError:
            command_session.print_error_line("")
            return
        except KeyboardInterrupt:
            command_session.print_error_line("")


def _run_line(session: Session, line: str, place: str) -> int | None:
    """Run one line; return its exit status, None for the end of the shell."""
    try:
        words = shlex.split(line, comments=True)
    except ValueError as error:
        session.report_error(UsageError(f"{place}{error}"))
        return USAGE
    if words[:1] == ["mqx"]:
        words = words[1:]
    if not words:
        return DONE
    if words[0] in _ENDS:
        return None
    if words[0] in _HELP:
        words = [*words[1:], "--help"]
    if words[0] == "shell":
        session.report_error(UsageError(f"{place}mqx shell cannot run in itself"))
        return USAGE
    return _run(session, words)


def _run(session: Session, words: list[str]) -> int:
    inner = session.replace(command="", queue=None, arguments=[], elsewhere="")
    with kept_protection():
        status = run_line(inner, words)
    close_all()
    return status
