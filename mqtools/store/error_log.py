"""Entries of the error log. One function, one statement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from json import dumps, loads

from mqtools.store import Row
from mqtools.store.database import Database

_COLUMNS = (
    "number, first_at, last_at, occurrences, amq, reason, text, detail, action, channel, inserts, program, pid,"
    " is_unsolved"
)
_SELECT = f"select {_COLUMNS} from errors"  # noqa: S608 - column names only


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorEntry:
    """One entry of the error log, see schema.sql. Times: milliseconds since 1970.

    amq: number with severity, such as AMQ9999E.  reason: MQRC_*, 0 for none.  inserts: by name, without the channel.
    """

    number: int = 0
    first_at: int
    last_at: int
    occurrences: int = 1
    amq: str
    reason: int = 0
    text: str
    detail: str = ""
    action: str = ""
    channel: str = ""
    inserts: Mapping[str, str] = field(default_factory=dict)
    program: str = ""
    pid: int = 0
    is_unsolved: bool = False

    @property
    def severity(self) -> str:
        """I, W, E, S or T: information, warning, error, severe error, termination."""
        return self.amq[-1]


def count_again(db: Database, entry: ErrorEntry, since_ms: int) -> bool:
    """Count an occurrence in an entry that is the same and began after an instant; return whether there is one."""
    values = _values(entry)
    return bool(
        db.run(
            "update errors set last_at = :last_at, occurrences = occurrences + 1, program = :program, pid = :pid,"
            " is_unsolved = :is_unsolved where number = (select max(number) from errors where amq = :amq"
            " and first_at > :since and reason = :reason and text = :text and detail = :detail and channel = :channel"
            " and inserts = :inserts)",
            {**values, "since": since_ms},
        )
    )


def add(db: Database, entry: ErrorEntry) -> None:
    """Add an entry under a new number."""
    db.run(
        "insert into errors (first_at, last_at, occurrences, amq, reason, text, detail, action, channel, inserts,"
        " program, pid, is_unsolved) values (:first_at, :last_at, :occurrences, :amq, :reason, :text, :detail, :action,"
        " :channel, :inserts, :program, :pid, :is_unsolved)",
        _values(entry),
    )


def _values(entry: ErrorEntry) -> dict[str, object]:
    return {**asdict(entry), "inserts": dumps(entry.inserts, sort_keys=True), "is_unsolved": int(entry.is_unsolved)}


def remove_oldest(db: Database, amq: str, most: int, most_of_a_number: int) -> None:
    """Delete the oldest entries beyond a number of all, and beyond a number of those with one AMQ number."""
    db.run(
        "delete from errors where number in"
        " (select number from errors where amq = ? order by first_at desc, number desc limit -1 offset ?)",
        (amq, most_of_a_number),
    )
    db.run(
        "delete from errors where number <= (select number from errors order by number desc limit 1 offset ?)", (most,)
    )


def solve(db: Database, channel: str) -> None:
    """Mark what a channel has failed with as solved. Index: errors_unsolved."""
    db.run("update errors set is_unsolved = 0 where channel = ? and is_unsolved = 1", (channel,))


def unsolved(db: Database, channel: str) -> ErrorEntry | None:
    """Return the latest failure of a channel that is not solved. Index: errors_unsolved."""
    row = db.one(f"{_SELECT} where channel = ? and is_unsolved = 1 order by last_at desc, number desc", (channel,))
    return None if row is None else _entry(row)


def last_number(db: Database) -> int:
    """Return the number of the newest entry, 0 if there is none."""
    return db.number("select max(number) from errors")


def entries(db: Database, *, since_ms: int = 0, after: int = 0, most: int = -1) -> list[ErrorEntry]:
    """List entries in the order of their latest occurrences.

    since_ms: of the latest occurrence.  after: number of an entry; only newer ones.  most: of the latest ones, -1: all.
    """
    rows = db.all(
        f"{_SELECT} where last_at >= ? and number > ? order by last_at desc, number desc limit ?",
        (since_ms, after, most),
    )
    return [_entry(row) for row in reversed(rows)]


def _entry(row: Row) -> ErrorEntry:
    values = dict(zip(_COLUMNS.split(", "), row, strict=True))
    values.update(inserts=loads(values["inserts"]), is_unsolved=bool(values["is_unsolved"]))
    return ErrorEntry(**values)
