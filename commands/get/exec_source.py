"""Messages of ``mqx get --exec``: the connections that hold them, and which one is next."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import chain

from mqtools.configuration import locate
from mqtools.constants.options import (
    MQGMO_ACCEPT_TRUNCATED_MSG,
    MQGMO_CONVERT,
    MQMO_MATCH_MSG_TOKEN,
    MQOO_FAIL_IF_QUIESCING,
    MQOO_INPUT_SHARED,
    MQOO_SAVE_ALL_CONTEXT,
    MQWI_UNLIMITED,
)
from mqtools.constants.reasons import MQRC_TRUNCATED_MSG_FAILED
from mqtools.constants.states import UNLOCKED
from mqtools.errors import NoMessageAvailable
from mqtools.formats.envelope.envelope import dumps, to_envelope
from mqtools.message import Message
from mqtools.mqi.connection import Connection
from mqtools.mqi.get import search
from mqtools.mqi.get.request import GetResult
from mqtools.operations import consumer
from mqtools.operations.key_snapshot import release_dead_holders
from mqtools.operations.selection import EVERYTHING, select
from mqtools.operations.stored_messages import load_message

from ..browse.groups import first_segments
from ..shared.command_session import Session
from ..shared.rate import next_due
from .exec_command import RunningCommand
from .request import GetRequest, check_length

_OPEN = MQOO_INPUT_SHARED | MQOO_SAVE_ALL_CONTEXT | MQOO_FAIL_IF_QUIESCING
#: Bytes of data that one command is given at most, in several messages.
_MOST_BYTES = 104_857_600
#: Options of a get that change the data that the program is given.
_CHANGES_DATA = MQGMO_CONVERT | MQGMO_ACCEPT_TRUNCATED_MSG


@dataclass(frozen=True, slots=True)
class HeldMessage:
    """Message that a unit of work has got. keys: of a whole message those of all its segments."""

    message: Message
    keys: tuple[int, ...]

    @property
    def name(self) -> str:
        """Message id in hexadecimal digits."""
        return self.message.md.msg_id.hex().upper()


class Worker:
    """Connection that holds the messages of one command, and the command that processes them."""

    def __init__(self, session: Session, q_name: str, opened: ExitStack) -> None:
        self.connection: Connection = opened.enter_context(session.connect())
        self.handle = opened.enter_context(self.connection.open(q_name, _OPEN))
        self.held: list[HeldMessage] = []
        self.command: RunningCommand | None = None

    @property
    def qmgr_name(self) -> str:
        """Name of the queue manager for the command's environment: its path where the name means another file."""
        name, path = self.connection.name, os.path.abspath(self.connection.path)
        return name if os.path.realpath(locate.path_of(name)) == os.path.realpath(path) else path

    def input_of_batch(self, q_name: str, ends_with_nul: bool) -> bytes:
        """Return the held messages as JSON lines, or their data, each ended by NUL."""
        if ends_with_nul:
            return b"".join(held.message.data + b"\0" for held in self.held)
        name, ccsid = self.connection.name, self.connection.ccsid
        envelopes = (
            to_envelope(held.message, qmgr=name, queue=q_name, state=UNLOCKED, ccsid=ccsid) for held in self.held
        )
        return "".join(f"{dumps(envelope)}\n" for envelope in envelopes).encode("utf-8")

    def get(self, request: GetRequest, seq: int | None = None, *, unchanged: bool = False) -> GetResult | None:
        """Return a message, or None when there is none. Raise MQError for one that is too long (7).

        seq: key of the message, None for the next one.  unchanged: get it whole and without conversion.
        """
        options, parameters = request.options, request.parameters()
        try:
            result = self.handle.get(
                options & ~_CHANGES_DATA if unchanged else options,
                max_length=None if unchanged else request.max_length,
                msg_token=b"" if seq is None else search.token_of(seq),
                **{**parameters, "match_options": 0 if seq is None else MQMO_MATCH_MSG_TOKEN},
            )
        except NoMessageAvailable:
            return None
        if result.reason == MQRC_TRUNCATED_MSG_FAILED:
            check_length(request, result.data_length)
        return result


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
        worker.connection.backout_last(counts=False)
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
        if self._selection.is_everything and not self.seen and not self._must_check_conversion(worker):
            result = worker.get(self._request)
        elif self._selection.is_everything:  # looked for from the front: order goes before speed
            result = self._first_of(worker, self._keys(worker))
        else:
            if self._walk is None:
                self._walk = self._keys(worker)
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
        if self._must_check_conversion(worker):
            stored = load_message(worker.connection, seq)
            threshold = consumer.backout_threshold(worker.handle)
            unchanged = stored is not None and consumer.has_reached(threshold, stored.md)
        return worker.get(self._request, seq, unchanged=unchanged)

    def _must_check_conversion(self, worker: Worker) -> bool:
        """Check whether the get could change the data of a message that is about to be moved."""
        changes = self._request.options & _CHANGES_DATA or self._request.max_length is not None
        return bool(changes) and consumer.backout_threshold(worker.handle) > 0

    def _keys(self, worker: Worker) -> Iterator[int]:
        """Yield the keys of selected messages without failures, page by page while the commands run."""
        release_dead_holders(worker.connection, worker.handle.queue_id)
        found = select(worker.connection, worker.handle.queue_id, self._selection)
        left = (stored.seq for stored in found if stored.seq not in self.seen)
        if self._request.group_options is None or not self._request.group_options.is_whole:
            return left
        return first_segments(worker.connection, left)
