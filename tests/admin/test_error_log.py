"""The error log: what is written, counted again, and kept; what cannot be written fails nothing."""

from __future__ import annotations

import os
import time

import pytest

from mqtools.admin import error_log, queue_managers
from mqtools.admin.error_log import ErrorEntry, Inserts
from mqtools.constants.reasons import MQRC_HOST_NOT_AVAILABLE
from mqtools.errors import MQError
from mqtools.mqi import identity
from mqtools.mqi.connection import connect

from ..copied import three_queues


@pytest.fixture
def qmgr(tmp_path):
    return three_queues(str(tmp_path / "QM1.db"))


def entries(qmgr: str, **given: int) -> list[ErrorEntry]:
    """Return the entries but those of the start and the end of the queue manager."""
    with connect(qmgr) as connection:
        return [each for each in error_log.entries(connection, **given) if not each.amq.startswith("AMQ80")]


def test_an_entry_has_number_text_action_and_inserts(qmgr):
    error = MQError("host(1414): connection refused", MQRC_HOST_NOT_AVAILABLE)
    with connect(qmgr, appl_name="prog") as connection:
        error_log.note(connection, "AMQ9202E", error, Inserts(channel="TO.QM2", connection_name="host(1414)"))
    (entry,) = entries(qmgr)
    assert (entry.amq, entry.severity, entry.reason, entry.channel) == ("AMQ9202E", "E", error.reason, "TO.QM2")
    assert (entry.text, entry.detail) == ("Host 'host(1414)' is not available.", error.text)
    assert "CONNAME" in entry.action
    assert (entry.inserts, entry.program, entry.pid) == ({"connection_name": "host(1414)"}, "prog", os.getpid())


def test_the_hint_of_an_error_is_the_action(qmgr):
    error_log.note(qmgr, "AMQ9999E", MQError("wrong", 2195, hint="do this"), Inserts(channel="C"))
    assert entries(qmgr)[0].action == "do this"


def test_the_same_event_is_counted_for_an_hour(qmgr, monkeypatch):
    now = [10_000_000]
    monkeypatch.setattr(identity, "now_ms", lambda: now[0])
    for minutes in (0, 1, 59, 61, 62):
        now[0] = 10_000_000 + minutes * 60_000
        error_log.note(qmgr, "AMQ9202E", "refused", Inserts(channel="C"))
        error_log.note(qmgr, "AMQ9202E", "refused", Inserts(channel="D")) if minutes == 1 else None
    found = [(each.channel, each.occurrences, (each.last_at - each.first_at) // 60_000) for each in entries(qmgr)]
    assert found == [("D", 1, 0), ("C", 3, 59), ("C", 2, 1)]


def test_the_oldest_entries_go_and_many_of_one_number_displace_no_others(qmgr, monkeypatch):
    monkeypatch.setattr(error_log, "MOST", 8)
    monkeypatch.setattr(error_log, "MOST_OF_A_NUMBER", 3)
    error_log.note(qmgr, "AMQ9999E", "first")
    for number in range(10):
        error_log.note(qmgr, "AMQ9519E", str(number))
    assert [each.detail for each in entries(qmgr)] == ["first", "7", "8", "9"]
    for amq in ("AMQ9202E", "AMQ9208E"):
        for number in range(3):
            error_log.note(qmgr, amq, f"{amq} {number}")
    assert len(entries(qmgr)) == 8
    assert [each.detail for each in entries(qmgr, most=2)] == ["AMQ9208E 1", "AMQ9208E 2"]


def test_texts_of_strangers_are_cut(qmgr):
    error_log.note(qmgr, "AMQ9604E", "\udcff")
    assert entries(qmgr)[0].detail == "\\udcff"
    error_log.note(qmgr, "AMQ9519E", "x" * 100_000, Inserts(channel="c" * 100_000, user="{user} %s \x1b[2J"))
    _, entry = entries(qmgr)
    assert len(entry.detail) == 1000
    assert len(entry.channel) == 300
    assert entry.inserts["user"] == "{user} %s \x1b[2J"


def test_an_entry_within_a_transaction_is_undone_with_it(qmgr):
    with connect(qmgr) as connection:
        work = connection.work().__enter__()
        error_log.note(connection, "AMQ9604E", "undone")
        work.__exit__(ZeroDivisionError, ZeroDivisionError(), None)
        with connection.work():
            error_log.note(connection, "AMQ9604E", "kept")
    assert [each.detail for each in entries(qmgr)] == ["kept"]


def test_a_reader_that_follows_sees_an_entry_of_a_transaction_when_it_is_committed(qmgr):
    with connect(qmgr) as reader, connect(qmgr) as writer:
        following = error_log.follow(reader, error_log.last_number(reader))
        assert next(following) == []
        with writer.work():
            error_log.note(writer, "AMQ9002I", "in a transaction")
            assert not reader.presence.drain()
        assert [each.detail for each in next(following)] == ["in a transaction"]


def test_an_entry_waits_for_two_seconds_at_most_and_fails_nothing(qmgr, monkeypatch):
    monkeypatch.setattr(error_log, "_PATIENCE_S", 0.2)
    with connect(qmgr) as writer, writer.work():
        begun = time.monotonic()
        error_log.note(qmgr, "AMQ9604E", "lost")
        assert 0.2 <= time.monotonic() - begun < 5
    assert entries(qmgr) == []


@pytest.mark.parametrize("kind", ["read-only", "gone", "no queue manager"])
def test_what_cannot_be_written_raises_nothing(qmgr, kind, monkeypatch):
    if kind == "read-only":
        monkeypatch.setenv("MQX_READ_ONLY", "1")
    elif kind == "gone":
        os.unlink(qmgr)
    else:
        with open(qmgr, "wb") as file:
            file.write(b"x" * 4096)
    error_log.note(qmgr, "AMQ9604E", "lost")


def test_an_entry_is_written_when_the_queue_manager_has_ended(qmgr):
    queue_managers.end(qmgr)
    error_log.note(qmgr, "AMQ9604E", "late")
    queue_managers.start(qmgr)
    assert [each.detail for each in entries(qmgr)] == ["late"]
