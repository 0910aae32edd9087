"""What an operator does to messages: marks, and verbs with their dialogs.

What an action is about is fixed when its dialog opens; what has gone meanwhile is skipped, and said.
"""

from __future__ import annotations

import os
import subprocess

from mqtools.errors import MQError
from mqtools.store.messages.messages import END
from mqtools.tui import verbs
from mqtools.tui.dialogs import Ask, AskLine, Choose, Form
from mqtools.tui.forms import PUT_FIELDS, REPORT_FIELDS, message_of, order_of
from mqtools.tui.groups import keys_of_group
from mqtools.tui.locks import Locks
from mqtools.tui.marking import MOST, Marking, keys_between
from mqtools.tui.rehearsal import run_rules
from mqtools.tui.verbs import Outcome, counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from typing import Any, TypeAlias

    from mqtools.dlq.rule import RulesTable
    from mqtools.tui.app import Session
    from mqtools.tui.groups import Group
    from mqtools.tui.keeper import Keeper

    #: Does something to messages of a queue, by their keys.
    Verb: TypeAlias = Callable[[Keeper, str, list[int]], Iterator[Outcome]]

_MAKE = (
    ("r", "report", "a report: its feedback says what became of the message"),
    ("y", "reply", "a reply, to the reply-to queue"),
    ("f", "forward", "forward the message to another queue"),
)


class Actions(Locks):
    """The browser with everything that its keys do."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._removals: dict[int, str] = {}

    # -- marks

    def action_mark(self) -> None:
        """Mark the message under the cursor, or take the mark off, and go down; where a range was begun, mark that."""
        row, q_name = self.current, self.messages.q_name
        if row is None or self.pane != "messages":
            return
        if self.messages.range_from is not None:
            self.action_range()
            return
        seq, ours = row.seq, self.messages.ours
        if seq in ours:
            ours.discard(seq)
            self.keeper.do(lambda keeper: keeper.unmark(q_name, [seq]), self._said)
        elif row.gone_at is None:
            ours.add(seq)
            self.keeper.do(lambda keeper: keeper.mark_one(q_name, seq), lambda value: self._marked(ours, seq, value))
        self.action_move(1)

    def _marked(self, ours: set[int], seq: int, value: Any) -> None:
        if isinstance(value, Exception):
            ours.discard(seq)
        self._said(value)

    def _said(self, value: Any) -> None:
        if isinstance(value, Exception):
            self.fail(value)
        self._say()

    def action_range(self) -> None:
        """Begin a range at the cursor, or mark everything from where it was begun to the cursor."""
        row, begun = self.current, self.messages.range_from
        if row is None or self.pane != "messages":
            return
        self.messages.range_from = row.order_key if begun is None else None
        if begun is not None:
            first, last = sorted((begun, row.order_key))
            self._mark_listed("Mark a range", first, last)
        self._say()

    def action_mark_all(self) -> None:
        """Mark everything that is listed."""
        self._mark_listed("Mark all")

    def action_invert(self) -> None:
        """Mark everything that is listed and not marked, and take off the marks that are there."""
        self._mark_listed("Invert the marks", inverts=True)

    def _mark_listed(self, words: str, first: int = 0, last: int = END, *, inverts: bool = False) -> None:
        """Mark what is listed from one order key to another."""
        source = self.listing.source
        if source is not None:
            marking = Marking(self.messages.q_name, lambda db: keys_between(db, source, first, last), inverts=inverts)
            self._mark(words, marking, self.messages.total)

    def group_chosen(self, q_name: str, queue_id: int, group: Group | None) -> None:
        """Mark a group of dead letters, on the queue that was grouped."""
        if group is not None and not self.session.read_only:
            pages = lambda db: keys_of_group(db, queue_id, group.key)  # noqa: E731 - too long for its place
            self._mark(f"Mark {group.words}", Marking(q_name, pages), group.number)

    def _mark(self, words: str, marking: Marking, number: int) -> None:
        ours = self.ours.setdefault(marking.q_name, set())

        def done(_: Any) -> None:
            ours.difference_update(marking.off)
            ours.update(marking.on)
            self._say()

        total = min(number, MOST)
        self.job(f"{words} on {marking.q_name}", "marked", marking.steps, total, done=done, is_quiet=True)

    def unmark_all(self) -> None:
        """Take off all our marks on the queue; several are asked for first: they may have taken long to find."""
        q_name, keys = self.messages.q_name, sorted(self.messages.ours)
        words = f"Take {counted(len(keys), 'mark')} off {q_name}"

        def unmark() -> None:
            self.messages.ours.clear()
            self.keeper.do(lambda keeper: keeper.unmark(q_name, keys), self._said)

        if len(keys) == 1:
            unmark()
        else:
            self._ask_first(f"{words}?", "Take off", unmark)

    # -- verbs

    def _after(self, q_name: str, keys: list[int]) -> Callable[[Any], None]:
        """Give what follows a job: the marks of messages that are gone are forgotten, a removal is remembered."""
        ours = self.ours.setdefault(q_name, set())

        def forgotten(gone: Any) -> None:
            if not isinstance(gone, Exception):
                ours.difference_update(gone)
            self._say()

        def done(value: Any) -> None:
            if isinstance(value, Outcome) and value.removal is not None:
                self._removals[value.removal] = q_name
            self.keeper.do(lambda keeper: keeper.forget_gone(q_name, keys), forgotten)

        return done

    def _ask_first(self, question: str, yes: str, act: Callable[[], None]) -> None:
        self.app.push_screen(Ask(question, yes), lambda answer: act() if answer else None)

    def action_carry(self, copies: bool) -> None:
        """Move or copy: ask where to."""
        keys, q_name = self.chosen, self.messages.q_name
        if not keys:
            return
        verb, done = ("Copy", "copied") if copies else ("Move", "moved")
        title = f"{verb} {counted(len(keys))} from {q_name} to"
        names = [name for name in self.queues.names if name != q_name]

        def carry(target: str | None) -> None:
            if target:
                self.job(
                    f"{title} {target}",
                    done,
                    lambda keeper: verbs.carry(keeper, q_name, keys, target, copies=copies),
                    len(keys),
                    done=None if copies else self._after(q_name, keys),
                )

        self.app.push_screen(AskLine(f"{title} queue", suggestions=names), carry)

    def _after_asking(self, words: str, verb: str, yes: str, do: Verb, more: str = "") -> None:
        """Ask, with the number of messages and the queue, and do it with what is marked or under the cursor."""
        keys, q_name = self.chosen, self.messages.q_name
        if not keys:
            return
        title = f"{yes} {counted(len(keys))} from {q_name}"
        self._ask_first(
            f"{title}{words}?{more}",
            yes,
            lambda: self.job(
                title, verb, lambda keeper: do(keeper, q_name, keys), len(keys), done=self._after(q_name, keys)
            ),
        )

    def action_delete(self) -> None:
        """Delete, after asking."""
        self._after_asking("", "deleted", "Delete", verbs.delete)

    def action_undo(self) -> None:
        """Put back what was deleted last, after asking."""
        if not self._removals:
            self.say("nothing has been deleted here that the trash keeps")
            return
        removal, q_name = list(self._removals.items())[-1]

        def restore() -> None:
            self._removals.pop(removal, None)
            words = f"Put back removal {removal} on {q_name}"
            self.job(words, "put back", lambda keeper: verbs.restore(keeper, removal), None, done=restored)

        def restored(value: Any) -> None:
            if not isinstance(value, Outcome) or value.done + value.gone < value.total:
                self._removals[removal] = q_name  # the rest can be put back later

        self._ask_first(
            f"Put back on {q_name} what was deleted last (removal {removal} of the trash)?", "Put back", restore
        )

    def action_get(self) -> None:
        """Get, after asking."""
        more = "\nWhat is shown stays readable until you leave it; the trash does not keep it."
        self._after_asking(", as a program would", "got", "Get", verbs.get, more)

    def action_redrive(self) -> None:
        """Send dead letters back, after asking."""
        self._after_asking(" to where their headers say", "redriven", "Redrive", verbs.redrive)

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
            self.job(title, "made of", lambda keeper: verbs.make(keeper, q_name, keys, order), len(keys))

        title = f"{action.capitalize()} about {counted(len(keys))} on {q_name}"
        self.app.push_screen(Form(f"{title}; empty data: as the message asks", REPORT_FIELDS[action]), make)

    def action_edit(self) -> None:
        """Hand the message under the cursor to the editor, and put it back."""
        row, q_name = self.current, self.messages.q_name
        if row is None or row.gone_at is not None or not self.session.program:
            return
        line = [*self.session.program, "edit", q_name, "-m", self.session.path, "--msg-id", row.md.msg_id.hex().upper()]

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
        self.changed()

    # -- rules

    def rehearsed(self, table: RulesTable, q_name: str, keys: Collection[int] | None, answer: str | None) -> None:
        """Run a table that has been rehearsed, after asking."""
        if answer != "run":
            return
        total = self.messages.total if keys is None else len(keys)
        words = f"{table.name} on {'all ' if keys is None else ''}{counted(total)} of {q_name}"
        self._ask_first(
            f"Run {words} once?",
            "Run",
            lambda: self.job(
                f"Run {words}",
                "handled",
                lambda keeper: run_rules(keeper, table, q_name, keys),
                total,
                done=self._after(q_name, sorted(keys or ())),
            ),
        )
