"""Keys for marks, and the messages that an action applies to: the marked ones, else the one under the cursor."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from typing import Any

from mqtools.formats.phrases import grouped
from mqtools.operations.views.queue_pages import END, HitPages
from mqtools.tui.background.mark_job import MOST, MarkJob, keys_between
from mqtools.tui.controllers.controller import BrowserScreen, Controller
from mqtools.tui.controllers.work import WorkController
from mqtools.tui.display.outcome import format_count
from mqtools.tui.display.row import Row, explain_absence


class Marks(Controller):
    """The marks of this session by queue: co-operative browse marks, which the writer thread renews."""

    def __init__(self, browser: BrowserScreen, work: WorkController) -> None:
        super().__init__(browser)
        self.work = work
        self._marked: dict[str, set[int]] = {}
        self._is_renewing = False
        self._being_marked: list[str] = []  # queues, once for each marking job under way
        self._unmarked: set[int] = set()  # what this session has unmarked, until rows may have been read since

    def on(self, q_name: str) -> set[int]:
        """Return the keys of the marked messages of a queue; the set is kept up to date."""
        return self._marked.setdefault(q_name, set())

    def forget(self, q_name: str) -> None:
        """Forget the marks on a queue that was deleted."""
        self._marked.pop(q_name, None)

    def drop_gone(self, q_name: str, keys: Collection[int], then: Callable[[Collection[int]], object]) -> None:
        """Drop the marks of those messages on a queue that are gone. then: takes their keys."""

        def dropped(value: Any) -> None:
            gone = () if isinstance(value, Exception) else value
            self.on(q_name).difference_update(gone)
            then(gone)
            self._show()

        self.work.writer.do(lambda writer: writer.forget_gone(q_name, keys), dropped)

    def renew(self) -> None:
        """Drop the marks of messages that other programs have removed from the listed queue."""
        q_name = self.browser.messages.q_name
        if self.on(q_name) and not self._is_renewing:
            self._is_renewing = True
            self.drop_gone(q_name, [*self.on(q_name)], self._renewed)

    def _renewed(self, _: Collection[int]) -> None:
        self._is_renewing = False

    def letter_of(self, row: Row) -> str:
        """Return the letter of a mark on the listed queue: M of this session, m of another, empty for no mark."""
        q_name = self.browser.messages.q_name
        if row.seq in self.on(q_name):
            return "M"
        if q_name in self._being_marked and row.seq in self.work.writer.marked.get(q_name, ()):
            return "M"
        return "m" if row.is_marked and row.seq not in self._unmarked else ""

    def is_marking(self, q_name: str) -> bool:
        return q_name in self._being_marked

    @property
    def chosen(self) -> list[int]:
        """Keys of the marked messages, else of the one under the cursor; none while they are being marked.

        Nothing is marked in the past.
        """
        q_name, row = self.browser.messages.q_name, self.browser.current
        if self.is_marking(q_name):
            return []
        if (keys := self.on(q_name)) and not self.browser.past.state:
            return sorted(keys)
        return [] if row is None or row.gone_at is not None else [row.seq]

    @property
    def selected(self) -> list[int]:
        """Keys of the messages that an action applies to, as ``chosen``; a notification says why there are none."""
        keys = self.chosen
        if not self.refuses_while_marking() and not keys:
            self.browser.say(explain_absence(self.browser.current))
        return keys

    def refuses_while_marking(self) -> bool:
        """Return whether messages of the listed queue are being marked; then say so."""
        if not self.is_marking(q_name := self.browser.messages.q_name):
            return False
        jobs = self.browser.session.first_key("jobs")
        self.browser.say(f"messages on {q_name} are still being marked; wait, or stop that with {jobs}", "warning")
        return True

    @property
    def marked_or_found(self) -> frozenset[int] | None:
        """Keys of the marked messages, else of the hits of the filter; None where there is neither.

        Nothing is marked in the past.
        """
        found = self._found
        marked = frozenset() if self.browser.past.state else frozenset(self.browser.messages.ours)
        return marked or (None if found is None else frozenset(found))

    @property
    def _found(self) -> list[int] | None:
        """Keys of the hits of the filter; None without one."""
        source = self.browser.message_list.unsorted[0]
        return source.keys if isinstance(source, HitPages) else None

    def count(self, keys: Collection[int]) -> str:
        """Return the number of messages in words, and how many of them the filter hides."""
        found = self._found
        hidden = 0 if found is None else len(set(keys).difference(found))
        return format_count(len(keys)) + (f" ({grouped(hidden)} hidden by the filter)" if hidden else "")

    # -- keys

    def toggle(self) -> None:
        """Mark or unmark the message under the cursor and move down; with a range begun, mark the range."""
        browser = self.browser
        row, q_name = browser.current, browser.messages.q_name
        if row is None:
            return
        if browser.messages.range_from is not None:
            self.mark_range()
            return
        if row.seq in self.on(q_name):
            self._unmark(f"unmark on {q_name}", q_name, [row.seq])
        elif row.gone_at is None:
            self.on(q_name).add(row.seq)
            self._mark_one(q_name, row.seq)
        browser.act("move.down")

    def _mark_one(self, q_name: str, seq: int) -> None:
        action = f"mark on {q_name}"

        def failed(error: Exception) -> None:
            self.on(q_name).discard(seq)
            self.browser.fail(error, action)
            self._show()

        self.work.write(action, lambda writer: writer.mark_one(q_name, seq), self._show, failed, is_logged=False)

    def _unmark(self, action: str, q_name: str, keys: list[int]) -> None:
        self.on(q_name).difference_update(keys)
        self._unmarked.update(keys)

        def failed(error: Exception) -> None:
            self._unmarked.difference_update(keys)
            self.on(q_name).update(keys)
            self.browser.fail(error, action)
            self._show()

        unmarked = lambda _: self._forget(keys)  # noqa: E731 - too long for its place
        self.work.write(action, lambda writer: writer.unmark(q_name, keys), unmarked, failed, is_logged=False)

    def _forget(self, keys: list[int]) -> None:
        """Trust what is read of marks that were taken off, as soon as every read that may be older is over."""
        self._unmarked.update(keys)
        self._show()

        def read(_: Any) -> None:
            self._unmarked.difference_update(keys)
            for row in self.browser.messages.window.rows:
                row.is_marked = row.is_marked and row.seq not in keys
            self._show()

        self.browser.session.reader.ask(lambda _: None, read)

    def _show(self, _: Any = None) -> None:
        self.browser.show_status()

    def mark_range(self) -> None:
        """Begin a range at the cursor, or mark the range that was begun, up to the cursor."""
        browser = self.browser
        row, begun = browser.current, browser.messages.range_from
        if row is None:
            return
        browser.messages.range_from = row.order_key if begun is None else None
        if begun is not None:
            first, last = sorted((begun, row.order_key))
            self.mark_listed("Mark a range", first, last)
        self._show()

    def unmark_all(self) -> None:
        """Unmark all messages of the listed queue; ask first if there are several."""
        browser, q_name = self.browser, self.browser.messages.q_name
        keys = sorted(self.on(q_name))
        if not keys:
            browser.say("nothing is marked here")
            return
        words = f"Take {format_count(len(keys), 'mark')} off {q_name}"

        if len(keys) == 1:
            self._unmark(words, q_name, keys)
        else:
            browser.confirm(f"{words}?", "Take off", partial(self._unmark, words, q_name, keys))

    def mark_listed(self, words: str, first: int = 0, last: int = END, *, inverts: bool = False) -> None:
        """Mark the listed messages from one order key to another. inverts: unmark those that are marked."""
        source, pane = self.browser.message_list.source, self.browser.messages
        if source is not None:
            marking = MarkJob(
                pane.q_name, lambda connection: keys_between(connection, source, first, last), inverts=inverts
            )
            self.mark(words, marking, pane.total)

    def mark(self, words: str, marking: MarkJob, number: int) -> None:
        q_name = marking.q_name
        self._being_marked.append(q_name)

        def take() -> None:
            self._forget(marking.take_news(self.on(q_name)))

        def done(_: Any) -> None:
            self._being_marked.remove(q_name)
            take()

        self.work.job(f"{words} on {q_name}", "marked", marking.steps, min(number, MOST), progress=take, done=done)
