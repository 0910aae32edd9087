"""Messages of a transmission queue for a batch: got in its unit of work, passed through the exits, within limits."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mqtools.channel.disposal import dispose
from mqtools.channel.link import max_properties_length
from mqtools.constants.channels import MQNPMS_FAST
from mqtools.constants.message import (
    MQENC_NATIVE,
    MQFB_STOPPED_BY_MSG_EXIT,
    MQFB_XMIT_Q_MSG_ERROR,
    MQFMT_XMIT_Q_HEADER,
    MQPER_NOT_PERSISTENT,
)
from mqtools.constants.options import MQGMO_FAIL_IF_QUIESCING, MQGMO_SYNCPOINT
from mqtools.constants.reasons import MQRC_MSG_TOO_BIG_FOR_CHANNEL
from mqtools.constants.structures import MQMI_NONE, MQXQH_LENGTH_1
from mqtools.errors import MQError, NoMessageAvailable
from mqtools.formats.envelope.envelope import properties_to_json
from mqtools.headers.conversion import convert
from mqtools.headers.mqxqh import peek_persistence
from mqtools.mqi import units_of_work
from mqtools.mqi.causes import EventDetail
from mqtools.mqi.distributed_queuing.transmission import Carried, unwrap, wrap
from mqtools.mqi.get.removal import take_off
from mqtools.mqi.get.search import has_expired, remaining_expiry
from mqtools.mqi.journal import CHANNEL_SEND
from mqtools.mqi.transmission_queue import put_behind, replace_stored
from mqtools.store.messages.delivery_order import first_alone

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from mqtools.channel.exit_point import ExitPoint
    from mqtools.message import MQMD
    from mqtools.mqi.handle import Handle
    from mqtools.mqi.transaction import Work

_GET = MQGMO_SYNCPOINT | MQGMO_FAIL_IF_QUIESCING
#: A get stops taking messages at this total length (bytes).
_ENOUGH = 262_144


@dataclass(slots=True)
class Outgoing:
    """A message that is ready to be sent.

    seq: its key.  md: the queue manager's own.  data: with the MQXQH.  length: of the application's data.
    is_fast: outside the batch.
    """

    seq: int
    md: MQMD
    data: bytes
    properties: bytes
    length: int
    is_fast: bool


@dataclass(frozen=True, slots=True)
class _Retrieved:
    """A message that was got. seq: its key.  md: the queue manager's own.  properties: JSON."""

    seq: int
    md: MQMD
    data: bytes
    properties: str | None


@dataclass(frozen=True, slots=True)
class _Portion:
    """Messages that were got together. number: of them, and those to send.  at: when, by ``time.monotonic``."""

    number: int
    ready: list[Outgoing]
    at: float


class Outbox:
    """The sending side of a transmission queue.

    definition: of the channel.  max_message_length: as negotiated.  exits: None without.  to_ccsid: of the queue
    manager at the other end, to which CONVERT(YES) converts data before the exits see it; data that cannot be converted
    is sent unchanged.
    Followers that an exit puts go in the same batch, and are stored only if the batch has no room.
    refused: number of messages that could not be sent.
    """

    def __init__(
        self,
        handle: Handle,
        definition: dict[str, Any],
        max_message_length: int,
        exits: ExitPoint | None,
        to_ccsid: int,
    ) -> None:
        self._handle = handle
        self._connection = handle.connection
        self._definition = definition
        self._longest = max_message_length
        self._exits = exits
        self._to_ccsid = to_ccsid
        self._followers: list[Carried] = []
        self._ahead: _Portion | None = None
        self._behind = 0
        self._by_channel = f"channel {definition['name']}"
        self.refused = 0

    @property
    def has_ahead(self) -> bool:
        """Whether messages have been read ahead."""
        return self._ahead is not None

    def read_ahead(self, most: int, most_bytes: int) -> None:
        """Get the first messages of the next batch, in a unit of work of their own, while the last one is confirmed.

        most, most_bytes: as for ``take``.  Where that fails it is backed out, and left to ``take``. Nothing is read
        ahead for exits, which change messages.
        """
        if self._exits is not None:
            return
        refused = self.refused
        try:
            portion = self._read(most, most_bytes)
        except MQError:
            self.refused = refused
            self._connection.backout()
            return
        if portion.number:
            self._ahead = portion

    def take(self, most: int, most_bytes: int) -> tuple[int, list[Outgoing]]:
        """Get some messages in the unit of work of the batch; return their number, and those to send.

        most_bytes: no more are got once they have so many.  Those that were read ahead come first.
        A fast one is removed from the queue at once. Messages that cannot be sent are dead-lettered in the unit of
        work. Raises MQError: of the get, ExitError, MQRC_CHANNEL_STOPPED.
        """
        if self._followers:
            follower = self._run_exits(self._followers.pop(0), seq=0)
            return 1, [] if follower is None else [follower]
        portion, self._ahead = self._ahead, None
        if portion is None:
            # An exit may put a message behind its own, which must be the next.
            portion = self._read(1 if self._exits is not None else most, most_bytes)
        _shorten_expiry(portion)
        fast = [outgoing.seq for outgoing in portion.ready if outgoing.is_fast]
        if fast:
            with self._connection.work() as work:
                units_of_work.confirm_got(work, self._connection.unit_of_work(work), fast)
        return portion.number, portion.ready

    def _read(self, most: int, most_bytes: int) -> _Portion:
        taken = self._get(most, most_bytes)
        ready = [outgoing for one in taken if (outgoing := self._make_ready(one)) is not None]
        return _Portion(len(taken), ready, time.monotonic())

    def end_batch(self) -> None:
        """Store, in the unit of work of the batch, the followers for which it has no room."""
        if self._followers:
            with self._connection.work() as work:
                holder_id = self._connection.unit_of_work(work)
                for follower in self._followers:
                    put_behind(work, self._behind, follower, holder_id)
            self._followers = []

    def _get(self, most: int, most_bytes: int) -> list[_Retrieved]:
        """Get messages in one transaction: the first with all the checks of a get, others behind it with few."""
        taken: list[_Retrieved] = []
        left = min(most_bytes, _ENOUGH)
        with self._connection.work() as work, work.caused_by(CHANNEL_SEND, detail=self._by_channel):
            while len(taken) < most and left > 0:
                try:
                    result = self._handle.get(_GET)
                except NoMessageAvailable:
                    break
                message = result.message
                left -= len(message.data)
                properties = properties_to_json(message.properties) if message.properties else None
                seq = int.from_bytes(result.msg_token, "big")
                taken.append(_Retrieved(seq, message.md, message.data, properties))
                following = self._get_following(work, most - len(taken))
                while left > 0 and (one := next(following, None)) is not None:
                    taken.append(one)
                    left -= len(one.data)
        return taken

    def _get_following(self, work: Work, most: int) -> Iterator[_Retrieved]:
        """Get what lies in front now, one for each that is asked for, up to one for which a get has more to do."""
        queue = self._handle.fresh_queue(work)
        if queue.grouped or not most or work.qmgr.profile == "zos":
            return
        holder_id = self._connection.unit_of_work(work)
        for stored in first_alone(work.db, queue.id, most):
            if has_expired(work, stored):
                return
            expiry = remaining_expiry(stored, work.now_ms)
            data = take_off(work, queue, stored, expiry, holder_id)
            stored.md.expiry = expiry
            yield _Retrieved(stored.seq, stored.md, data, stored.properties)

    def _make_ready(self, taken: _Retrieved) -> Outgoing | None:
        """Pass a message through the exits, and check it; return None when it is not sent."""
        outgoing = self._as_it_is(taken)
        if outgoing is not None:
            return outgoing
        try:
            carried = unwrap(taken.md, taken.data, taken.properties, self._connection.profile)
        except MQError:
            whole = Carried(taken.md, taken.data, taken.properties, self._handle.q_name, self._connection.name)
            self._dispose(whole, MQFB_XMIT_Q_MSG_ERROR)
            return None
        if self._definition["data_conversion"]:
            carried = self._convert(carried)
        if self._exits is not None:
            self._behind = taken.seq
            return self._run_exits(carried, taken.seq)
        if self._definition["data_conversion"]:
            return self._wrap(carried, taken.seq)
        return self._check(carried, taken.md, taken.data, taken.seq)

    def _as_it_is(self, taken: _Retrieved) -> Outgoing | None:
        """Return a message that is sent as it is on the queue, which most are; None where more is to be known of it."""
        md, length = taken.md, len(taken.data) - MQXQH_LENGTH_1
        if self._exits is not None or self._definition["data_conversion"] or md.format != MQFMT_XMIT_Q_HEADER:
            return None
        persistence = peek_persistence(taken.data, md.encoding, md.coded_char_set_id)
        if persistence is None or length > self._longest or taken.properties is not None:
            return None
        return Outgoing(taken.seq, md, taken.data, b"", length, self._is_fast(persistence))

    def _is_fast(self, persistence: int) -> bool:
        return persistence == MQPER_NOT_PERSISTENT and self._definition["nonpersistent_msg_speed"] == MQNPMS_FAST

    def _convert(self, carried: Carried) -> Carried:
        done = convert(carried.md, carried.data, to_ccsid=self._to_ccsid, to_encoding=MQENC_NATIVE)
        return carried.replace(md=done.md, data=done.data)

    def _run_exits(self, carried: Carried, seq: int) -> Outgoing | None:
        """Pass a message through the exits. seq: its key, 0 for a follower, which is not on the queue."""
        stored = bool(seq)
        assert self._exits is not None
        changed = self._exits(carried)
        self._keep(self._exits, stored=stored)
        if changed is None:
            self._dispose(carried, MQFB_STOPPED_BY_MSG_EXIT)
            return None
        outgoing = self._wrap(changed, seq)
        if outgoing is not None and (self._followers or not stored):
            outgoing.is_fast = False  # what is split goes together
        return outgoing

    def _wrap(self, carried: Carried, seq: int) -> Outgoing | None:
        with self._connection.work() as work:
            md, data = wrap(work, carried)
        return self._check(carried, md, data, seq)

    def _check(self, carried: Carried, md: MQMD, data: bytes, seq: int) -> Outgoing | None:
        """Check that the channel can send a message. md, data: as on the transmission queue."""
        properties = b"" if carried.properties is None else carried.properties.encode("utf-8")
        if len(carried.data) > self._longest or len(properties) > max_properties_length(self._longest):
            self._dispose(carried, MQRC_MSG_TOO_BIG_FOR_CHANNEL)
            return None
        md.expiry = carried.md.expiry
        return Outgoing(seq, md, data, properties, len(carried.data), self._is_fast(carried.md.persistence))

    def _keep(self, exits: ExitPoint, *, stored: bool) -> None:
        """Store the message that the exits fixed, with its followers, before it is sent.

        That is permanent, even if the batch is backed out. Followers of a message that is not fixed belong to the
        batch, are backed out with it, and are made again.
        """
        followers = exits.followers
        with self._connection.work() as work:
            for follower in followers:
                if follower.md.msg_id == MQMI_NONE:
                    follower.md.msg_id = work.new_id()
            if exits.settled is None or not stored:
                self._followers = [*followers, *self._followers]
                return
            replace_stored(work, self._behind, exits.settled)
            for follower in followers:
                put_behind(work, self._behind, follower, None)
            work.durable = True

    def _dispose(self, carried: Carried, reason: int) -> None:
        self.refused += 1
        with EventDetail(self._connection, self._by_channel), self._connection.work() as work:
            holder_id = self._connection.unit_of_work(work)
            dispose(work, self._definition, carried, reason, holder_id, may_lose=False)


def _shorten_expiry(portion: _Portion) -> None:
    """Count the time since messages were got in what is left of theirs; the other end discards what has expired."""
    tenths = int((time.monotonic() - portion.at) * 10)
    if tenths:
        for outgoing in portion.ready:
            if outgoing.md.expiry > 0:
                outgoing.md.expiry = max(1, outgoing.md.expiry - tenths)
