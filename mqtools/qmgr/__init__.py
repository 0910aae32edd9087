"""The queue manager: the MQI verbs and the lifecycle verbs, rules and store put together.

``connect`` is what programs begin with: its connection has the MQI verbs. The lifecycle verbs, those of MQ
Everyplace, take a connection and the name of a queue; ``mqtools.qmgr.lifecycle`` says how they belong together.
Each name is imported when it is first asked for.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.qmgr.connection import connect
    from mqtools.qmgr.lifecycle import (
        confirm,
        confirm_get_message,
        confirm_put_message,
        delete_message,
        get_message,
        put_message,
        undo,
    )
    from mqtools.qmgr.lifecycle_holders import list_locks
    from mqtools.qmgr.lifecycle_locks import browse_messages, browse_messages_and_lock, extend_lease, unlock_message

#: Name to the module that has it.
_MODULES = {
    "connect": "connection",
    "put_message": "lifecycle",
    "confirm_put_message": "lifecycle",
    "get_message": "lifecycle",
    "confirm_get_message": "lifecycle",
    "confirm": "lifecycle",
    "browse_messages": "lifecycle_locks",
    "browse_messages_and_lock": "lifecycle_locks",
    "extend_lease": "lifecycle_locks",
    "unlock_message": "lifecycle_locks",
    "undo": "lifecycle",
    "delete_message": "lifecycle",
    "list_locks": "lifecycle_holders",
}

__all__ = [
    "connect",
    "put_message",
    "confirm_put_message",
    "get_message",
    "confirm_get_message",
    "confirm",
    "browse_messages",
    "browse_messages_and_lock",
    "extend_lease",
    "unlock_message",
    "undo",
    "delete_message",
    "list_locks",
]


def __getattr__(name: str) -> object:
    module = _MODULES.get(name)
    if module is None:
        raise AttributeError(name)
    from importlib import import_module

    return getattr(import_module(f"mqtools.qmgr.{module}"), name)
