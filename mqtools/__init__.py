"""IBM MQ's message semantics in one SQLite file.

    import mqtools as mq

    with mq.connect("QM1") as qmgr:
        orders = qmgr.queue("ORDERS")
        orders.put("pay 100", priority=7, properties={"region": "EU"})
        for message in orders.browse(where="region = 'EU'"):
            print(message.data)
        with qmgr.transaction():  # commits, or backs out on an exception
            message = orders.get(wait=5)
            qmgr.queue("PAID").put(message)

Programs need the names here; each is imported when it is first used. The whole MQI is available through
``QueueManager.connection``; the verbs of MQ Everyplace are in ``mqtools.lifecycle``.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.constants.enums import (
        CloseOption,
        CompCode,
        Feedback,
        GetOption,
        MatchOption,
        MsgFlag,
        MsgType,
        OpenOption,
        Persistence,
        PutOption,
        Reason,
        ReportOption,
    )
    from mqtools.errors import LockTimeout, MQError, NoMessageAvailable, SelectorSyntaxError, StorageError
    from mqtools.message import MQMD, Message, Property
    from mqtools.queue_manager import Queue, QueueManager, Transaction, connect, create

__all__ = [
    "connect",
    "create",
    "QueueManager",
    "Queue",
    "Transaction",
    "Message",
    "MQMD",
    "Property",
    "MQError",
    "NoMessageAvailable",
    "SelectorSyntaxError",
    "StorageError",
    "LockTimeout",
    "CloseOption",
    "CompCode",
    "Feedback",
    "GetOption",
    "MatchOption",
    "MsgFlag",
    "MsgType",
    "OpenOption",
    "Persistence",
    "PutOption",
    "Reason",
    "ReportOption",
]

#: Name to the module that has it. A name that is not listed is an option or code: constants.enums has it.
_MODULES = {
    **dict.fromkeys(("connect", "create", "QueueManager", "Queue", "Transaction"), "queue_manager"),
    **dict.fromkeys(("Message", "MQMD", "Property"), "message"),
    **dict.fromkeys(("MQError", "NoMessageAvailable", "SelectorSyntaxError", "StorageError", "LockTimeout"), "errors"),
}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'mqtools' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"mqtools.{_MODULES.get(name, 'constants.enums')}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, *globals()]
