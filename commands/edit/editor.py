"""Editing of one message in an editor: locked while the editor runs, replaced when the result is a valid message."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import KW_ONLY, dataclass

from mqtools.configuration import settings
from mqtools.constants.options import (
    MQGMO_ACCEPT_TRUNCATED_MSG,
    MQGMO_BROWSE_FIRST,
    MQGMO_LOCK,
    MQMO_MATCH_MSG_TOKEN,
    MQOO_BROWSE,
    MQOO_INPUT_AS_Q_DEF,
)
from mqtools.errors import MQError, NoMessageAvailable
from mqtools.formats.editable import difference, from_text, to_text
from mqtools.formats.terminal import visible
from mqtools.message import Message
from mqtools.mqi.connection import Connection
from mqtools.mqi.get.search import token_of
from mqtools.mqi.identity import now_ms
from mqtools.operations import edit
from mqtools.operations.edit import Changes
from mqtools.operations.selection import Selection
from mqtools.operations.stored_messages import as_message, load_data, load_message

from ..shared.command_session import Session, UsageError, print_error_line, write_line
from ..shared.counts import print_totals
from ..shared.read_only import fetch
from ..shared.trash_notice import words

_LOCK = MQGMO_BROWSE_FIRST | MQGMO_LOCK | MQGMO_ACCEPT_TRUNCATED_MSG


@dataclass(frozen=True, slots=True)
class EditRequest:
    """Request of ``mqx edit``. changes: None for an editor.  no_trash: do not keep the replaced messages."""

    queue: str
    selection: Selection
    changes: Changes | None = None
    _: KW_ONLY
    no_trash: bool = False
    dry_run: bool = False


class _InvalidEdit(Exception):
    """Raised when the editor's result is not a valid message; its argument is the problem."""


def edit_with_editor(session: Session, connection: Connection, request: EditRequest, seq: int) -> int:
    """Open one message in an editor and replace it. The lock ends with this process."""
    command = _editor()
    fetch(connection, [seq])
    with connection.open(request.queue, MQOO_BROWSE | MQOO_INPUT_AS_Q_DEF) as handle:
        handle.get(_LOCK, match_options=MQMO_MATCH_MSG_TOKEN, msg_token=token_of(seq), max_length=0)
        stored = load_message(connection, seq)
        if stored is None:
            raise NoMessageAvailable(f"the message is no longer on queue {request.queue}")
        before = as_message(stored, load_data(connection, seq), now_ms())
        draft = _Draft(before)
        try:
            after = _edit_until_valid(session, connection, request, seq, draft, command)
            if after is not None and not request.dry_run:
                edit.replace_locked(connection, request.queue, seq, handle.id, before, after)
        except BaseException:
            draft.leave()
            raise
        draft.remove()
    _print_result(session, connection, request, is_changed=after is not None)
    return 0


def _print_result(session: Session, connection: Connection, request: EditRequest, *, is_changed: bool) -> None:
    if request.dry_run:
        counts = {"edited": 0, "would_edit": int(is_changed), "unchanged": int(not is_changed)}
        print_totals(session, "would have edited 1 message" if is_changed else "unchanged", int(is_changed), counts)
        return
    counts = {"edited": int(is_changed), "unchanged": int(not is_changed)}
    text = f"edited 1 message on {request.queue}{words(session, connection)}" if is_changed else "unchanged"
    print_totals(session, text, int(is_changed), counts)


def _editor() -> str:
    """Return the editor command. Raise UsageError when none is configured and there is no terminal."""
    explained = settings.explain(settings.find(settings.EDITOR))
    if explained.origin == settings.DEFAULT and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError(
            "cannot start an editor: not a terminal", "set $VISUAL or $EDITOR, or use --set, --body-from, ..."
        )
    return explained.value


class _Draft:
    """Text in the editor, in a file that only its owner can read."""

    def __init__(self, before: Message) -> None:
        self.before = before
        self.text = to_text(before)
        self._folder = tempfile.mkdtemp(prefix="mqx-edit-")
        self.path = os.path.join(self._folder, f"{before.md.msg_id.hex().upper()}.json")
        with open(os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(self.text)

    def read(self) -> str:
        """Return the edited text. Raise _InvalidEdit when it is not text."""
        try:
            with open(self.path, encoding="utf-8") as file:
                return file.read()
        except (UnicodeDecodeError, FileNotFoundError) as error:
            raise _InvalidEdit(f"{self.path}: {error}") from error

    def remove(self) -> None:
        """Delete the file, and backup files of the editor."""
        for name in os.listdir(self._folder):
            os.unlink(os.path.join(self._folder, name))
        os.rmdir(self._folder)

    @property
    def is_edited(self) -> bool:
        try:
            return self.read() != self.text
        except _InvalidEdit:
            return os.path.exists(self.path)

    def leave(self) -> None:
        """Keep an edited file and print its path; delete an unedited one."""
        if self.is_edited:
            print_error_line(f"the edited text is kept in {self.path}")
        else:
            self.remove()


def _edit_until_valid(
    session: Session, connection: Connection, request: EditRequest, seq: int, draft: _Draft, command: str
) -> Message | None:
    """Run the editor until its result is a valid message or the user gives up; return None when nothing changed."""
    while True:
        try:
            _run(command, draft.path)
            after = _read(connection, request, seq, draft)
        except _InvalidEdit as mistake:
            if _is_to_try_again(session, str(mistake)):
                continue
            raise UsageError(str(mistake)) from mistake
        if after is not None:
            show_difference(session, draft.before, after, dry_run=request.dry_run)
        return after


def _run(command: str, path: str) -> None:
    """Run the editor in the terminal; an interrupt goes to the editor."""
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        done = subprocess.run(["/bin/sh", "-c", f'{command} "$1"', "mqx", path], check=False)
    finally:
        signal.signal(signal.SIGINT, before)
    if done.returncode:
        raise _InvalidEdit(f"the editor ended with status {done.returncode}: {command}")


def _read(connection: Connection, request: EditRequest, seq: int, draft: _Draft) -> Message | None:
    text = draft.read()
    if text == draft.text:
        return None
    try:
        after = from_text(text, draft.before, draft.path)
    except MQError as error:
        raise _InvalidEdit(str(error)) from error
    if after == draft.before:
        return None
    wrong = edit.check(connection, request.queue, seq, draft.before, after)
    if wrong is not None:
        raise _InvalidEdit(str(wrong))
    return after


def _is_to_try_again(session: Session, mistake: str) -> bool:
    """Ask whether to open the editor again; return False without a terminal."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    session.report_error(UsageError(mistake))
    sys.stderr.write(f"{visible('edit again')}? [Y/n] ")
    sys.stderr.flush()
    answer = sys.stdin.readline()
    if not answer:
        sys.stderr.write("\n")  # ctrl+d: the end of the input is no answer, and means no
    return bool(answer) and answer.strip().lower() in ("", "y", "yes")


def show_difference(session: Session, before: Message, after: Message, *, dry_run: bool) -> None:
    """Print what an edit changes: for a dry run without JSON output on stdout, else on stderr."""
    is_data = dry_run and session.output is None
    for line in difference(before, after, before.md.msg_id.hex().upper()):
        if is_data:
            write_line(line)
        else:
            session.note(line)
