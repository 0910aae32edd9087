"""Actions on messages, with their dialogs: move, copy, delete, get, redrive, put, report, edit.

The messages of an action are fixed when its dialog opens; those that have gone meanwhile are skipped and counted.
"""

from __future__ import annotations

import os
import subprocess
import sys
import termios
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeAlias

from mqtools.configuration.paths import home
from mqtools.operations.elsewhere.push import ADDED, EQUAL, FROM_ELSEWHERE, NOT_HERE
from mqtools.operations.reports.generation import FORWARD, Order, check_order
from mqtools.operations.views.message_view import Database
from mqtools.rules.origins import NOT_REPLACED, REPLACED
from mqtools.tui.background import verbs
from mqtools.tui.background.source import read_rows
from mqtools.tui.background.verbs_elsewhere import REMOVED, copy_to_edit, drop_copy, push_edited
from mqtools.tui.background.writer import SessionWriter
from mqtools.tui.controllers.controller import BrowserScreen, Controller
from mqtools.tui.controllers.marks import Marks
from mqtools.tui.controllers.undo import EditedState, Undo, read_edited_state
from mqtools.tui.controllers.work import WorkController
from mqtools.tui.dialogs.forms import PUT_CHOICES, PUT_FIELDS, REPORT_FIELDS, build_message, build_report_order
from mqtools.tui.dialogs.standard import Check, ChoiceDialog, FormDialog
from mqtools.tui.dialogs.transfer import TransferDialog
from mqtools.tui.display.consequences import NAMED, describe_rows, explain_room, explain_targets
from mqtools.tui.display.outcome import Outcome, format_count
from mqtools.tui.display.row import Row

#: Does something to messages of a queue, by their keys.
Verb: TypeAlias = Callable[[SessionWriter, str, list[int]], Iterator[Outcome]]


_UNCHANGED = "not edited: nothing was changed"
#: Result of a push, with which the copy is kept, to its words.
_KEPT = {
    **NOT_REPLACED,
    ADDED: "the message was added, and the original was left",
    FROM_ELSEWHERE: "the original is on another queue manager or queue",
    NOT_HERE: "the copy has no message",
}
_MAKE = (
    ("r", "report", "a report: its feedback says what became of the message"),
    ("y", "reply", "a reply, to the reply-to queue"),
    ("f", "forward", "forward the message to another queue"),
)


class Actions(Controller):
    """The keys that change messages."""

    def __init__(self, browser: BrowserScreen, work: WorkController, marks: Marks) -> None:
        super().__init__(browser)
        self.work, self.marks, self.undo = work, marks, Undo(browser, work)

    @property
    def _place(self) -> str:
        """Where a queue manager elsewhere is, in words; empty for one of ours."""
        session = self.browser.session
        return "" if session.elsewhere is None else f" at {session.place}"

    # -- verbs

    def after(self, q_name: str, keys: list[int]) -> Callable[[Any], None]:
        """Return the callback of a finished job: it drops the marks of gone messages, and notes it for undo."""

        def done(value: Any) -> None:
            self.undo.note(value, q_name)
            self.marks.drop_gone(q_name, keys, self.browser.message_list.drop)

        return done

    def carry(self, *, copies: bool) -> None:
        """Move or copy messages, after asking where to."""
        keys, q_name = self.marks.selected, self.browser.messages.q_name
        if not keys:
            return
        verb, done = ("Copy", "copied") if copies else ("Move", "moved")
        title = f"{verb} {self.marks.count(keys)} from {q_name}{self._place} to"
        names = [name for name in self.browser.queues.names if name != q_name]

        def carry(target: str) -> None:
            strips = dialog.strips
            self.work.job(
                f"{title} {target}{' without their MQDLH' if strips else ''}",
                done,
                lambda writer: verbs.transfer(writer, q_name, keys, target, copies=copies, strips_dlh=strips),
                len(keys),
                done=None if copies else self.after(q_name, keys),
            )

        consequence = lambda target: explain_room(self.browser.queues.every, target, len(keys))  # noqa: E731
        chosen = set(keys)
        targets = [row.target for row in self.browser.messages.window.rows if row.seq in chosen and row.target]
        targets = targets if self.browser.session.elsewhere is None else []  # there an MQDLH stays
        dialog = TransferDialog(f"{title} queue", names, dict.fromkeys(targets), consequence)
        self.browser.show(dialog, carry, self.check_of_target(q_name, copies=copies))

    def check_of_target(self, q_name: str, *, copies: bool) -> Check:
        """Return the check of a queue that messages are moved or copied to."""

        def check(target: str, take: Callable[[Any], None]) -> None:
            if self.browser.session.elsewhere is not None:  # the queue manager there finds it
                take(target)
                return

            def find(db: Database) -> str:
                verbs.route_to(db, q_name, target, copies=copies)
                return target

            self.browser.session.reader.ask(find, take)

        return check

    def _after_asking(
        self, words: str, verb: str, yes: str, do: Verb, more: str = "", *, is_loss: bool = False
    ) -> None:
        """Ask for confirmation with number, queue and the first messages, then run a verb on the selected ones."""
        keys, q_name = self.marks.selected, self.browser.messages.q_name
        if not keys:
            return
        title = f"{yes} {self.marks.count(keys)} from {q_name}{self._place}"
        dialog = self.browser.confirm(
            f"{title}{words}?{more}",
            yes,
            lambda: self.work.job(
                title, verb, lambda writer: do(writer, q_name, keys), len(keys), done=self.after(q_name, keys)
            ),
            is_loss=is_loss,
        )
        show = lambda rows: dialog.show_more(describe_rows(rows, len(keys)))  # noqa: E731
        self.browser.ask(lambda db: read_rows(db, keys[:NAMED]), show)

    def delete(self) -> None:
        more = "" if self.browser.session.elsewhere is None else "\nThe trash keeps only messages of this machine."
        self._after_asking("", "deleted", "Delete", verbs.delete, more, is_loss=True)

    def get(self) -> None:
        more = "\nThe trash does not keep what is got. The message on the screen stays readable until you leave it."
        self._after_asking(", as a program would", "got", "Get", verbs.get, more, is_loss=True)

    def redrive(self) -> None:
        if keys := self.marks.selected:
            chosen = set(keys)
            rows = [row for row in self.browser.messages.window.rows if row.seq in chosen]
            if len(rows) == len(keys) and not any(row.is_dead for row in rows):
                self.browser.say(f"cannot redrive {format_count(len(keys))}: no MQDLH", "warning")
                return
            rooms = explain_targets(self.browser.queues.every, rows, chosen)
            words = " to where its header says" if len(keys) == 1 else " to where their headers say"
            self._after_asking(words, "redriven", "Redrive", verbs.redrive, rooms)

    def put(self) -> None:
        row = self.browser.queues.current
        q_name = self.browser.messages.q_name or (row["name"] if row else "")
        fields = [(name, words, q_name if name == "queue" else value) for name, words, value in PUT_FIELDS]
        self.browser.show(FormDialog(f"Put a message on {q_name}{self._place}", fields, PUT_CHOICES), check=self._put)

    def _put(self, fields: dict[str, str], take: Callable[[Any], None]) -> None:
        target = fields["queue"]

        def done(msg_id: str) -> None:
            take(fields)
            self.browser.say(f"put on {target}{self._place}: {msg_id}")

        self.work.write(
            f"put on {target}{self._place}", lambda writer: verbs.put(writer, target, build_message(fields)), done, take
        )

    def report(self) -> None:
        keys, q_name = self.marks.selected, self.browser.messages.q_name
        if not keys:
            return
        title = f"Make of {self.marks.count(keys)} on {q_name}"
        self.browser.show(ChoiceDialog(title, _MAKE), lambda action: self._make(action, keys))

    def _make(self, action: str, keys: list[int]) -> None:
        q_name = self.browser.messages.q_name

        def make(order: Order) -> None:
            self.work.job(title, "made of", lambda writer: verbs.make(writer, q_name, keys, order), len(keys))

        def check(fields: dict[str, str], take: Callable[[Any], None]) -> None:
            def build(db: Database) -> Order:
                order = build_report_order(action, fields)
                check_order(order)
                if fields["to"]:
                    verbs.route_to(db, q_name, fields["to"], copies=True)
                return order

            self.browser.session.reader.ask(build, take)

        verb = "Forward" if action == FORWARD else f"{action.capitalize()} about"
        title = f"{verb} {self.marks.count(keys)} on {q_name}"
        self.browser.show(FormDialog(f"{title}; empty data: as the message asks", REPORT_FIELDS[action]), make, check)

    def edit(self) -> None:
        """Edit the message under the cursor with ``mqx edit``."""
        session, row, q_name = self.browser.session, self.browser.current, self.browser.messages.q_name
        if row is None or row.gone_at is not None or not session.program:
            return
        if session.elsewhere is not None:
            action = f"edit on {q_name}{self._place}"
            edit = partial(self._edit_copy, action, q_name, row)
            self.work.write(action, lambda writer: copy_to_edit(writer.connection, q_name, row.seq), edit)
            return

        def free(writer: SessionWriter) -> object:
            if row.seq in writer.locked:
                writer.lock(q_name, row.seq)
            writer.check_free(row.seq)
            return read_edited_state(writer.connection, q_name, row)

        run = lambda before: self._edit_here(q_name, row, before)  # noqa: E731 - too long for its place
        self.work.write(f"edit on {q_name}", free, run, is_logged=False)

    def _edit_here(self, q_name: str, row: Row, before: EditedState) -> None:
        """Run the editor on a message. before: its state."""
        browser = self.browser

        def show(now: EditedState) -> None:
            if now.content == before.content:
                browser.say(_UNCHANGED)
            else:
                self.undo.note_edit(q_name, row, before, now)

        if self._run_editor(browser.session.path, q_name, row):
            browser.ask(lambda db: read_edited_state(db, q_name, row), show)
        browser.changed()

    def _edit_copy(self, action: str, q_name: str, row: Row, path: str) -> None:
        """Run the editor on the copy of a message elsewhere, which then replaces it there."""
        browser, there = self.browser, self.browser.session.elsewhere
        assert there is not None
        kept = f"the edited message is kept: mqx push {q_name} -m {path} --to {there.name}:{q_name}"

        def done(result: str) -> None:
            if result not in (REPLACED, EQUAL):
                browser.say(f"not edited: {_KEPT[result]}", "warning", kept)
                return
            drop_copy(path)
            replaced = f"edited; the former message is in {REMOVED} of {home()}"
            browser.say(replaced if result == REPLACED else _UNCHANGED)

        def failed(error: Exception) -> None:
            browser.fail(error, action)
            browser.say(kept, "warning")

        if self._run_editor(path, q_name, row):
            self.work.write(action, lambda _: push_edited(there, path, q_name), done, failed)
        else:
            drop_copy(path)

    def _run_editor(self, path: str, q_name: str, row: Row) -> bool:
        """Run ``mqx edit`` on a message; return whether it ended well. path: of the queue manager."""
        browser = self.browser
        line = [*browser.session.program, "edit", q_name, "-m", path, "--msg-id", row.md.msg_id.hex().upper()]
        with browser.app.suspend():
            status = subprocess.run(line, check=False).returncode
            if sys.stdin.isatty():
                termios.tcflush(sys.stdin, termios.TCIFLUSH)  # what the editor has not read is not for the browser
            if status:
                os.write(2, f"mqx edit ended with {status}; enter goes back".encode())
                sys.stdin.readline()  # also at its end: ctrl+d goes back as well
        browser.app.refresh(repaint=True, layout=True)
        if status:
            browser.say(f"not edited: status {status}", "warning")
        return not status
