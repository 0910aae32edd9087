"""The journal: events of the messages of journaled queues, numbered in the order of the commits.

A row is the message as it was on its queue at the time, with the event and its author.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mqtools.store.messages.checksums import check
from mqtools.store.messages.stored_message import COLUMNS, M_COLUMNS, from_row

if TYPE_CHECKING:
    from mqtools.store import Parameters
    from mqtools.store.database import Database

    #: event_at (milliseconds since 1970), event, holder, appl_name, outcome (MQRC_*), queue, has_body, detail.
    About = tuple[int, str, str, str, int, str, bool, str | None]

#: Words before the MsgId of the original, in hex, in the detail of a replay with a new id.
COPY_OF = "copy of "

#: Length of an MQDLH, which is kept of a dead letter though its body is not.
_HEAD = 172

_FIRST_CHUNK = "(select c.data from message_chunks as c where c.seq = m.seq and c.number = 0)"
_INTO = (
    "insert into journal (event_at, event, holder, appl_name, outcome, queue, has_body, detail, held_at, undone,"
    f" state_before, state_after, head, data, checksum, {COLUMNS}) select"
)
#: MQDLH of a dead letter.
DEAD_LETTER_HEAD = f"iif(m.format = 'MQDEAD', substr(coalesce(m.data, {_FIRST_CHUNK}), 1, {_HEAD}), null)"

#: The parameters of an event are those of ``About`` in its order, then: which messages, and what else.
_ABOUT = "?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8"


def _written(held_at: str, undone: str, states: str) -> str:
    """Return the statement that writes an event of messages. states: before and after it."""
    return (
        f"{_INTO} {_ABOUT}, {held_at}, {undone}, {states}, {DEAD_LETTER_HEAD},"
        f" iif(?7, m.data, null), iif(?7, m.checksum, null), {M_COLUMNS} from messages as m"
    )


_COMES, _GOES = "null, m.state", "m.state, null"
_HELD_AT = "(select p.held_at from journal_pending as p where p.seq = m.seq)"
_WRITE_ARRIVAL = f"{_written('null', 'null', _COMES)} where m.seq = ?9"
_WRITE = f"{_written('null', '?11', 'm.state, ?10')} where m.seq = ?9"
_RANGE = "where m.seq >= ?9 and m.seq < ?10"
_WRITE_ARRIVALS = f"{_written('null', 'null', _COMES)} {_RANGE} order by m.seq"
_WRITE_DEPARTURES = f"{_written(_HELD_AT, 'null', _GOES)} {_RANGE} order by m.seq"
_WRITE_NONPERSISTENT = f"{_written(_HELD_AT, 'null', _GOES)} {_RANGE} and m.persistence = 0 order by m.seq"
_SETTLED = (
    f"{_INTO} :event_at, coalesce(:undo, p.event), p.holder, p.appl_name, p.outcome, p.queue, p.has_body,"
    " iif(:detail is null, p.detail, iif(p.detail is null, :detail, p.detail || '; ' || :detail)), p.held_at,"
    " iif(:undo is null, null, p.event), p.state,"
    " case when p.state = 0 then iif(:undo is null, iif(m.deliver_at > :event_at, 5, 1), null)"
    " when :undo is not null then p.state - 2 end,"
    f" {DEAD_LETTER_HEAD}, iif(p.has_body, m.data, null), iif(p.has_body, m.checksum, null), {M_COLUMNS}"
)
_PUBLISH = (
    f"{_SETTLED} from messages as m indexed by messages_holder cross join journal_pending as p on p.seq = m.seq"
    " where m.holder_id = :holder_id order by p.number, p.seq"
)
_PUBLISH_ONE = f"{_SETTLED} from journal_pending as p cross join messages as m on m.seq = p.seq where p.seq = :seq"
_PEND = (
    "insert into journal_pending (seq, number, event, holder, appl_name, outcome, queue, has_body, detail, held_at,"
    " state)"
)
_PENDED = "?2, ?3, ?4, ?5, ?6, ?7, ?8, ?1"
_PEND_ONE = f"{_PEND} values (?9, ?11, {_PENDED}, ?10)"
_RECORD = (
    f"{_INTO} :event_at, 'recorded', '', '', 0, :queue, 1, null, p.held_at, null, m.state, m.state,"
    f" {DEAD_LETTER_HEAD}, m.data, m.checksum, {M_COLUMNS}"
    " from messages as m left join journal_pending as p on p.seq = m.seq"
    " where m.seq >= :first and m.seq < :end order by m.seq"
)
_KEEP_CHUNKS = (
    "insert into journal_chunks select j.event_seq, c.number, c.data"
    " from journal as j cross join message_chunks as c on c.seq = j.seq"
    " where j.event_seq > ? and j.has_body and j.data is null"
)


def write(
    db: Database, seq: int, about: About, after: int | None, undone: str | None = None, *, is_long: bool = True
) -> None:
    """Write an event of a message that is on its queue now, as it was before it.

    after: its state then, None when it goes.  undone: of a backout, the event that it undid.  is_long: whether its data
    may be in chunks.
    """
    _write(db, _WRITE, (*about, seq, after, undone), keeps_chunks=is_long and about[6])


def write_arrival(db: Database, seq: int, about: About, *, is_long: bool = True) -> None:
    """Write an event of a message that was not on its queue before. is_long: as for ``write``."""
    _write(db, _WRITE_ARRIVAL, (*about, seq), keeps_chunks=is_long and about[6])


def write_arrivals(db: Database, first: int, end: int, about: About) -> None:
    """Write the same event of messages that were not on their queue before: keys from one on and before another."""
    _write(db, _WRITE_ARRIVALS, (*about, first, end), keeps_chunks=about[6])


def write_departures(db: Database, first: int, end: int, about: About, *, is_nonpersistent: bool = False) -> int:
    """Write the same event of messages that are about to go: those with keys from one on and before another.

    is_nonpersistent: only of the nonpersistent messages.  Returns the number of events.
    """
    statement = _WRITE_NONPERSISTENT if is_nonpersistent else _WRITE_DEPARTURES
    return _write(db, statement, (*about, first, end), keeps_chunks=about[6])


def _write(db: Database, statement: str, parameters: Parameters, *, keeps_chunks: bool = True) -> int:
    """Write events; return their number. keeps_chunks: whether one may keep data in chunks."""
    before = last_event(db) if keeps_chunks else 0
    written = db.run(statement, parameters)
    if written and keeps_chunks:
        db.run(_KEEP_CHUNKS, (before,))
    return written


def first_event(db: Database) -> int:
    """Return the number of the oldest event that is kept, 0 without one."""
    return db.number("select event_seq from journal where event_seq > 0 order by event_seq limit 1")


def last_event(db: Database) -> int:
    """Return the number of the last event, 0 before the first."""
    return db.number("select event_seq from journal where event_seq > 0 order by event_seq desc limit 1")


def span(db: Database) -> tuple[int, int]:
    """Return the numbers of the oldest event that is kept, or would be if there were one, and of the last ever made."""
    last = max(last_event(db), last_counted(db))
    return first_event(db) or last + 1, last


def last_counted(db: Database) -> int:
    """Return the number of the last event that the journal's indexes and sums have."""
    return db.number("select counted from journal_status where id = 1")


def pend(db: Database, seq: int, about: About, state: int) -> None:
    """Add a pending event of an uncommitted message, written at the commit.

    state: the uncommitted one, which the message has or is about to have.
    """
    db.run(_PEND_ONE, (*about, seq, state, db.sql.total_changes))


def pend_range(db: Database, first: int, end: int, about: About, state: int) -> None:
    """Add the same pending event of all messages with keys from one on and before another."""
    db.run(
        f"{_PEND} select seq, ?12, {_PENDED}, ?11 from messages where seq >= ?9 and seq < ?10",  # noqa: S608
        (*about, first, end, state, db.sql.total_changes),
    )


def pend_held(db: Database, queue_id: int, about: About) -> None:
    """Add pending events of the messages that are uncommitted on a queue whose journal begins. Index: messages_held.

    about: the event, its holder and its application are those of each message's own holder.
    """
    db.run(
        f"{_PEND} select m.seq, 0, iif(m.state = 0, 'put', 'get'), coalesce(h.user_identifier || ' pid ' || h.pid, ''),"  # noqa: S608
        " coalesce(h.appl_name, ''), ?5, ?6, ?7, ?8, coalesce(h.created_at, ?1), m.state"
        " from messages as m indexed by messages_held left join holders as h on h.id = m.holder_id"
        " where m.queue_id = ?9 and m.state <> 1 and m.state <> 2 and m.state <> 5",
        (*about, queue_id),
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


def settle(db: Database, holder_id: int, now_ms: int, *, undo: str | None = None, detail: str | None = None) -> int:
    """Write the events of what a holder is about to commit or back out; return their number.

    undo: event of a back-out, None of a commit.  detail: words to add to those of each event.
    """
    how: dict[str, object] = {"event_at": now_ms, "holder_id": holder_id, "undo": undo, "detail": detail}
    written = _write(db, _PUBLISH, how)
    if written:
        db.run(
            "delete from journal_pending where seq in"
            " (select seq from messages indexed by messages_holder where holder_id = ?)",
            (holder_id,),
        )
    return written


def settle_one(db: Database, seq: int, now_ms: int, *, undo: str | None = None, detail: str | None = None) -> int:
    """Write the event of one message that is committed or backed out; return the number of events, 0 or 1."""
    written = _write(db, _PUBLISH_ONE, {"event_at": now_ms, "seq": seq, "undo": undo, "detail": detail})
    if written:
        db.run("delete from journal_pending where seq = ?", (seq,))
    return written


def record_present(db: Database, first: int, end: int, q_name: str, now_ms: int) -> int:
    """Write an event ``recorded`` of each message with a key from one on and before another, with its data.

    Returns the number of events.
    """
    return _write(db, _RECORD, {"event_at": now_ms, "queue": q_name, "first": first, "end": end})


def begin_level(db: Database, q_name: str, level: int, now_ms: int) -> None:
    """Record that a queue has another value of JOURNAL from now on; 0 also when it is deleted."""
    db.run(
        "insert into journal_levels (queue, level, since, event_seq) values (?, ?, ?, ?)",
        (q_name, level, now_ms, last_event(db)),
    )


def load_data(db: Database, event_seq: int) -> bytes | None:
    """Read the data that is kept with an event, None where none is. Raises MessageDamaged."""
    row = db.one(f"select {COLUMNS}, data, checksum, has_body from journal where event_seq = ?", (event_seq,))  # noqa: S608
    if row is None or not row[-1]:
        return None
    stored = from_row(row[:-1])
    data = stored.data
    if data is None:
        data = b"".join(db.column("select data from journal_chunks where event_seq = ? order by number", (event_seq,)))
    if stored.checksum is not None:
        check(stored, data, f"event {event_seq}: ")
    return data
