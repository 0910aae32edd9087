"""Authorities of the live browser where the queue manager has AUTHCHK(ALL) and its user does not own the file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mqtools.admin import queue_managers
from mqtools.admin.depths import depths
from mqtools.admin.mqsc.run import run_mqsc
from mqtools.constants.reasons import MQRC_NOT_AUTHORIZED
from mqtools.lifecycle.held_messages import list_locks
from mqtools.lifecycle.locks import browse_messages_and_lock
from mqtools.message import MQMD, Message
from mqtools.mqi import authority
from mqtools.mqi.connection import Connection, connect
from mqtools.operations.sql import open_views
from mqtools.operations.views.message_view import find_on_queue, related_messages
from mqtools.operations.views.queue_overview import overview
from mqtools.operations.views.queue_pages import QueuePages

from ..errors import fails


@pytest.fixture
def stranger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Connection]:
    """A connection of a user that may inquire and browse OPEN, and has no authority on SECRET."""
    path = queue_managers.create(str(tmp_path / "QM1.db"))
    with connect(path) as connection:
        for line in (
            "DEFINE QLOCAL(OPEN)",
            "DEFINE QLOCAL(SECRET)",
            "SET AUTHREC PROFILE(OPEN) OBJTYPE(QUEUE) PRINCIPAL('stranger') AUTHADD(INQ,BROWSE)",
            "ALTER QMGR AUTHCHK(ALL)",
        ):
            assert not run_mqsc(connection, line).failed
        question = MQMD(reply_to_q="SECRET", msg_id=b"q" * 24)
        connection.put1("OPEN", Message(b"question", question))
        connection.put1("SECRET", Message(b"answer", MQMD(correl_id=b"q" * 24)))
        browse_messages_and_lock(connection, "SECRET")
        connection.put1("SECRET", Message(b"answer", MQMD(correl_id=b"q" * 24)))
        monkeypatch.setattr(authority, "is_run_by_owner", lambda _db: False)
        monkeypatch.setattr(authority, "local_user", lambda: "stranger")
        yield connection


def test_the_list_of_queues_leaves_out_what_may_not_be_inquired(stranger: Connection) -> None:
    assert [row["name"] for row in overview(stranger.db)] == ["OPEN"]
    assert [row["name"] for row in depths(stranger.db, ["*E*"])] == ["OPEN"]


def test_the_messages_of_a_queue_need_authority(stranger: Connection) -> None:
    assert QueuePages(stranger.db, "OPEN").q_name == "OPEN"
    with fails(MQRC_NOT_AUTHORIZED):
        QueuePages(stranger.db, "SECRET")


def test_replies_on_a_queue_without_authority_are_not_shown(
    stranger: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = find_on_queue(stranger.db, "OPEN", b"q" * 24)
    assert question is not None
    assert related_messages(stranger.db, question) == []
    monkeypatch.setattr(authority, "is_run_by_owner", lambda _db: True)
    assert [name for name, _ in related_messages(stranger.db, question)] == ["SECRET"]


def test_locks_of_a_queue_without_authority_are_not_listed(
    stranger: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert list_locks(stranger) == []
    with fails(MQRC_NOT_AUTHORIZED):
        list_locks(stranger, "SECRET")
    monkeypatch.setattr(authority, "is_run_by_owner", lambda _db: True)
    assert [lock.q_name for lock in list_locks(stranger)] == ["SECRET"]


def test_queries_need_authority_on_every_queue(stranger: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    with fails(MQRC_NOT_AUTHORIZED):
        open_views(stranger.db.path)
    monkeypatch.setattr(authority, "is_run_by_owner", lambda _db: True)
    assert open_views(stranger.db.path).execute("select count(*) from messages").fetchone() == (3,)
