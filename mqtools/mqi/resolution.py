"""Name resolution: from the names in an object descriptor to the queue of a message.

A local queue is itself; an alias leads to its base; a remote definition, or the name of another queue
manager, leads to a transmission queue. Every definition passed through keeps its own inhibit attributes
(BEY-86), and the first one gives default priority and persistence (BEY-45).
"""

from __future__ import annotations

from mqtools.constants.objects import MQOT_TOPIC, MQQT_ALIAS, MQQT_LOCAL, MQQT_MODEL, MQQT_REMOTE, MQUS_TRANSMISSION
from mqtools.constants.reasons import (
    MQRC_ALIAS_BASE_Q_TYPE_ERROR,
    MQRC_DEF_XMIT_Q_TYPE_ERROR,
    MQRC_DEF_XMIT_Q_USAGE_ERROR,
    MQRC_GET_INHIBITED,
    MQRC_OPTION_NOT_VALID_FOR_TYPE,
    MQRC_Q_TYPE_ERROR,
    MQRC_REMOTE_Q_NAME_ERROR,
    MQRC_UNKNOWN_ALIAS_BASE_Q,
    MQRC_UNKNOWN_DEF_XMIT_Q,
    MQRC_UNKNOWN_OBJECT_NAME,
    MQRC_UNKNOWN_REMOTE_Q_MGR,
    MQRC_UNKNOWN_XMIT_Q,
    MQRC_XMIT_Q_TYPE_ERROR,
    MQRC_XMIT_Q_USAGE_ERROR,
)
from mqtools.errors import MQError
from mqtools.formats.phrases import did_you_mean, nearest
from mqtools.records import Record
from mqtools.rules.object_names import SYSTEM_PREFIX
from mqtools.store import queues
from mqtools.store.database import Database
from mqtools.store.definition_cache import QueueManager
from mqtools.store.queues import Queue


class Target(Record):
    """The destination of a put.

    queue: the local queue that takes the message, a transmission queue when remote.  path: the definitions
    passed through, first to last, the queue included.  remote_q_name, remote_q_mgr_name: the destination
    when it is on another queue manager, else empty.  is_remote: the message leaves this queue manager.
    """

    __slots__ = ("is_remote", "path", "queue", "remote_q_mgr_name", "remote_q_name")

    def __init__(
        self, queue: Queue, path: tuple[Queue, ...], remote_q_name: str = "", remote_q_mgr_name: str = ""
    ) -> None:
        self.queue = queue
        self.path = path
        self.remote_q_name = remote_q_name
        self.remote_q_mgr_name = remote_q_mgr_name
        self.is_remote = bool(remote_q_mgr_name)


def find_queue(
    db: Database, name: str, *, to_use: bool = True, words: str = "", reason: int = MQRC_UNKNOWN_OBJECT_NAME
) -> Queue:
    """Find a queue definition. to_use: in a transaction that writes, add a SYSTEM queue to the file at its first use.

    Raises MQError with the reason where there is none. words: of that error.
    """
    queue, defined = queues.by_name(db, name), queues.names
    if queue is None and name.startswith(SYSTEM_PREFIX):
        from mqtools.mqi import system_queues

        defined = system_queues.names
        queue = (system_queues.stored if to_use and db.is_writing else system_queues.look_up)(db, name)
    if queue is not None:
        return queue
    if words:
        raise MQError(words, reason, q_name=name)
    raise MQError(
        f"queue {name} does not exist", reason, hint=lambda: did_you_mean(nearest(name, defined(db))), q_name=name
    )


def checks_everybody(db: Database) -> bool:
    """Return whether the authorities of every user are checked: AUTHCHK(ALL)."""
    return bool(queues.qmgr(db).checks_everybody)


def resolve_for_get(db: Database, name: str) -> tuple[Queue, tuple[Queue, ...]]:
    """Resolve a name for input, browse, inquire or set: the local queue, and the definitions passed through.

    Raises MQError: MQRC_UNKNOWN_OBJECT_NAME, MQRC_UNKNOWN_ALIAS_BASE_Q, MQRC_ALIAS_BASE_Q_TYPE_ERROR,
    MQRC_OPTION_NOT_VALID_FOR_TYPE for a remote queue, MQRC_Q_TYPE_ERROR for a model queue.
    """
    first = find_queue(db, name)
    queue = base_of(db, first) if first.q_type == MQQT_ALIAS else first
    if queue.q_type == MQQT_REMOTE:
        raise MQError(f"queue {name} is remote: cannot get from it", MQRC_OPTION_NOT_VALID_FOR_TYPE)
    if queue.q_type == MQQT_MODEL:
        raise MQError(f"queue {name} is a model queue: open it to create a dynamic queue", MQRC_Q_TYPE_ERROR)
    return queue, (first,) if queue is first else (first, queue)


def check_gets_allowed(path: tuple[Queue, ...]) -> None:
    """Check that no definition on the way to a queue inhibits gets. Raises MQError: MQRC_GET_INHIBITED."""
    for definition in path:
        if definition.inhibit_get:
            raise MQError(f"gets are inhibited on queue {definition.name}", MQRC_GET_INHIBITED, q_name=definition.name)


class AliasOfTopic(MQError):
    """Raised for an alias whose target is a topic object, not a queue: programs and mqx put publish."""

    def __init__(self, alias: Queue) -> None:
        text = f"the target of alias {alias.name} is topic {alias.base_q_name}, not a queue"
        super().__init__(text, MQRC_UNKNOWN_ALIAS_BASE_Q, q_name=alias.name)
        self.alias = alias


def base_of(db: Database, alias: Queue) -> Queue:
    """Find the target of an alias (BEY-87, BEY-88). Raises AliasOfTopic, and MQError."""
    if alias.base_type == MQOT_TOPIC:
        raise AliasOfTopic(alias)
    words = f"queue {alias.base_q_name}, the target of alias {alias.name}, does not exist"
    base = find_queue(db, alias.base_q_name, words=words, reason=MQRC_UNKNOWN_ALIAS_BASE_Q)
    if base.q_type not in (MQQT_LOCAL, MQQT_REMOTE):
        raise MQError(
            f"the target of alias {alias.name}, {base.name}, is neither a local queue nor a remote definition",
            MQRC_ALIAS_BASE_Q_TYPE_ERROR,
            q_name=base.name,
        )
    return base


def resolve_for_put(db: Database, qmgr: QueueManager, name: str, q_mgr_name: str = "") -> Target:
    """Resolve the names of an object descriptor for output.

    Raises MQError with the reason that MQOPEN gives: unknown object, alias base, remote queue manager,
    transmission queue.
    """
    if q_mgr_name and q_mgr_name != qmgr.name:
        return _resolve_queue_manager(db, qmgr, name, q_mgr_name)
    first = find_queue(db, name)
    path: tuple[Queue, ...] = (first,)
    queue = first
    if first.q_type == MQQT_ALIAS:
        queue = base_of(db, first)
        path = (first, queue)
    if queue.q_type == MQQT_REMOTE:
        return _resolve_remote(db, qmgr, queue, path)
    if queue.q_type == MQQT_MODEL:
        raise MQError(f"queue {name} is a model queue: open it to create a dynamic queue", MQRC_Q_TYPE_ERROR)
    return Target(queue, path)


def _resolve_remote(db: Database, qmgr: QueueManager, remote: Queue, path: tuple[Queue, ...]) -> Target:
    """Follow a local definition of a remote queue."""
    if not remote.remote_q_name:
        raise MQError(f"{remote.name} is an alias of a queue manager, not a queue", MQRC_REMOTE_Q_NAME_ERROR)
    if not remote.remote_q_mgr_name:
        raise MQError(
            f"the definition {remote.name} does not say on which queue manager its queue is",
            MQRC_UNKNOWN_REMOTE_Q_MGR,
            hint=f"mqx mqsc 'ALTER QREMOTE({remote.name}) RQMNAME(...)'",
        )
    if remote.remote_q_mgr_name == qmgr.name and not remote.xmit_q_name:
        queue = find_queue(db, remote.remote_q_name)
        return Target(queue, (*path, queue))
    xmit = _transmission_queue(db, qmgr, remote.xmit_q_name, remote.remote_q_mgr_name)
    return Target(xmit, (*path, xmit), remote.remote_q_name, remote.remote_q_mgr_name)


def _resolve_queue_manager(db: Database, qmgr: QueueManager, name: str, q_mgr_name: str) -> Target:
    """Resolve a queue on a named queue manager; a remote definition without a queue is a queue manager alias."""
    alias = queues.by_name(db, q_mgr_name)
    if alias is not None and alias.q_type == MQQT_REMOTE and not alias.remote_q_name:
        if alias.remote_q_mgr_name in ("", qmgr.name):
            return resolve_for_put(db, qmgr, name)
        xmit = _transmission_queue(db, qmgr, alias.xmit_q_name, alias.remote_q_mgr_name)
        return Target(xmit, (alias, xmit), name, alias.remote_q_mgr_name)
    xmit = _transmission_queue(db, qmgr, "", q_mgr_name)
    return Target(xmit, (xmit,), name, q_mgr_name)


def _transmission_queue(db: Database, qmgr: QueueManager, xmit_q_name: str, q_mgr_name: str) -> Queue:
    """Find the transmission queue: the one named, one with the queue manager's name, or the default one."""
    if xmit_q_name:
        words = f"transmission queue {xmit_q_name} does not exist"
        named = find_queue(db, xmit_q_name, words=words, reason=MQRC_UNKNOWN_XMIT_Q)
        return _check_transmission(named, MQRC_XMIT_Q_TYPE_ERROR, MQRC_XMIT_Q_USAGE_ERROR)
    same = queues.by_name(db, q_mgr_name)
    if same is not None and same.q_type == MQQT_LOCAL and same.usage == MQUS_TRANSMISSION:
        return same
    if not qmgr.def_xmit_q_name:
        raise MQError(
            f"no transmission queue leads to queue manager {q_mgr_name}",
            MQRC_UNKNOWN_REMOTE_Q_MGR,
            hint=f"mqx mqsc 'DEFINE QLOCAL({q_mgr_name}) USAGE(XMITQ)'",
            q_mgr_name=q_mgr_name,
        )
    words = f"the default transmission queue {qmgr.def_xmit_q_name} does not exist"
    default = find_queue(db, qmgr.def_xmit_q_name, words=words, reason=MQRC_UNKNOWN_DEF_XMIT_Q)
    return _check_transmission(default, MQRC_DEF_XMIT_Q_TYPE_ERROR, MQRC_DEF_XMIT_Q_USAGE_ERROR)


def _check_transmission(queue: Queue, type_reason: int, usage_reason: int) -> Queue:
    if queue.q_type != MQQT_LOCAL:
        raise MQError(f"transmission queue {queue.name} is not a local queue", type_reason, q_name=queue.name)
    if queue.usage != MQUS_TRANSMISSION:
        raise MQError(f"queue {queue.name} does not have USAGE(XMITQ)", usage_reason, q_name=queue.name)
    return queue
