"""Keys for dead letters: groups by reason and destination, dry run and run of a rules table, explanations."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from mqtools.constants.message import MQFMT_DEAD_LETTER_HEADER, MQMT_REPORT
from mqtools.dlq.mistakes import RulesTableError
from mqtools.dlq.rules_table import parse_rules_table
from mqtools.errors import MQError
from mqtools.explanations import lookup
from mqtools.formats.descriptor import md_to_dict
from mqtools.headers.chain import read_dlh
from mqtools.operations.message_view import read_data, read_message
from mqtools.tui.controller import BrowserScreen, Controller
from mqtools.tui.dialogs import ConfirmDialog, InputDialog, TextDialog
from mqtools.tui.groups import Group, Grouping, read_groups
from mqtools.tui.list_dialogs import GroupsDialog
from mqtools.tui.outcome import format_count
from mqtools.tui.row import BEGINNING_BYTES
from mqtools.tui.rules_run import DryRun, dry_run_rules, run_rules

if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any

    from mqtools.dlq.rule import RulesTable
    from mqtools.operations.message_view import Database
    from mqtools.tui.actions import Actions
    from mqtools.tui.marks import Marks
    from mqtools.tui.work import Work


class DeadLetters(Controller):
    """Keys for the messages of a dead-letter queue."""

    def __init__(self, browser: BrowserScreen, work: Work, marks: Marks, actions: Actions) -> None:
        super().__init__(browser)
        self.work, self.marks, self.actions = work, marks, actions

    def explain(self) -> None:
        """Explain the reason of the message under the cursor."""
        row = self.browser.current
        if row is not None:
            show = lambda lines: self.browser.read("Explain", lines)  # noqa: E731 - too long for its place
            self.browser.ask(lambda db: _explanation(db, row.seq), show)

    # -- groups

    def show_groups(self) -> None:
        """Show the dead letters of the queue by reason and destination; one group can be chosen."""
        browser, q_name, source = self.browser, self.browser.messages.q_name, self.browser.message_list.source
        if source is None:
            return

        def show(seen: Any) -> None:
            if not isinstance(seen, Grouping) or job.cancelled.is_set():
                return
            if found := seen.groups():
                groups = GroupsDialog(q_name, found, can_mark=not browser.session.read_only)
                browser.show_when_free(groups, lambda group: self._take_group(q_name, source.queue_id, group))
            else:
                browser.say("no messages that anybody could get")

        job = self.work.read_job(
            f"Group the dead letters on {q_name}",
            "looked at",
            lambda db: read_groups(db, source.queue_id),
            None if browser.message_list.filter else browser.messages.total,
            done=show,
            is_quiet=True,
        )

    def _take_group(self, q_name: str, queue_id: int, group: Group | None) -> None:
        if group is not None and not self.browser.session.read_only:
            self.marks.mark_group(q_name, queue_id, group)

    # -- rules

    def apply_rules(self) -> None:
        """Ask for a rules table, and show its dry run on the marked messages, or on all that are listed."""
        q_name = self.browser.messages.q_name
        if q_name:
            keys = self.marks.marked_or_found
            about = f"all {format_count(self.browser.messages.total)}" if keys is None else format_count(len(keys))
            self.browser.show(
                InputDialog(f"Rules table (file), for {about} on {q_name}"),
                lambda path: self._read_rules(path, keys) if path else None,
            )

    def _read_rules(self, path: str, keys: Collection[int] | None) -> None:
        def read(value: Any) -> None:
            if isinstance(value, RulesTableError):
                self.browser.read(f"{path} has mistakes", [str(mistake) for mistake in value.mistakes])
            elif isinstance(value, Exception):
                self.browser.fail(value, "cannot read the rules table")
            else:
                self._show_dry_run(value, keys)

        self.browser.session.reader.ask(lambda _: _read_table(os.path.expanduser(path)), read)

    def _show_dry_run(self, table: RulesTable, keys: Collection[int] | None) -> None:
        """Show the dry run of a rules table, and offer to run it unless the session is read-only."""
        browser, q_name = self.browser, self.browser.messages.q_name

        def show(seen: Any) -> None:
            if not isinstance(seen, DryRun):
                return
            runs = {} if browser.session.read_only else {"!": "run"}
            title = f"{table.name} on {q_name}: nothing is done yet" + ("; ! runs it" if runs else "")
            lines = seen.lines(is_whole=not job.cancelled.is_set())
            run = lambda answer: self._ask_to_run(table, q_name, keys) if answer == "run" else None  # noqa: E731
            browser.show_when_free(TextDialog(title, lines, runs), run)

        job = self.work.read_job(
            f"Dry run of {table.name} on {q_name}",
            "looked at",
            lambda db: dry_run_rules(db, table, q_name, keys),
            browser.messages.total if keys is None else len(keys),
            done=show,
            is_quiet=True,
        )

    def _ask_to_run(self, table: RulesTable, q_name: str, keys: Collection[int] | None) -> None:
        browser = self.browser
        total = browser.messages.total if keys is None else len(keys)
        words = f"{table.name} on {'all ' if keys is None else ''}{format_count(total)} of {q_name}"

        def run() -> None:
            self.work.job(
                f"Run {words}",
                "handled",
                lambda writer: run_rules(writer, table, q_name, keys),
                total,
                done=self.actions.after(q_name, sorted(keys or ())),
            )

        browser.show(ConfirmDialog(f"Run {words} once?", "Run"), lambda yes: run() if yes else None)


def _read_table(path: str) -> RulesTable:
    """Read a rules table. Raises RulesTableError, OSError."""
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        return parse_rules_table(file.read(), path)


def _explanation(db: Database, seq: int) -> list[str]:
    """Return the explanation of a dead letter's reason, a report's feedback, or another message's type."""
    stored = read_message(db, seq)
    if stored is None:
        return ["the message is gone"]
    md = stored.md
    if md.format == MQFMT_DEAD_LETTER_HEADER:
        try:
            words = [str(read_dlh(md, read_data(db, seq, BEGINNING_BYTES)).reason)]
        except MQError as error:
            return [error.text]
    elif md.msg_type == MQMT_REPORT:
        words = [str(md.feedback)]
    else:
        shown = md_to_dict(md)
        report = shown["report"] if isinstance(shown["report"], list) else []
        words = [str(shown["msg_type"]), str(shown["persistence"]), *map(str, report)]
    lines: list[str] = []
    for word in words:
        for meaning in lookup.explain(word):
            lines += [f"{meaning.name}  {meaning.value}", f"    {meaning.meaning}"]
            lines += [f"    What to do: {meaning.what_to_do}", ""] if meaning.what_to_do else [""]
    return lines or ["there is nothing to explain"]
