"""Messages that are on a transmission queue: replace one, put another directly behind it."""

from __future__ import annotations

from mqtools.constants.reasons import MQRC_XQH_ERROR
from mqtools.constants.structures import MQXQH_LENGTH_1
from mqtools.errors import MQError
from mqtools.headers.mqxqh import unpack_mqxqh
from mqtools.mqi import delivery, journal
from mqtools.mqi.distributed_queuing.transmission import Carried
from mqtools.mqi.resolution import Target
from mqtools.mqi.transaction import Work
from mqtools.store import queues
from mqtools.store.database import Database
from mqtools.store.messages import insertion, messages, units_of_work
from mqtools.store.messages.stored_message import StoredMessage

#: Detail of an edit in the journal.
_BY_EXIT = "by an exit of the channel"


def original_msg_id(db: Database, seq: int, *, is_remote: bool) -> bytes:
    """Return the message id that the put of a message gave. is_remote: it is on a transmission queue, in an MQXQH."""
    stored = messages.by_seq(db, seq)
    if stored is None:
        return b""
    if not is_remote:
        return stored.md.msg_id
    head = messages.load_data(db, seq, MQXQH_LENGTH_1)
    return unpack_mqxqh(head, stored.md.encoding, stored.md.coded_char_set_id).msg_desc.msg_id


def replace_stored(work: Work, seq: int, carried: Carried) -> None:
    """Replace a message that is on a transmission queue, with its place, state and holder."""
    stored = _stored(work, seq)
    md, data = carried.wrapped(work)
    md.msg_id = stored.md.msg_id
    queue = queues.by_id(work.db, stored.queue_id)
    is_journaled = queue is not None and queue.journal
    if queue is not None and is_journaled:
        journal.note(work, queue, seq, journal.EDIT, detail=_BY_EXIT)
    messages.remove(work.db, stored)
    insertion.insert(work.db, stored.replace(md=md, properties=carried.properties, data_length=len(data)), data)
    if queue is not None and is_journaled:
        journal.note(work, queue, seq, journal.EDIT, arrives=True, detail=_BY_EXIT)


def put_behind(work: Work, seq: int, carried: Carried, holder_id: int | None) -> None:
    """Put a message on a transmission queue directly behind another.

    It has the same place in the order of delivery, and a later number. Raises MQError as ``delivery.deliver``.
    """
    stored = _stored(work, seq)
    queue = queues.by_id(work.db, stored.queue_id)
    if queue is None:
        raise MQError("the transmission queue has been deleted", MQRC_XQH_ERROR)
    md, data = carried.wrapped(work)
    delivery.check_limits(work, Target(queue, (queue,)), md, len(data))
    placed = delivery.place(work, queue, md, data, carried.properties, holder_id)
    units_of_work.set_place(work.db, placed.seq, stored.order_key)


def _stored(work: Work, seq: int) -> StoredMessage:
    stored = messages.by_seq(work.db, seq)
    if stored is None:
        raise MQError("the message is no longer on its transmission queue", MQRC_XQH_ERROR)
    return stored
