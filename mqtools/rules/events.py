"""Events of a queue manager: what each is called, what enables it, and when a performance event occurs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from mqtools.constants import administration as a
from mqtools.constants import cmqcfc as c
from mqtools.constants import objects as o
from mqtools.constants import reasons as rc

#: Command in the header of an event (MQCMD) to the queue that events of this type are put on.
EVENT_QUEUES = {
    c.MQCMD_Q_MGR_EVENT: "SYSTEM.ADMIN.QMGR.EVENT",
    c.MQCMD_PERFM_EVENT: "SYSTEM.ADMIN.PERFM.EVENT",
    c.MQCMD_CHANNEL_EVENT: "SYSTEM.ADMIN.CHANNEL.EVENT",
    c.MQCMD_CONFIG_EVENT: "SYSTEM.ADMIN.CONFIG.EVENT",
    c.MQCMD_COMMAND_EVENT: "SYSTEM.ADMIN.COMMAND.EVENT",
}
#: The same to the version of the header.
HEADER_VERSIONS = {c.MQCMD_CONFIG_EVENT: a.MQCFH_VERSION_2, c.MQCMD_COMMAND_EVENT: a.MQCFH_VERSION_3}

BASE, XMIT_Q, Q_TYPE = o.MQCA_BASE_OBJECT_NAME, o.MQCA_XMIT_Q_NAME, o.MQIA_Q_TYPE


@dataclass(frozen=True, slots=True)
class EventType:
    """An event. command: MQCMD of its header.  switch: attribute of the queue manager that enables it.

    names: parameters of a failed call beyond the queue and the application: name and type of the queue that is wrong.
    """

    command: int
    switch: str
    name: str
    names: tuple[int, ...] = ()


_local = partial(EventType, c.MQCMD_Q_MGR_EVENT, "local_event")
_remote = partial(EventType, c.MQCMD_Q_MGR_EVENT, "remote_event")
_performance = partial(EventType, c.MQCMD_PERFM_EVENT, "performance_event")
_channel = partial(EventType, c.MQCMD_CHANNEL_EVENT, "channel_event")
_configuration = partial(EventType, c.MQCMD_CONFIG_EVENT, "configuration_event")

#: Reason in the header of an event to the event. A reason that is not here mqx does not report.
EVENTS = {
    rc.MQRC_Q_MGR_ACTIVE: EventType(c.MQCMD_Q_MGR_EVENT, "start_stop_event", "Queue Manager Active"),
    rc.MQRC_Q_MGR_NOT_ACTIVE: EventType(c.MQCMD_Q_MGR_EVENT, "start_stop_event", "Queue Manager Not Active"),
    rc.MQRC_NOT_AUTHORIZED: EventType(c.MQCMD_Q_MGR_EVENT, "authority_event", "Not Authorized"),
    rc.MQRC_GET_INHIBITED: EventType(c.MQCMD_Q_MGR_EVENT, "inhibit_event", "Get Inhibited"),
    rc.MQRC_PUT_INHIBITED: EventType(c.MQCMD_Q_MGR_EVENT, "inhibit_event", "Put Inhibited"),
    rc.MQRC_ALIAS_BASE_Q_TYPE_ERROR: _local("Alias Base Queue Type Error", (BASE, Q_TYPE)),
    rc.MQRC_UNKNOWN_ALIAS_BASE_Q: _local("Unknown Alias Base Queue", (BASE,)),
    rc.MQRC_UNKNOWN_OBJECT_NAME: _local("Unknown Object Name"),
    rc.MQRC_DEF_XMIT_Q_TYPE_ERROR: _remote("Default Transmission Queue Type Error", (XMIT_Q, Q_TYPE)),
    rc.MQRC_DEF_XMIT_Q_USAGE_ERROR: _remote("Default Transmission Queue Usage Error", (XMIT_Q,)),
    rc.MQRC_Q_TYPE_ERROR: _remote("Queue Type Error"),
    rc.MQRC_REMOTE_Q_NAME_ERROR: _remote("Remote Queue Name Error"),
    rc.MQRC_XMIT_Q_TYPE_ERROR: _remote("Transmission Queue Type Error", (XMIT_Q, Q_TYPE)),
    rc.MQRC_XMIT_Q_USAGE_ERROR: _remote("Transmission Queue Usage Error", (XMIT_Q,)),
    rc.MQRC_UNKNOWN_DEF_XMIT_Q: _remote("Unknown Default Transmission Queue", (XMIT_Q,)),
    rc.MQRC_UNKNOWN_REMOTE_Q_MGR: _remote("Unknown Remote Queue Manager"),
    rc.MQRC_UNKNOWN_XMIT_Q: _remote("Unknown Transmission Queue", (XMIT_Q,)),
    rc.MQRC_Q_DEPTH_HIGH: _performance("Queue Depth High"),
    rc.MQRC_Q_DEPTH_LOW: _performance("Queue Depth Low"),
    rc.MQRC_Q_FULL: _performance("Queue Full"),
    rc.MQRC_Q_SERVICE_INTERVAL_HIGH: _performance("Queue Service Interval High"),
    rc.MQRC_Q_SERVICE_INTERVAL_OK: _performance("Queue Service Interval OK"),
    rc.MQRC_CHANNEL_STARTED: _channel("Channel Started"),
    rc.MQRC_CHANNEL_STOPPED: _channel("Channel Stopped"),
    rc.MQRC_CHANNEL_STOPPED_BY_USER: _channel("Channel Stopped By User"),
    rc.MQRC_CHANNEL_NOT_AVAILABLE: _channel("Channel Not Available"),
    rc.MQRC_CHANNEL_BLOCKED: _channel("Channel Blocked"),
    rc.MQRC_CHANNEL_SSL_ERROR: EventType(c.MQCMD_CHANNEL_EVENT, "ssl_event", "Channel SSL Error"),
    rc.MQRC_CONFIG_CREATE_OBJECT: _configuration("Create Object"),
    rc.MQRC_CONFIG_CHANGE_OBJECT: _configuration("Change Object"),
    rc.MQRC_CONFIG_DELETE_OBJECT: _configuration("Delete Object"),
    rc.MQRC_CONFIG_REFRESH_OBJECT: _configuration("Refresh Object"),
    rc.MQRC_COMMAND_MQSC: EventType(c.MQCMD_COMMAND_EVENT, "command_event", "Command"),
    rc.MQRC_COMMAND_PCF: EventType(c.MQCMD_COMMAND_EVENT, "command_event", "Command"),
}

#: Qualifier of a missing authority to the type of the event.
AUTHORITY_TYPES = {
    "MQRQ_CONN_NOT_AUTHORIZED": 1, "MQRQ_SYS_CONN_NOT_AUTHORIZED": 1, "MQRQ_CSP_NOT_AUTHORIZED": 1,
    "MQRQ_OPEN_NOT_AUTHORIZED": 2, "MQRQ_CLOSE_NOT_AUTHORIZED": 3, "MQRQ_CMD_NOT_AUTHORIZED": 4,
    "MQRQ_SUB_NOT_AUTHORIZED": 5, "MQRQ_SUB_DEST_NOT_AUTHORIZED": 6,
}  # fmt: skip
#: Number in the error log of a caller who is refused to the reason and the qualifier (MQRQ) of the event.
REFUSALS = {
    "AMQ5534E": (rc.MQRC_NOT_AUTHORIZED, a.MQRQ_CSP_NOT_AUTHORIZED),
    "AMQ5540E": (rc.MQRC_NOT_AUTHORIZED, a.MQRQ_CONN_NOT_AUTHORIZED),
    "AMQ5541E": (rc.MQRC_NOT_AUTHORIZED, a.MQRQ_CONN_NOT_AUTHORIZED),
    "AMQ5542E": (rc.MQRC_NOT_AUTHORIZED, a.MQRQ_CONN_NOT_AUTHORIZED),
    "AMQ9557E": (rc.MQRC_NOT_AUTHORIZED, a.MQRQ_CONN_NOT_AUTHORIZED),
    "AMQ9513E": (rc.MQRC_CHANNEL_NOT_AVAILABLE, a.MQRQ_SVRCONN_INST_LIMIT),
    "AMQ9776E": (rc.MQRC_CHANNEL_BLOCKED, a.MQRQ_CHANNEL_BLOCKED_USERID),
    "AMQ9777E": (rc.MQRC_CHANNEL_BLOCKED, a.MQRQ_CHANNEL_BLOCKED_NOACCESS),
    "AMQ9631E": (rc.MQRC_CHANNEL_SSL_ERROR, a.MQRQ_SSL_CIPHER_SPEC_ERROR),
    "AMQ9633E": (rc.MQRC_CHANNEL_SSL_ERROR, a.MQRQ_SSL_HANDSHAKE_ERROR),
    "AMQ9635E": (rc.MQRC_CHANNEL_SSL_ERROR, a.MQRQ_SSL_CIPHER_SPEC_ERROR),
    "AMQ9636E": (rc.MQRC_CHANNEL_SSL_ERROR, a.MQRQ_SSL_PEER_NAME_ERROR),
    "AMQ9637E": (rc.MQRC_CHANNEL_SSL_ERROR, a.MQRQ_SSL_CLIENT_AUTH_ERROR),
    "AMQ9639E": (rc.MQRC_CHANNEL_SSL_ERROR, a.MQRQ_SSL_CIPHER_SPEC_ERROR),
}

#: Performance event to the attributes of the queue that it changes: it disables itself, and enables those that can
#: come next.
CHANGES: dict[int, dict[str, int]] = {
    rc.MQRC_Q_DEPTH_HIGH: {"q_depth_high_event": 0, "q_depth_low_event": 1, "q_depth_max_event": 1},
    rc.MQRC_Q_DEPTH_LOW: {"q_depth_low_event": 0, "q_depth_high_event": 1, "q_depth_max_event": 1},
    rc.MQRC_Q_FULL: {"q_depth_max_event": 0, "q_depth_low_event": 1},
    rc.MQRC_Q_SERVICE_INTERVAL_HIGH: {"q_service_interval_event": a.MQQSIE_OK},
    rc.MQRC_Q_SERVICE_INTERVAL_OK: {"q_service_interval_event": a.MQQSIE_HIGH},
}


def performance_events(queue: Mapping[str, Any], depth: int, change: int, waited_ms: int | None) -> list[int]:
    """Return the performance events (MQRC) of messages that come to a queue, or leave it.

    queue: attributes by name.  depth: with the change.  change: number of messages, negative for those that leave.
    waited_ms: since the last get, or since the queue was empty; None where it is empty.
    """
    found = []
    is_late = waited_ms is not None and waited_ms > queue["q_service_interval"]
    interval_event = queue["q_service_interval_event"]
    if interval_event == a.MQQSIE_HIGH and is_late:
        found.append(rc.MQRC_Q_SERVICE_INTERVAL_HIGH)
    elif interval_event == a.MQQSIE_OK and change < 0 and waited_ms is not None and not is_late:
        found.append(rc.MQRC_Q_SERVICE_INTERVAL_OK)
    if change > 0 and queue["q_depth_high_event"] and 100 * depth >= queue["q_depth_high_limit"] * queue["max_q_depth"]:
        found.append(rc.MQRC_Q_DEPTH_HIGH)
    elif change < 0 and queue["q_depth_low_event"] and 100 * depth <= queue["q_depth_low_limit"] * queue["max_q_depth"]:
        found.append(rc.MQRC_Q_DEPTH_LOW)
    return found
