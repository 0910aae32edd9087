"""Snapshot of the keys of the messages that a command is about to change."""

from __future__ import annotations

from itertools import islice

from mqtools.constants.reasons import MQRC_MSG_ID_ERROR
from mqtools.constants.states import LOCKED_FOR_BROWSE, UNLOCKED
from mqtools.errors import MQError
from mqtools.lifecycle import ids, message_search
from mqtools.lifecycle.verbs import unconfirmed_put_ids
from mqtools.mqi import recovery
from mqtools.mqi.identity import now_ms
from mqtools.mqi.resolution import resolve_for_get
from mqtools.operations.selection import Selection, select
from mqtools.operations.stored_messages import ids_with_prefix, locked_messages
from mqtools.predicates import begins_with, is_whole_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from mqtools.mqi.connection import Connection
    from mqtools.operations.stored_messages import StoredMessage

    from .command_session import Session

_ID_LENGTH = 24
_PAGE = 64


def select_keys(connection: Connection, q_name: str, selection: Selection, *, limit: int | None = None) -> list[int]:
    """Return the keys of the selected unlocked messages in delivery order.

    Dead holders and expired leases are released first.
    Raise MQError: MQRC_GET_INHIBITED, MQRC_UNKNOWN_OBJECT_NAME, and as ``select`` does.
    """
    queue = message_search.readable_queue(connection.db, q_name)
    release_dead_holders(connection, queue.id)
    with connection.db.reading():
        return [stored.seq for stored in select(connection.db, queue.id, selection, limit=limit)]


def release_dead_holders(connection: Connection, queue_id: int) -> None:
    """Release dead holders and expired leases on a queue, as a selection finds only unlocked messages.

    Does nothing on a read-only connection: ``read_only.connect_read_only`` has released them where it can.
    """
    if connection.db.read_only:
        return
    with connection.work() as work:
        recovery.recover(work, queue_id)


def locked_keys(
    connection: Connection, q_name: str, lock_id: bytes, selection: Selection, *, limit: int | None = None
) -> list[int]:
    """Return the keys of the selected messages under a lock id, in delivery order.

    Raise MQError: MQRC_NO_MSG_LOCKED for a wrong lock id, and as ``select_keys`` does.
    """
    queue = message_search.readable_queue(connection.db, q_name)
    if not connection.db.read_only:
        with connection.work() as work:
            recovery.end_leases(work)
    with connection.db.reading():
        holder_id = ids.read_lock(connection.db, queue, lock_id, now_ms()).id
        if selection.is_everything:
            found = _of_lock(connection, queue.id, holder_id)
        else:
            found = select(connection.db, queue.id, selection, all_states=True)
        ours = (stored.seq for stored in found if _is_locked_by(stored, holder_id))
        return list(islice(ours, limit))


def _of_lock(connection: Connection, queue_id: int, holder_id: int) -> Iterator[StoredMessage]:
    """Yield the messages under a lock; other messages of the queue cost nothing."""
    after = -1
    while True:
        page = locked_messages(connection, queue_id, holder_id, after=after, limit=_PAGE)
        yield from page
        if len(page) < _PAGE:
            return
        after = page[-1].order_key


def _is_locked_by(stored: StoredMessage, holder_id: int) -> bool:
    return stored.state == LOCKED_FOR_BROWSE and stored.lock_id == holder_id


def print_holder_hint(connection: Connection, session: Session, q_name: str, selection: Selection) -> None:
    """Print a hint who holds a message that was requested by its id."""
    if session.quiet or len(selection.msg_ids) != 1:
        return
    from mqtools.lifecycle.held_messages import describe_hold

    queue, _ = resolve_for_get(connection.db, q_name)
    with connection.db.reading():
        for stored in select(connection.db, queue.id, Selection(msg_ids=selection.msg_ids), all_states=True):
            if stored.state != UNLOCKED:
                session.note(f"hint: the message is {describe_hold(connection.db, stored)}")
                return


def complete_msg_id(connection: Connection, q_name: str, prefix: bytes | None) -> bytes | None:
    """Complete a prefix of a message id, whatever state the message is in; return None for None.

    A prefix that no message has is padded, to find nothing. Raise MQError: MQRC_MSG_ID_ERROR when several match.
    """
    if prefix is None or is_whole_id(prefix):
        return prefix
    queue, _ = resolve_for_get(connection.db, q_name)
    return _the_one(prefix, ids_with_prefix(connection, queue.id, "msg_id", prefix))


def complete_put_id(
    connection: Connection, q_name: str, confirm_id: int, prefix: bytes | None, q_mgr_name: str = ""
) -> bytes | None:
    """Complete a prefix of the message id of a put with a confirm id, as ``complete_msg_id``."""
    if prefix is None or is_whole_id(prefix):
        return prefix
    found = unconfirmed_put_ids(connection, q_name, confirm_id, q_mgr_name=q_mgr_name)
    return _the_one(prefix, sorted({each for each in found if begins_with(each, prefix)}))


def _the_one(prefix: bytes, found: list[bytes]) -> bytes:
    if len(found) > 1:
        raise MQError(
            f"msg_id {prefix.hex().upper()} is the prefix of several identifiers",
            MQRC_MSG_ID_ERROR,
            hint=f"candidates: {found[0].hex().upper()}, {found[1].hex().upper()}",
        )
    return found[0] if found else prefix.ljust(_ID_LENGTH, b"\0")
