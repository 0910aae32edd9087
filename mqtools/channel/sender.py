"""Sending end of a channel: negotiate, settle the batch in doubt, send batches.

A batch is one unit of work. Before its end is sent it is marked in doubt, on disk, and its messages pass to a holder
that outlives the process. The confirmation commits it. Without one, the next session asks the other end for its last
committed batch, and commits or backs out accordingly.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any

from mqtools.admin import channels
from mqtools.channel import frames, protocol
from mqtools.channel.errors import LinkError, RefusedError
from mqtools.channel.exit_point import ExitPoint, exit_point
from mqtools.channel.link import Link
from mqtools.channel.protocol import Accept, Confirmation, EndOfBatch, Head
from mqtools.channel.session import ChannelSession
from mqtools.channel.statistics import BatchCounts
from mqtools.channel.streams import deadline_after
from mqtools.channel.transmission import Outbox, Outgoing
from mqtools.constants.options import MQOO_FAIL_IF_QUIESCING, MQOO_INPUT_EXCLUSIVE
from mqtools.constants.reasons import (
    MQRC_CHANNEL_CONFIG_ERROR,
    MQRC_OBJECT_IN_USE,
    MQRC_UNKNOWN_REMOTE_Q_MGR,
)
from mqtools.errors import MQError
from mqtools.mqi.connection import Connection
from mqtools.mqi.get.waiters import wait_for_arrival
from mqtools.mqi.handle import Handle
from mqtools.store import channels as statements
from mqtools.store import queues
from mqtools.store.messages import messages
from mqtools.store.messages import units_of_work as held_units

#: Seconds that the other end has for its first answer.
PATIENCE_S = 60.0
_BATCH_ID_LENGTH = 16
#: Heartbeats that the other end may leave without an answer.
_MOST_UNANSWERED = 3
#: Messages of a batch in each step: the other end puts them while this one gets the next.
_PORTION = 16


@dataclass(eq=False)
class Sender:
    """Sends the messages of a transmission queue over a link, until the channel is stopped.

    session: begun.  drains: end when nothing more can be sent.  is_called: by a requester, which is told when this
    process ends.  note: takes a text for the operator.  agreed: whether the other end has accepted.
    The connection must not have a unit of work.
    """

    session: ChannelSession
    definition: dict[str, Any]
    link: Link
    _: KW_ONLY
    drains: bool
    is_called: bool = False
    note: Callable[[str], None]
    agreed: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self._connection: Connection = self.session.connection
        self.session.link = self.link
        self._name = self.session.name
        self._sequence = self._batch_size = self._longest = self._unanswered = self._to_ccsid = self._refused = 0
        self._heartbeat_s: float | None = None
        self._exits: ExitPoint | None = None
        self._is_settled_on_disk = True
        self._outbox: Outbox | None = None
        self._counts = BatchCounts(self.session, self.definition)

    @property
    def refused(self) -> int:
        """Number of messages that could not be sent, or not be delivered at the other end."""
        return self._refused + (self._outbox.refused if self._outbox is not None else 0)

    def run(self) -> None:
        """Send until the channel is stopped or drained.

        Raises LinkError, RefusedError, MQError; messages not committed at the other end are sent by the next session.
        """
        self._exits = exit_point(self.definition)
        try:
            self._agree()
            xmit_q_name = self.definition["xmit_q_name"]
            with self._connection.open(xmit_q_name, MQOO_INPUT_EXCLUSIVE | MQOO_FAIL_IF_QUIESCING) as handle:
                self._send_all(handle)
            if self.is_called:
                self.session.refuse_shutdown()
            self.link.send(frames.BYE)
        finally:
            if self._exits is not None:
                self._exits.end()

    # The beginning

    def _agree(self) -> None:
        """Exchange HELLO and ACCEPT, check the other end, settle the batch in doubt, and check the sequence numbers."""
        sync_state = self.session.sync_state()
        definition = self.definition
        hello = protocol.hello(protocol.SENDER, self._connection.name, definition, drains=self.drains)
        hello = replace(
            hello,
            max_message_length=self._own_longest(),
            sequence=sync_state.sequence,
            batch_id=sync_state.batch_id or b"",
            resets=bool(sync_state.resets),
        )
        self.link.send(frames.HELLO, hello)
        accept = self.link.expect(frames.ACCEPT, Accept, timeout_s=PATIENCE_S)
        self._check_peer(accept.q_mgr_name)
        self._settle(accept.sequence, accept.batch_id)
        self._check_sequence(accept)
        self._longest = min(accept.max_message_length, self._own_longest())
        self._to_ccsid = accept.ccsid
        most = queues.qmgr(self._connection.db).max_uncommitted_msgs
        self._batch_size = min(accept.batch_size, definition["batch_size"], most)
        if accept.heartbeat_ms:
            self._heartbeat_s = accept.heartbeat_ms / 1000
            self.link.timeout_s = 2 * self._heartbeat_s + PATIENCE_S
        if self._exits is not None:
            self._exits.start(
                self._connection, definition, accept.q_mgr_name, max_message_length=self._longest, note=self.note
            )
        self.session.note(channels.RUNNING, accept.q_mgr_name)
        self.agreed = True

    def _own_longest(self) -> int:
        length: int = self.definition["max_msg_length"]
        return length or queues.qmgr(self._connection.db).max_msg_length

    def _check_peer(self, peer: str) -> None:
        """Check that the other queue manager is one that the transmission queue leads to.

        That is one of its name, one that a remote definition reaches through it, or the one of QMNAME; the default
        transmission queue leads to any. Raises MQError: MQRC_UNKNOWN_REMOTE_Q_MGR.
        """
        if self.link.peer is not None:
            self.link.peer.check(self.definition["ssl_peer_name"], peer)
        db, xmit_q_name = self._connection.db, self.definition["xmit_q_name"]
        wanted = self.definition["peer_q_mgr_name"]
        if wanted:
            served = [wanted]
        else:
            served = [xmit_q_name, *statements.ways_through(db, xmit_q_name)]
            if queues.qmgr(db).def_xmit_q_name == xmit_q_name:
                return
        if peer not in served:
            raise MQError(
                f"channel {self._name} has reached queue manager {peer}; transmission queue {xmit_q_name} leads to "
                f"{' or '.join(served)}",
                MQRC_UNKNOWN_REMOTE_Q_MGR,
                hint=f"correct CONNAME, or: mqx mqsc 'DEFINE QREMOTE({peer}) RQMNAME({peer}) XMITQ({xmit_q_name})'",
            )

    def _check_sequence(self, accept: Accept) -> None:
        with self._connection.work() as work:
            sync_state = self.session.sync_state()
            if sync_state.resets and accept.sequence == sync_state.sequence:
                statements.set_resets(work.db, self._name, resets=False)
        if accept.sequence != sync_state.sequence:
            raise MQError(
                f"channel {self._name} has sent up to message {sync_state.sequence}, "
                f"{accept.q_mgr_name} has received up to {accept.sequence}",
                MQRC_CHANNEL_CONFIG_ERROR,
                hint=f"mqx channel reset {self._name} --seqnum {accept.sequence + 1} continues after that message",
            )
        self._sequence = sync_state.sequence

    # What is in doubt

    def _settle(self, sequence: int, batch_id: bytes) -> None:
        """Commit or back out the batch in doubt, according to the last batch committed at the other end.

        Raises MQError: MQRC_OBJECT_IN_USE when that is neither the batch nor the one before it.
        """
        with self._connection.work() as work:
            sync_state = self.session.sync_state()
            if sync_state.indoubt_sequence is None:
                return
            is_there = (sequence, batch_id) == (sync_state.indoubt_sequence, sync_state.indoubt_batch_id)
            is_before = (sequence, batch_id) == (sync_state.sequence, sync_state.batch_id or b"")
            if is_there or is_before:
                channels.settle(work, self._name, commit=is_there)
                return
        raise MQError(
            f"channel {self._name} has a batch in doubt, up to message {sync_state.indoubt_sequence}, that the "
            f"other end does not know: it has received up to {sequence}",
            MQRC_OBJECT_IN_USE,
            hint=f"mqx channel resolve {self._name} --action commit|backout",
        )

    # Batches

    def _send_all(self, handle: Handle) -> None:
        self._outbox = outbox = Outbox(handle, self.definition, self._longest, self._exits, self._to_ccsid)
        try:
            while not self.session.is_stopped:
                if self._batch(outbox):
                    continue
                self._flush_settled()
                if self.drains:
                    return
                self._idle(handle)
        except BaseException:
            self.link.drop_unsent()
            self._connection.backout()
            raise
        self._flush_settled()

    def _flush_settled(self) -> None:
        if not self._is_settled_on_disk:
            self._connection.db.sync()
            self._is_settled_on_disk = True

    def _batch(self, outbox: Outbox) -> int:
        """Send one batch at most; return the number of messages removed from the queue."""
        limit = self.definition["batch_data_limit"] * 1024 or sys.maxsize
        taken, count, length = 0, 0, 0
        while count < self._batch_size and length < limit:
            number, ready = outbox.take(min(self._batch_size - count, _PORTION), limit - length)
            if not number:
                break
            taken += number
            for outgoing in ready:
                count += 1
                length += outgoing.length
                self._send(outgoing, self._sequence + count)
            if number >= _PORTION:
                self.link.flush()
        outbox.end_batch()
        if count:
            self._end_batch(count, length)
        else:
            self._connection.commit()  # what could not be sent was dead-lettered
        return taken

    def _send(self, outgoing: Outgoing, sequence: int) -> None:
        md = outgoing.md
        lengths = len(outgoing.properties), len(outgoing.data)
        head = Head(sequence, outgoing.is_fast, md.expiry, md.encoding, md.coded_char_set_id, *lengths)
        self._counts.note_message(md.persistence, outgoing.length)
        self.link.send_message(head, outgoing.properties, outgoing.data)

    def _end_batch(self, count: int, length: int) -> None:
        """Request the other end to commit the batch, then commit it here."""
        batch = EndOfBatch(sequence=self._sequence + count, batch_id=os.urandom(_BATCH_ID_LENGTH))
        self._mark_in_doubt(batch, length)
        self.link.send(frames.END_OF_BATCH, batch)
        try:
            answer = self.link.expect(frames.CONFIRM, Confirmation)
        except RefusedError as refused:
            if refused.sequence is not None:
                self._settle(refused.sequence, refused.batch_id)
            raise
        if (answer.sequence, answer.batch_id) != (batch.sequence, batch.batch_id):
            raise LinkError("the other end confirmed a batch that was not sent")
        with self._connection.work() as work:
            channels.settle(work, self._name, commit=True)
            self._counts.store(work, is_full=count == self._batch_size)
            # Lost with the power it is in doubt again, and the other end confirms it again. The next batch flushes it.
            work.durable = False
        self._is_settled_on_disk = False
        self._sequence = batch.sequence
        self._refused += answer.refused

    def _mark_in_doubt(self, batch: EndOfBatch, length: int) -> None:
        """Record the batch as in doubt; pass its messages to a holder that outlives this process."""
        connection = self._connection
        connection.check_unit_of_work()
        with connection.work() as work:
            self.session.check(work)
            holder_id = work.add_holder("channel", appl_name=self._name)
            if connection.id is not None:
                held_units.transfer(work.db, connection.id, holder_id)
            statements.mark_in_doubt(work.db, self._name, batch.sequence, batch.batch_id, length, holder_id)
            work.durable = True
        connection.in_unit_of_work = False

    # Waiting

    def _idle(self, handle: Handle) -> None:
        """Sleep until a message can be sent; send heartbeats meanwhile. Raises LinkError, RefusedError."""
        deadline = deadline_after(self._heartbeat_s)
        db, queue_id = self._connection.db, handle.queue_id

        def is_due() -> bool:
            return self.session.is_stopped or self.link.has_frame() or bool(messages.available(db, queue_id))

        if not wait_for_arrival(handle, deadline, is_due, (self.link.fileno(),)):
            if self._unanswered == _MOST_UNANSWERED:
                raise LinkError("the other end has stopped answering")
            self._unanswered += 1
            self.link.send(frames.HEARTBEAT)
        self._receive_idle()

    def _receive_idle(self) -> None:
        """Process input while idle: heartbeats, or the end of the session."""
        while (frame := self.link.receive_now()) is not None:
            self._unanswered = 0
            if frame[0] != frames.HEARTBEAT:
                raise LinkError(f"the other end sent a frame of kind {frame[0]} between batches")
