"""The journal: events of the messages of journaled queues, numbered in the order of the commits.

A row is the message as it lay on its queue at the time, beside what was done to it by whom.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mqtools.store.messages.checksums import check
from mqtools.store.messages.stored_message import COLUMNS, from_row

if TYPE_CHECKING:
    from mqtools.store.database import Database

#: Length of an MQDLH, which is kept of a dead letter though its body is not.
_HEAD = 172

_FIRST_CHUNK = "(select c.data from message_chunks as c where c.seq = m.seq and c.number = 0)"
_MESSAGE = ", ".join(f"m.{name.strip()}" for name in COLUMNS.split(","))
_INTO = (
    "insert into journal (event_at, event, holder, appl_name, outcome, queue, has_body, detail, held_at, undone,"
    f" state_before, state_after, head, data, checksum, {COLUMNS}) select"
)
_BODY = f"iif(m.format = 'MQDEAD', substr(coalesce(m.data, {_FIRST_CHUNK}), 1, {_HEAD}), null)"


def _given(held_at: str) -> str:
    return (
        f"{_INTO} :event_at, :event, :holder, :appl_name, :outcome, :queue, :has_body, :detail, {held_at}, :undone,"
        f" iif(:arrives, null, m.state), iif(:arrives, m.state, :state_after), {_BODY},"
        f" iif(:has_body, m.data, null), iif(:has_body, m.checksum, null), {_MESSAGE} from messages as m"
    )


_GIVEN = _given("null")
_GIVEN_HELD = _given("iif(:arrives, null, (select p.held_at from journal_pending as p where p.seq = m.seq))")
_WRITE = f"{_GIVEN} where m.seq = :seq"
_WRITE_RANGE = f"{_GIVEN_HELD} where m.seq >= :first and m.seq < :end order by m.seq"
_WRITE_NONPERSISTENT = f"{_GIVEN_HELD} where m.seq >= :first and m.seq < :end and m.persistence = 0 order by m.seq"
_SETTLED = (
    f"{_INTO} :event_at, iif(:backout, 'backout', p.event), p.holder, p.appl_name, p.outcome, p.queue, p.has_body,"
    " iif(:detail is null, p.detail, iif(p.detail is null, :detail, p.detail || '; ' || :detail)), p.held_at,"
    " iif(:backout, p.event, null), p.state,"
    " case when p.state = 0 then iif(:backout, null, 1) when :backout then p.state - 2 end,"
    f" {_BODY}, iif(p.has_body, m.data, null), iif(p.has_body, m.checksum, null), {_MESSAGE}"
)
_PUBLISH = (
    f"{_SETTLED} from messages as m indexed by messages_holder cross join journal_pending as p on p.seq = m.seq"
    " where m.holder_id = :holder_id order by p.number"
)
_PUBLISH_ONE = f"{_SETTLED} from journal_pending as p cross join messages as m on m.seq = p.seq where p.seq = :seq"
_PEND = "insert into journal_pending (seq, event, holder, appl_name, outcome, queue, has_body, detail, held_at, state)"
_PENDED = ":event, :holder, :appl_name, :outcome, :queue, :has_body, :detail, :event_at"
_RECORD = (
    f"{_INTO} :event_at, 'recorded', '', '', 0, :queue, 1, null, p.held_at, null, m.state, m.state, {_BODY}, m.data,"
    f" m.checksum, {_MESSAGE} from messages as m left join journal_pending as p on p.seq = m.seq"
    " where m.seq >= :first and m.seq < :end order by m.seq"
)
_KEEP_CHUNKS = (
    "insert into journal_chunks select j.event_seq, c.number, c.data"
    " from journal as j cross join message_chunks as c on c.seq = j.seq"
    " where j.event_seq > ? and j.has_body and j.data is null"
)


def write(db: Database, seq: int, about: dict[str, object]) -> None:
    """Write an event of a message that is on its queue now.

    about: event_at (milliseconds since 1970), event, holder, appl_name, outcome (MQRC_*), queue, has_body, detail,
    undone, arrives (it was not on the queue before), state_after (None: it goes; of no meaning if it arrives).
    """
    before = last_event(db) if about["has_body"] else 0
    db.run(_WRITE, {**about, "seq": seq})
    _keep_chunks(db, before, bool(about["has_body"]))


def write_range(
    db: Database, first: int, end: int, about: dict[str, object], *, is_nonpersistent: bool = False
) -> None:
    """Write the same event of all messages with keys from one on and before another; about: as for ``write``.

    is_nonpersistent: only of the nonpersistent messages.
    """
    before = last_event(db) if about["has_body"] else 0
    db.run(_WRITE_NONPERSISTENT if is_nonpersistent else _WRITE_RANGE, {**about, "first": first, "end": end})
    _keep_chunks(db, before, bool(about["has_body"]))


def _keep_chunks(db: Database, before: int, has_body: bool) -> None:
    if has_body:
        db.run(_KEEP_CHUNKS, (before,))


def last_event(db: Database) -> int:
    """Return the number of the last event, 0 before the first."""
    row = db.one("select event_seq from journal where event_seq > 0 order by event_seq desc limit 1")
    return 0 if row is None else int(row[0])


def span(db: Database) -> tuple[int, int]:
    """Return the numbers of the oldest event that is kept, or would be if there were one, and of the last ever made."""
    row = db.one("select counted from journal_status where id = 1")
    last = max(last_event(db), 0 if row is None else int(row[0]))
    row = db.one("select event_seq from journal where event_seq > 0 order by event_seq limit 1")
    return (last + 1 if row is None else int(row[0])), last


def pend(db: Database, seq: int, about: dict[str, object], state: int) -> None:
    """Add a pending event of an uncommitted message, written at the commit; about: as for ``write``.

    state: the uncommitted one, which the message has or is about to have.
    """
    db.run(f"{_PEND} values (:seq, {_PENDED}, :state)", {**about, "seq": seq, "state": state})


def pend_range(db: Database, first: int, end: int, about: dict[str, object], state: int) -> None:
    """Add the same pending event of all messages with keys from one on and before another."""
    db.run(
        f"{_PEND} select seq, {_PENDED}, :state from messages where seq >= :first and seq < :end order by seq",  # noqa: S608
        {**about, "first": first, "end": end, "state": state},
    )


def pend_held(db: Database, queue_id: int, about: dict[str, object]) -> None:
    """Add pending events of the messages that are uncommitted on a queue whose journal begins. Index: messages_held.

    about: as for ``write``; the event, its holder and its application are those of each message's own holder.
    """
    db.run(
        f"{_PEND} select m.seq, iif(m.state = 0, 'put', 'get'), coalesce(h.user_identifier || ' pid ' || h.pid, ''),"  # noqa: S608
        " coalesce(h.appl_name, ''), :outcome, :queue, :has_body, :detail, coalesce(h.created_at, :event_at), m.state"
        " from messages as m indexed by messages_held left join holders as h on h.id = m.holder_id"
        " where m.queue_id = :queue_id and m.state <> 1 and m.state <> 2 order by m.order_key",
        {**about, "queue_id": queue_id},
    )


def set_pending_body(db: Database, first: int, end: int, *, has_body: bool) -> None:
    """Set whether pending events keep the data, for messages with keys from one on and before another."""
    db.run("update journal_pending set has_body = ? where seq >= ? and seq < ?", (has_body, first, end))


def forget_range(db: Database, first: int, end: int) -> None:
    """Delete the pending events of messages with keys from one on and before another."""
    db.run("delete from journal_pending where seq >= ? and seq < ?", (first, end))


def forget_nonpersistent(db: Database, first: int, end: int) -> None:
    """Delete the pending events of the nonpersistent messages among those with keys from one on and before another."""
    db.run(
        "delete from journal_pending where seq in"
        " (select seq from messages where seq >= ? and seq < ? and persistence = 0)",
        (first, end),
    )


def settle(db: Database, holder_id: int, now_ms: int, *, backout: bool = False, detail: str | None = None) -> int:
    """Write the events of what a holder is about to commit or back out; return their number.

    detail: words to add to those of each event.
    """
    before = last_event(db)
    how: dict[str, object] = {"event_at": now_ms, "holder_id": holder_id, "backout": backout, "detail": detail}
    written = db.run(_PUBLISH, how)
    if written:
        _keep_chunks(db, before, has_body=True)
        db.run(
            "delete from journal_pending where seq in"
            " (select seq from messages indexed by messages_holder where holder_id = ?)",
            (holder_id,),
        )
    return written


def settle_one(db: Database, seq: int, now_ms: int, *, backout: bool = False, detail: str | None = None) -> int:
    """Write the event of one message that is committed or backed out; return the number of events, 0 or 1."""
    before = last_event(db)
    written = db.run(_PUBLISH_ONE, {"event_at": now_ms, "seq": seq, "backout": backout, "detail": detail})
    if written:
        _keep_chunks(db, before, has_body=True)
        db.run("delete from journal_pending where seq = ?", (seq,))
    return written


def record_present(db: Database, first: int, end: int, q_name: str, now_ms: int) -> None:
    """Write an event ``recorded`` of each message with a key from one on and before another, with its data."""
    before = last_event(db)
    db.run(_RECORD, {"event_at": now_ms, "queue": q_name, "first": first, "end": end})
    _keep_chunks(db, before, has_body=True)


def begin_level(db: Database, q_name: str, level: int, now_ms: int) -> None:
    """Record that a queue has another value of JOURNAL from now on; 0 also when it is deleted."""
    db.run(
        "insert into journal_levels (queue, level, since, event_seq) values (?, ?, ?, ?)",
        (q_name, level, now_ms, last_event(db)),
    )


def retention(db: Database) -> tuple[int, int]:
    """Return how long events are kept (seconds) and how many bytes of them, -1 each without limit."""
    row = db.all("select journal_age_s, journal_size_bytes from qmgr")[0]
    return row[0], row[1]


_SIZE = "512 + length(coalesce(properties, '')) + has_body * data_length"


def status(db: Database) -> tuple[int, int]:
    """Return the number of events and the bytes that they count for."""
    row = db.all(
        f"select s.events + count(j.event_seq), s.bytes + coalesce(sum({_SIZE}), 0) from journal_status as s"  # noqa: S608
        " left join journal as j on j.event_seq > s.counted where s.id = 1"
    )[0]
    return row[0], row[1]


def count_new(db: Database, most: int = 1 << 60) -> tuple[int, bool]:
    """Add events that have come since the last count, and their ids; return the bytes of all, and whether none is left.

    most: of the events that are added.
    """
    counted = int(db.all("select counted from journal_status where id = 1")[0][0])
    last = last_event(db)
    until = min(last, counted + most)
    span = (counted, until)
    if until > counted:
        new = db.all(
            f"select count(*), coalesce(sum({_SIZE}), 0) from journal where event_seq > ? and event_seq <= ?",  # noqa: S608
            span,
        )[0]
        for field in ("msg_id", "correl_id", "group_id"):
            db.run(
                f"insert or ignore into journal_ids select {field}, event_seq from journal"  # noqa: S608 - our own names
                f" where event_seq > ? and event_seq <= ? and {field} is not null",
                span,
            )
        db.run(
            "update journal_status set events = events + ?, bytes = bytes + ?, counted = ? where id = 1",
            (new[0], new[1], until),
        )
    return int(db.all("select bytes from journal_status where id = 1")[0][0]), until >= last


def oldest(db: Database, limit: int) -> list[tuple[int, int, int]]:
    """List the oldest events: number, milliseconds since 1970, the bytes that it counts for."""
    rows = db.all(
        f"select event_seq, event_at, {_SIZE} from journal where event_seq > 0 order by event_seq limit ?",  # noqa: S608
        (limit,),
    )
    return [(row[0], row[1], row[2]) for row in rows]


def remove_through(db: Database, event_seq: int) -> None:
    """Remove the events up to a number, and keep when the latest of them was."""
    count_new(db)
    removed = db.all(
        f"select count(*), coalesce(sum({_SIZE}), 0), max(event_at) from journal where event_seq <= ?",  # noqa: S608
        (event_seq,),
    )[0]
    db.run(
        "update journal_status set events = events - ?, bytes = bytes - ?,"
        " removed_at = max(coalesce(removed_at, 0), coalesce(?, removed_at, 0)) where id = 1",
        (removed[0], removed[1], removed[2]),
    )
    for field in ("msg_id", "correl_id", "group_id"):
        db.run(
            f"delete from journal_ids where (id, event_seq) in (select {field}, event_seq from journal"  # noqa: S608
            " where event_seq <= ?)",
            (event_seq,),
        )
    db.run("delete from journal_chunks where event_seq <= ?", (event_seq,))
    db.run("delete from journal where event_seq <= ?", (event_seq,))


def load_data(db: Database, event_seq: int) -> bytes | None:
    """Read the data that is kept with an event, None where none is. Raises MessageDamaged."""
    row = db.one(f"select {COLUMNS}, data, checksum, has_body from journal where event_seq = ?", (event_seq,))  # noqa: S608
    if row is None or not row[-1]:
        return None
    stored = from_row(row[:-1])
    data = stored.data
    if data is None:
        pieces = db.all("select data from journal_chunks where event_seq = ? order by number", (event_seq,))
        data = b"".join(piece[0] for piece in pieces)
    if stored.checksum is not None:
        check(stored, data, f"event {event_seq}: ")
    return data
