"""Client channel definition table (CCDT) in JSON: reading it, and the choice among its channels."""

from __future__ import annotations

import json
import socket
from dataclasses import dataclass, replace
from random import Random
from typing import Any
from urllib.error import URLError
from urllib.parse import unquote, urlsplit
from urllib.request import urlopen

from mqtools.clients.client.options import DEFAULT_PORT, ConnectionOptions, HostPort
from mqtools.constants.reasons import MQRC_CHANNEL_CONFIG_ERROR, MQRC_HOST_NOT_AVAILABLE, MQRC_Q_MGR_NAME_ERROR
from mqtools.errors import MQError

#: Largest table, in bytes, and how long a server may take to send it, in seconds.
_LARGEST, _PATIENCE_S = 1 << 20, 30.0
_WEIGHTS = range(100)
_CLIENT = "clientConnection"


@dataclass(frozen=True, slots=True)
class ChannelEntry:
    """One client-connection channel of a table.

    options: of its connections; the queue manager is that which programs ask for, empty for the default.
    weight: CLNTWGHT.  is_preferred: AFFINITY(PREFERRED).
    """

    options: ConnectionOptions
    weight: int = 0
    is_preferred: bool = True


def read_ccdt(location: str) -> list[ChannelEntry]:
    """Read a table. location: a path, or an address with file: or https:.

    Raises MQError: MQRC_CHANNEL_CONFIG_ERROR for one that is not such a table, MQRC_HOST_NOT_AVAILABLE.
    """
    return parse_ccdt(_load(location), location)


def _load(location: str) -> bytes:
    scheme, _, rest = location.partition(":")
    is_url = scheme.lower() == "https"
    if rest.startswith("//") and scheme.lower() not in ("file", "https"):
        raise _no_table(location, "a table is a file, or is read by https")
    path = unquote(urlsplit(location).path) if scheme.lower() == "file" else location
    try:
        with urlopen(location, timeout=_PATIENCE_S) if is_url else open(path, "rb") as file:
            data: bytes = file.read(_LARGEST + 1)
    except URLError as error:
        raise MQError(f"cannot read {location}: {error.reason}", MQRC_HOST_NOT_AVAILABLE) from error
    except OSError as error:
        raise _no_table(location, error.strerror or str(error)) from error
    if len(data) > _LARGEST:
        raise _no_table(location, f"it has more than {_LARGEST} bytes")
    return data


def parse_ccdt(data: bytes, location: str) -> list[ChannelEntry]:
    """Return the client-connection channels of a table in JSON. Raises MQError: MQRC_CHANNEL_CONFIG_ERROR."""
    try:
        channels = json.loads(data)["channel"]
        return [_entry(each) for each in channels if each.get("type", _CLIENT) == _CLIENT]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        words = _mistake(error)
        hint = None if words else "write the table in JSON, or name the host: --connection or MQSERVER"
        raise _no_table(location, words or "it is not a table in JSON", hint) from error


def _mistake(error: Exception) -> str:
    """Return the mistake of a table; empty for a file that is not a table."""
    if isinstance(error, json.JSONDecodeError) and error.pos:
        return f"line {error.lineno}, column {error.colno} is not JSON"
    if isinstance(error, KeyError):
        return f"the key {error} is missing"
    return str(error) if type(error) is ValueError else ""


def _entry(given: dict[str, Any]) -> ChannelEntry:
    """Read one channel. Raises ValueError, KeyError, TypeError, AttributeError for a wrong one."""
    client = given[_CLIENT]
    hosts = tuple(HostPort(str(each["host"]), int(each.get("port", DEFAULT_PORT))) for each in client["connection"])
    if not hosts or not all(0 < host.port < 65_536 for host in hosts):
        raise ValueError(f"channel {given['name']} has no possible connection")
    management = given.get("connectionManagement", {})
    security = given.get("transmissionSecurity", {})
    weight = int(management.get("clientWeight", 0))
    if weight not in _WEIGHTS:
        raise ValueError(f"clientWeight {weight} is not a number from 0 to 99")
    options = ConnectionOptions(
        hosts,
        str(given["name"]),
        q_mgr_name=str(client.get("queueManager", "")).strip(),
        cipher_spec=str(security.get("cipherSpecification", "")),
        peer_name=str(security.get("certificatePeerName", "")),
        heartbeat_s=int(management.get("heartbeatInterval", 300)),
    )
    is_preferred = str(management.get("affinity", "preferred")).lower() != "none"
    return ChannelEntry(options, weight, is_preferred)


def choose(table: list[ChannelEntry], q_mgr_name: str, random: Random | None = None) -> list[ConnectionOptions]:
    """Return how to connect to a queue manager, in the order in which the channels are tried.

    q_mgr_name: a name, which the queue manager must have; ``*GROUP`` for the channels of a group, whatever their queue
    managers are called; blank or ``*`` for the channels without one.  Channels of weight 0 are first, by name; the
    others are in random order by weight. With AFFINITY(PREFERRED) each process of this machine has the same order.
    Raises MQError: MQRC_Q_MGR_NAME_ERROR where the table has no such channel.
    """
    wanted = q_mgr_name.strip().removeprefix("*")
    named = (entry for entry in table if entry.options.q_mgr_name == wanted)
    found = sorted(named, key=lambda entry: entry.options.channel)
    if not found:
        raise MQError(f"the table has no channel for queue manager {wanted or '(blank)'}", MQRC_Q_MGR_NAME_ERROR)
    is_preferred = all(entry.is_preferred for entry in found)
    draw = random or (Random(socket.gethostname()) if is_preferred else Random())
    ordered = [entry for entry in found if not entry.weight]
    left = [entry for entry in found if entry.weight]
    while left:
        (entry,) = draw.choices(left, [each.weight for each in left])
        left.remove(entry)
        ordered.append(entry)
    return [replace(entry.options, q_mgr_name=q_mgr_name.strip()) for entry in ordered]


def _no_table(location: str, words: str, hint: str | None = None) -> MQError:
    return MQError(f"cannot use {location} as a CCDT: {words}", MQRC_CHANNEL_CONFIG_ERROR, hint=hint)
