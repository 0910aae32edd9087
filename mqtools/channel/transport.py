"""Transport: from CONNAME to a link with a local queue manager, a command, a socket, or a host and port."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from subprocess import Popen, TimeoutExpired
from threading import Thread
from typing import Any

from mqtools.channel.acceptor import serve
from mqtools.channel.link import Link
from mqtools.channel.sender import PATIENCE_S
from mqtools.channel.streams import SocketStream
from mqtools.constants.reasons import MQRC_CHANNEL_CONFIG_ERROR, MQRC_HOST_NOT_AVAILABLE
from mqtools.errors import MQError
from mqtools.mqi.connection import connect

QMGR, EXEC, UNIX, TCP = "qmgr", "exec", "unix", "tcp"
_SCHEMES = (QMGR, EXEC, UNIX)
_DEFAULT_PORT = 1414
#: Longest time for a connection to be established, and for a command to end after its channel (seconds).
_CONNECT_S = 30.0
_END_S = 10.0


@dataclass(frozen=True, slots=True)
class Address:
    """Parsed CONNAME. kind: QMGR (name or path), EXEC (a shell command), UNIX (a path), TCP (hosts, tried in order)."""

    kind: str
    target: str = ""
    hosts: tuple[tuple[str, int], ...] = ()


def parse_address(text: str) -> Address:
    """Parse a CONNAME: ``qmgr:NAME`` or a path, ``exec:COMMAND``, ``unix:PATH``, or ``host(port)``, comma separated.

    Raises MQError: MQRC_CHANNEL_CONFIG_ERROR.
    """
    scheme, colon, target = text.strip().partition(":")
    if colon and scheme.lower() in _SCHEMES:
        if not target.strip():
            raise MQError(f"CONNAME({text}) names nothing", MQRC_CHANNEL_CONFIG_ERROR)
        if scheme.lower() == UNIX and not target.strip().startswith("/"):
            raise MQError(f"CONNAME({text}): the path of a socket is absolute", MQRC_CHANNEL_CONFIG_ERROR)
        return Address(scheme.lower(), target.strip())
    hosts = tuple(_host(part.strip(), text) for part in text.split(",")) if text.strip() else ()
    if not hosts:
        raise MQError("the channel has no CONNAME", MQRC_CHANNEL_CONFIG_ERROR, hint="give one, or start it with --to")
    return Address(TCP, text.strip(), hosts)


def _host(part: str, text: str) -> tuple[str, int]:
    name, bracket, port = part.partition("(")
    number = port.removesuffix(")") if bracket else str(_DEFAULT_PORT)
    is_number = number.isascii() and number.isdigit() and 0 < int(number[:6]) < 65536
    if not name or any(map(str.isspace, part)) or not is_number or (bracket and port[-1:] != ")"):
        raise MQError(
            f"CONNAME({text}) cannot be read",
            MQRC_CHANNEL_CONFIG_ERROR,
            hint="it looks like 'host(1414)', 'unix:/path', 'qmgr:QM2' or 'exec:ssh host mqx channel receive'",
        )
    return name, int(number)


def address_of_option(text: str) -> Address:
    """Parse the value of --to: a CONNAME, or else a command. Raises MQError: MQRC_CHANNEL_CONFIG_ERROR."""
    try:
        return parse_address(text)
    except MQError:
        if not text.strip() or text.partition(":")[0].lower() in _SCHEMES:
            raise
        return Address(EXEC, text)


@contextmanager
def call(address: Address, definition: dict[str, Any], note: Callable[[str], None]) -> Iterator[Link]:
    """Connect to the other end. Raises MQError: MQRC_HOST_NOT_AVAILABLE, MQRC_CHANNEL_SSL_ERROR."""
    end: Callable[[], object] | None = None
    if address.kind == QMGR:
        link, end = _call_queue_manager(address.target, note)
    elif address.kind == EXEC:
        link, end = _call_command(address.target)
    elif address.kind == UNIX:
        link = _call_socket(address.target, definition["ssl_cipher_spec"])
    else:
        link = _call_host(address, definition["ssl_cipher_spec"])
    try:
        yield link
    finally:
        link.close()
        if end is not None:
            end()


def _call_queue_manager(name: str, note: Callable[[str], None]) -> tuple[Link, Callable[[], object]]:
    """Run the other end in a thread of this process, for a queue manager of this machine."""
    ours, theirs = socket.socketpair()
    link = Link(SocketStream(theirs))

    def receive() -> None:
        with closing(link), suppress(MQError):  # this end was told
            serve(lambda: connect(name, appl_name="mqx"), link, retries=False, note=note)

    thread = Thread(target=receive, daemon=True)
    thread.start()
    return Link(SocketStream(ours)), thread.join


def _call_command(command: str) -> tuple[Link, Callable[[], object]]:
    """Start a command that speaks the channel on its standard input and output."""
    ours, theirs = socket.socketpair()
    try:
        process = Popen(command, shell=True, stdin=theirs.fileno(), stdout=theirs.fileno())
    except OSError as error:
        ours.close()
        raise MQError(f"{command}: {error.strerror}", MQRC_HOST_NOT_AVAILABLE) from error
    finally:
        theirs.close()
    return Link(SocketStream(ours), PATIENCE_S), partial(_end_command, process)


def _end_command(process: Popen[bytes]) -> None:
    """Wait for a command whose streams are closed; terminate it if it does not end."""
    try:
        process.wait(_END_S)
    except TimeoutExpired:
        process.terminate()
        process.wait()


def _call_socket(path: str, ssl_cipher_spec: str) -> Link:
    """Connect to a listener on a UNIX socket of this machine."""
    connected = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connected.connect(path)
    except (OSError, ValueError) as error:
        connected.close()
        words = getattr(error, "strerror", None) or error
        raise MQError(f"unix:{path} cannot be reached: {words}", MQRC_HOST_NOT_AVAILABLE) from error
    return Link(_stream(connected, "localhost", ssl_cipher_spec), PATIENCE_S)


def _call_host(address: Address, ssl_cipher_spec: str) -> Link:
    failed: OSError | None = None
    for host, port in address.hosts:
        try:
            connected = socket.create_connection((host, port), _CONNECT_S)
        except OSError as error:
            failed = error
            continue
        return Link(_stream(connected, host, ssl_cipher_spec), PATIENCE_S)
    assert failed is not None  # there is at least one host
    words = f"{address.target} cannot be reached: {failed.strerror or failed}"
    raise MQError(words, MQRC_HOST_NOT_AVAILABLE) from failed


def _stream(connected: socket.socket, host: str, ssl_cipher_spec: str) -> SocketStream:
    if connected.family != socket.AF_UNIX:
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if not ssl_cipher_spec:
        return SocketStream(connected)
    from mqtools.channel.tls import start_tls  # ssl is optional in Python, and only TLS needs it

    try:
        return start_tls(connected, ssl_cipher_spec, host)
    except MQError:
        connected.close()
        raise
