"""Messages to a file: JSON lines as ``browse -o jsonl`` writes them, or the bytes of the data alone."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from mqtools.formats.envelope import dumps, to_envelope
from mqtools.message import Message
from mqtools.mqi.get.search import properties_of, remaining_expiry
from mqtools.mqi.identity import now_ms
from mqtools.store import holders, queues
from mqtools.store.messages import messages
from mqtools.tui.outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mqtools.store.database import Database
    from mqtools.store.messages.stored_message import StoredMessage

_JSON = (".jsonl", ".json", ".ndjson")


def write_file(db: Database, path: str, keys: Sequence[int], q_mgr_name: str, q_name: str) -> Iterator[Outcome]:
    """Write messages to a file; yield the outcome after each. A new file is readable by its owner only.

    The data of several messages is separated by newlines. Raises OSError.
    """
    as_json = path.endswith(_JSON)
    outcome = Outcome(len(keys))
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        for seq in keys:
            stored = messages.by_seq(db, seq)
            if stored is None:
                outcome.gone += 1
            elif as_json:
                file.write(envelope_text(db, stored, q_mgr_name, q_name).encode("utf-8", "surrogatepass") + b"\n")
                outcome.done += 1
            else:
                file.write((b"\n" if outcome.done else b"") + messages.load_data(db, seq))
                outcome.done += 1
            yield outcome


def envelope_text(db: Database, stored: StoredMessage, q_mgr_name: str, q_name: str) -> str:
    """Return a message as one line of JSON."""
    stored.md.expiry = remaining_expiry(stored, now_ms())
    message = Message(messages.load_data(db, stored.seq), stored.md, properties_of(stored))
    holder = None if stored.lock_id is None else holders.by_id(db, stored.lock_id)
    lock_id = None if holder is None or holder.kind != "lock" else holder.token
    ccsid = queues.qmgr(db).coded_char_set_id
    return dumps(to_envelope(message, qmgr=q_mgr_name, queue=q_name, state=stored.state, lock_id=lock_id, ccsid=ccsid))
