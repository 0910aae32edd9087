"""Marking many messages: page by page, so that short tasks run in between, and up to a limit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from mqtools.formats.phrases import grouped
from mqtools.operations.views.queue_pages import QueuePages
from mqtools.tui.display.outcome import Outcome

if TYPE_CHECKING:
    from mqtools.operations.stored_messages import Source  # it has it for type checkers only
    from mqtools.tui.background.writer import SessionWriter

Pages: TypeAlias = "Callable[[Source], Iterator[list[int]]]"


#: Most messages that a session marks on a queue: each mark is renewed several times in each interval, which takes a
#: tenth of a processor for this number.
MOST = 20_000
_PAGE = 500


@dataclass(slots=True, eq=False)
class MarkJob:
    """Marks many messages of a queue.

    q_name: of the queue.  pages: yields the keys.  inverts: unmark the messages that are marked.  on, off: keys that
    were marked and unmarked so far.
    """

    q_name: str
    pages: Pages
    inverts: bool = field(default=False, kw_only=True)
    on: list[int] = field(default_factory=list, init=False)
    off: list[int] = field(default_factory=list, init=False)
    _taken: tuple[int, int] = field(default=(0, 0), init=False)

    def steps(self, writer: SessionWriter) -> Iterator[Outcome]:
        """Mark page by page; yield the outcome after each."""
        outcome = Outcome(0)
        for page in self.pages(writer.connection):
            marked = writer.marked.get(self.q_name, set())
            new = [seq for seq in page if seq not in marked]
            if self.inverts:
                self.off += writer.unmark(self.q_name, [seq for seq in page if seq in marked])
            room = max(0, MOST - len(writer.marked.get(self.q_name, ())))
            done = writer.mark(self.q_name, new[:room])
            self.on += done
            outcome.done += len(done)
            if len(new) > room:
                outcome.error = ValueError(
                    f"cannot mark more than {grouped(MOST)} messages; mqx move, copy and delete take any number"
                )
            yield outcome
            if outcome.error is not None:
                return

    def take_news(self, ours: set[int]) -> list[int]:
        """Apply what was marked and unmarked since the last call, once: marks may be taken off while the job runs.

        Return the keys that were unmarked.
        """
        on, off = self._taken
        self._taken = len(self.on), len(self.off)
        unmarked = self.off[off : self._taken[1]]
        ours.difference_update(unmarked)
        ours.update(self.on[on : self._taken[0]])
        return unmarked


def keys_between(connection: Source, source: QueuePages, first: int, last: int) -> Iterator[list[int]]:
    """Yield the keys of the listed messages between two order keys, both included, by page."""
    place = first - 1
    while True:
        page = source.behind(connection, place, _PAGE)
        yield [stored.seq for stored in page if stored.order_key <= last]
        if len(page) < _PAGE or page[-1].order_key >= last:
            return
        place = page[-1].order_key
