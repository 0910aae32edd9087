"""Key that compares two messages, or one of the past with what it is now."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from mqtools.formats.units import rfc3339
from mqtools.operations.views.message_view import Database, find_on_queue
from mqtools.tui.controllers.controller import Controller
from mqtools.tui.controllers.marks import Marks
from mqtools.tui.dialogs.standard import TextDialog
from mqtools.tui.display.message_diff import ComparedSide, compare, read_side
from mqtools.tui.display.row import explain_absence


@dataclass(eq=False)
class Comparison(Controller):
    """The key that shows what differs."""

    marks: Marks

    def show(self) -> None:
        """Compare the two marked messages, the marked one with that under the cursor, or then with now."""
        browser, row = self.browser, self.browser.current
        keys = sorted(self.marks.on(browser.messages.q_name))
        if browser.past.state:
            if row is None:
                browser.say(explain_absence(row))
            else:
                browser.ask(lambda db: read_side(db, row.seq), partial(self._with_now, row.md.msg_id))
            return
        if len(keys) == 1 and row is not None and row.gone_at is None and row.seq not in keys:
            keys.append(row.seq)
        if len(keys) == 2:
            browser.ask(lambda db: [read_side(db, seq) for seq in keys], lambda sides: self._compare(*sides))
        else:
            browser.say("mark two messages to compare them; in the past this compares a message then and now")

    def _with_now(self, msg_id: bytes, then: ComparedSide | None) -> None:
        q_name = self.browser.messages.q_name

        def read(db: Database) -> ComparedSide | None:
            found = find_on_queue(db, q_name, msg_id)
            return None if found is None else read_side(db, found.seq)

        self.browser.ask(read, lambda now: self._compare(then, now, ("then", "now")), is_live=True)

    def _compare(
        self, one: ComparedSide | None, other: ComparedSide | None, names: tuple[str, str] = ("first", "second")
    ) -> None:
        """Compare two messages in the thread that reads, and show the result."""
        if one is None or other is None:
            self.browser.say(f"cannot compare them: the {names[one is not None]} message is no longer on the queue")
            return
        heads = [
            f"{sign} {name:6} {side.stored.md.msg_id.hex().upper()}  {rfc3339(side.stored.put_at)}"
            for sign, name, side in zip("-+", names, (one, other), strict=True)
        ]

        def show(lines: Any) -> None:
            self.browser.show(TextDialog("Differences", [*heads, "", *lines], is_wide=True))

        self.browser.ask(lambda _: compare(one, other), show, is_live=True)
