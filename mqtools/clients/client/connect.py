"""MQCONN of a client: call a host, agree on a channel, log in, and connect to the queue manager."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from ipaddress import ip_address

from mqtools.clients.client.channel import ClientSocket, RefusedStatus
from mqtools.clients.client.connection import EstablishedChannel, RemoteConnection
from mqtools.clients.client.errors import ConnectionBroken, refusal
from mqtools.clients.client.negotiation import LAST_PLAIN_LEVEL, accept, initial_length, proposal
from mqtools.clients.client.options import ConnectionOptions, HostPort
from mqtools.clients.client.record import ExchangeRecord
from mqtools.clients.client.tls import start_tls
from mqtools.clients.wire import handshake
from mqtools.clients.wire.calls import ApiHeader, read_api
from mqtools.clients.wire.codes import REPLY, Flags, SegmentType
from mqtools.clients.wire.pieces import Cursor, Values
from mqtools.clients.wire.segments import WireSegment
from mqtools.constants import cmqc
from mqtools.errors import MQError
from mqtools.headers.charsets import codec_of, is_ebcdic
from mqtools.headers.fields import field, read_characters, read_text
from mqtools.mqi.identity import user_identifier
from mqtools.rules.object_names import NAME_LENGTH

#: Exchanges of INITIAL_DATA until the client gives up.
_MOST_ROUNDS = 3


def connect_remote(options: ConnectionOptions, *, appl_name: str = "mqx") -> RemoteConnection:
    """MQCONN: connect to the first host of the list that takes the client: see ``establish``."""
    return RemoteConnection(establish([options], appl_name))


def establish(
    choices: Sequence[ConnectionOptions], appl_name: str = "mqx", record: str | None = None
) -> EstablishedChannel:
    """MQCONN: connect by the first of several options, and the first of their hosts, that takes the client.

    record: path of a file that the exchange is written to, without passwords.
    Raises MQError: of the first host. MQRC_HOST_NOT_AVAILABLE, MQRC_Q_MGR_NOT_AVAILABLE, MQRC_UNKNOWN_CHANNEL_NAME,
    MQRC_CHANNEL_CONFIG_ERROR, MQRC_CHANNEL_NOT_AVAILABLE, MQRC_SSL_INITIALIZATION_ERROR and others of TLS,
    MQRC_NOT_AUTHORIZED, MQRC_Q_MGR_NAME_ERROR; ConnectionBroken.
    """
    failed: MQError | None = None
    for options, host in [(each, host) for each in choices for host in each.hosts]:
        try:
            return _establish(options, host, appl_name, record)
        except MQError as error:
            if error.reason == cmqc.MQRC_NOT_AUTHORIZED:
                raise  # the queue manager was reached
            failed = failed or error
    raise failed or MQError("a client connection needs a host", cmqc.MQRC_OPTIONS_ERROR)


def _establish(
    options: ConnectionOptions, host: HostPort, appl_name: str, record: str | None = None
) -> EstablishedChannel:
    """Connect to one host. Raises MQError as ``establish``."""
    connected = _call(options, host)
    wire = ClientSocket(connected, options.timeout_s, None if record is None else ExchangeRecord(record))
    try:
        agreed = _negotiate(wire, options)
        _send_user(wire, options, agreed)
        _connect_q_mgr(wire, options, agreed, appl_name)
    except RefusedStatus as error:
        raise refusal(error.code, options.channel) from error
    except MQError:
        wire.end()
        raise
    except BaseException:
        wire.close()
        raise
    return EstablishedChannel(wire, options, agreed, partial(_establish, options, host, appl_name))


def _call(options: ConnectionOptions, host: HostPort) -> socket.socket:
    """Return a connected socket, with TLS if a CipherSpec is given."""
    try:
        connected = socket.create_connection(host, options.timeout_s)
    except OSError as error:
        words = error.strerror or str(error)
        raise MQError(f"host {host} is not available: {words}", cmqc.MQRC_HOST_NOT_AVAILABLE) from error
    try:
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        if options.cipher_spec:
            return start_tls(connected, options, host.host)
        if options.password is not None:
            _check_stays_here(connected, host)
    except BaseException:
        with suppress(OSError):
            connected.close()
        raise
    return connected


def _check_stays_here(connected: socket.socket, host: HostPort) -> None:
    """Check that a password without TLS does not leave the machine. Raises MQError: MQRC_NOT_AUTHORIZED."""
    if not ip_address(connected.getpeername()[0].partition("%")[0]).is_loopback:
        raise MQError(
            f"the password is not sent to {host}: the connection has no TLS",
            cmqc.MQRC_NOT_AUTHORIZED,
            hint="give a CipherSpec (--cipher), or connect without a password",
        )


def _negotiate(wire: ClientSocket, options: ConnectionOptions) -> Values:
    """Exchange INITIAL_DATA until both ends say the same; return what was agreed."""
    proposed = proposal(options, handshake.INITIAL_DATA.initial())
    length = initial_length(proposed["FapLevel"])
    for _ in range(_MOST_ROUNDS):
        body = handshake.INITIAL_DATA.write(proposed, wire.order)[:length]
        wire.send(SegmentType.INITIAL_DATA, body, flags=Flags.WHOLE | Flags.CONFIRM_REQUEST)
        segment = _receive(wire, SegmentType.INITIAL_DATA, "INITIAL_DATA")
        answer = handshake.INITIAL_DATA.read(Cursor(segment.body, segment.order))
        for name in ("QMgrName", "QMgrId"):  # in the character set of the queue manager
            answer[name] = field(read_text(answer[name], segment.ccsid), NAME_LENGTH)
        terms = accept(proposed, answer)
        wire.order, wire.is_multiplexed = segment.order, terms.conversations > 0
        if not is_ebcdic(answer["CCSID"]) and codec_of(answer["CCSID"]) is not None:
            wire.ccsid = answer["CCSID"]
        if not segment.flags & Flags.ERROR:
            wire.begin(terms)
            return answer
        length = len(segment.body)
        own = ("StrucId", "ChannelName", "CapFlag1", "ProcessId", "ThreadId", "TraceId", "ProductId", "Random")
        cleared = {"IniErrFlag1": 0, "IniErrFlag2": 0, "ECapFlag1": 0, "ECapFlag2": 0, "ECapFlag3": 0}
        kept = {name: proposed[name] for name in own} | cleared
        proposed = {**answer, **kept}
    raise ConnectionBroken(f"INITIAL_DATA is not settled after {_MOST_ROUNDS} exchanges")


def _receive(wire: ClientSocket, kind: int, asked: str) -> WireSegment:
    """Receive the segment that answers another one. Raises ConnectionBroken for one of another type."""
    segment = wire.receive()
    assert segment is not None
    if segment.kind != kind:
        raise ConnectionBroken(f"a segment of type {segment.name} answers {asked}")
    return segment


def _send_user(wire: ClientSocket, options: ConnectionOptions, agreed: Values) -> None:
    """Name the user, and prove it by its password. Raises MQError: MQRC_NOT_AUTHORIZED."""
    user = options.user or user_identifier()
    values = {**handshake.USERID_DATA.initial(), "UserId": field(user.upper(), 12), "Password": field("", 12)}
    values["LongUserId"] = field(user, 64)
    wire.send(SegmentType.USERID_DATA, handshake.USERID_DATA.write(values, wire.order))
    if options.password is None:
        return
    if agreed["FapLevel"] > LAST_PLAIN_LEVEL:
        raise ConnectionBroken("the queue manager has raised the FAP level")
    login = handshake.write_login(user.encode(), options.password.encode(), wire.order)
    wire.send(SegmentType.CONAUTH_INFO, login)
    _receive(wire, SegmentType.STATUS_DATA, "CONAUTH_INFO")


def _connect_q_mgr(wire: ClientSocket, options: ConnectionOptions, agreed: Values, appl_name: str) -> None:
    """Send MQCONN. Raises MQError: the reason of its reply."""
    asked = handshake.connect_request(
        agreed["FapLevel"],
        {
            "QMgrName": field(options.q_mgr_name, NAME_LENGTH),
            "ApplName": field(appl_name, 28),
            "ApplType": cmqc.MQAT_UNIX,
            "AccountingToken": bytes(32),
            "Options": 3,
            "XOptions": 0,
        },
    )
    wire.send(SegmentType.MQCONN, ApiHeader().pack(handshake.CONNECT.write(asked, wire.order), wire.order))
    api, _ = read_api(_receive(wire, SegmentType.MQCONN + REPLY, "MQCONN"))
    if api.comp_code == cmqc.MQCC_FAILED:
        raise _refused(api.reason, options, read_characters(agreed["QMgrName"]))


def _refused(reason: int, options: ConnectionOptions, found: str) -> MQError:
    where = f"queue manager {found} on channel {options.channel}"
    if reason == cmqc.MQRC_NOT_AUTHORIZED:
        user = options.user or user_identifier()
        return MQError(f"{where} does not admit user {user}", reason, q_mgr_name=found, hint=_login_hint(options, user))
    if reason == cmqc.MQRC_Q_MGR_NAME_ERROR:
        return MQError(f"queue manager {options.q_mgr_name} is not there: {found} is", reason, q_mgr_name=found)
    return MQError(f"{where} refuses the connection", reason, q_mgr_name=found)


def _login_hint(options: ConnectionOptions, user: str) -> str:
    if options.password is not None:
        return f"check the password of user {user}, and the authority of that user there"
    if not options.user:
        return "no password was sent: name a user, as in remote add ... --user USER or mq://USER@HOST/CHANNEL"
    return "no password was sent: set MQX_PASSWORD, or remote add ... --password-command COMMAND"
