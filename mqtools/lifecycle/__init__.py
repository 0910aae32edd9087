"""The verbs of MQ Everyplace: put, get, browse, lock, confirm and undo with ids that outlive a process.

Each takes a connection and the name of a queue; ``mqtools.lifecycle.verbs`` says how they belong together.
Each name is imported when it is first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mqtools.lifecycle.held_messages import list_locks as list_locks
    from mqtools.lifecycle.locks import browse_messages as browse_messages
    from mqtools.lifecycle.locks import browse_messages_and_lock as browse_messages_and_lock
    from mqtools.lifecycle.locks import extend_lease as extend_lease
    from mqtools.lifecycle.locks import unlock_message as unlock_message
    from mqtools.lifecycle.verbs import confirm as confirm
    from mqtools.lifecycle.verbs import confirm_get_message as confirm_get_message
    from mqtools.lifecycle.verbs import confirm_put_message as confirm_put_message
    from mqtools.lifecycle.verbs import delete_message as delete_message
    from mqtools.lifecycle.verbs import get_message as get_message
    from mqtools.lifecycle.verbs import put_message as put_message
    from mqtools.lifecycle.verbs import undo as undo

#: Name to the module that has it.
_MODULES = {
    "put_message": "verbs",
    "confirm_put_message": "verbs",
    "get_message": "verbs",
    "confirm_get_message": "verbs",
    "confirm": "verbs",
    "browse_messages": "locks",
    "browse_messages_and_lock": "locks",
    "extend_lease": "locks",
    "unlock_message": "locks",
    "undo": "verbs",
    "delete_message": "verbs",
    "list_locks": "held_messages",
}

#: In full: tools for documentation and types read it without running it.
__all__ = [
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
    return getattr(import_module(f"mqtools.lifecycle.{module}"), name)
