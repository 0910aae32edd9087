"""``mqx shell``: many command lines in one process, typed with completion and history, or read from standard input."""

from __future__ import annotations

import os
import shlex
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from mqtools.configuration.paths import state_path
from mqtools.mqi.open_files import close_all

from .shared import click_options, command_session
from .shared.command_session import DONE, INTERRUPTED, TERMINATED, USAGE, Session, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

_ENDS = ("exit", "quit")
#: Lines that the history keeps.
_HISTORY = 1000


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
    other general options of mqx shell apply to all lines. On a terminal commands, options, queues and ids are completed
    with tab, and lines are kept in $XDG_STATE_HOME/mqx/shell-history. Fed from standard input it runs many commands
    without starting a process for each; they have no input of their own.

    Exit status: that of the last command.
    """
    is_typed = sys.stdin.isatty() and sys.stdout.isatty()
    status = DONE
    with _lines_typed(session) if is_typed else _lines_read() as lines:
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


@contextmanager
def _lines_typed(session: Session) -> Iterator[Iterator[tuple[int, str]]]:
    """Yield the lines that are typed at the terminal, with completion and history."""
    import readline

    path = state_path("shell-history")
    try:
        readline.read_history_file(path)
    except OSError:
        readline.clear_history()
    readline.set_history_length(_HISTORY)
    readline.set_completer(_Completer().complete)
    readline.set_completer_delims(" \t\n")
    readline.parse_and_bind("tab: complete")
    prompt = f"mqx {session.qmgr}> " if session.qmgr else "mqx> "
    try:
        yield _typed(prompt)
    finally:
        _write_history(path)


def _typed(prompt: str) -> Iterator[tuple[int, str]]:
    while True:
        try:
            yield 0, input(prompt)
        except EOFError:
            command_session.print_error_line("")
            return
        except KeyboardInterrupt:
            command_session.print_error_line("")


def _write_history(path: str) -> None:
    """Write the history, readable by the user only; without a place for it none is kept."""
    import readline

    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))
        readline.write_history_file(path)
    except OSError:
        return


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
    if words[0] == "shell":
        session.report_error(UsageError(f"{place}mqx shell cannot run in itself"))
        return USAGE
    return _run(session, words)


def _run(session: Session, words: list[str]) -> int:
    from . import _dispatch

    inner = Session(
        session.qmgr, session.output, session.quiet, session.verbose, session.debug, session.color, session.yes,
        session.wide,
    )  # fmt: skip
    with click_options.kept_protection():
        status = command_session.run_guarded(inner, lambda: _dispatch(inner, words), words)
    close_all()
    return status


class _Completer:
    """Completion of a line by the engine that completes command lines in shells."""

    def __init__(self) -> None:
        self._found: list[str] = []

    def complete(self, text: str, state: int) -> str | None:
        """Return the completion of that number; None after the last one."""
        if state == 0:
            self._found = self._candidates(text)
        return self._found[state] if state < len(self._found) else None

    def _candidates(self, text: str) -> list[str]:
        import readline

        from click.shell_completion import ShellComplete

        from ._cli import mqx
        from .completion import VARIABLE, add_completion

        try:
            words = shlex.split(readline.get_line_buffer()[: readline.get_begidx()])
        except ValueError:
            return []
        add_completion(mqx)
        os.environ[VARIABLE] = "shell"  # commands that are loaded meanwhile get completion of their values
        try:
            items = ShellComplete(mqx, {}, "mqx", VARIABLE).get_completions(words, text)
        finally:
            del os.environ[VARIABLE]
        return [f"{item.value} " for item in items if item.type == "plain"]
