"""Revision of a queue: tells a resumable search whether what it has read is still so.

A message on a queue can be held, given back, and go; what it says stays, and where it stands. Where that is not so,
because it is edited or put back from the trash, or its queue gets another order, that is noted. The version of the
definitions has room for it: below 2**32 it counts their changes, above it these.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mqtools.store.database import Database

_BITS = 32
#: Of what is noted, the last number: from there it begins anew.
_LAST = (1 << 31) - 1


def read(db: Database, queue_id: int) -> tuple[int, int]:
    """Return the revision of the file and the number of the last arrival on a queue, 0 where there is none."""
    row = db.one(
        "select version, coalesce(last_number, 0) from definitions left join queue_status on queue_id = ? where id = 1",
        (queue_id,),
    )
    assert row is not None  # there is always a version
    return row[0] >> _BITS, row[1]


def note(db: Database) -> None:
    """Increment the revision: messages have changed in place, and searches must read them again."""
    db.run(
        "update definitions set version = iif(version >= ?1, version - ?1, version + ?2) where id = 1",
        (_LAST << _BITS, 1 << _BITS),
    )
