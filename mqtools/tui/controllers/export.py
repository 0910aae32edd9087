"""Keys that export messages: to the terminal's clipboard, or to a file."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from time import ctime
from typing import NamedTuple, TypeAlias

from mqtools.errors import MQError
from mqtools.formats.dump.writer import dump_header
from mqtools.formats.hexdump import hexdump
from mqtools.formats.phrases import grouped
from mqtools.formats.terminal import visible
from mqtools.operations.stored_messages import load_data, load_message
from mqtools.operations.unload import dump_text
from mqtools.operations.views.message_envelope import envelope_text
from mqtools.operations.views.message_view import Database, StoredMessage
from mqtools.operations.views.queue_pages import END, QueuePages
from mqtools.tui.background.mark_job import keys_between
from mqtools.tui.controllers.controller import Controller, check_at_once
from mqtools.tui.controllers.marks import Marks
from mqtools.tui.controllers.work import WorkController
from mqtools.tui.dialogs.standard import ChoiceDialog, InputDialog
from mqtools.tui.display.detail import Body
from mqtools.tui.display.outcome import Outcome, format_count
from mqtools.tui.display.times import UTC_TIME, to_datetime

#: Returns keys of messages.
Keys: TypeAlias = Callable[[Database], Iterable[int]]


#: Most bytes that are copied: terminals drop longer sequences.
_MOST_COPIED = 100_000
#: Characters of it that the notification shows.
_NAMED = 60
#: Most messages that a command line names.
_MOST_IDS = 100

DUMP, JSON_LINES, BYTES = "dump", "jsonl", "bin"
#: End of a file's name -> what is written.
_FORMS = {".dump": DUMP, ".jsonl": JSON_LINES, ".json": JSON_LINES, ".ndjson": JSON_LINES, ".bin": BYTES}
_FORM_CHOICES = (
    ("j", JSON_LINES, "JSON lines, with descriptor and properties"),
    ("d", DUMP, "a dump, as mqx unload writes it"),
    ("b", BYTES, "the bytes of the data alone"),
)

_COPY = (
    ("i", "id", "the message id"),
    ("b", "body", "the body as text, without headers"),
    ("h", "hex", "the data in hex"),
    ("j", "json", "the message as JSON"),
    ("c", "command", "as a command line"),
    ("q", "queue", "the name of the queue"),
)


@dataclass(eq=False)
class Export(Controller):
    """Keys that copy messages out of the queue manager."""

    work: WorkController
    marks: Marks

    @property
    def _origin(self) -> _Origin:
        messages = self.browser.messages
        return _Origin(self.browser.session.q_mgr_name, messages.q_name, messages.at)

    def copy(self) -> None:
        if self.browser.messages.q_name:
            self.browser.show(ChoiceDialog("Copy to the clipboard", _COPY), self._copy)

    def _copy(self, what: str) -> None:
        browser, row = self.browser, self.browser.current
        q_name, at, session = browser.messages.q_name, browser.messages.at, browser.session
        if what == "queue":
            self._send(q_name)
        elif what == "command":
            if self.marks.refuses_while_marking():
                return
            keys = self.marks.chosen
            option = ["--all-states"] if session.elsewhere is None else []
            words = ["mqx", "browse", q_name, "-m", session.place, *option]
            browser.ask(lambda db: _command_line(db, words, keys, at), self._send)
        elif row is not None:
            origin, is_cut = self._origin, what in ("body", "hex") and row.length > _MOST_COPIED
            part = f", the first {grouped(_MOST_COPIED)} of {grouped(row.length)} bytes" if is_cut else ""
            send = partial(self._send, part=part)
            browser.ask(lambda db: _text_of_message(db, row.seq, what, origin), send)

    def _send(self, text: str, part: str = "") -> None:
        """Copy a text to the clipboard. part: words for what it is of a message that is longer."""
        self.browser.app.copy_to_clipboard(text)
        beginning = text if len(text) <= _NAMED else f"{text[:_NAMED]}…"
        self.browser.say(f"sent to the terminal's clipboard{part}: {beginning}")

    def write(self) -> None:
        """Ask for a file, and write the marked messages, or the one under the cursor, to it; of the past all listed."""
        browser, source = self.browser, self.browser.message_list.source
        if browser.past.state:
            if source is not None and browser.messages.total:
                total = browser.messages.total
                self._ask_for_file(partial(_listed_keys, source=source), total, format_count(total))
        elif keys := self.marks.selected:
            self._ask_for_file(lambda _: keys, len(keys), self.marks.count(keys))

    def _ask_for_file(self, read: Keys, number: int, count: str) -> None:
        """Ask for a file. read: returns the keys of the messages to write.  number, count: of them, and in words."""
        what = f"{count} from {self.browser.messages.q_name}{self.browser.past.as_it_was}"
        title = f"Write {what} to (.jsonl, .dump, .bin)"

        def take(path: str) -> None:
            if os.path.lexists(path):
                question = f"{path} exists. Write {count} over it?"
                self.browser.confirm(question, "Write", partial(choose, path))
            else:
                choose(path)

        def choose(path: str) -> None:
            """Ask for the form where the end of the name does not tell it."""
            write = partial(self._write, what, read, number, path)
            form = _FORMS.get(os.path.splitext(path)[1].lower())
            if form is None:
                self.browser.show(ChoiceDialog(f"Write {what} to {path} as", _FORM_CHOICES), write)
            else:
                write(form)

        self.browser.show(InputDialog(title), take, check_at_once(_path_to_write))

    def _write(self, what: str, read: Keys, number: int, path: str, form: str) -> None:
        outcome, origin = Outcome(number, to=path), self._origin
        self.work.read_job(
            f"Write {what} to {path}",
            "wrote",
            lambda db: _write_file(db, path, read(db), outcome, form, origin),
            number,
        )


def _path_to_write(words: str) -> str:
    """Return the path of a file. Raises ValueError: it cannot be written there."""
    path = os.path.expanduser(words)
    folder = os.path.dirname(path) or "."
    if os.path.isdir(path):
        raise ValueError(f"{path} is a folder")
    if not os.path.isdir(folder):
        raise ValueError(f"folder {folder} does not exist")
    return path


def _listed_keys(db: Database, source: QueuePages) -> Iterator[int]:
    return (seq for page in keys_between(db, source, 0, END) for seq in page)


class _Origin(NamedTuple):
    """Where messages come from. at: the instant that is listed, milliseconds since 1970; None for the present."""

    q_mgr_name: str
    q_name: str
    at: int | None


def _text_in_file(db: Database, stored: StoredMessage, number: int, form: str, origin: _Origin) -> bytes:
    """Return what a file has of a message. number: of it in the file, from 1.  form: DUMP, JSON_LINES or BYTES."""
    if form == DUMP:
        return dump_text(db, stored, number, origin.at)
    if form == JSON_LINES:
        return f"{envelope_text(db, stored, *origin)}\n".encode("utf-8", "surrogatepass")
    return (b"\n" if number > 1 else b"") + load_data(db, stored.seq)


def _write_file(
    db: Database, path: str, keys: Iterable[int], outcome: Outcome, form: str, origin: _Origin
) -> Iterator[Outcome]:
    """Write messages to a file; yield the outcome after each. A new file is readable by its owner only.

    Raises OSError.
    """
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        if form == DUMP:
            file.write(dump_header(origin.q_mgr_name, origin.q_name, ctime()))
        for seq in keys:
            stored = load_message(db, seq)
            if stored is None:
                outcome.gone += 1
            else:
                outcome.done += 1
                file.write(_text_in_file(db, stored, outcome.done, form, origin))
            yield outcome


def _command_line(db: Database, words: list[str], keys: list[int], at: int | None) -> str:
    """Return the mqx command that shows the same messages. words: it begins with them.

    at: the instant that is listed, milliseconds since 1970; None for the present.  Raises ValueError: too many for one.
    """
    if len(keys) > _MOST_IDS:
        raise ValueError(f"{format_count(len(keys))} are too many for a command line; write them to a file")
    if at is not None:
        instant = to_datetime(at, UTC_TIME).replace(tzinfo=None)
        words += ["--at", f"{instant.isoformat(timespec='milliseconds')}Z"]
    for seq in keys:
        stored = load_message(db, seq)
        if stored is not None:
            words += ["--msg-id", stored.md.msg_id.hex().upper()]
    return shlex.join(words)


def _text_of_message(db: Database, seq: int, what: str, origin: _Origin) -> str:
    stored = load_message(db, seq)
    if stored is None:
        raise MQError("the message is gone", 2033)
    if what == "id":
        return stored.md.msg_id.hex().upper()
    if what == "json":
        return envelope_text(db, stored, *origin)
    data = load_data(db, seq, _MOST_COPIED)
    if what == "hex":
        return "\n".join(hexdump(data, ebcdic=True))
    return visible(Body(stored, data).text, "\n\t")
