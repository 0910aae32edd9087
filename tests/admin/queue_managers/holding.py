"""A process that is connected, and what is put and counted meanwhile."""

from __future__ import annotations

from mqtools.admin import depths
from mqtools.constants.message import MQPER_PERSISTENT
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import connect
from mqtools.operations.views.message_view import open_database

Q = "DEV.QUEUE.1"

#: Connects, opens the queue, gets a message under syncpoint, and stays until its stdin is closed.
HOLDER = f"""
with connect(path) as connection:
    handle = connection.open({Q!r}, MQOO_INPUT_SHARED)
    handle.get(MQGMO_SYNCPOINT)
    print("ready", flush=True)
    sys.stdin.read()
"""


def put(path: str, persistence: int = MQPER_PERSISTENT, queue: str = Q) -> None:
    with connect(path) as connection:
        connection.put1(queue, Message(b"hello", MQMD(persistence=persistence)))


def depth(path: str, queue: str = Q) -> int:
    return depths.depth(open_database(path, read_only=True), queue)
