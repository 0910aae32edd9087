"""Calling end of a channel: runs it once, or until it is stopped, with the retries of its definition."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import repeat
from typing import Any

from mqtools.admin import channels
from mqtools.channel import frames, protocol
from mqtools.channel.acceptor import check_caller, receive
from mqtools.channel.errors import ExitError, LinkError, RefusedError
from mqtools.channel.link import Link
from mqtools.channel.protocol import Accept, Hello
from mqtools.channel.receiver import ReceiverOptions
from mqtools.channel.sender import PATIENCE_S, Sender
from mqtools.channel.session import ChannelSession
from mqtools.channel.transport import Address, call, parse_address
from mqtools.constants.reasons import (
    MQRC_CHANNEL_CONFIG_ERROR,
    MQRC_CHANNEL_STOPPED,
    MQRC_CONNECTION_BROKEN,
    MQRC_CONNECTION_ERROR,
    MQRC_HOST_NOT_AVAILABLE,
    MQRC_Q_MGR_NOT_AVAILABLE,
    MQRC_Q_MGR_QUIESCING,
    MQRC_RESOURCE_PROBLEM,
    MQRC_STORAGE_MEDIUM_FULL,
)
from mqtools.errors import MQError
from mqtools.mqi import authority
from mqtools.mqi.authority import assume_user
from mqtools.mqi.connection import Connection
from mqtools.operations.shutdown import Shutdown
from mqtools.rules.attributes.channel import SENDING_TYPES

#: Seconds that a start waits for a process that runs the channel: it may be stopping, or have been killed just now.
_LEAVE_S = 1.0
#: Reasons of the other end that may pass: the channel tries again. Any other ends it.
_PASSING = frozenset(
    (
        MQRC_CHANNEL_STOPPED,
        MQRC_CONNECTION_BROKEN,
        MQRC_CONNECTION_ERROR,
        MQRC_HOST_NOT_AVAILABLE,
        MQRC_Q_MGR_NOT_AVAILABLE,
        MQRC_Q_MGR_QUIESCING,
        MQRC_RESOURCE_PROBLEM,
        MQRC_STORAGE_MEDIUM_FULL,
    )
)


def start(
    connection: Connection,
    name: str,
    *,
    to: Address | None = None,
    drains: bool,
    note: Callable[[str], None],
    shutdown: Shutdown | None = None,
) -> int:
    """Run a channel in the foreground until it is stopped; clear a former stop.

    Return the number of messages that could not be sent, or not be delivered at the other end.

    to: instead of CONNAME.  drains: make one attempt, which ends when nothing more can be sent.  shutdown: ends it
    after the batch in hand.  A receiver cannot be run.
    Raises MQError: MQRC_UNKNOWN_CHANNEL_NAME, MQRC_OBJECT_IN_USE when it is running or a batch stays in doubt,
    MQRC_CHANNEL_STOPPED_BY_USER of the other end, and what an attempt fails with when no more are made.
    """
    channels.wait_for_end(connection.db, name, _LEAVE_S)
    with connection.work() as work:
        channels.start_channel(work, name)
    definition = channels.find_channel(connection.db, name)
    if channels.type_of(definition) == "RCVR":
        return 0
    place = to.target if to else definition["connection_name"]
    session = ChannelSession(connection, name, place=place, shutdown=shutdown)
    session.begin()
    with session:
        address = to or parse_address(definition["connection_name"])
        run = _Run(session, definition, address, drains, note)
        run.run()
        return run.refused


@dataclass(slots=True, eq=False)
class _Run:
    """The attempts of one start."""

    session: ChannelSession
    definition: dict[str, Any]
    address: Address
    drains: bool
    note: Callable[[str], None]
    refused: int = 0
    agreed: bool = False

    def run(self) -> None:
        """Run until the channel is stopped or drained, or no attempt is left. Raises MQError."""
        waits = self._waits()
        while not self.session.is_stopped:
            self.agreed = False
            try:
                self._attempt()
                return
            except ExitError:
                self.session.stop()
                raise
            except MQError as error:
                if self.session.is_shutting_down and error.reason == MQRC_CHANNEL_STOPPED:
                    return
                if self.drains or not _is_transient(error):
                    raise
                failure = error
            if self.agreed:
                waits = self._waits()
            wait_s = next(waits, None)
            if wait_s is None:
                self.session.stop()
                raise failure
            if self.session.is_shutting_down:
                raise failure
            self.session.note_error(failure)
            self.session.note(channels.RETRYING, failure=failure)
            self.note(f"channel {self.session.name}: {failure}; retry in {wait_s} s")
            self.session.pause(wait_s)

    def _waits(self) -> Iterator[int]:
        """Yield the seconds before each further attempt: the short retries, then the long ones."""
        for kind in ("short", "long"):
            wait_s = self.definition.get(f"{kind}_retry_interval", 0)
            yield from repeat(wait_s, self.definition.get(f"{kind}_retry_count", 0))

    def _attempt(self) -> None:
        self.session.note(channels.BINDING)
        with call(self.address, self.definition, self.note) as link:
            if channels.type_of(self.definition) in SENDING_TYPES:
                sender = Sender(self.session, self.definition, link, drains=self.drains, note=self.note)
                try:
                    sender.run()
                finally:
                    self.agreed = sender.agreed
                    self.refused += sender.refused
            else:
                self._request(link)

    def _request(self, link: Link) -> None:
        """Request a server to send, and receive."""
        connection = self.session.connection
        hello = protocol.hello(protocol.REQUESTER, connection.name, self.definition, drains=self.drains)
        link.send(frames.HELLO, hello)
        hello = link.expect(frames.HELLO, Hello, timeout_s=PATIENCE_S)
        check_caller(connection, link, self.definition, hello)
        assume_user(connection, self.definition["mca_user_identifier"])
        self.agreed = True
        self.session.note(channels.RUNNING, hello.q_mgr_name)
        options = ReceiverOptions(self.note, shutdown=self.session.shutdown)
        self.refused += receive(connection, link, self.definition, hello, options, self.session.place)


def _is_transient(error: MQError) -> bool:
    """Return whether another attempt may succeed after a failure."""
    if isinstance(error, LinkError):
        return True
    if isinstance(error, RefusedError):
        return error.reason in _PASSING
    return error.reason in (MQRC_HOST_NOT_AVAILABLE, MQRC_CHANNEL_STOPPED)


def ping(connection: Connection, name: str, *, to: Address | None = None, note: Callable[[str], None]) -> str:
    """Check that the other end is reachable and knows the channel; return the name of its queue manager.

    Raises MQError as ``start``, and MQRC_CHANNEL_CONFIG_ERROR for a receiver, which makes no calls.
    """
    authority.check_manager(connection.db, "DSP")
    definition = channels.find_usable_channel(connection.db, name)
    if channels.type_of(definition) == "RCVR":
        raise MQError(f"channel {name} is a receiver, which cannot call", MQRC_CHANNEL_CONFIG_ERROR)
    address = to or parse_address(definition["connection_name"])
    with call(address, definition, note) as link:
        link.send(frames.HELLO, protocol.hello(protocol.PING, connection.name, definition))
        return link.expect(frames.ACCEPT, Accept, timeout_s=PATIENCE_S).q_mgr_name
