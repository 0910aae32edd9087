"""Messages as the envelopes of JSON lines, for the browser."""

from __future__ import annotations

from mqtools.formats.envelope.envelope import to_envelope
from mqtools.formats.jsontext import dumps
from mqtools.mqi.identity import now_ms
from mqtools.operations.stored_messages import as_message
from mqtools.store import holders, queues
from mqtools.store.database import Database
from mqtools.store.messages import messages
from mqtools.store.messages.stored_message import StoredMessage


def envelope_text(db: Database, stored: StoredMessage, q_mgr_name: str, q_name: str, at: int | None = None) -> str:
    """Return a message as one line of JSON. at: the instant of its expiry, milliseconds since 1970; None for now."""
    message = as_message(stored, messages.load_data(db, stored.seq), now_ms() if at is None else at)
    holder = None if stored.lock_id is None else holders.by_id(db, stored.lock_id)
    lock_id = None if holder is None or holder.kind != "lock" else holder.token
    ccsid = queues.qmgr(db).coded_char_set_id
    return dumps(to_envelope(message, qmgr=q_mgr_name, queue=q_name, state=stored.state, lock_id=lock_id, ccsid=ccsid))
