"""Implementation of ``mqx qmgr``: choice of the queue manager, backups, and rows about queue managers."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from mqtools.admin import backup, compaction, queue_managers
from mqtools.admin.backup import BackupResult
from mqtools.configuration import locate
from mqtools.constants.reasons import MQRC_OBJECT_ALREADY_EXISTS
from mqtools.errors import MQError
from mqtools.formats.phrases import counted
from mqtools.formats.rows import Column

from ..shared import command_session, output_rows
from ..shared.command_session import DONE, JSON, WARNING, Session, UsageError, end_on_sigterm
from ..shared.progress import ProgressBar, StatusLine

#: Seconds of work until a terminal shows progress.
_PATIENCE_S = 1.0
#: Bytes of a backup that are written to standard output at once.
_PART = 1 << 20


COLUMNS = (
    Column("name", "NAME"),
    Column("state", "STATE"),
    Column("path", "PATH", rank=5),
    Column("default", "DEFAULT", rank=2),
    Column("profile", "PROFILE", rank=4),
    Column("queues", "QUEUES", "right", rank=3),
)


def one_name(session: Session, name: str | None) -> str | None:
    """Return the queue manager of the argument or of -m; None for the default one."""
    if name and session.qmgr and name != session.qmgr:
        raise UsageError(f"{name} and -m {session.qmgr} name different queue managers")
    return name or session.qmgr


def require_name(session: Session, name: str | None) -> str:
    """Return the queue manager of the argument or of -m. Raise UsageError without one."""
    chosen = one_name(session, name)
    if not chosen:
        raise UsageError("the name of the queue manager is missing")
    return chosen


def back_up(session: Session, path: str, file: str, *, force: bool) -> int:
    """Copy a queue manager to a file and print the size of the copy and the number of messages."""
    done = _copy(session, path, file, force=force)
    return _show_copied(session, f"queue manager {done.name} backed up", done)


def back_up_to_stdout(session: Session, path: str) -> int:
    """Write a copy of a queue manager to standard output, when it is complete and verified."""
    if session.output is not None:
        raise UsageError("the output is the backup: -o does not apply")
    if sys.stdout.isatty():
        raise UsageError("cannot write a backup to a terminal")
    with tempfile.TemporaryDirectory() as folder:
        done = _copy(session, path, os.path.join(folder, "backup.db"), force=False)
        with open(done.path, "rb") as file:
            while part := file.read(_PART):
                command_session.write_out(part)
    return _show_copied(session, f"queue manager {done.name} backed up", replace(done, path="standard output"))


def _copy(session: Session, path: str, file: str, *, force: bool) -> BackupResult:
    with _existing_is_usage(), ProgressBar(session, "backing up (MiB)", None) as bar:
        return backup.back_up(path, file, force=force, progress=lambda done, total: bar.show(done >> 20, total >> 20))


def restore(session: Session, file: str, name: str | None, *, force: bool) -> int:
    """Restore a queue manager from a backup and print its size and the number of messages."""
    with _existing_is_usage():
        done = backup.restore(file, name, force=force)
    return _show_copied(session, f"queue manager {done.name} restored", done)


@contextmanager
def _existing_is_usage() -> Iterator[None]:
    try:
        yield
    except MQError as error:
        if error.reason != MQRC_OBJECT_ALREADY_EXISTS:
            raise
        raise UsageError(error.text, error.hint) from error


def _show_copied(session: Session, words: str, done: BackupResult) -> int:
    session.note(f"{words}: {done.path}, {done.size} bytes, {counted(done.messages)}")
    if session.output is not None:
        row = {"name": done.name, "path": done.path, "bytes": done.size, "messages": done.messages}
        output_rows.print_rows(session, [row], [Column(name, name.upper()) for name in row])
    return DONE


def show_if_requested(session: Session, path: str, **more: object) -> int:
    """Print the queue manager of a command, if an output format was requested."""
    if session.output is not None:
        shown = {**row(queue_managers.describe(path), queue_managers.default_path(), session.output), **more}
        output_rows.print_rows(session, [shown], COLUMNS)
    return 0


def compact(session: Session, path: str) -> int:
    """Reduce the file of a queue manager, and print how much space was freed."""
    name = locate.name_of_path(path)
    begun = time.monotonic()
    with StatusLine(session) as line:

        def tick() -> None:
            if line.is_shown and time.monotonic() - begun > _PATIENCE_S:
                line.show(f"rewriting the file of {name},  {time.monotonic() - begun:.0f} s")

        end_on_sigterm()
        done = compaction.compact(path, tick)
    words = f"{done.before} bytes before, {done.after} now"
    if done.after >= done.before:
        words = "no space was freed yet" if done.is_held else "no space to free"
    session.note(f"queue manager {name}: {words}")
    if done.is_held:
        session.note("hint: a program still reads the previous state; run the command again when it has ended")
    show_if_requested(session, path, bytes_before=done.before, bytes_after=done.after)
    return WARNING if done.is_held else DONE


def row(one: queue_managers.Description, default: str | None, output: str) -> dict[str, Any]:
    is_default: Any = one.path == default
    if output in ("table", "plain"):
        is_default = "*" if is_default else ""
    row: dict[str, Any] = {
        "name": one.name,
        "state": one.state,
        "path": one.path,
        "default": is_default,
        "profile": one.profile or None,
        "queues": one.queues,
    }
    if one.error is not None and output in JSON:
        row["error"] = one.error.text
    return row
