"""What an operator does to messages: marks, locks, and verbs with their dialogs.

What an action is about is fixed when its dialog opens; what has gone meanwhile is skipped, and said.
"""

from __future__ import annotations

import os
import subprocess
from threading import Event

from mqtools.errors import MQError
from mqtools.tui import verbs
from mqtools.tui.dialogs import Ask, AskLine, Choose, Form, Reading, Working
from mqtools.tui.forms import PUT_FIELDS, REPORT_FIELDS, message_of, order_of
from mqtools.tui.looks import Looks
from mqtools.tui.rehearsal import rehearse, run_rules
from mqtools.tui.source import HitsSource
from mqtools.tui.verbs import Outcome, counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from mqtools.dlq.rule import RulesTable
    from mqtools.store.database import Database
    from mqtools.tui.keeper import Keeper
    from mqtools.tui.source import QueueSource

#: Seconds after which work shows itself.
_PATIENCE_S = 0.4
#: Messages that are marked in one step.
_MARK_STEP = 500

_MAKE = (
    ("r", "report", "a report: its feedback says what became of the message"),
    ("y", "reply", "a reply, to the reply-to queue"),
    ("f", "forward", "forward the message to another queue"),
)


class Actions(Looks):
    """The browser with everything that its keys do."""

    _job: Event | None = None

    @property
    def keeper(self) -> Keeper:
        """The thread that writes."""
        assert self.session.keeper is not None
        return self.session.keeper

    # -- marks and locks

    def action_mark(self) -> None:
        """Mark the message under the cursor, or take the mark off, and go down."""
        row, q_name = self.current, self.messages.q_name
        if row is None or self.pane != "messages":
            return
        seq, ours = row.seq, self.messages.ours
        if seq in ours:
            ours.discard(seq)
            self.keeper.do(lambda keeper: keeper.unmark(q_name, [seq]), self._said)
        elif row.gone_at is None:
            ours.add(seq)
            self.keeper.do(lambda keeper: keeper.mark(q_name, [seq]), lambda value: self._marked(ours, seq, value))
        self.action_move(1)

    def _marked(self, ours: set[int], seq: int, value: Any) -> None:
        if isinstance(value, Exception):
            ours.discard(seq)
        self._said(value)

    def _said(self, value: Any) -> None:
        if isinstance(value, Exception):
            self.fail(value)
        self._say()

    def action_invert(self) -> None:
        """Mark everything that is listed and not marked, and take off the marks that are there."""
        source, q_name, ours = self.listing.source, self.messages.q_name, self.messages.ours
        if source is None:
            return

        def steps(keeper: Keeper) -> Iterator[Outcome]:
            keys = listed_keys(keeper.connection.db, source)
            outcome = Outcome(len(keys))
            for at in range(0, len(keys), _MARK_STEP):
                step = keys[at : at + _MARK_STEP]
                on = [seq for seq in step if seq not in keeper.marked.get(q_name, ())]
                off = [seq for seq in step if seq in keeper.marked.get(q_name, ())]
                keeper.unmark(q_name, off)
                # two at least: a single one that cannot be marked would be an error
                outcome.done += len(keeper.mark(q_name, [*on, *on[:1]]) and set(on))
                yield outcome

        def done() -> None:
            ours.clear()
            ours.update(self.keeper.marked.get(q_name, ()))
            self._say()

        self.job("marking", steps, len(ours), done=done, is_quiet=True)

    def action_lock(self) -> None:
        """Lock the message under the cursor for us, or unlock it."""
        row, q_name = self.current, self.messages.q_name
        if row is None or row.gone_at is not None:
            return

        def locked(value: Any) -> None:
            if isinstance(value, Exception):
                self.fail(value)
            else:
                self.say("locked: nobody else can take it" if value else "unlocked")

        self.keeper.do(lambda keeper: keeper.lock(q_name, row.seq), locked)

    # -- jobs

    def job(
        self,
        verb: str,
        steps: Callable[[Keeper], Iterator[Outcome]],
        total: int | None,
        *,
        done: Callable[[], None] | None = None,
        is_quiet: bool = False,
    ) -> None:
        """Have something done step by step; it shows itself when it takes long, and can be stopped then.

        verb: as in moved.  done: called at the end.  is_quiet: say only what went wrong.
        """
        if self._job is not None:
            self.say("something is being done already", "warning")
            return
        cancelled = self._job = Event()
        working = Working(f"{verb} …", total, cancelled)
        timer = self.set_timer(_PATIENCE_S, lambda: self.app.push_screen(working))

        def progress(outcome: Any) -> None:
            if working.is_mounted and isinstance(outcome, Outcome):
                working.advance(outcome.done + outcome.gone)

        def ended(value: Any) -> None:
            timer.stop()
            self._job = None
            self._take_away(working)
            if isinstance(value, Exception):
                self.fail(value)
            elif isinstance(value, Outcome) and not (is_quiet and value.error is None):
                severity = "error" if value.error is not None else "information"
                self.say(value.words(verb, was_cancelled=cancelled.is_set()), severity)
            if done is not None:
                done()
            self.changed()

        self.keeper.run(steps, progress, ended, cancelled)

    def _take_away(self, working: Working) -> None:
        """Close what shows how far the work is, with what lies over it."""
        while working in self.app.screen_stack:
            self.app.pop_screen()

    def _forget(self, keys: list[int]) -> Callable[[], None]:
        ours = self.messages.ours

        def forget() -> None:
            ours.difference_update(keys)
            self._say()

        return forget

    def _ask_first(self, question: str, yes: str, act: Callable[[], None]) -> None:
        self.app.push_screen(Ask(question, yes), lambda answer: act() if answer else None)

    # -- verbs

    def action_carry(self, copies: bool) -> None:
        """Move or copy: ask where to."""
        keys, q_name = self.chosen, self.messages.q_name
        if not keys:
            return
        verb, done = ("Copy", "copied") if copies else ("Move", "moved")
        names = [name for name in self.queues.names if name != q_name]

        def carry(target: str | None) -> None:
            if target:
                self.job(
                    done,
                    lambda keeper: verbs.carry(keeper, q_name, keys, target, copies=copies),
                    len(keys),
                    done=None if copies else self._forget(keys),
                )

        title = f"{verb} {counted(len(keys))} from {q_name} to queue"
        self.app.push_screen(AskLine(title, suggestions=names), carry)

    def action_delete(self) -> None:
        """Delete, after asking."""
        keys, q_name = self.chosen, self.messages.q_name
        if keys:
            steps = lambda keeper: verbs.delete(keeper, q_name, keys)  # noqa: E731 - said to two
            self._ask_first(
                f"Delete {counted(len(keys))} from {q_name}?",
                "Delete",
                lambda: self.job("deleted", steps, len(keys), done=self._forget(keys)),
            )

    def action_get(self) -> None:
        """Get, after asking."""
        keys, q_name = self.chosen, self.messages.q_name
        if keys:
            self._ask_first(
                f"Get {counted(len(keys))} from {q_name}, as a program would?\n"
                "What is shown stays readable until you leave it; the trash does not keep it.",
                "Get",
                lambda: self.job(
                    "got", lambda keeper: verbs.get(keeper, q_name, keys), len(keys), done=self._forget(keys)
                ),
            )

    def action_redrive(self) -> None:
        """Send dead letters back, after asking."""
        keys, q_name = self.chosen, self.messages.q_name
        if keys:
            self._ask_first(
                f"Redrive {counted(len(keys))} from {q_name} to where their headers say?",
                "Redrive",
                lambda: self.job(
                    "redriven", lambda keeper: verbs.redrive(keeper, q_name, keys), len(keys), done=self._forget(keys)
                ),
            )

    def action_put(self) -> None:
        """Ask for a message, and put it."""
        row = self.queues.current
        q_name = self.messages.q_name or (row["name"] if row else "")
        fields = [(name, words, q_name if name == "queue" else value) for name, words, value in PUT_FIELDS]
        self.app.push_screen(Form(f"Put a message on {q_name}", fields), self._put)

    def _put(self, fields: dict[str, str] | None) -> None:
        if fields is None:
            return
        try:
            message = message_of(fields)
        except (MQError, ValueError) as error:
            self.fail(error)
            again = [(name, words, fields[name]) for name, words, _ in PUT_FIELDS]
            self.app.push_screen(Form("Put a message", again, fields["data"]), self._put)
            return
        target = fields["queue"]

        def done(value: Any) -> None:
            if isinstance(value, Exception):
                self.fail(value)
            else:
                self.say(f"put on {target}: {value}")

        self.keeper.do(lambda keeper: verbs.put(keeper, target, message), done)

    def action_report(self) -> None:
        """Ask what to make of the messages, and make it."""
        keys, q_name = self.chosen, self.messages.q_name
        if not keys:
            return
        title = f"Make of {counted(len(keys))} on {q_name}"
        self.app.push_screen(Choose(title, _MAKE), lambda action: self._make(action or "", keys))

    def _make(self, action: str, keys: list[int]) -> None:
        q_name = self.messages.q_name
        if not action:
            return

        def make(fields: dict[str, str] | None) -> None:
            if fields is None:
                return
            try:
                order = order_of(action, fields)
            except (MQError, ValueError) as error:
                self.fail(error)
                return
            self.job("made of", lambda keeper: verbs.make(keeper, q_name, keys, order), len(keys))

        title = f"{action.capitalize()} about {counted(len(keys))} on {q_name}; empty data: as the message asks"
        self.app.push_screen(Form(title, REPORT_FIELDS[action]), make)

    def action_edit(self) -> None:
        """Hand the message under the cursor to the editor, and put it back."""
        row, q_name = self.current, self.messages.q_name
        if row is None or row.gone_at is not None or not self.session.program:
            return
        line = [*self.session.program, "edit", q_name, "-m", self.session.path, "--msg-id", row.msg_id.hex().upper()]

        def free(keeper: Keeper) -> None:
            if row.seq in keeper.locked:
                keeper.lock(q_name, row.seq)

        self.keeper.do(free, lambda _: self._run_editor(line))

    def _run_editor(self, line: list[str]) -> None:
        with self.app.suspend():
            status = subprocess.run(line, check=False).returncode
            if status:
                os.write(2, f"mqx edit ended with {status}; enter goes back".encode())
                input()
        self.app.refresh(repaint=True, layout=True)
        self.say("edited" if not status else f"not edited: status {status}", "information" if not status else "warning")
        self._detail_of = ()
        self.changed()

    # -- rules

    def rehearse_rules(self, table: RulesTable) -> None:
        """Show what a rules table would do with each message, and offer to run it."""
        q_name = self.messages.q_name

        def show(lines: Any) -> None:
            if isinstance(lines, Exception):
                self.fail(lines)
                return
            title = f"{table.name} on {q_name}: nothing is done yet; ! runs it"
            self.app.push_screen(Reading(title, lines, {"!": "run"}), lambda answer: self._ask_to_run(table, answer))

        self.keeper.do(lambda keeper: list(rehearse(keeper.connection, table, q_name)), show)

    def _ask_to_run(self, table: RulesTable, answer: str | None) -> None:
        q_name = self.messages.q_name
        if answer == "run":
            self._ask_first(
                f"Run {table.name} once on {q_name} with {counted(self.messages.total)}?",
                "Run",
                lambda: self.job("handled", lambda keeper: run_rules(keeper, table, q_name), None),
            )

    # -- the end

    def action_quit(self) -> None:
        """Quit; ask first where something is being done."""
        if self._job is None:
            self.app.exit()
        else:
            self._ask_first("Something is being done. Stop it and quit?", "Quit", self.app.exit)


def listed_keys(db: Database, source: QueueSource) -> list[int]:
    """Give the keys of all that is listed."""
    if isinstance(source, HitsSource):
        return source.keys
    keys: list[int] = []
    place = -1
    while True:
        page = source.behind(db, place, _MARK_STEP)
        keys += [stored.seq for stored in page]
        if len(page) < _MARK_STEP:
            return keys
        place = page[-1].order_key
