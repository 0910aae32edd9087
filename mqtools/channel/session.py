"""Session of a channel: exclusive use by one connection, with a visible state, until it ends or is stopped."""

from __future__ import annotations

from contextlib import suppress

from mqtools.admin import channel_events, channels, error_log
from mqtools.admin.error_log import Inserts
from mqtools.channel.errors import LinkError, RefusedError, log_number
from mqtools.channel.link import Link
from mqtools.constants.administration import (
    MQRQ_CHANNEL_STOPPED_DISABLED,
    MQRQ_CHANNEL_STOPPED_ERROR,
    MQRQ_CHANNEL_STOPPED_OK,
    MQRQ_CHANNEL_STOPPED_RETRY,
)
from mqtools.constants.reasons import (
    MQRC_CHANNEL_SSL_ERROR,
    MQRC_CHANNEL_STARTED,
    MQRC_CHANNEL_STOPPED,
    MQRC_CHANNEL_STOPPED_BY_USER,
)
from mqtools.errors import MQError
from mqtools.mqi.connection import Connection
from mqtools.mqi.transaction import Work
from mqtools.operations.shutdown import Shutdown
from mqtools.store import channels as statements
from mqtools.store.liveness import ring


class ChannelSession:
    """Exclusive session of a channel. partner: at a receiver the sending queue manager, else empty.

    shutdown: request to end it as soon as no batch is in hand.  place: where the other end is, for the error log.
    link: whose traffic the status shows.  As a context manager it ends on exit.
    """

    def __init__(
        self, connection: Connection, name: str, partner: str = "", place: str = "", shutdown: Shutdown | None = None
    ) -> None:
        self.connection = connection
        self.name = name
        self.partner = partner
        self.peer = partner
        self.place = place
        self.link: Link | None = None
        self.shutdown = shutdown or Shutdown()
        self._number = 0
        self._state = channels.BINDING
        self._has_started = False

    def begin(self, caller: Link | None = None) -> None:
        """Begin the session. caller: its end takes over from another session, which can then no longer commit.

        A caller that has gone meanwhile takes over nothing: the one that runs may be its successor.
        Raises MQError: MQRC_OBJECT_IN_USE when another session is running and not taken over,
        MQRC_CHANNEL_STOPPED_BY_USER; LinkError when the caller has gone.
        """
        with self.connection.work() as work:
            self.refuse_stopped()
            if caller is None:
                channels.refuse_running(work.db, self.name)
            elif caller.is_closed():
                raise LinkError("the other end has closed the connection")
            self.connection.register(work)
            presence = self.connection.presence
            assert presence is not None
            presence.listen()
            statements.add(work.db, self.name, self.partner)
            before = statements.sync_state(work.db, self.name, self.partner)
            self.peer = before.peer if before is not None else self.partner
            self._number = statements.begin_session(work.db, self.name, self.partner, presence.token, channels.BINDING)
        self.shutdown.add(self)

    def __enter__(self) -> ChannelSession:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, *_: object) -> None:
        self.shutdown.remove(self)
        if self.connection.has_ended:
            return
        self._note_end(error)
        with suppress(MQError), self.connection.work() as work:  # the sessions have ended with a queue manager that has
            self._put_stopped(work, error)
            statements.end_session(work.db, self.name, self.partner, self._number)

    def sync_state(self) -> statements.SyncState:
        """Return where the channel stands with the partner. Raises LinkError when it has been deleted."""
        found = statements.sync_state(self.connection.db, self.name, self.partner)
        if found is None:
            raise LinkError(f"channel {self.name} has been deleted")
        return found

    def note(self, state: str, peer: str | None = None, failure: MQError | None = None) -> None:
        """Record the state of the channel, and the other queue manager once it is known. failure: of an attempt."""
        self._state, self.peer = state, self.peer if peer is None else peer
        with self.connection.work() as work:
            self.check(work)
            if state == channels.RETRYING:
                self._put_stopped(work, failure)
            elif state == channels.RUNNING:
                if self.link is not None and not self._has_started:
                    self._has_started = True
                    channel_events.put_channel_event(work, MQRC_CHANNEL_STARTED, self._inserts)
                error_log.solve(work.db, self.name)
                error_log.note(self.connection, "AMQ9002I", "", self._inserts)

    def note_error(self, error: MQError) -> None:
        """Write to the error log what an attempt to run the channel has failed with."""
        if not self.connection.has_ended:
            error_log.note(self.connection, log_number(error), error, self._inserts, is_failure=True)
            if error.reason == MQRC_CHANNEL_SSL_ERROR:
                channel_events.note_refusal(self.connection, log_number(error), self._inserts)

    @property
    def _inserts(self) -> Inserts:
        return Inserts(channel=self.name, connection_name=self.place, q_mgr_name=self.peer)

    def _note_end(self, error: BaseException | None) -> None:
        """Write to the error log why the session ends."""
        reason = error.reason if isinstance(error, MQError) and not isinstance(error, RefusedError) else None
        if reason == MQRC_CHANNEL_STOPPED_BY_USER:
            error_log.note(self.connection, "AMQ9528I", "", self._inserts)
        elif isinstance(error, MQError) and reason != MQRC_CHANNEL_STOPPED:
            self.note_error(error)
        elif self.is_running:
            error_log.note(self.connection, "AMQ9001I", "", self._inserts)

    def _put_stopped(self, work: Work, error: BaseException | None) -> None:
        """Put the event that the channel has stopped, if it has put the one that it has started."""
        if not self._has_started:
            return
        self._has_started = False
        qualifier = MQRQ_CHANNEL_STOPPED_OK if error is None else MQRQ_CHANNEL_STOPPED_ERROR
        if statements.is_stopped(work.db, self.name):
            qualifier = MQRQ_CHANNEL_STOPPED_DISABLED
        elif self._state == channels.RETRYING:
            qualifier = MQRQ_CHANNEL_STOPPED_RETRY
        failed = error if isinstance(error, MQError) and error.reason != MQRC_CHANNEL_STOPPED_BY_USER else None
        number, words = ("", "") if failed is None else (log_number(failed), failed.text)
        channel_events.put_channel_event(work, MQRC_CHANNEL_STOPPED, self._inserts, qualifier, number, words)

    def check(self, work: Work) -> None:
        """Check in a transaction that no other session has taken over. Raises LinkError."""
        if self.link is not None:
            statements.write_traffic(work.db, self.name, self.partner, self.link.traffic)
        if not statements.set_state(work.db, self.name, self.partner, self._number, self._state, self.peer):
            raise LinkError(f"channel {self.name} has been taken over by another session")

    @property
    def is_running(self) -> bool:
        """Whether both ends have agreed: a batch may be in hand."""
        return self._state == channels.RUNNING

    @property
    def is_shutting_down(self) -> bool:
        """Whether this process was asked to end its sessions."""
        return self.shutdown.is_requested

    @property
    def is_stopped(self) -> bool:
        """Whether the session must end: the channel was stopped, or the process ends."""
        return self.is_shutting_down or statements.is_stopped(self.connection.db, self.name)

    def refuse_shutdown(self) -> None:
        """Raise MQError, MQRC_CHANNEL_STOPPED, when the process ends: the other end may retry."""
        if self.is_shutting_down:
            raise MQError(f"the process that runs channel {self.name} ends", MQRC_CHANNEL_STOPPED)

    def refuse_stopped(self) -> None:
        """Raise MQError if the session must end.

        MQRC_CHANNEL_STOPPED_BY_USER when the channel is stopped, MQRC_CHANNEL_STOPPED when the process ends.
        """
        self.refuse_shutdown()
        if self.is_stopped:
            raise MQError(
                f"channel {self.name} is stopped", MQRC_CHANNEL_STOPPED_BY_USER, hint=f"mqx channel start {self.name}"
            )

    def wait_for(self, link: Link) -> None:
        """Wait for input from the other end. Raises LinkError, and MQError when the channel is stopped."""
        if link.has_frame():
            return
        assert self.connection.presence is not None
        if not self.connection.presence.wait(link.timeout_s, (), (link.fileno(),)):
            raise LinkError(f"no data from the other end for {link.timeout_s:g} s")
        self.refuse_stopped()

    def stop(self) -> None:
        """Stop the channel, as an operator does."""
        with self.connection.work() as work:
            channels.stop_channel(work, self.name)

    def wake(self) -> None:
        """End the sleep of the session, or its next one. May be called by another thread."""
        if self.connection.presence is not None:
            ring(self.connection.db.run_folder, self.connection.presence.token)

    def pause(self, timeout_s: float) -> bool:
        """Sleep for a time; return whether the session must end."""
        assert self.connection.presence is not None
        self.connection.presence.wait(timeout_s)
        return self.is_stopped
