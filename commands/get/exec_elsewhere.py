"""Worker of ``mqx get --exec`` on a queue manager elsewhere.

The queue manager backs a message out as soon as its connection ends, also while the command of a killed mqx still runs.
"""

from __future__ import annotations

import select
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack

from mqtools.configuration.locate import elsewhere_error
from mqtools.constants.message import MQAT_UNIX
from mqtools.constants.objects import MQCA_BACKOUT_REQ_Q_NAME, MQIA_BACKOUT_THRESHOLD
from mqtools.constants.options import (
    MQOO_FAIL_IF_QUIESCING,
    MQOO_INQUIRE,
    MQOO_OUTPUT,
    MQPMO_PASS_ALL_CONTEXT,
    MQPMO_SYNCPOINT,
)
from mqtools.constants.reasons import (
    MQRC_BACKOUT_THRESHOLD_REACHED,
    MQRC_CONNECTION_BROKEN,
    MQRC_UNKNOWN_OBJECT_NAME,
)
from mqtools.errors import MQError
from mqtools.headers.chain import prefix_dlh
from mqtools.message import MQMD, Message
from mqtools.mqi.get.request import GetResult
from mqtools.mqi.identity import now_ms, put_date_and_time
from mqtools.operations.browsed_queue import PREVIEW_BYTES, BrowsedQueue, number_of
from mqtools.operations.selection import EVERYTHING, Selection
from mqtools.rules.reports import DISCARD, disposition

from ..shared.command_session import Session
from .exec_worker import Worker
from .request import GetRequest

_PASS = MQPMO_SYNCPOINT | MQPMO_PASS_ALL_CONTEXT
#: Interval of the looks for a message (seconds).
_LOOK_S = 0.5


class WorkerElsewhere(Worker):
    """Worker on a queue manager elsewhere."""

    def open(self, session: Session, q_name: str, opened: ExitStack) -> None:
        self.connection = self._there = opened.enter_context(session.connect_elsewhere(changes=True))
        self._queue = opened.enter_context(BrowsedQueue(self.connection, q_name, gets=True))
        self.handle = self._queue.handle
        with self.connection.open(q_name, MQOO_INQUIRE | MQOO_FAIL_IF_QUIESCING) as queue:
            threshold, requeue_q = queue.inquire([MQIA_BACKOUT_THRESHOLD, MQCA_BACKOUT_REQ_Q_NAME])
        self._threshold, self._requeue_q = int(threshold or 0), str(requeue_q or "").rstrip()

    @property
    def qmgr_name(self) -> str:
        return self.connection.name

    @property
    def threshold(self) -> int:
        """BackoutThreshold when the command began."""
        return self._threshold

    @property
    def life(self) -> tuple[int, ...]:
        return ()

    def get(self, request: GetRequest, seq: int | None = None, *, unchanged: bool = False) -> GetResult | None:
        result = super().get(request, seq, unchanged=unchanged)
        if result is not None:
            result.held = (number_of(result),)
        return result

    def keys(self, request: GetRequest, seen: Collection[int]) -> Iterator[int]:
        with BrowsedQueue(self.connection, self._queue.name) as queue:
            for stored in queue.select(request.selection or EVERYTHING, max_length=PREVIEW_BYTES):
                if stored.seq not in seen:
                    yield stored.seq

    def descriptor_of(self, seq: int) -> MQMD | None:
        found = self._queue.browse(seq)
        return None if found is None else found.message.md

    def requeue(self, message: Message) -> str:
        """Move a message; send no exception report. Raises MQError; the unit of work is backed out first."""
        error = MQError(f"queue manager {self.connection.name} has no dead-letter queue", MQRC_UNKNOWN_OBJECT_NAME)
        for name, made in self._destinations(message):
            try:
                if name:
                    self.connection.put1(name, made, _PASS, context=self.handle)
            except MQError as failure:
                if failure.reason == MQRC_CONNECTION_BROKEN:
                    raise
                error = failure
            else:
                self.connection.commit()
                return name
        self.connection.backout()
        raise error

    def _destinations(self, message: Message) -> Iterator[tuple[str, Message]]:
        """Yield the queues to try with what is put there; an empty name discards the message."""
        if self._requeue_q:
            yield self._requeue_q, message
        if disposition(message.md.report) == DISCARD:
            yield "", message
        elif dead_letter_q := self._there.dead_letter_q():
            put_date, put_time = put_date_and_time(now_ms())
            md, data = prefix_dlh(
                message.md,
                message.data,
                reason=MQRC_BACKOUT_THRESHOLD_REACHED,
                dest_q_name=self._queue.name,
                dest_q_mgr_name=self.connection.name,
                put_appl_type=MQAT_UNIX,
                put_appl_name="mqx",
                put_date=put_date,
                put_time=put_time,
            )
            yield dead_letter_q, Message(data, md, message.properties)

    def wait(self, deadline: float | None, look: Callable[[], bool], alarm: int) -> None:
        while not look():
            left_s = _LOOK_S if deadline is None else min(_LOOK_S, deadline - time.monotonic())
            if left_s <= 0 or select.select([alarm], [], [], left_s)[0]:
                return

    def give_back(self) -> None:
        self.connection.backout()

    def return_last(self) -> None:
        raise elsewhere_error(self.connection.name, "--exec-batch")

    def check_target(self, name: str, q_mgr_name: str) -> None:
        self.connection.open(name, MQOO_OUTPUT | MQOO_FAIL_IF_QUIESCING, q_mgr_name=q_mgr_name).close()

    def print_hint(self, session: Session, q_name: str, selection: Selection) -> None:
        session.tell_person(f"no message on {q_name}{'' if selection.is_everything else ' matches'}")
