"""Called end of a channel: authenticates the caller, then receives or sends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from mqtools.admin import channel_authentication, channel_events, channels, error_log
from mqtools.admin.error_log import Inserts
from mqtools.channel import frames, protocol
from mqtools.channel.errors import BlockedError, ExitError, LinkError, log_number
from mqtools.channel.link import Link
from mqtools.channel.protocol import Hello
from mqtools.channel.receiver import Receiver, ReceiverOptions, deadline_of_hello
from mqtools.channel.sender import Sender
from mqtools.channel.session import ChannelSession
from mqtools.constants.reasons import (
    MQRC_CHANNEL_CONFIG_ERROR,
    MQRC_CHANNEL_SSL_ERROR,
    MQRC_NOT_AUTHORIZED,
)
from mqtools.errors import MQError
from mqtools.mqi.authority import assume_user
from mqtools.mqi.connection import Connection
from mqtools.rules.object_names import is_valid_name
from mqtools.rules.security.channel_authentication import BLOCKUSER, Caller
from mqtools.rules.security.cipher_specs import check_suite
from mqtools.store.queues import qmgr

#: Role of the caller to the types of channel that can answer it. A role that is not here is none.
_ANSWERING = {
    protocol.SENDER: ("RCVR", "RQSTR"),
    protocol.REQUESTER: ("SVR",),
    protocol.PING: ("RCVR", "RQSTR", "SVR"),
}


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a caller comes from. address: its IP address, empty on this machine.  user: that the kernel names."""

    address: str = ""
    user: str = ""

    def __str__(self) -> str:
        return f" at {self.address}" if self.address else f" of user {self.user}" if self.user else ""


LOCAL = Origin()


def serve(
    connect: Callable[[], Connection],
    link: Link,
    *,
    origin: Origin = LOCAL,
    greeted_by: float | None = None,
    **given: Any,
) -> None:
    """Serve one caller until it ends the session.

    connect: returns a new connection.  origin: of the caller.  greeted_by: deadline of its first message,
    a time of ``time.monotonic``.  given: fields of ``ReceiverOptions``.
    Raises LinkError, RefusedError, MQError, after the caller was told.
    """
    options = ReceiverOptions(**given)
    with _refusing(link):
        hello = _receive_hello(link, deadline_of_hello(options.idle_s) if greeted_by is None else greeted_by)
        connection = connect()
    place = origin.address or "this machine"
    with connection:
        try:
            with _refusing(link):
                definition = _check(connection, link, hello)
                assume_user(connection, _authenticate(connection, link, hello, definition, origin, options.note))
        except MQError as error:
            inserts = Inserts(
                channel=hello.channel, connection_name=place, user=origin.user, q_mgr_name=hello.q_mgr_name
            )
            error_log.note(connection, log_number(error), error, inserts)
            channel_events.note_refusal(connection, log_number(error), inserts)
            raise
        if hello.role == protocol.PING:
            limits = hello.max_message_length, hello.batch_size, hello.heartbeat_ms
            link.send(frames.ACCEPT, protocol.accept(qmgr(connection.db), *limits, sequence=0, batch_id=b""))
        elif hello.role == protocol.REQUESTER:
            _send(connection, link, definition, hello, options, place)
        else:
            receive(connection, link, definition, hello, options, place)


@contextmanager
def _refusing(link: Link) -> Iterator[None]:
    """Return a context in which an MQError is also sent to the other end, as the reason of a refusal."""
    try:
        yield
    except MQError as error:
        link.refuse(error.reason, error.text)
        raise


def _receive_hello(link: Link, deadline: float | None) -> Hello:
    kind, payload = link.receive(deadline)
    if kind != frames.HELLO:
        raise LinkError("the other end did not start with HELLO")
    hello = protocol.decode(Hello, payload)
    if hello.version != protocol.VERSION:
        raise LinkError(f"the other end uses protocol version {hello.version}, this end {protocol.VERSION}")
    if hello.role not in _ANSWERING or not is_valid_name(hello.q_mgr_name):
        raise LinkError("the other end sent an invalid queue manager or channel name")
    return hello


def _check(connection: Connection, link: Link, hello: Hello) -> dict[str, Any]:
    """Return the definition of the channel that the caller names. Raises MQError if it may not use it."""
    definition = channels.find_usable_channel(connection.db, hello.channel)
    channel_type = channels.type_of(definition)
    if channel_type not in _ANSWERING[hello.role]:
        words = f"channel {hello.channel} of {connection.name} is a {channel_type}, which a {hello.role} cannot call"
        raise MQError(words, MQRC_CHANNEL_CONFIG_ERROR)
    check_caller(connection, link, definition, hello)
    return definition


def check_caller(connection: Connection, link: Link, definition: dict[str, Any], hello: Hello) -> None:
    """Check that the other queue manager may use a channel, and uses it with or without TLS as SSLCIPH says.

    Raises MQError: MQRC_NOT_AUTHORIZED, MQRC_CHANNEL_SSL_ERROR.
    """
    which = f"channel {hello.channel} of {connection.name}"
    wanted = definition["peer_q_mgr_name"]
    if wanted and wanted != hello.q_mgr_name:
        raise MQError(f"{which} is not for queue manager {hello.q_mgr_name}", MQRC_NOT_AUTHORIZED)
    if bool(definition["ssl_cipher_spec"]) != (link.peer is not None):
        uses = "needs" if definition["ssl_cipher_spec"] else "does not use"
        raise MQError(f"{which} {uses} TLS", MQRC_CHANNEL_SSL_ERROR)
    if link.peer is not None:
        check_suite(definition["ssl_cipher_spec"], link.peer.suite)
        link.peer.check(definition["ssl_peer_name"], hello.q_mgr_name)


def _authenticate(
    connection: Connection,
    link: Link,
    hello: Hello,
    definition: dict[str, Any],
    origin: Origin,
    note: Callable[[str], None],
) -> str:
    """Return the user that the channel runs under for a caller, empty for the owner of the queue manager's file.

    The caller is not told which record refuses it.  Raises MQError: MQRC_NOT_AUTHORIZED.
    """
    caller = Caller(
        channel=hello.channel,
        address=origin.address,
        subject={} if link.peer is None else link.peer.subject,
        q_mgr_name=hello.q_mgr_name,
        user=origin.user,
    )
    decision = channel_authentication.decide_on(connection.db, caller, definition.get("mca_user_identifier", ""))
    who = f"queue manager {hello.q_mgr_name}{origin}"
    for record in decision.warnings:
        note(f"channel {hello.channel}: {who} would be refused but for WARN(YES) of {record}")
    if decision.is_refused:
        note(f"channel {hello.channel}: {who} is refused by {decision.record}")
        raise BlockedError(
            f"channel {hello.channel} of {connection.name} refuses {who}: blocked by a channel authentication record",
            blocks_user=decision.record is not None and decision.record.kind == BLOCKUSER,
        )
    return decision.user


def receive(
    connection: Connection, link: Link, definition: dict[str, Any], hello: Hello, options: ReceiverOptions, place: str
) -> int:
    """Receive from a sender after its HELLO; return the number of undeliverable messages. As ``serve``.

    place: where the sender is, for the error log.
    """
    session = ChannelSession(connection, hello.channel, hello.q_mgr_name, place, options.shutdown)
    with _refusing(link):
        session.begin(link)
    with session:
        try:
            receiver = Receiver(session, definition, link, options)
            receiver.serve(hello)
            return receiver.refused
        except ExitError:
            session.stop()
            raise


def _send(
    connection: Connection, link: Link, definition: dict[str, Any], hello: Hello, options: ReceiverOptions, place: str
) -> None:
    """Send to a requester after its HELLO."""
    session = ChannelSession(connection, hello.channel, place=place, shutdown=options.shutdown)
    with _refusing(link):
        session.begin()
    with session:
        try:
            Sender(session, definition, link, drains=hello.drains, is_called=True, note=options.note).run()
        except LinkError:
            raise  # the other end may not read any longer
        except MQError as error:
            link.refuse(error.reason, error.text)
            raise
