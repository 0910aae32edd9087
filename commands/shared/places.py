"""Queues that are named with their queue manager: ``PROD:ORDERS``."""

from __future__ import annotations

from mqtools.configuration.locate import known_names
from mqtools.rules.object_names import is_valid_name

from .command_session import UsageError, as_text


def read_place(text: str, default: str = "") -> tuple[str, str]:
    """Return the queue manager and the queue of ``QMGR:QUEUE``: a remote, a name, a path or an address.

    default: queue manager of a queue without one.  Raise UsageError.
    """
    q_mgr_name, _, q_name = as_text(text).rpartition(":")
    if not is_valid_name(q_name):
        raise UsageError(f"{text}: {q_name or 'an empty word'} is not the name of a queue")
    if not (q_mgr_name or default):
        known = known_names()
        if q_name in known:
            raise UsageError(f"{text} names a queue manager, and no queue", f"{text}:QUEUE")
        others = f"there are: {', '.join(known)}" if known else "mqx remote add names one elsewhere"
        raise UsageError(f"{text} names no queue manager", f"QMGR:{q_name}; {others}")
    return q_mgr_name or default, q_name
