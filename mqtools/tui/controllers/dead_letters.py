"""Keys for dead letters: groups by reason and destination, dry run and run of a rules table, explanations."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from mqtools.constants.message import MQFMT_DEAD_LETTER_HEADER, MQMT_REPORT
from mqtools.dlq.mistakes import RulesTableError
from mqtools.dlq.rule import RulesTable
from mqtools.dlq.rules_table import parse_rules_table
from mqtools.errors import MQError
from mqtools.explanations import lookup
from mqtools.formats.descriptor import md_to_dict
from mqtools.headers.chain import read_dlh
from mqtools.mqi.identity import now_ms
from mqtools.operations.stored_messages import load_data, load_message
from mqtools.operations.views.message_view import Database, find_on_queue
from mqtools.tui.background import verbs
from mqtools.tui.background.groups import Grouping, GroupRow, read_group_keys, read_groups
from mqtools.tui.background.mark_job import MarkJob
from mqtools.tui.background.rules_run import DryRun, dry_run_rules, run_rules
from mqtools.tui.background.writer import SessionWriter
from mqtools.tui.controllers.actions import Actions, Verb
from mqtools.tui.controllers.controller import Controller
from mqtools.tui.controllers.marks import Marks
from mqtools.tui.controllers.work import WorkController
from mqtools.tui.dialogs.dry_run import DryRunDialog
from mqtools.tui.dialogs.groups import MARK, MOVE, GroupAnswer, GroupsDialog
from mqtools.tui.dialogs.standard import InputDialog, TextDialog
from mqtools.tui.dialogs.transfer import TransferDialog
from mqtools.tui.display.consequences import describe_rows, explain_room
from mqtools.tui.display.outcome import Outcome, format_count
from mqtools.tui.display.row import BEGINNING_BYTES


@dataclass(eq=False)
class DeadLetters(Controller):
    """Keys for the messages of a dead-letter queue."""

    work: WorkController
    marks: Marks
    actions: Actions

    def explain(self) -> None:
        """Explain what is under the cursor; the key that changes a queue leads to a dead letter's destination."""
        row, key = self.browser.current, "queue"

        def show(lines: list[str]) -> None:
            names = [one["name"] for one in self.browser.queues.every]
            is_here = row is not None and row.is_dead and row.target in names
            session = self.browser.session
            can_change = is_here and not session.read_only and session.elsewhere is None
            keys = session.keys_of(key) if can_change else ""
            dialog = TextDialog("Explain", lines, key=keys, does=f"change {row.target}" if row else "")
            self.browser.show(dialog, lambda _: self.browser.press(key))

        if row is not None:
            self.browser.ask(lambda db: _explanation(db, row.seq), show)

    # -- groups

    def show_groups(self) -> None:
        """Show the dead letters of the queue by reason and destination; one group can be chosen."""
        browser, q_name, source = self.browser, self.browser.messages.q_name, self.browser.message_list.source
        if source is None:
            return
        at, title = browser.messages.at, q_name + browser.past.as_it_was
        can_write = not browser.session.read_only and at is None and browser.session.elsewhere is None
        room = self._room if at is None else lambda _: ""

        def show(seen: Any) -> None:
            if not isinstance(seen, Grouping) or job.cancelled.is_set():
                return
            if found := seen.groups():
                groups = GroupsDialog(title, found, room, can_write=can_write)
                browser.show(groups, lambda answer: self._take_group(q_name, source.queue_id, answer), waits=True)
            else:
                browser.say("no messages that anybody could get")

        job = self.work.read_job(
            f"Group the dead letters on {title}",
            "looked at",
            lambda db: read_groups(db, source.queue_id, now_ms() if at is None else at),
            None if browser.message_list.filter else browser.messages.total,
            show,
        )

    def _room(self, group: GroupRow) -> str:
        """Return in words what a redrive of a group would find."""
        if not group.q_name:
            return ""
        is_here = group.q_mgr_name in ("", self.browser.session.q_mgr_name)
        return explain_room(self.browser.queues.every, group.q_name, group.letters.count) if is_here else ""

    def _take_group(self, q_name: str, queue_id: int, answer: GroupAnswer) -> None:
        verb, group = answer
        if verb == MARK:
            marking = MarkJob(q_name, lambda connection: read_group_keys(connection, queue_id, group))
            self.marks.mark(f"Mark {group.words}", marking, group.letters.count)
        elif verb == MOVE:
            self._ask_to_move(q_name, queue_id, group)
        elif group.q_name:
            self._ask_to_redrive(q_name, queue_id, group)
        else:
            self.browser.say("cannot redrive them: they have no valid MQDLH", "warning")

    def _ask_to_redrive(self, q_name: str, queue_id: int, group: GroupRow) -> None:
        title = f"Redrive {format_count(group.letters.count)} from {q_name} to {group.target}"
        run = partial(self._run_on_group, title, "redriven", q_name, queue_id, group, verbs.redrive)
        dialog = self.browser.confirm(f"{title}?\n{self._room(group)}".rstrip(), "Redrive", run)
        dialog.show_more(describe_rows(group.first, group.letters.count))

    def _ask_to_move(self, q_name: str, queue_id: int, group: GroupRow) -> None:
        title = f"Move {format_count(group.letters.count)} from {q_name} to"
        queues = self.browser.queues

        def move(target: str) -> None:
            carry = partial(verbs.transfer, target=target, copies=False, strips_dlh=dialog.strips)
            self._run_on_group(f"{title} {target}", "moved", q_name, queue_id, group, carry)

        dialog = TransferDialog(
            f"{title} queue",
            [name for name in queues.names if name != q_name],
            dict.fromkeys(row.target for row in group.first if row.target),
            lambda target: explain_room(queues.every, target, group.letters.count),
        )
        dialog.show_more(describe_rows(group.first, group.letters.count))
        self.browser.show(dialog, move, self.actions.check_of_target(q_name, copies=False))

    def _run_on_group(self, title: str, done: str, q_name: str, queue_id: int, group: GroupRow, verb: Verb) -> None:
        """Run a verb on the messages of a group as a job."""
        keys: list[int] = []

        def steps(writer: SessionWriter) -> Iterator[Outcome]:
            yield Outcome(group.letters.count)
            for page in read_group_keys(writer.connection, queue_id, group):
                keys.extend(page)
                yield Outcome(group.letters.count)
            outcome = Outcome(group.letters.count)
            for outcome in verb(writer, q_name, keys) if keys else ():
                yield outcome
            outcome.gone += max(0, group.letters.count - len(keys))
            outcome.total = max(outcome.total, group.letters.count)
            yield outcome

        self.work.job(title, done, steps, group.letters.count, done=self.actions.after(q_name, keys))

    # -- rules

    def apply_rules(self) -> None:
        """Ask for a rules table, and show its dry run on the marked messages, or on all that are listed."""
        q_name = self.browser.messages.q_name
        if q_name:
            keys = self.marks.marked_or_found
            about = f"all {format_count(self.browser.messages.total)}" if keys is None else self.marks.count(keys)
            self.browser.show(
                InputDialog(f"Rules table (file), for {about} on {q_name}{self.browser.past.as_it_was}"),
                lambda table: self._show_dry_run(table, keys),
                self._read_rules,
            )

    def _read_rules(self, path: str, take: Callable[[Any], None]) -> None:
        def read(value: Any) -> None:
            take(value)
            if isinstance(value, RulesTableError):
                self.browser.show(TextDialog(f"{path} has mistakes", [str(mistake) for mistake in value.mistakes]))

        self.browser.session.reader.ask(lambda _: _read_table(os.path.expanduser(path)), read)

    def _show_dry_run(self, table: RulesTable, keys: Collection[int] | None) -> None:
        """Show the dry run of a rules table, and offer to run it unless the session is read-only."""
        browser, q_name = self.browser, self.browser.messages.q_name
        about, can_run = f"{table.name} on {q_name}{browser.past.as_it_was}", not browser.past.state

        def answered(answer: str, seen: DryRun) -> None:
            if answer == DryRunDialog.RUN:
                self._ask_to_run(table, q_name, keys, seen)
            else:
                self._go_to(q_name, bytes.fromhex(answer))

        def show(seen: Any) -> None:
            if isinstance(seen, DryRun):
                may_run, is_whole = can_run and not browser.session.read_only, not job.cancelled.is_set()
                dialog = DryRunDialog(about, seen, can_run=may_run, is_whole=is_whole)
                browser.show(dialog, lambda answer: answered(answer, seen), waits=True)

        job = self.work.read_job(
            f"Dry run of {about}",
            "looked at",
            lambda db: dry_run_rules(db, table, q_name, keys),
            browser.messages.total if keys is None else len(keys),
            show,
        )

    def _go_to(self, q_name: str, msg_id: bytes) -> None:
        """Go to a message of the dry run, in what is listed."""

        def found(stored: Any) -> None:
            if stored is None:
                self.browser.say("the message is gone")
            else:
                self.browser.open_queue(q_name, place=stored.order_key)
                self.browser.focus_pane("messages")

        self.browser.ask(lambda db: find_on_queue(db, q_name, msg_id), found)

    def _ask_to_run(self, table: RulesTable, q_name: str, keys: Collection[int] | None, seen: DryRun) -> None:
        """Ask for confirmation with what the dry run has found, and run a rules table."""
        browser = self.browser
        total = browser.messages.total if keys is None else len(keys)
        count = f"all {format_count(total)}" if keys is None else self.marks.count(keys)
        words = f"{table.name} on {count} of {q_name}"

        def run() -> None:
            self.work.job(
                f"Run {words}",
                "handled",
                lambda writer: run_rules(writer, table, q_name, keys),
                total,
                done=self.actions.after(q_name, sorted(keys or ())),
            )

        found = [f"  {one}" for one in seen.totals(is_whole=True).split(" · ")[1:]]
        question = "\n".join([f"Run {words} once? By the dry run:", *found])
        browser.confirm(question, "Run", run, is_loss=seen.is_loss)


def _read_table(path: str) -> RulesTable:
    """Read a rules table. Raises RulesTableError, OSError."""
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        return parse_rules_table(file.read(), path)


def _explanation(db: Database, seq: int) -> list[str]:
    """Return the explanation of a dead letter's reason, a report's feedback, or another message's type."""
    stored = load_message(db, seq)
    if stored is None:
        return ["the message is gone"]
    md = stored.md
    if md.format == MQFMT_DEAD_LETTER_HEADER:
        try:
            words = [str(read_dlh(md, load_data(db, seq, BEGINNING_BYTES)).reason)]
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
            lines += ["", f"{meaning.name}  {meaning.value}", f"    {meaning.meaning}"]
            lines += [f"    What to do: {meaning.what_to_do}"] if meaning.what_to_do else []
    return lines[1:] or ["there is nothing to explain"]
