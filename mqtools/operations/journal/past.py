"""Queues as they were at an instant: what the journal can show, and a view of it that is read like the present.

A queue can be shown at times with JOURNAL(BODY), if the journal still keeps all later events.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from mqtools.configuration.locate import find
from mqtools.constants.objects import MQMDS_PRIORITY
from mqtools.errors import UsageError
from mqtools.formats.units import rfc3339
from mqtools.mqi.authority import check_browse
from mqtools.mqi.connection import Connection
from mqtools.mqi.identity import now_ms
from mqtools.mqi.resolution import resolve_for_get
from mqtools.operations.queue_manager_view import QueueManagerView
from mqtools.store.database import Database
from mqtools.store.messages import history
from mqtools.store.open_database import open_database
from mqtools.store.queues import Queue
from mqtools.store.snapshots.past import Past as Past

#: Value of the attribute JOURNAL that keeps the data.
_BODY = 2


class PastUnavailable(UsageError):
    """Raised when a queue cannot be shown at an instant. earliest: instant that can be shown, or None."""

    def __init__(self, text: str, *, earliest: str | None = None, hint: str | None = None) -> None:
        super().__init__(text, hint)
        self.earliest = earliest


@dataclass(slots=True)
class Period:
    """A time in which the journal of a queue is whole.

    begin, end: milliseconds since 1970; end is None for the present.  last_event: the number of the event up to which
    the journal is whole, None for the present.
    """

    begin: int
    end: int | None = None
    last_event: int | None = None

    def has(self, at_ms: int) -> bool:
        return self.begin <= at_ms and (self.end is None or at_ms < self.end)


def whole_periods(levels: Iterable[tuple[int, int, int]], removed_at: int) -> list[Period]:
    """Return the periods in which a queue can be shown, in order.

    levels: the values of its attribute JOURNAL, since when, and the number of the event before.
    removed_at: time of the latest removed event.
    """
    periods: list[Period] = []
    for level, since, last_event in levels:
        if periods and periods[-1].end is None:
            if level == _BODY:
                continue
            periods[-1].end, periods[-1].last_event = since, last_event
        elif level == _BODY:
            periods.append(Period(since))
    for period in periods:
        period.begin = max(period.begin, removed_at)
    return [period for period in periods if period.end is None or period.begin < period.end]


class PastView(QueueManagerView):
    """A queue manager with queues as they were at an instant; ``show`` adds a queue. Others have no messages in it."""

    def __init__(self, path: str, at_ms: int) -> None:
        """at_ms: milliseconds since 1970. Raises PastUnavailable for the future; MQError."""
        if at_ms > now_ms():
            raise PastUnavailable(f"{rfc3339(at_ms)} is in the future")
        past = open_database(path, read_only=True, kind=Past)
        assert isinstance(past, Past)
        self.database = past
        super().__init__(path, past)
        past.prepare()
        self.at_ms = at_ms
        self._shown: set[int] = set()

    def show(self, q_name: str) -> Queue:
        """Show a queue, or the one behind an alias, as it was; return it. Raises PastUnavailable, MQError."""
        queue, _ = resolve_for_get(self.db, q_name)
        check_browse(self.db, queue.name)
        if queue.id not in self._shown:
            with self.reading():
                self._show(queue)
            self._shown.add(queue.id)
        return resolve_for_get(self.db, q_name)[0]

    def connection(self) -> Connection:
        """Return a connection to the queue manager of the view, for verbs that only read."""
        return Connection(self.db, appl_name="mqx", user_identifier="")

    def _show(self, queue: Queue) -> None:
        db = self.database
        period = _period_of(db, queue, self.at_ms)
        order = history.was_by_priority(db, queue.name, self.at_ms)
        by_priority = queue.msg_delivery_sequence == MQMDS_PRIORITY if order is None else order
        first = history.last_until(db, self.at_ms)
        db.show(queue, self.at_ms, first, period.last_event, by_priority=by_priority)


def open_database_as_it_was(path: str, q_name: str, at_ms: int, opened: Callable[[Past], None] | None = None) -> Past:
    """Open the database of a queue manager with a queue as it was at an instant; the caller closes it.

    opened: takes the database before the queue is read, which takes long: another thread can interrupt it then. Who
    has taken it closes it after an error too.
    Raises PastUnavailable, MQError.
    """
    view = PastView(path, at_ms)
    if opened is not None:
        opened(view.database)
    try:
        view.show(q_name)
    except BaseException:
        if opened is None:
            view.close()
        raise
    return view.database


def open_past(q_mgr_name: str | None, at_ms: int) -> PastView:
    """Open a queue manager as it was at an instant. Raises PastUnavailable for the future; MQError."""
    return PastView(find(q_mgr_name), at_ms)


def _period_of(db: Database, queue: Queue, at_ms: int) -> Period:
    """Return the period in which an instant is. Raises PastUnavailable that names the earliest time to show."""
    periods = whole_periods(history.levels(db, queue.name), history.removed_at(db))
    for period in periods:
        if period.has(at_ms):
            return period
    if not periods:
        raise PastUnavailable(
            f"cannot show queue {queue.name} as it was: it has no JOURNAL(BODY)",
            hint=f"mqx mqsc 'ALTER QLOCAL({queue.name}) JOURNAL(BODY)' keeps its past from now on",
        )
    later = next((period for period in periods if period.begin > at_ms), None)
    earliest = rfc3339((later or periods[0]).begin)
    why = "no JOURNAL(BODY) then, or events were removed since"
    which = "earliest time" if later in (None, periods[0]) else "earliest time after it"
    raise PastUnavailable(
        f"cannot show queue {queue.name} as it was at {rfc3339(at_ms)}: {why}; "
        f"the {which} that can be shown is {earliest}",
        earliest=earliest,
    )
