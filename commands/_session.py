"""The one boundary of a command: its queue manager, its notes to stderr, and what an error becomes."""

from __future__ import annotations

import errno
import os
import sys

from mqtools.errors import MQError
from mqtools.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

    from mqtools.qmgr.connection import Connection

DONE, FAILED, USAGE, NOTHING_THERE, WARNING, UNKNOWN, IN_USE, LIMIT, FORBIDDEN, PARTLY, STORAGE = range(11)
INTERRUPTED, CLOSED_PIPE, TERMINATED = 130, 141, 143


class UsageMistake(Exception):
    """Raised when the words of a command line do not make sense together; hint: what would."""

    def __init__(self, text: str, hint: str | None = None) -> None:
        super().__init__(text)
        self.hint = hint


class Session(Record):
    """What the general options say, the same for every subcommand.

    qmgr: as given with -m.  output: as given with -o, or None for the command's default.
    color: auto, always or never.
    """

    __slots__ = ("qmgr", "output", "quiet", "verbose", "debug", "color", "yes")

    def __init__(
        self,
        qmgr: str | None = None,
        output: str | None = None,
        quiet: bool = False,
        verbose: int = 0,
        debug: bool = False,
        color: str = "auto",
        yes: bool = False,
    ) -> None:
        self.qmgr = qmgr
        self.output = output
        self.quiet = quiet
        self.verbose = verbose
        self.debug = debug
        self.color = color
        self.yes = yes

    def connect(self, q_mgr_name: str | None = None) -> Connection:
        """Connect to the queue manager of -m, or to one named otherwise."""
        from mqtools.qmgr.connection import connect

        return connect(q_mgr_name or self.qmgr, appl_name="mqx")

    def note(self, text: str) -> None:
        """Say something on stderr, unless told to be quiet."""
        if not self.quiet:
            say(text)

    def confirm(self, question: str) -> None:
        """Ask before something is destroyed; without a terminal ``--yes`` is needed. Raises UsageMistake."""
        if self.yes:
            return
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise UsageMistake(f"{question} needs --yes where nobody can be asked")
        sys.stderr.write(f"{question}? [y/N] ")
        sys.stderr.flush()
        if sys.stdin.readline().strip().lower() not in ("y", "yes"):
            raise UsageMistake("not done")


def say(text: str) -> None:
    """Write a line to stderr; what a message could have put into it is made visible."""
    from mqtools.formats.terminal import visible

    try:
        sys.stderr.write(visible(text, keep="\n") + "\n")
        sys.stderr.flush()
    except OSError:
        return  # nobody listens to stderr any more


def write_out(data: bytes) -> None:
    """Write bytes to stdout and flush them, so that what was written is known."""
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def write_line(text: str) -> None:
    """Write a line of text to stdout."""
    sys.stdout.buffer.write(text.encode("utf-8", "surrogatepass") + b"\n")


def guarded(command: Callable[[], int], arguments: list[str]) -> int:
    """Run a command; turn every error into a line on stderr and an exit status."""
    try:
        status = command()
        sys.stdout.flush()
        return status
    except MQError as error:
        return _report(error, arguments)
    except UsageMistake as mistake:
        return _usage(str(mistake), mistake.hint, arguments)
    except BrokenPipeError:
        return CLOSED_PIPE
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:
        return _system(error, arguments)
    except Exception as error:
        if "--debug" in arguments:
            raise
        say(f"mqx: unexpected {type(error).__name__}: {error}")
        say("hint: --debug shows where")
        return FAILED


def status_of(error: MQError) -> int:
    """Give the exit status of a call that failed."""
    from mqtools.rules.exit_status import exit_status

    return exit_status(error.reason, error.comp_code)


def wants_json(arguments: list[str]) -> bool:
    """Tell whether errors are to be JSON: when the output is."""
    return any(
        word in ("-ojson", "-ojsonl", "--output=json", "--output=jsonl")
        or (word in ("-o", "--output") and arguments[n + 1 : n + 2] in (["json"], ["jsonl"]))
        for n, word in enumerate(arguments)
    )


def _report(error: MQError, arguments: list[str]) -> int:
    if "--debug" in arguments:
        import traceback

        traceback.print_exc()
    caret = getattr(error, "caret", None)
    if wants_json(arguments):
        from mqtools.formats.jsontext import dumps

        detail = {"mqcc": error.comp_code, "reason": error.reason, "name": error.reason_name, "message": error.text}
        say(dumps({"error": detail}))
    else:
        say(f"mqx: {error}")
        if callable(caret):
            say(caret())
        if error.hint:
            say(f"hint: {error.hint}")
    return status_of(error)


def _usage(text: str, hint: str | None, arguments: list[str]) -> int:
    if wants_json(arguments):
        from mqtools.formats.jsontext import dumps

        say(dumps({"error": {"mqcc": 2, "reason": 0, "name": "usage", "message": text}}))
    else:
        say(f"mqx: {text}")
        if hint:
            say(f"hint: {hint}")
    return USAGE


def _system(error: OSError, arguments: list[str]) -> int:
    where = f"{error.filename}: " if error.filename else ""
    text = f"{where}{error.strerror or error}"
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EIO):
        say(f"mqx: {text}")
        return STORAGE
    return _usage(text, None, arguments)


def end_process(status: int) -> NoReturn:
    """End at once: what was committed is on disk, and tearing down costs more than it gives."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            status = status or CLOSED_PIPE
    os._exit(status)
