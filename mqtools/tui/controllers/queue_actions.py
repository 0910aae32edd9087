"""Key that changes a queue: MAXDEPTH, PUT, GET, clear, define. Each is the MQSC command, with its authority."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from mqtools.admin.mqsc.run import run_mqsc
from mqtools.errors import MQError
from mqtools.formats.mqsc.script import quote
from mqtools.formats.phrases import grouped
from mqtools.operations.views.message_view import Database
from mqtools.operations.views.queue_overview import overview
from mqtools.tui.background.verbs import begin_removal, note_removal
from mqtools.tui.background.writer import SessionWriter
from mqtools.tui.controllers.actions import Actions
from mqtools.tui.controllers.controller import Controller
from mqtools.tui.controllers.work import WorkController
from mqtools.tui.dialogs.standard import ChoiceDialog, InputDialog
from mqtools.tui.display.outcome import Outcome, format_count
from mqtools.tui.display.queue_rows import QueueRow

#: Highest MAXDEPTH.
_DEEPEST = 999_999_999
#: Effect of an inhibited queue on programs.
_REFUSED = {"put": "puts to it fail with MQRC_PUT_INHIBITED", "get": "gets from it fail with MQRC_GET_INHIBITED"}


def run_one_command(writer: SessionWriter, text: str) -> None:
    """Run an MQSC command. Raises MQError, ValueError: it has failed, or has mistakes."""
    report = run_mqsc(writer.connection, text).commands[0]
    if report.mistakes:
        raise ValueError(report.mistakes[0].text)
    if report.reason:
        raise report.response.error or MQError(f"{text} failed", report.reason)


@dataclass(eq=False)
class QueueActions(Controller):
    """The key that changes the queue under the cursor, or the destination of the dead letter under it."""

    work: WorkController
    actions: Actions

    def choose(self) -> None:
        """Ask what to change: of a dead letter's destination in the list, else of the queue."""
        browser = self.browser
        row, listed = browser.current, browser.messages.q_name
        current = browser.queues.current
        if browser.pane == "queues":
            self._choose(current["name"] if current else "")
        elif row is not None and row.is_dead and row.target != listed and self._find(row.target):
            self._choose(row.target, other=listed)
        else:
            self._choose(listed)

    def _find(self, q_name: str) -> QueueRow | None:
        return next((row for row in self.browser.queues.every if row["name"] == q_name), None)

    def _choose(self, q_name: str, other: str = "") -> None:
        queue = self._find(q_name)
        choices: list[tuple[str, Callable[[], object], str]] = [("n", self._define, "define another queue")]
        title = "Queues"
        if queue is not None:
            holds = f"{grouped(queue['depth'])} of {grouped(queue['max_depth'])}"
            title = f"{q_name}: holds {holds}" + (f", the destination of a dead letter on {other}" if other else "")
            put, get = ("DISABLED" if queue[f"inhibit_{verb}"] else "ENABLED" for verb in _REFUSED)
            choices = [
                ("m", partial(self._raise, queue), f"MAXDEPTH({queue['max_depth']}): change it"),
                ("p", partial(self._switch, queue, "put"), f"PUT({put}): change it"),
                ("g", partial(self._switch, queue, "get"), f"GET({get}): change it"),
                ("c", partial(self._ask_to_clear, queue), f"clear it: delete {format_count(queue['depth'])}"),
                *choices,
            ]
        if other:
            choices.append(("o", partial(self._choose, other), f"change {other} instead"))
        self.browser.show(ChoiceDialog(title, choices), lambda change: change())

    # -- attributes

    def _raise(self, queue: QueueRow) -> None:
        """Ask for another MAXDEPTH; twice the present one is entered."""
        name, depth, before = queue["name"], queue["depth"], queue["max_depth"]

        def parse(words: str) -> int:
            number = int(words.replace(" ", "").replace(",", ""))
            if not 0 <= number <= _DEEPEST:
                raise ValueError
            return number

        def explain(words: str) -> str:
            try:
                room = parse(words) - depth
            except ValueError:
                return ""
            return f"room for {format_count(room)}" if room > 0 else "no room: puts fail with MQRC_Q_FULL"

        def check(words: str, take: Callable[[Any], None]) -> None:
            try:
                self._run(f"ALTER QLOCAL({quote(name)}) MAXDEPTH({parse(words)})", take)
            except ValueError:
                take(ValueError(f"MAXDEPTH is a number from 0 to {grouped(_DEEPEST)}"))

        title = f"MAXDEPTH of {name}, now {grouped(before)}"
        twice = str(min(max(before, 1) * 2, _DEEPEST))
        self.browser.show(InputDialog(title, value=twice, consequence=explain), check=check)

    def _switch(self, queue: QueueRow, verb: str) -> None:
        """Enable puts or gets, or disable them after asking."""
        name, is_off = queue["name"], queue[f"inhibit_{verb}"]
        value = "ENABLED" if is_off else "DISABLED"
        run = partial(self._run, f"ALTER QLOCAL({quote(name)}) {verb.upper()}({value})")
        if is_off:
            run()
        else:
            self.browser.confirm(f"{verb.upper()}(DISABLED) on {name}? From then on {_REFUSED[verb]}.", "Disable", run)

    def _define(self) -> None:
        def check(name: str, take: Callable[[Any], None]) -> None:
            self._run(f"DEFINE QLOCAL({quote(name)})", take)

        self.browser.show(InputDialog("Define a local queue; its name, with upper and lower case:"), check=check)

    def _run(self, text: str, take: Callable[[Any], None] | None = None) -> None:
        """Run a command. take: takes what has failed, to be shown in the dialog, or the command."""

        def done(_: Any) -> None:
            if take is not None:
                take(text)
            self.browser.say(f"done: {text}")
            self.browser.changed()

        self.work.write(text, lambda writer: run_one_command(writer, text), done, take)

    # -- clear

    def _ask_to_clear(self, queue: QueueRow) -> None:
        """Ask for confirmation with what is on the queue now, and clear it."""
        name = queue["name"]

        def ask(number: int) -> None:
            title = f"Clear {name}: delete {format_count(number)}"
            more = "\nIt fails while another program has the queue open, or has messages on it locked or uncommitted."
            self.browser.confirm(f"{title}?{more}", "Clear", lambda: clear(title, number), is_loss=True)

        def clear(title: str, number: int) -> None:
            self.actions.marks.on(name).clear()
            steps = partial(_clear, q_name=name, number=number)
            self.work.job(title, "deleted", steps, number, done=self.actions.after(name, []))

        self.browser.ask(lambda db: _depth(db, name), ask, is_live=True)


def _depth(db: Database, q_name: str) -> int:
    return next((row["depth"] for row in overview(db) if row["name"] == q_name), 0)


def _clear(writer: SessionWriter, q_name: str, number: int) -> Iterator[Outcome]:
    """Clear a queue as CLEAR QLOCAL does; the trash keeps the messages if it is configured."""
    outcome = Outcome(number)
    yield outcome
    writer.close_handles(q_name)
    begin_removal(writer.connection)
    run_one_command(writer, f"CLEAR QLOCAL({quote(q_name)})")
    outcome.done = number
    note_removal(writer.connection, outcome)
    yield outcome
