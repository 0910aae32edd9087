"""Messages of ``mqx get --exec``: which one is next."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from itertools import chain

from mqtools.constants.options import MQWI_UNLIMITED
from mqtools.mqi.get.request import GetResult
from mqtools.operations import consumer
from mqtools.operations.selection import EVERYTHING

from ..shared.rate import next_due
from .exec_worker import Worker
from .request import GetRequest

#: Bytes of data that one command is given at most, in several messages.
_MOST_BYTES = 104_857_600


class MessageSource:
    """Source of the next message: a retry that is due, else a new message.

    retries: key of a message whose command failed to the time of its next try, infinity where this run does not try it
    again.  seen: keys of all that failed, for a whole message of all its segments.
    """

    def __init__(self, request: GetRequest) -> None:
        self.retries: dict[int, float] = {}
        self.seen: set[int] = set()
        self._request = request
        self._selection = request.selection or EVERYTHING
        self._walk: Iterator[int] | None = None
        self._left = math.inf if request.limit is None else request.limit
        self._may_start_at = 0.0
        self._idle_since = time.monotonic()

    def next(self, worker: Worker) -> GetResult | None:
        """Return the next message, or None when there is none now, or the rate does not allow one yet."""
        if time.monotonic() < self.next_start_at:
            return None
        result = self._retried(worker) or (self._new(worker) if self._left else None)
        if result is not None:
            self.note_progress()
            if self._request.rate is not None:
                self._may_start_at = next_due(self._may_start_at, self._request.rate)
        return result

    def next_batch(self, worker: Worker, first: GetResult, most: int) -> list[GetResult]:
        """Return a message, and those behind it that one command processes with it.

        A message that was backed out before is alone, and the data of several is no longer than that of the longest
        message.  most: number of messages.
        """
        results, length = [first], len(first.message.data)
        while len(results) < most and self._left and not first.message.md.backout_count:
            result = self._new(worker)
            if result is None:
                break
            length += len(result.message.data)
            if result.message.md.backout_count or length > _MOST_BYTES:
                self._return(worker, result)
                break
            results.append(result)
            if self._request.rate is not None:
                self._may_start_at = next_due(self._may_start_at, self._request.rate)
        return results

    def _return(self, worker: Worker, result: GetResult) -> None:
        """Back out the last get; its message is the next one."""
        if self._walk is not None:
            self._walk = chain(result.held[:1], self._walk)
        worker.return_last()
        self._left += 1

    @property
    def next_start_at(self) -> float:
        """Time of the next start that the rate allows, 0 where nothing is left to start."""
        return self._may_start_at if self._left or self.retries else 0

    def note_progress(self) -> None:
        """Restart the wait time for messages."""
        self._idle_since = time.monotonic()

    @property
    def next_retry_at(self) -> float:
        """Time of the next retry, infinity for none."""
        return min(self.retries.values(), default=math.inf)

    @property
    def waits_until(self) -> float:
        """Time until which to wait for new messages: infinity for ever, 0 for not at all."""
        if not self._left or not self._request.wait_ms or self._selection.first or self._selection.last:
            return 0  # places are of the queue as it was
        is_unlimited = self._request.wait_ms == MQWI_UNLIMITED
        return math.inf if is_unlimited else self._idle_since + self._request.wait_ms / 1000

    def _retried(self, worker: Worker) -> GetResult | None:
        now = time.monotonic()
        for seq in sorted(seq for seq, due in self.retries.items() if due <= now):
            del self.retries[seq]
            result = self._get(worker, seq)
            if result is not None:
                return result  # else another program has it now
        return None

    def _new(self, worker: Worker) -> GetResult | None:
        if self._selection.is_everything and not self.seen and not worker.must_check_conversion(self._request):
            result = worker.get(self._request)
        elif self._selection.is_everything:  # looked for from the front: order goes before speed
            result = self._first_of(worker, worker.keys(self._request, self.seen))
        else:
            if self._walk is None:
                self._walk = worker.keys(self._request, self.seen)
            result = self._first_of(worker, self._walk)
            if result is None and self.waits_until:
                self._walk = None  # again from the front, when a message has come
        if result is not None:
            self._left -= 1
        return result

    def _first_of(self, worker: Worker, keys: Iterator[int]) -> GetResult | None:
        return next((result for seq in keys if (result := self._get(worker, seq)) is not None), None)

    def _get(self, worker: Worker, seq: int) -> GetResult | None:
        """Return a message by its key, without conversion if it will be moved."""
        unchanged = False
        if worker.must_check_conversion(self._request):
            md = worker.descriptor_of(seq)
            unchanged = md is not None and consumer.has_reached(worker.threshold, md)
        return worker.get(self._request, seq, unchanged=unchanged)
