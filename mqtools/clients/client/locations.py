"""Where a queue manager is: an address ``mq://…``, a connection list, MQSERVER, and the environment of a client."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import unquote, urlsplit

from mqtools.clients.client.ccdt import choose, read_ccdt
from mqtools.clients.client.options import DEFAULT_PORT, ConnectionOptions, HostPort
from mqtools.configuration.paths import MQ_SCHEME
from mqtools.configuration.remotes import Remote
from mqtools.errors import UsageError

SCHEME = "mq"
_HOST = re.compile(r"(?P<host>[^\s()]+)\s*(?:\((?P<port>\d{1,5})\))?")
_NAME = re.compile(r"[A-Za-z0-9._/%]{1,48}")
_LONGEST_CHANNEL = 20
_FORM = "mq://[USER@]HOST[:PORT]/CHANNEL[/QM]"
#: File name of a CCDT where MQCHLTAB does not give one.
_TABLE = "AMQCLCHL.TAB"


def parse_connection_list(text: str) -> tuple[HostPort, ...]:
    """Parse ``HOST(1414),HOST``, as CONNAME has it. Raises UsageError."""
    hosts = []
    for part in text.split(","):
        found = _HOST.fullmatch(part.strip())
        if found is None:
            raise UsageError(f"{part.strip() or text!r} is not a connection name", "a connection name is HOST(PORT)")
        port = int(found["port"] or DEFAULT_PORT)
        if not 0 < port < 65_536:
            raise UsageError(f"{part.strip()}: the port is not a number from 1 to 65535")
        hosts.append(HostPort(found["host"].strip("[]"), port))
    return tuple(hosts)


def parse_url(text: str) -> ConnectionOptions:
    """Parse ``mq://[USER@]HOST[:PORT]/CHANNEL[/QM]``. Raises UsageError, also for a password in it."""
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise UsageError(f"{text} is not an address of a queue manager: {error}", f"the form is {_FORM}") from error
    if parts.password is not None:
        raise UsageError("a password in an address is visible to others", "MQX_PASSWORD or a prompt gives it")
    names = [unquote(name) for name in parts.path.split("/")[1:]]
    is_complete = parts.scheme == SCHEME and host and 1 <= len(names) <= 2 and names[0]
    if not is_complete or parts.query or parts.fragment:
        raise UsageError(f"{text} is not an address of a queue manager", f"the form is {_FORM}")
    assert host is not None
    q_mgr_name = names[1] if len(names) == 2 else ""
    check_names(names[0], q_mgr_name)
    user = unquote(parts.username or "")
    hosts = (HostPort(host, DEFAULT_PORT if port is None else port),)
    return ConnectionOptions(hosts, names[0], q_mgr_name=q_mgr_name, user=user)


def check_names(channel: str, q_mgr_name: str) -> None:
    """Check the names of a channel, and of a queue manager or group. Raises UsageError."""
    if len(channel) > _LONGEST_CHANNEL or not _NAME.fullmatch(channel):
        raise UsageError(f"{channel} is not the name of a channel")
    if q_mgr_name.removeprefix("*") and not _NAME.fullmatch(q_mgr_name.removeprefix("*")):
        raise UsageError(f"{q_mgr_name} is not the name of a queue manager")


def parse_mqserver(text: str, q_mgr_name: str = "") -> ConnectionOptions:
    """Parse MQSERVER: ``CHANNEL/TCP/HOST(PORT)``. Raises UsageError."""
    channel, _, rest = text.strip().partition("/")
    transport, _, connection = rest.partition("/")
    if not channel or transport.strip().upper() != "TCP" or not connection:
        raise UsageError(f"MQSERVER is {text!r}", "the form is CHANNEL/TCP/HOST(PORT)")
    check_names(channel, q_mgr_name)
    return ConnectionOptions(parse_connection_list(connection), channel, q_mgr_name=q_mgr_name)


def from_environment(environ: Mapping[str, str], q_mgr_name: str = "") -> list[ConnectionOptions]:
    """Return the connections that the environment of a client names, in the order in which they are tried.

    MQSERVER is before MQCCDTURL, and that before MQCHLLIB and MQCHLTAB.  Raises UsageError; MQError as ``read_ccdt``.
    """
    if environ.get("MQSERVER"):
        return [parse_mqserver(environ["MQSERVER"], q_mgr_name)]
    location = environ.get("MQCCDTURL", "")
    if not location and environ.get("MQCHLLIB"):
        location = os.path.join(environ["MQCHLLIB"], environ.get("MQCHLTAB") or _TABLE)
    if not location:
        raise UsageError("the environment names no queue manager", "set MQSERVER, MQCCDTURL, or MQCHLLIB and MQCHLTAB")
    return choose(read_ccdt(location), q_mgr_name)


def places_of(remote: Remote) -> list[ConnectionOptions]:
    """Return the places to try in order. Raises UsageError, MQError."""
    if remote.name == MQ_SCHEME:
        found = from_environment(os.environ)
    elif remote.name.startswith(MQ_SCHEME):
        found = [parse_url(remote.name)]
    elif remote.ccdt:
        found = choose(read_ccdt(remote.ccdt), remote.qmgr)
    else:
        hosts = parse_connection_list(remote.connection)
        check_names(remote.channel, remote.qmgr)
        found = [ConnectionOptions(hosts, remote.channel, q_mgr_name=remote.qmgr, cipher_spec=remote.cipher)]
    return [replace(place, user=remote.user) if remote.user else place for place in found]
