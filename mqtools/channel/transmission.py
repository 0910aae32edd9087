"""Messages of a transmission queue for a batch: got in its unit of work, passed through the exits, within limits."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from mqtools.channel.disposal import dispose
from mqtools.channel.exit_point import ExitPoint
from mqtools.channel.link import max_properties_length
from mqtools.constants.channels import MQNPMS_FAST
from mqtools.constants.message import (
    MQENC_NATIVE,
    MQFB_STOPPED_BY_MSG_EXIT,
    MQFB_XMIT_Q_MSG_ERROR,
    MQPER_NOT_PERSISTENT,
)
from mqtools.constants.options import MQGMO_FAIL_IF_QUIESCING, MQGMO_SYNCPOINT
from mqtools.constants.reasons import MQRC_MSG_TOO_BIG_FOR_CHANNEL
from mqtools.constants.structures import MQMI_NONE
from mqtools.errors import MQError, NoMessageAvailable
from mqtools.formats.properties import properties_to_json
from mqtools.headers.conversion import convert
from mqtools.message import MQMD
from mqtools.mqi import units_of_work
from mqtools.mqi.distributed_queuing.transmission import Carried, unwrap
from mqtools.mqi.get.request import GetResult
from mqtools.mqi.handle import Handle
from mqtools.mqi.identity import new_id
from mqtools.mqi.journal import CHANNEL_SEND
from mqtools.mqi.overrides import Override
from mqtools.mqi.transmission_queue import put_behind, replace_stored

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


@dataclass(eq=False)
class Outbox:
    """The sending side of a transmission queue.

    definition: of the channel.  max_message_length: as negotiated.  exits: None without.  to_ccsid: of the queue
    manager at the other end, to which CONVERT(YES) converts data before the exits see it; data that cannot be converted
    is sent unchanged.
    Followers that an exit puts go in the same batch, and are stored only if the batch has no room.
    refused: number of messages that could not be sent.
    """

    handle: Handle
    definition: dict[str, Any]
    max_message_length: int
    exits: ExitPoint | None
    to_ccsid: int
    refused: int = field(default=0, init=False)
    _followers: list[Carried] = field(default_factory=list, init=False)
    _behind: int = field(default=0, init=False)

    @property
    def _by_channel(self) -> str:
        return f"channel {self.definition['name']}"

    def take(self, most: int, most_bytes: int) -> tuple[int, list[Outgoing]]:
        """Get some messages in the unit of work of the batch; return their number, and those to send.

        most_bytes: the step ends once its messages have so many.
        A fast one is removed from the queue at once. Messages that cannot be sent are dead-lettered in the unit of
        work. Raises MQError: of the get, ExitError, MQRC_CHANNEL_STOPPED.
        """
        if self._followers:
            follower = self._run_exits(self._followers.pop(0), seq=0)
            return 1, [] if follower is None else [follower]
        # An exit may put a message behind its own, which must be the next.
        results = self._get(1 if self.exits is not None else most, most_bytes)
        ready = [outgoing for one in results if (outgoing := self._make_ready(one)) is not None]
        fast = [outgoing.seq for outgoing in ready if outgoing.is_fast]
        if fast:
            with self.handle.connection.work() as work:
                units_of_work.confirm_got(work, self.handle.connection.unit_of_work(work), fast)
        return len(results), ready

    def end_batch(self) -> None:
        """Store, in the unit of work of the batch, the followers for which it has no room."""
        if self._followers:
            with self.handle.connection.work() as work:
                holder_id = self.handle.connection.unit_of_work(work)
                for follower in self._followers:
                    put_behind(work, self._behind, follower, holder_id)
            self._followers = []

    def _get(self, most: int, most_bytes: int) -> list[GetResult]:
        with self.handle.connection.work() as work, work.caused_by(CHANNEL_SEND, detail=self._by_channel):
            results, error = self.handle.get_each(most, _GET, most_bytes=min(most_bytes, _ENOUGH))
        if error is not None and not results and not isinstance(error, NoMessageAvailable):
            raise error
        return results

    def _make_ready(self, result: GetResult) -> Outgoing | None:
        """Pass a message through the exits, and check it; return None when it is not sent."""
        md, data, seq = result.message.md, result.message.data, int.from_bytes(result.msg_token, "big")
        properties = properties_to_json(result.message.properties) if result.message.properties else None
        try:
            carried = unwrap(md, data, properties, self.handle.connection.profile)
        except MQError:
            whole = Carried(md, data, properties, self.handle.q_name, self.handle.connection.name)
            self._dispose(whole, MQFB_XMIT_Q_MSG_ERROR)
            return None
        if self.definition["data_conversion"]:
            carried = self._convert(carried)
        if self.exits is not None:
            self._behind = seq
            return self._run_exits(carried, seq)
        if self.definition["data_conversion"]:
            return self._wrap(carried, seq)
        return self._check(carried, md, data, seq)

    def _convert(self, carried: Carried) -> Carried:
        done = convert(carried.md, carried.data, to_ccsid=self.to_ccsid, to_encoding=MQENC_NATIVE)
        return carried.replace(md=done.md, data=done.data)

    def _run_exits(self, carried: Carried, seq: int) -> Outgoing | None:
        """Pass a message through the exits. seq: its key, 0 for a follower, which is not on the queue."""
        stored = bool(seq)
        assert self.exits is not None
        changed = self.exits(carried)
        self._keep(self.exits, stored=stored)
        if changed is None:
            self._dispose(carried, MQFB_STOPPED_BY_MSG_EXIT)
            return None
        outgoing = self._wrap(changed, seq)
        if outgoing is not None and (self._followers or not stored):
            outgoing.is_fast = False  # what is split goes together
        return outgoing

    def _wrap(self, carried: Carried, seq: int) -> Outgoing | None:
        with self.handle.connection.work() as work:
            md, data = carried.wrapped(work)
        return self._check(carried, md, data, seq)

    def _check(self, carried: Carried, md: MQMD, data: bytes, seq: int) -> Outgoing | None:
        """Check that the channel can send a message. md, data: as on the transmission queue."""
        properties = b"" if carried.properties is None else carried.properties.encode("utf-8")
        if len(carried.data) > self.max_message_length or len(properties) > max_properties_length(
            self.max_message_length
        ):
            self._dispose(carried, MQRC_MSG_TOO_BIG_FOR_CHANNEL)
            return None
        md.expiry = carried.md.expiry
        sends_fast = self.definition["nonpersistent_msg_speed"] == MQNPMS_FAST
        is_fast = sends_fast and carried.md.persistence == MQPER_NOT_PERSISTENT
        return Outgoing(seq, md, data, properties, len(carried.data), is_fast)

    def _keep(self, exits: ExitPoint, *, stored: bool) -> None:
        """Store the message that the exits fixed, with its followers, before it is sent.

        That is permanent, even if the batch is backed out. Followers of a message that is not fixed belong to the
        batch, are backed out with it, and are made again.
        """
        followers = exits.followers
        with self.handle.connection.work() as work:
            for follower in followers:
                if follower.md.msg_id == MQMI_NONE:
                    follower.md.msg_id = new_id(work.qmgr.name)
            if exits.settled is None or not stored:
                self._followers = [*followers, *self._followers]
                return
            replace_stored(work, self._behind, exits.settled)
            for follower in followers:
                put_behind(work, self._behind, follower, None)
            work.durable = True

    def _dispose(self, carried: Carried, reason: int) -> None:
        self.refused += 1
        with Override(self.handle.connection, event_detail=self._by_channel), self.handle.connection.work() as work:
            holder_id = self.handle.connection.unit_of_work(work)
            dispose(work, self.definition, carried, reason, holder_id, may_lose=False)
