"""Flushes: persistent messages and their removal are on disk when a call returns, and nothing else is flushed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mqtools.admin import queue_managers
from mqtools.constants.message import MQPER_NOT_PERSISTENT, MQPER_PERSISTENT
from mqtools.constants.options import (
    MQGMO_BROWSE_FIRST,
    MQGMO_LOCK,
    MQGMO_SYNCPOINT,
    MQPMO_SYNCPOINT,
)
from mqtools.constants.reasons import MQRC_NO_MSG_AVAILABLE

from ..conftest import QM, fails

#: Persistence to the number of flushes that something with such a message takes.
FLUSHES = pytest.mark.parametrize(("persistence", "flushes"), [(MQPER_PERSISTENT, 1), (MQPER_NOT_PERSISTENT, 0)])


@pytest.fixture
def flushed(qm: QM, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that were flushed."""
    done: list[str] = []
    database: Any = type(qm.main.db)
    flush = database.sync

    def sync(self: Any) -> None:
        assert not self.in_transaction
        done.append(self.path)
        flush(self)

    monkeypatch.setattr(database, "sync", sync)
    return done


@FLUSHES
def test_a_put_and_a_get_are_on_disk_when_they_return(
    qm: QM, flushed: list[str], persistence: int, flushes: int
) -> None:
    handle = qm.open()
    flushed.clear()
    qm.put(persistence=persistence)
    assert len(flushed) == flushes
    handle.get()
    assert len(flushed) == 2 * flushes


@FLUSHES
def test_a_unit_of_work_is_flushed_once_by_its_commit(
    qm: QM, flushed: list[str], persistence: int, flushes: int
) -> None:
    handle = qm.open()
    qm.put("old", persistence=persistence)
    qm.put("other", persistence=MQPER_NOT_PERSISTENT)
    flushed.clear()
    handle.get(MQGMO_SYNCPOINT)
    handle.get(MQGMO_SYNCPOINT)
    qm.put("new", options=MQPMO_SYNCPOINT, persistence=MQPER_NOT_PERSISTENT)
    assert not flushed
    qm.main.commit()
    assert len(flushed) == flushes


@FLUSHES
def test_a_put_under_syncpoint_is_flushed_by_its_commit(
    qm: QM, flushed: list[str], persistence: int, flushes: int
) -> None:
    qm.put(options=MQPMO_SYNCPOINT, persistence=persistence)
    flushed.clear()
    qm.main.commit()
    assert len(flushed) == flushes


@FLUSHES
def test_an_expired_message_is_discarded_for_good(
    qm: QM, flushed: list[str], persistence: int, flushes: int, advance: Callable[[float], None]
) -> None:
    handle = qm.open()
    qm.put(persistence=persistence, expiry=1)
    flushed.clear()
    advance(1)
    with fails(MQRC_NO_MSG_AVAILABLE):
        handle.get()
    assert len(flushed) == flushes


def test_what_only_looks_flushes_nothing(qm: QM, flushed: list[str]) -> None:
    handle = qm.open()
    qm.put(persistence=MQPER_PERSISTENT)
    flushed.clear()
    handle.get(MQGMO_BROWSE_FIRST | MQGMO_LOCK)
    handle.close()
    assert not flushed


def test_the_end_of_a_queue_manager_that_everybody_has_left_is_on_disk(qm: QM, flushed: list[str]) -> None:
    qm.open()
    assert queue_managers.end(qm.path) == "quiescing"
    flushed.clear()
    qm.main.disconnect()
    assert flushed == [qm.path]


def test_a_flush_waits_for_the_outer_commit(qm: QM, flushed: list[str]) -> None:
    with qm.main.work():
        qm.put("a", persistence=MQPER_PERSISTENT)
        assert not flushed
    assert flushed == [qm.path]
