"""Receiving end of a channel: puts messages in a unit of work, committed at the end of a batch.

The last committed batch of each sending queue manager is recorded in the transaction of the batch. A sender whose
confirmation was lost can ask for it. A session that another one has taken over commits nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any

from mqtools.admin import channels
from mqtools.channel import frames, protocol
from mqtools.channel.disposal import dispose
from mqtools.channel.errors import LinkError, RefusedError
from mqtools.channel.exit_point import ExitPoint, exit_folders, exit_point
from mqtools.channel.exits import ExitMessage
from mqtools.channel.link import Link
from mqtools.channel.protocol import Confirmation, EndOfBatch, Head, Hello
from mqtools.channel.put_authority import PutAuthority
from mqtools.channel.session import ChannelSession
from mqtools.channel.statistics import BatchCounts
from mqtools.channel.streams import deadline_after
from mqtools.constants.message import MQFB_STOPPED_BY_MSG_EXIT, MQFMT_XMIT_Q_HEADER
from mqtools.constants.options import MQPMO_SET_ALL_CONTEXT
from mqtools.constants.reasons import (
    MQRC_BACKED_OUT,
    MQRC_CONNECTION_BROKEN,
    MQRC_PUT_INHIBITED,
    MQRC_Q_FULL,
    MQRC_Q_MGR_QUIESCING,
    MQRC_STORAGE_MEDIUM_FULL,
)
from mqtools.errors import MQError, StorageError
from mqtools.formats.phrases import counted
from mqtools.formats.properties import properties_from_json
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import Connection
from mqtools.mqi.distributed_queuing.transmission import Carried, unwrap
from mqtools.mqi.journal import CHANNEL_RECEIVE
from mqtools.mqi.overrides import Override
from mqtools.mqi.put import put
from mqtools.mqi.resolution import resolve_for_put
from mqtools.mqi.transaction import Work
from mqtools.operations.shutdown import Shutdown
from mqtools.store import channels as statements
from mqtools.store import queues

#: Reasons for which a put is tried again (MRRTY); any other is final at once.
RETRIED = frozenset((MQRC_PUT_INHIBITED, MQRC_Q_FULL, MQRC_STORAGE_MEDIUM_FULL))

#: Reasons that speak of the queue manager, not of the message.
_OURS = frozenset((MQRC_BACKED_OUT, MQRC_CONNECTION_BROKEN, MQRC_Q_MGR_QUIESCING))

#: Seconds that a link may be silent beyond two heartbeats.
_GRACE_S = 60.0
#: Messages that have arrived are put in one transaction up to this total length (bytes).
_ENOUGH = 262_144


@dataclass(frozen=True, slots=True)
class ReceiverOptions:
    """Options of a receiving end.

    note: takes a text for the operator.  idle_s: time without input that ends it, None without limit.  retries: whether
    failed puts are retried (MRRTY).  folders: below which exits may write, None for those of the configuration, and any
    where that lists none.  shutdown: ends it after the batch in hand.
    """

    note: Callable[[str], None]
    idle_s: float | None = None
    retries: bool = True
    folders: tuple[str, ...] | None = None
    shutdown: Shutdown = field(default_factory=Shutdown)


class Receiver:
    """Receives messages over a link until the sender ends.

    session: begun, with the sending queue manager as its partner.
    refused: undeliverable messages of the batches committed so far.
    """

    def __init__(
        self, session: ChannelSession, definition: dict[str, Any], link: Link, options: ReceiverOptions
    ) -> None:
        self._session = session
        session.link = link
        self._connection: Connection = session.connection
        self._definition = definition
        self._link = link
        self._options = options
        self._exits: ExitPoint | None = None
        self._longest = 0
        self._batch_size = 0
        self._authority = PutAuthority(self._connection, definition)
        self._counts = BatchCounts(session, definition)
        self._sequence = 0
        self._count = 0
        self._length = 0
        self._lost: dict[str, int] = {}
        self._refused = 0
        self.refused = 0

    def serve(self, hello: Hello) -> None:
        """Accept a sender and receive its batches.

        Raises LinkError, RefusedError, MQError; the current batch is then backed out, and the sender told why.
        """
        self._exits = exit_point(self._definition)
        try:
            self._accept(hello)
            while self._take_one():
                pass
        except BaseException as error:
            self._connection.backout()
            if isinstance(error, MQError) and not isinstance(error, RefusedError):
                self._refuse(error)
            raise
        finally:
            self._report_lost()
            if self._exits is not None:
                self._exits.end()

    def _refuse(self, error: MQError) -> None:
        try:
            sync_state = self._session.sync_state()
        except LinkError:
            self._link.refuse(error.reason, error.text)
        else:
            self._link.refuse(error.reason, error.text, sync_state.sequence, sync_state.batch_id or b"")

    def _accept(self, hello: Hello) -> None:
        """Negotiate the limits, and send ACCEPT with the last committed batch."""
        self._authority.check_channel()
        qmgr = queues.qmgr(self._connection.db)
        longest = self._definition["max_msg_length"] or qmgr.max_msg_length
        limits = protocol.negotiate(hello, longest, self._definition["batch_size"], self._own_heartbeat_ms())
        self._longest, self._batch_size, heartbeat_ms = limits
        if self._exits is not None:
            self._exits.start(
                self._connection,
                self._definition,
                self._session.partner,
                max_message_length=self._longest,
                resolves_here=self._is_for_local_queue,
                note=self._options.note,
                folders=exit_folders() if self._options.folders is None else self._options.folders,
            )
        if hello.resets:
            with self._connection.work() as work:
                self._session.check(work)
                statements.set_sequence(
                    work.db, self._session.name, self._session.partner, hello.sequence, hello.batch_id
                )
                work.durable = True
        sync_state = self._session.sync_state()
        self._sequence = sync_state.sequence
        self._session.note(channels.RUNNING)
        self._link.timeout_s = self._options.idle_s
        if self._options.idle_s is None and heartbeat_ms:
            self._link.timeout_s = 2 * heartbeat_ms / 1000 + _GRACE_S
        batch_id = sync_state.batch_id or b""
        accept = protocol.accept(qmgr, *limits, sequence=sync_state.sequence, batch_id=batch_id)
        self._link.send(frames.ACCEPT, accept)

    def _own_heartbeat_ms(self) -> int:
        """Return half of the idle time, if there is one, so that an idle sender is not taken for dead."""
        heartbeat_ms: int = self._definition["heartbeat_interval"] * 1000
        if self._options.idle_s is None:
            return heartbeat_ms
        half = max(1, int(self._options.idle_s * 500))
        return min(heartbeat_ms, half) if heartbeat_ms else half

    def _is_for_local_queue(self, message: ExitMessage) -> bool:
        """Return whether a message is destined for a queue of this queue manager, also when it cannot be put."""
        db = self._connection.db
        try:
            return not resolve_for_put(db, queues.qmgr(db), message.remote_q, message.remote_q_mgr).is_remote
        except MQError:
            return True

    # Frames

    def _take_one(self) -> bool:
        """Process a frame; return False when the sender ends."""
        self._session.wait_for(self._link)
        kind, payload = self._link.receive()
        if kind == frames.MESSAGE:
            self._messages(payload)
        elif kind == frames.END_OF_BATCH:
            self._end_batch(protocol.decode(EndOfBatch, payload))
        elif kind == frames.HEARTBEAT:
            self._link.send(frames.HEARTBEAT)
        elif kind == frames.BYE and not self._count:
            return False
        else:
            raise LinkError(f"the sender sent a frame of kind {kind} that is not allowed here")
        return True

    def _messages(self, payload: bytes) -> None:
        """Receive and deliver a message, and with it those behind it that have arrived."""
        arrived: list[tuple[Carried, bool]] = []
        enough = self._length + _ENOUGH
        try:
            arrived.append(self._receive(payload))
            while self._length < enough and self._link.is_next(frames.MESSAGE):
                arrived.append(self._receive(self._link.receive()[1]))
        except LinkError:
            self._deliver_all(arrived)  # fast ones stay, although the batch is backed out
            raise
        self._deliver_all(arrived)

    def _receive(self, payload: bytes) -> tuple[Carried, bool]:
        """Receive the rest of a message; return it, and whether it is outside the batch."""
        head, properties, data = self._link.receive_message(payload, self._longest)
        if not self._count:
            self._session.refuse_stopped()
        self._count += 1
        if self._count > self._batch_size or head.sequence != self._sequence + self._count:
            raise LinkError(f"the sender sent message {head.sequence} out of sequence")
        carried = self._unwrap(head, properties, data)
        self._length += len(carried.data)
        self._counts.note_message(carried.md.persistence, len(carried.data))
        return carried, head.is_fast

    def _unwrap(self, head: Head, properties: bytes, data: bytes) -> Carried:
        md = MQMD(
            format=MQFMT_XMIT_Q_HEADER,
            encoding=head.encoding,
            coded_char_set_id=head.ccsid,
            expiry=head.expiry if head.expiry > 0 else -1,
        )
        try:
            text = properties.decode("utf-8") if properties else None
            if text is not None:
                properties_from_json(text)
            carried = unwrap(md, data, text, self._connection.profile)
        except (MQError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise LinkError("the sender sent a message that cannot be read") from error
        if len(carried.data) > self._longest:
            raise LinkError(f"the sender sent {len(carried.data)} bytes, the negotiated maximum is {self._longest}")
        return carried

    def _end_batch(self, batch: EndOfBatch) -> None:
        """Commit the batch and its number in one transaction, and confirm it."""
        if not self._count or batch.sequence != self._sequence + self._count:
            raise LinkError(f"the sender ended a batch at message {batch.sequence}, but {self._count} messages arrived")
        with self._connection.work() as work:
            self._session.check(work)
            self._connection.commit()
            name, partner = self._session.name, self._session.partner
            statements.set_sequence(work.db, name, partner, batch.sequence, batch.batch_id)
            statements.count_batch(work.db, name, partner, self._count, self._length, work.now_ms)
            self._counts.store(work, is_full=self._count == self._batch_size)
            work.durable = True
        self._sequence, self._count, self._length = batch.sequence, 0, 0
        self._report_lost()
        refused, self._refused = self._refused, 0
        self.refused += refused
        self._link.send(frames.CONFIRM, Confirmation(sequence=batch.sequence, batch_id=batch.batch_id, refused=refused))

    # Messages

    def _deliver_all(self, arrived: list[tuple[Carried, bool]]) -> None:
        """Deliver messages; what cannot be put in one transaction with the others is delivered by itself."""
        together = self._exits is None and len(arrived) > 1
        done = self._put_together(arrived) if together else 0
        for carried, is_fast in arrived[done:]:
            self._deliver(carried, is_fast=is_fast)

    def _put_together(self, arrived: list[tuple[Carried, bool]]) -> int:
        """Put messages in one transaction up to the first that fails; return their number."""
        done = 0
        with self._working() as work, work.caused_by(CHANNEL_RECEIVE), Override(self._connection, relays=True):
            for carried, is_fast in arrived:
                holder_id = self._holder_id(work, is_fast)
                # A put that reports, or in parts, may fail when it has already changed something.
                has_steps = bool(carried.md.report or carried.md.msg_flags)
                try:
                    with work.db.writing() if has_steps else nullcontext():
                        self._put_in(work, carried, holder_id)
                except StorageError:
                    raise
                except MQError:
                    break
                done += 1
        return done

    def _deliver(self, carried: Carried, *, is_fast: bool) -> None:
        """Pass a message through the exits, and put it; dispose of it if that fails."""
        if self._exits is not None:
            changed = self._exits(carried)
            if changed is None:
                self._dispose(carried, MQFB_STOPPED_BY_MSG_EXIT, is_fast)
                return
            carried = changed
        left = self._definition["message_retry_count"] if self._options.retries else 0
        while True:
            try:
                self._put(carried, is_fast)
                return
            except StorageError:
                raise
            except MQError as error:
                if error.reason in _OURS:
                    raise
                if error.reason not in RETRIED or not left:
                    self._dispose(carried, error.reason, is_fast)
                    return
            left -= 1
            self._pause()

    def _pause(self) -> None:
        self._counts.note_retry()
        self._link.send(frames.HEARTBEAT)
        if self._session.pause(self._definition["message_retry_interval"] / 1000):
            self._session.refuse_stopped()

    def _put(self, carried: Carried, is_fast: bool) -> None:
        with self._working() as work, work.caused_by(CHANNEL_RECEIVE), Override(self._connection, relays=True):
            self._put_in(work, carried, self._holder_id(work, is_fast))

    def _put_in(self, work: Work, carried: Carried, holder_id: int | None) -> None:
        properties = {} if carried.properties is None else properties_from_json(carried.properties)
        message = Message(carried.data, carried.md, properties)
        target = resolve_for_put(work.db, work.qmgr, carried.remote_q, carried.remote_q_mgr)
        with self._authority.user_of(carried):
            self._authority.check(work, target, carried.md)
            put(work, target, message, MQPMO_SET_ALL_CONTEXT, holder_id=holder_id)

    def _holder_id(self, work: Work, is_fast: bool) -> int | None:
        return None if is_fast else self._connection.unit_of_work(work)

    def _dispose(self, carried: Carried, reason: int, is_fast: bool) -> None:
        with self._working() as work, Override(self._connection, relays=True):
            holder_id = self._holder_id(work, is_fast)
            lost = dispose(work, self._definition, carried, reason, holder_id, may_lose=is_fast)
        self._refused += 1
        if lost is not None:
            self._lost[lost] = self._lost.get(lost, 0) + 1

    @contextmanager
    def _working(self) -> Iterator[Work]:
        """Return a context with a transaction whose events name the channel in the journal."""
        words = f"channel {self._session.name} from {self._session.partner}"
        with Override(self._connection, event_detail=words), self._connection.work() as work:
            yield work

    def _report_lost(self) -> None:
        """Report the number of nonpersistent messages lost since the last report, and why."""
        for why, number in self._lost.items():
            self._options.note(f"channel {self._session.name}: {counted(number, 'nonpersistent message')} lost: {why}")
        self._lost.clear()


def deadline_of_hello(idle_s: float | None) -> float | None:
    """Return the deadline of the HELLO of an end."""
    return deadline_after(_GRACE_S if idle_s is None else idle_s)
