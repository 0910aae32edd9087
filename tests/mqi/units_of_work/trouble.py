"""A file that refuses what a get under syncpoint has to write."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..conftest import QM


@contextmanager
def no_row_changes(qm: QM) -> Iterator[None]:
    """Let no message change its state: a get or a put that is removed or added at once goes through."""
    with qm.main.db.writing():
        qm.main.db.run("create trigger refuse before update on messages begin select raise(abort, 'refused'); end")
    yield
    with qm.main.db.writing():
        qm.main.db.run("drop trigger refuse")
