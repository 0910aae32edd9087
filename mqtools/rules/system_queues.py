"""Queues that every queue manager has from the start, as IBM MQ's for Linux, AIX and Windows have them."""

from __future__ import annotations

from mqtools.constants.objects import (
    COMMAND_QUEUE,
    MQQA_SHAREABLE,
    MQQDT_PERMANENT_DYNAMIC,
    MQUS_TRANSMISSION,
)
from mqtools.rules.object_names import SYSTEM_PREFIX

DURABLE_MODEL = "SYSTEM.DURABLE.MODEL.QUEUE"
NON_DURABLE_MODEL = "SYSTEM.NDURABLE.MODEL.QUEUE"

#: Type of a queue to the queue that has the defaults of new ones.
DEFAULT_QUEUES = {
    "QLOCAL": "SYSTEM.DEFAULT.LOCAL.QUEUE",
    "QMODEL": "SYSTEM.DEFAULT.MODEL.QUEUE",
    "QALIAS": "SYSTEM.DEFAULT.ALIAS.QUEUE",
    "QREMOTE": "SYSTEM.DEFAULT.REMOTE.QUEUE",
}

_LOCAL = (
    "ADMIN.ACCOUNTING.QUEUE ADMIN.ACTIVITY.QUEUE ADMIN.CHANNEL.EVENT ADMIN.COMMAND.EVENT ADMIN.CONFIG.EVENT "
    "ADMIN.LOGGER.EVENT ADMIN.PERFM.EVENT ADMIN.PUBSUB.EVENT ADMIN.QMGR.EVENT ADMIN.STATISTICS.QUEUE "
    "ADMIN.TRACE.ACTIVITY.QUEUE ADMIN.TRACE.ROUTE.QUEUE CHANNEL.INITQ CICS.INITIATION.QUEUE DEAD.LETTER.QUEUE "
    "DEFAULT.INITIATION.QUEUE PENDING.DATA.QUEUE"
)
_MODEL = "COMMAND.REPLY.MODEL JMS.TEMPQ.MODEL MQEXPLORER.REPLY.MODEL MQSC.REPLY.QUEUE"

#: Name to type and to the attributes that differ from the defaults of the type.
SYSTEM_QUEUES: dict[str, tuple[str, dict[str, object]]] = {
    **{name: (object_type, {}) for object_type, name in DEFAULT_QUEUES.items()},
    **{SYSTEM_PREFIX + name: ("QLOCAL", {}) for name in _LOCAL.split()},
    **{SYSTEM_PREFIX + name: ("QMODEL", {}) for name in _MODEL.split()},
    COMMAND_QUEUE: ("QLOCAL", {"q_desc": "Commands in PCF"}),
    DURABLE_MODEL: ("QMODEL", {"definition_type": MQQDT_PERMANENT_DYNAMIC, "shareability": MQQA_SHAREABLE}),
    NON_DURABLE_MODEL: ("QMODEL", {"shareability": MQQA_SHAREABLE}),
    "SYSTEM.CLUSTER.TRANSMIT.QUEUE": ("QLOCAL", {"usage": MQUS_TRANSMISSION}),
    "SYSTEM.CLUSTER.TRANSMIT.MODEL.QUEUE": (
        "QMODEL",
        {"definition_type": MQQDT_PERMANENT_DYNAMIC, "usage": MQUS_TRANSMISSION},
    ),
}
