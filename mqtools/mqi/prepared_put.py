"""Puts like one before: what differs from it in MsgId, CorrelId and data only is not checked and completed again.

Most programs put many messages with the same descriptor. The first goes the whole way (``put``), and what became of its
descriptor is kept until a definition changes (``DefinitionCache``). Only ordinary messages are put this way: in no
group, without properties, reports and MQ headers, to a local queue that has no journal.
"""

from __future__ import annotations

from _operator import attrgetter

from mqtools.constants.message import MQFMT_STRING
from mqtools.constants.objects import COMMAND_QUEUE
from mqtools.constants.options import (
    MQPMO_DEFAULT_CONTEXT,
    MQPMO_FAIL_IF_QUIESCING,
    MQPMO_NEW_MSG_ID,
    MQPMO_NO_SYNCPOINT,
    MQPMO_SYNCPOINT,
)
from mqtools.constants.states import UNLOCKED
from mqtools.constants.structures import (
    MQ_ACCOUNTING_TOKEN_LENGTH,
    MQ_CORREL_ID_LENGTH,
    MQ_GROUP_ID_LENGTH,
    MQ_MSG_ID_LENGTH,
    MQMI_NONE,
)
from mqtools.message import MQMD, field_values
from mqtools.mqi import delivery
from mqtools.mqi.identity import new_id, put_date_and_time
from mqtools.mqi.put import PutResult, put
from mqtools.mqi.resolution import resolve_for_put
from mqtools.store import arrivals
from mqtools.store.messages import messages
from mqtools.store.messages.checksums import checksum_of, rest_of_summed
from mqtools.store.messages.stored_message import is_ordinary, ordinary_columns, ordinary_insertion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from mqtools.message import Message
    from mqtools.mqi.handle_state import HandleState
    from mqtools.mqi.resolution import Target
    from mqtools.mqi.transaction import Work
    from mqtools.store.messages.stored_message import StoredMessage
    from mqtools.store.queues import Queue
    from mqtools.store.types import Row

#: With any other option a put goes the whole way.
_OPTIONS = MQPMO_SYNCPOINT | MQPMO_NO_SYNCPOINT | MQPMO_NEW_MSG_ID | MQPMO_FAIL_IF_QUIESCING | MQPMO_DEFAULT_CONTEXT

#: What is kept at most; more than that is forgotten together.
_MOST = 64

_IDS = ("msg_id", "correl_id", "accounting_token", "group_id")
#: What puts have to agree in, beside what ``_has_right_ids`` asks of the identifiers.
_kind = attrgetter(*(name for name in MQMD.__slots__ if name not in _IDS))


def put_alike(work: Work, q_name: str, options: int) -> Callable[[Message, int | None], PutResult]:
    """Return a function that puts messages, with the unit of work of each, which are written together where they can.

    The parameters are as for ``put_again``.
    """
    last: object = None
    version = -1
    prepared: PreparedPut | None = None

    def put_one(message: Message, holder_id: int | None) -> PutResult:
        nonlocal last, version, prepared
        kind, known = _kind(message.md), work.db.known
        if kind != last or version != known.version:  # to compare them takes less than to look one up
            last, version, prepared = kind, known.version, known.puts.get((q_name, options, kind))
        if prepared is not None:
            done = _put_prepared(work, prepared, message, options, holder_id)
            if done is not None:
                return done
        last = None
        target = resolve_for_put(work.db, work.qmgr, q_name)
        return put_first(work, q_name, target, message, options, holder_id)

    return put_one


def put_again(work: Work, q_name: str, message: Message, options: int, holder_id: int | None) -> PutResult | None:
    """Put a message as one before; None: it has to go the whole way (``put_first``), and nothing has changed.

    q_name: of the queue, which is on this queue manager as far as its name says.  The rest is as for ``put``.
    """
    prepared: PreparedPut | None = work.db.known.puts.get((q_name, options, _kind(message.md)))
    return None if prepared is None else _put_prepared(work, prepared, message, options, holder_id)


def _put_prepared(
    work: Work, prepared: PreparedPut, message: Message, options: int, holder_id: int | None
) -> PutResult | None:
    md, data, db, now_ms = message.md, message.data, work.db, work.now_ms
    if (
        len(data) > prepared.longest
        or message.properties
        or not _has_right_ids(md)
        or db.is_low
        or work.connection.relays
    ):
        return None
    queue, held, msg_id, correl_id = prepared.queue, holder_id is not None, md.msg_id, md.correl_id
    counted = arrivals.count_arrival(db, queue.id, queue.max_q_depth, now_ms, held=held)
    if counted is None:
        return None
    number, waiters = counted
    if now_ms != prepared.at_ms:
        prepared.set_time(now_ms)
    if msg_id == MQMI_NONE or options & MQPMO_NEW_MSG_ID:
        msg_id = new_id(work.qmgr.name)
    made = MQMD.of(prepared.values)
    made.msg_id, made.correl_id = msg_id, correl_id
    seq = prepared.first_seq | number
    checksum = checksum_of(msg_id + correl_id + prepared.rest, data)
    # No None and no bytes: for values of other types than these, sqlite3 looks for an adapter each time.
    own = (
        holder_id or 0, seq, prepared.first_order_key | number, bytearray(msg_id), len(data), bytearray(data), checksum
    )  # fmt: skip
    statement, row = ordinary_insertion(own, prepared.columns, correl_id, held=held)
    db.change(statement, row)
    work.placed.append(seq)
    if not held:
        work.persistent_message(made.persistence)
        if waiters:
            work.wake(queue.id)
    message.md = made
    return PutResult(*prepared.result, seq)


def put_first(
    work: Work,
    q_name: str,
    target: Target,
    message: Message,
    options: int,
    holder_id: int | None,
    handle: HandleState | None = None,
) -> PutResult:
    """Put a message as ``put`` without a context handle, and keep what that makes of the descriptor for ``put_again``.

    q_name: leads to the target.
    """
    given = message.md
    result = put(work, target, message, options, holder_id=holder_id, handle=handle)
    _keep(work, q_name, target, given, message, options, result)
    return result


def _keep(
    work: Work, q_name: str, target: Target, given: MQMD, message: Message, options: int, result: PutResult
) -> None:
    """Keep what a put has made of its descriptor, if it was of an ordinary message.

    given: the descriptor before the put.  message: after it.
    """
    queue, md, puts = target.queue, message.md, work.db.known.puts
    if (
        options & ~_OPTIONS
        or message.properties
        or not _has_right_ids(given)
        or target.is_remote
        or queue.journal
        or queue.name == COMMAND_QUEUE
        or (md.format.startswith("MQ") and md.format != MQFMT_STRING)
    ):
        return
    stored = delivery.arrival(work, queue, UNLOCKED, md.replace(), 0, None, None, 0)
    if is_ordinary(stored):
        if len(puts) >= _MOST:
            puts.clear()
        longest = min(queue.max_msg_length, work.qmgr.max_msg_length, messages.SHORT)
        puts[q_name, options, _kind(given)] = PreparedPut(queue, stored, longest, result)


def _has_right_ids(md: MQMD) -> bool:
    """Return whether the identifiers of a descriptor have the right length, of which MsgId and CorrelId are stored."""
    return (
        len(md.msg_id) == MQ_MSG_ID_LENGTH
        and len(md.correl_id) == MQ_CORREL_ID_LENGTH
        and len(md.group_id) == MQ_GROUP_ID_LENGTH
        and len(md.accounting_token) == MQ_ACCOUNTING_TOKEN_LENGTH
    )


class PreparedPut:
    """What puts have in common that are of one kind: to one queue, with the same options and the same descriptor.

    longest: bytes of a message.  result: of the put but for the key of the message.  at_ms: the millisecond in which
    the rest is right.  values: of the completed descriptor.  columns: of ``ordinary_columns``.  rest: what is summed
    between CorrelId and the data.
    """

    __slots__ = (
        "_stored", "at_ms", "columns", "first_order_key", "first_seq", "longest", "queue", "rest", "result", "values",
    )  # fmt: skip

    columns: Row
    rest: bytes
    values: tuple[Any, ...]

    def __init__(self, queue: Queue, stored: StoredMessage, longest: int, result: PutResult) -> None:
        """stored: as the message with the number 0 would be stored."""
        self._stored = stored
        self.queue = queue
        self.longest = longest
        self.result = (result.comp_code, result.reason, result.resolved_q_name, result.resolved_q_mgr_name)
        self.first_seq, self.first_order_key = stored.seq, stored.order_key
        self.at_ms = -1

    def set_time(self, now_ms: int) -> None:
        """Prepare what is the same in all puts of a millisecond."""
        stored, md = self._stored, self._stored.md
        self.at_ms = stored.put_at = now_ms
        stored.expires_at = delivery.expires_at(md, now_ms)
        md.put_date, md.put_time = put_date_and_time(now_ms)
        self.values = field_values(md)
        self.columns = ordinary_columns(stored)
        self.rest = rest_of_summed(stored)
