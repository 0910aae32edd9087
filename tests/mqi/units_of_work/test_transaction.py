"""Transactions inside transactions: what has to follow a commit follows the outer one."""

from __future__ import annotations

from contextlib import suppress

from mqtools.store import liveness
from mqtools.store.database import Database


def test_a_flush_waits_for_the_outer_commit(qm, monkeypatch):
    flushed = []
    monkeypatch.setattr(Database, "sync", lambda self: flushed.append(self.in_transaction))
    with qm.main.work():
        qm.put("a", persistence=1)
        assert flushed == []
    assert flushed == [False]


def test_a_bell_rings_after_the_outer_commit_or_not_at_all(qm, monkeypatch):
    rung = []
    monkeypatch.setattr(liveness, "ring", lambda folder, token: rung.append(qm.main.db.in_transaction))
    with qm.main.db.writing():
        qm.main.db.run("insert into waiters select 8, id, 1, null, null, x'00' from queues where name = 'Q'")
        qm.main.db.run("update queue_status set waiters = 1")
    with suppress(RuntimeError), qm.main.work():
        qm.put("a")
        raise RuntimeError
    assert rung == []
    with qm.main.work():
        qm.put("a")
        assert rung == []
    assert rung == [False]


def test_a_registration_that_is_undone_with_the_outer_one_is_forgotten(qm):
    connection = qm.connect()
    with suppress(RuntimeError), connection.work():
        connection.open("Q", 8)
        raise RuntimeError
    assert connection.id is None
    assert qm.main.db.all("select * from holders where kind = 'connection'") == []
