"""``mqx put --once``: put all messages in one unit of work with a key, or nothing."""

from __future__ import annotations

from mqtools.formats.units import rfc3339
from mqtools.lifecycle.once import OnceKey
from mqtools.mqi.interface import QueueManagerConnection

from ..shared.command_session import Session
from .request import PutRequest


def begin_once(session: Session, connection: QueueManagerConnection, request: PutRequest) -> OnceKey:
    """Return the key of a request; print a line if messages were put under it within the window."""
    assert request.once is not None
    assert connection.file is not None
    q_name, _, q_mgr_name = request.queue.partition("@")
    key = OnceKey(connection.file, q_name, request.once, request.window_s, q_mgr_name=q_mgr_name)
    if key.put_at is not None:
        session.note(f"mqx: put: {request.once} was put on {request.queue} at {rfc3339(key.put_at)}; nothing put")
    return key
