"""The queue manager: the MQI verbs and the lifecycle verbs, rules and store put together.

``connect`` is what programs begin with; it is imported when it is first asked for.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.qmgr.connection import connect

__all__ = ["connect"]


def __getattr__(name: str) -> object:
    if name == "connect":
        from mqtools.qmgr.connection import connect

        return connect
    raise AttributeError(name)
