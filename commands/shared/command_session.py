"""Session of a command: its queue manager, its messages to stderr, and the exit status of an error."""

from __future__ import annotations

import _signal
import errno
import os
import sys
import time

from mqtools.configuration.locate import elsewhere_error, is_elsewhere, requested_qmgr
from mqtools.constants.objects import MQIA_CURRENT_Q_DEPTH
from mqtools.constants.options import MQOO_FAIL_IF_QUIESCING, MQOO_INQUIRE
from mqtools.constants.reasons import MQRC_RESOURCE_PROBLEM, MQRC_STORAGE_MEDIUM_FULL, MQRC_STORAGE_NOT_AVAILABLE
from mqtools.errors import MQError, SelectorSyntaxError
from mqtools.errors import UsageError as UsageError
from mqtools.mqi import begin_process, close_all
from mqtools.records import OptionRecord

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import NoReturn

    from mqtools.mqi.connection import Connection
    from mqtools.mqi.interface import QueueManagerConnection

    from .guarded_connection import GuardedConnection

DONE, FAILED, USAGE, NOTHING_THERE, WARNING, UNKNOWN, IN_USE, LIMIT, FORBIDDEN, PARTLY, STORAGE = range(11)
INTERRUPTED, CLOSED_PIPE, TERMINATED = 130, 141, 143

#: Seconds within which the same signal counts once: timeout(1) sends each signal twice.
SAME_SIGNAL_S = 0.05

#: Output formats in which totals and errors are JSON too.
JSON = ("json", "jsonl")
#: Output formats of messages: exact (raw), or one row or object each.
MESSAGES = ("raw", "jsonl", "json", "table", "plain", "csv", "hex", "listing")
#: Former name of a format to its name.
FORMER_NAMES = {"dump": "listing"}

#: Error of a file that says that its disk has no room or does not work, to its reason. Any other is a usage error.
_STORAGE_ERRORS = {
    errno.ENOSPC: MQRC_STORAGE_MEDIUM_FULL,
    errno.EDQUOT: MQRC_STORAGE_MEDIUM_FULL,
    errno.EFBIG: MQRC_STORAGE_MEDIUM_FULL,
    errno.EIO: MQRC_RESOURCE_PROBLEM,
    errno.EMFILE: MQRC_RESOURCE_PROBLEM,
    errno.ENFILE: MQRC_RESOURCE_PROBLEM,
}
_TOO_FEW_DESCRIPTORS = "too few file descriptors are left in this process (ulimit -n) or on this system"


class Declined(Exception):
    """Raised when a question was answered with no: nothing was done."""


class Terminated(SystemExit):
    """Raised by SIGTERM where a command must release something before it ends."""

    def __init__(self) -> None:
        super().__init__(TERMINATED)


class Session(OptionRecord):
    """General options of a command line.

    qmgr: value of -m.  output: value of -o, or None for the command's default.
    color: auto, always or never.  wide: cut no cells of tables.  command, queue: named in error messages.
    arguments: the whole command line, for hints that repeat it.
    read_write: --read-write.  password: of $MQX_PASSWORD, which is not handed to other programs.
    elsewhere: the queue manager elsewhere that it is connected to, in words; else empty.
    """

    qmgr: str | None = None
    output: str | None = None
    quiet: bool = False
    verbose: int = 0
    debug: bool = False
    color: str = "auto"
    yes: bool = False
    wide: bool = False
    command: str = ""
    queue: str | None = None
    arguments: list[str] = []
    read_write: bool = False
    elsewhere: str = ""
    password: str | None = None

    @property
    def list_output(self) -> str:
        """Output format of a list: the requested one, else a table on a terminal and plain lines in a pipe."""
        return self.output or ("table" if sys.stdout.isatty() else "plain")

    def connect(self, q_mgr_name: str | None = None, *, for_reader: bool = False) -> Connection:
        """Connect to the given queue manager, else to that of -m. Raise UsageError for one elsewhere.

        for_reader: its waits raise BrokenPipeError when the reader of the output is gone.
        """
        from mqtools.mqi import connection

        if not for_reader:
            return connection.connect(q_mgr_name or self.qmgr, appl_name="mqx")
        from mqtools.operations.output_reader import ReadConnection

        return connection.connect(q_mgr_name or self.qmgr, appl_name="mqx", kind=ReadConnection)

    def connect_anywhere(
        self, q_mgr_name: str | None = None, *, changes: bool, for_reader: bool = False
    ) -> QueueManagerConnection:
        """Connect as ``connect``, also to a queue manager elsewhere; ``elsewhere`` is set then.

        changes: the command changes something. Raise MQError (MQRC_NOT_AUTHORIZED) for a read-only remote.
        """
        name = requested_qmgr(q_mgr_name or self.qmgr)[0]
        if name and is_elsewhere(name):
            return self.connect_elsewhere(name, changes=changes, for_reader=for_reader)
        if for_reader:
            return self.connect(q_mgr_name, for_reader=True)
        from mqtools.mqi.connection import connect

        return connect(q_mgr_name or self.qmgr, appl_name="mqx")

    def connect_elsewhere(
        self, name: str | None = None, *, changes: bool, for_reader: bool = False
    ) -> GuardedConnection:
        """Connect to the remote or address of that name, else to that of -m, as ``connect_anywhere``."""
        from .elsewhere import connect_elsewhere

        name = name or requested_qmgr(self.qmgr)[0] or ""
        command = self.command if changes else ""
        there = connect_elsewhere(
            name, self.password, changes=command, read_write=self.read_write, for_reader=for_reader
        )
        there.reconnected = lambda: self.note(f"the connection to {name} was lost and restored")
        self.elsewhere = name if name == there.name else f"{name} (queue manager {there.name})"
        return there

    @property
    def is_elsewhere(self) -> bool:
        """Whether -m, $MQX_QMGR or the configuration names a queue manager elsewhere."""
        return is_elsewhere(requested_qmgr(self.qmgr)[0])

    def confirm_elsewhere(self, question: str) -> None:
        """Ask before a change of a queue manager elsewhere; ask nothing for one here. Raise Declined, UsageError."""
        if self.elsewhere:
            self.confirm(f"{question} at {self.elsewhere}")

    def confirm_removal(self, there: QueueManagerConnection, verb: str, q_name: str, limit: int | None = None) -> None:
        """Ask before messages are removed from a queue elsewhere. limit: of messages, None for all that match."""
        if not self.elsewhere or self.yes:
            return
        with there.open(q_name, MQOO_INQUIRE | MQOO_FAIL_IF_QUIESCING) as queue:
            depth = queue.inquire([MQIA_CURRENT_Q_DEPTH])[0]
        most = "all that match" if limit is None else f"at most {limit}"
        self.confirm(f"{verb} {most} of {depth} messages on {q_name} at {self.elsewhere}")

    def refuse_elsewhere(self, given: Mapping[str, object], *names: str) -> None:
        """Raise UsageError when -m names a queue manager elsewhere and a command has one of these options."""
        option = given_option(given, *names)
        name = requested_qmgr(self.qmgr)[0] or ""
        if option and is_elsewhere(name):
            raise elsewhere_error(name, option)

    def note(self, text: str) -> None:
        """Print a line on stderr, unless quiet."""
        if not self.quiet:
            print_error_line(text)

    def tell_person(self, text: str) -> None:
        """Print a line on stderr if it is a terminal: an empty result that a script sees by its exit status."""
        if sys.stderr.isatty():
            self.note(text)

    def report_error(self, error: Exception, done: str = "") -> None:
        """Print an error: one line and a hint, or one JSON object for JSON output.

        done: what was completed before and stays.
        """
        release_spare_descriptor()
        if self.output in JSON:
            print_error_line(_as_json(self, error, done))
            return
        print_error_line(f"mqx: {f'{self.command}: ' if self.command else ''}{error}", keep="")
        if isinstance(error, SelectorSyntaxError):
            print_error_line(error.selector, keep="")
            print_error_line(" " * len(one_line(error.selector[: error.position])) + "^")
        from .hints import hint_for

        hint = hint_for(self.arguments, error)
        if hint:
            print_error_line(f"hint: {hint}", keep="")
        if done:
            print_error_line(done)

    def confirm(self, question: str, otherwise: UsageError | None = None) -> None:
        """Ask for confirmation; without a terminal ``--yes`` is required. Raise Declined if it is refused.

        otherwise: error without a terminal, where another option than ``--yes`` is the one to give.
        """
        if self.yes:
            return
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise otherwise or UsageError(f"cannot {question} without confirmation", "--yes confirms it")
        sys.stderr.write(f"{one_line(question)}? [y/N] ")
        sys.stderr.flush()
        if sys.stdin.readline().strip().lower() not in ("y", "yes"):
            raise Declined("declined: nothing was changed")


def option_word(name: str) -> str:
    """Return the option of a parameter, as it is typed."""
    return f"--{name.replace('_', '-')}"


def given_option(given: Mapping[str, object], *names: str) -> str:
    """Return the first of some options that is set on a command line; empty where none is."""
    return next((option_word(name) for name in names if given[name]), "")


def as_text(word: str) -> str:
    """Return a word of the command line. Raise UsageError when it is not UTF-8."""
    try:
        word.encode("utf-8")
    except UnicodeEncodeError as error:
        raise UsageError(f"{word} is not UTF-8 text") from error
    return word


def one_line(text: str, keep: str = "") -> str:
    """Return a text with control characters made visible, line ends included, except for those in ``keep``."""
    from mqtools.formats.terminal import visible

    return visible(text, keep)


def print_error_line(text: str, keep: str = "\n") -> None:
    """Print a line on stderr with control characters made visible, except for those in ``keep``."""
    try:
        sys.stderr.write(one_line(text, keep) + "\n")
        sys.stderr.flush()
    except OSError:
        return  # stderr is closed


def write_out(data: bytes, *, flush: bool = True) -> None:
    """Write bytes to stdout and flush them; an error is raised here and not later.

    Without a buffer (PYTHONUNBUFFERED) a full disk accepts only a part.
    """
    rest = memoryview(data)
    while rest:
        written = sys.stdout.buffer.write(rest)
        if not written:
            raise BlockingIOError(errno.EAGAIN, "standard output accepts no data")
        rest = rest[written:]
    if flush:
        sys.stdout.buffer.flush()


def write_line(text: str) -> None:
    """Write a line of text to stdout."""
    write_out(text.encode("utf-8", "surrogatepass") + b"\n", flush=False)


def prepare(session: Session) -> None:
    """Print warnings about files as notes; keep files open until ``end_process``.

    Replace standard streams that are closed by streams that fail when used. Otherwise the next file to be opened, the
    queue manager's, would be the standard output.
    """
    if sys.stdin is None:
        _closed.append("standard input")
        sys.stdin = open(os.open(os.devnull, os.O_WRONLY), encoding="utf-8")  # noqa: SIM115
    if sys.stdout is None:
        _closed.append("standard output")
        sys.stdout = open(os.open(os.devnull, os.O_RDONLY), "w", encoding="utf-8")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")  # noqa: SIM115
    session.password = os.environ.pop("MQX_PASSWORD", None)
    begin_process(lambda words: session.note(f"mqx: {words}"))
    try:
        _spare.append(os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC))
    except OSError:
        return  # the first file to be opened says what is wrong


#: Names of the streams that were closed when the process began.
_closed: list[str] = []
#: A descriptor that is given up for the words of an error: they are in modules that may have to be loaded.
_spare: list[int] = []


def release_spare_descriptor() -> None:
    """Close the spare descriptor, so that an error can be reported when there is no other one left."""
    while _spare:
        os.close(_spare.pop())


def end_on_sigterm() -> None:
    """Make SIGTERM raise Terminated from now on, so that resources are released."""
    same_until = 0.0

    def stop(*_: object) -> None:
        nonlocal same_until
        now = time.monotonic()
        if now >= same_until:
            same_until = now + SAME_SIGNAL_S
            raise Terminated

    _signal.signal(_signal.SIGTERM, stop)


def exit_on_signal(number: int, _: object) -> NoReturn:
    """End the process at once. This is a signal handler for a command that has done its work."""
    os._exit(128 + number)


def report_failure(session: Session, error: Exception) -> int:
    """Print an error of a command line and return its exit status."""
    if wants_json(session.arguments):
        session.output = "json"
    debug = "--debug" in session.arguments
    release_spare_descriptor()
    if debug:
        import traceback

        traceback.print_exc()
    if isinstance(error, MemoryError):
        error = MQError("out of memory", MQRC_STORAGE_NOT_AVAILABLE)
    if isinstance(error, UnicodeEncodeError):
        error = UsageError(f"{error.object!r} cannot be written as UTF-8")
    if isinstance(error, MQError):
        session.report_error(error)
        return status_of(error)
    if isinstance(error, (UsageError, Declined)):
        session.report_error(error)
        return USAGE if isinstance(error, UsageError) else FAILED
    if isinstance(error, OSError):
        reason = _STORAGE_ERRORS.get(error.errno or 0)
        # An error of a file names it: only errors of the standard streams have no name.
        filename = error.filename or ("standard output" if reason == MQRC_STORAGE_MEDIUM_FULL else "")
        words = f"{f'{filename}: ' if filename else ''}{error.strerror or error}"
        if error.errno == errno.EBADF:
            words = f"{' or '.join(_closed)} is closed" if _closed else f"standard input or output: {words}"
        if error.errno in (errno.EMFILE, errno.ENFILE):
            words = _TOO_FEW_DESCRIPTORS  # the file may be one of mqx itself
        session.report_error(UsageError(words) if reason is None else MQError(words, reason))
        return USAGE if reason is None else STORAGE
    session.report_error(
        UsageError(f"unexpected {type(error).__name__}: {error}", None if debug else "use --debug for a traceback")
    )
    return FAILED


def status_of(error: MQError) -> int:
    from mqtools.rules.exit_status import exit_status

    return exit_status(error.reason, error.comp_code)


def wants_json(arguments: list[str]) -> bool:
    """Return whether errors are printed as JSON: when the output is."""
    return any(
        word in ("-ojson", "-ojsonl", "--output=json", "--output=jsonl")
        or (word in ("-o", "--output") and arguments[n + 1 : n + 2] in (["json"], ["jsonl"]))
        for n, word in enumerate(arguments)
    )


def _as_json(session: Session, error: Exception, done: str) -> str:
    from mqtools.formats.jsontext import dumps

    detail: dict[str, object] = {"comp_code": 2, "reason": 0, "name": "usage", "message": str(error)}
    if isinstance(error, MQError):
        detail.update(reason=error.reason, name=error.reason_name, message=error.text)
    q_name = getattr(error, "q_name", None)
    q_mgr_name = getattr(error, "q_mgr_name", None)
    if q_mgr_name is not None and q_name is None:
        detail["qmgr"] = q_mgr_name
    else:
        detail["queue"] = q_name or session.queue
    if done:
        detail["done"] = done
    return dumps({"error": detail})


def end_process(status: int) -> NoReturn:
    """Close the queue managers, so that each file is complete by itself, and end without interpreter cleanup."""
    for number in (_signal.SIGINT, _signal.SIGTERM):
        if _signal.getsignal(number) != _signal.SIG_IGN:
            _signal.signal(number, exit_on_signal)
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        status = status or CLOSED_PIPE
    close_all()
    os._exit(status)
