"""Predefined SYSTEM objects: created when a program first opens one by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mqtools.constants.objects import COMMAND_QUEUE, MQQA_SHAREABLE, MQQDT_PERMANENT_DYNAMIC, MQQDT_TEMPORARY_DYNAMIC
from mqtools.store import queues

if TYPE_CHECKING:
    from mqtools.mqi.connection import Connection

MODEL_QUEUE = "SYSTEM.DEFAULT.MODEL.QUEUE"
DURABLE_MODEL = "SYSTEM.DURABLE.MODEL.QUEUE"
NON_DURABLE_MODEL = "SYSTEM.NDURABLE.MODEL.QUEUE"

#: Queue to its type and the attributes that are not the defaults. A name that is not here is not made.
QUEUES: dict[str, tuple[str, dict[str, object]]] = {
    COMMAND_QUEUE: ("QLOCAL", {"q_desc": "Commands in PCF"}),
    MODEL_QUEUE: ("QMODEL", {"definition_type": MQQDT_TEMPORARY_DYNAMIC, "shareability": MQQA_SHAREABLE}),
    DURABLE_MODEL: ("QMODEL", {"definition_type": MQQDT_PERMANENT_DYNAMIC, "shareability": MQQA_SHAREABLE}),
    NON_DURABLE_MODEL: ("QMODEL", {"definition_type": MQQDT_TEMPORARY_DYNAMIC, "shareability": MQQA_SHAREABLE}),
    "SYSTEM.MQSC.REPLY.QUEUE": ("QMODEL", {"definition_type": MQQDT_TEMPORARY_DYNAMIC}),
    "SYSTEM.JMS.TEMPQ.MODEL": ("QMODEL", {"definition_type": MQQDT_TEMPORARY_DYNAMIC}),
    "SYSTEM.DEFAULT.ALIAS.QUEUE": ("QALIAS", {}),
    "SYSTEM.DEFAULT.REMOTE.QUEUE": ("QREMOTE", {}),
    **{
        name: ("QLOCAL", {})
        for name in (
            "SYSTEM.DEFAULT.LOCAL.QUEUE",
            "SYSTEM.DEAD.LETTER.QUEUE",
            "SYSTEM.ADMIN.STATISTICS.QUEUE",
            "SYSTEM.ADMIN.ACCOUNTING.QUEUE",
            "SYSTEM.ADMIN.ACTIVITY.QUEUE",
            "SYSTEM.ADMIN.QMGR.EVENT",
            "SYSTEM.ADMIN.PERFM.EVENT",
            "SYSTEM.ADMIN.CHANNEL.EVENT",
            "SYSTEM.ADMIN.CONFIG.EVENT",
            "SYSTEM.ADMIN.COMMAND.EVENT",
            "SYSTEM.ADMIN.LOGGER.EVENT",
            "SYSTEM.ADMIN.PUBSUB.EVENT",
            "SYSTEM.ADMIN.TRACE.ACTIVITY.QUEUE",
        )
    },
}


def define_if_missing(connection: Connection, name: str) -> None:
    """Define a predefined queue, if it is one and does not exist yet."""
    if name not in QUEUES:
        return
    from mqtools.mqi.objects.definitions import define_queue  # for start-up: few programs need it

    with connection.work() as work:
        if queues.by_name(work.db, name) is None:
            object_type, attributes = QUEUES[name]
            define_queue(work, object_type, name, dict(attributes))
