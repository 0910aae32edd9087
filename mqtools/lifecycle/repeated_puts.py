"""Repeated puts under a confirm id: a program that does not know whether its put succeeded may put again.

Within one connection each put is a message. A later connection, of a script that was started again, finds
what an earlier one has put under the confirm id: the same descriptor, properties and data once more are the
message that exists already. So put twice and confirmed once delivers once, and different messages are never
taken for each other.
"""

from __future__ import annotations

from hashlib import sha256

from mqtools.constants.reasons import MQCC_OK, MQRC_NONE
from mqtools.message import Message
from mqtools.mqi.put import PutResult
from mqtools.mqi.resolution import Target
from mqtools.mqi.transaction import Work
from mqtools.store import holders


def fingerprint(message: Message, options: int) -> bytes:
    """Return a digest that identifies a message as its caller passed it."""
    given = repr((options, message.md, sorted(message.properties.items(), key=lambda item: item[0])))
    digest = sha256(given.encode("utf-8", "surrogatepass"))
    digest.update(b"\0")
    digest.update(message.data)
    return digest.digest()


def find(work: Work, target: Target, message: Message, holder_id: int, mark: bytes) -> PutResult | None:
    """Return the result of an earlier put of the same message under a confirm id; None without one.

    mark: its fingerprint.  message: gets the message id that it has. A found message may not have been on disk
    when its program died: it will be now.
    """
    found = holders.repeated_confirm_put(work.db, holder_id, mark, work.connection.token)
    if found is None:
        return None
    seq, msg_id = found
    message.md = message.md.replace(msg_id=msg_id)
    work.durable = True
    if target.is_remote:
        return PutResult(MQCC_OK, MQRC_NONE, target.remote_q_name, target.remote_q_mgr_name, seq, repeated=True)
    return PutResult(MQCC_OK, MQRC_NONE, target.queue.name, work.qmgr.name, seq, repeated=True)


def note(work: Work, message: Message, result: PutResult, holder_id: int, mark: bytes) -> None:
    """Record a put under a confirm id. message: its descriptor is complete.  mark: from before it was."""
    holders.note_confirm_put(
        work.db,
        holder_id,
        mark,
        seq=result.seq,
        msg_id=message.md.msg_id,
        connection_token=work.connection.token,
    )
