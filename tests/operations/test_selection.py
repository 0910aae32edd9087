"""Selection by identifiers: each message once, whatever others change meanwhile."""

from __future__ import annotations

from typing import Any

import pytest

from mqtools.constants.states import LOCKED_FOR_BROWSE, UNLOCKED
from mqtools.mqi.connection import Connection
from mqtools.mqi.resolution import find_queue
from mqtools.operations.selection import Selection, select

from ..mqi.conftest import QM

IDS = [bytes([n]) * 24 for n in (1, 2)]
CORREL_ID = b"\x0c" * 24
BY_ID = Selection(msg_ids=tuple(IDS))
BY_SELECTOR = Selection(where='Root.MQMD.CorrelId = "0x' + CORREL_ID.hex() + '" AND Root.MQMD.Priority >= 0')


@pytest.fixture
def other(qm: QM) -> Connection:
    return qm.connect()


@pytest.mark.parametrize("selection", [BY_ID, BY_SELECTOR], ids=["identifiers", "selector"])
@pytest.mark.parametrize(("before", "after"), [(UNLOCKED, LOCKED_FOR_BROWSE), (LOCKED_FOR_BROWSE, UNLOCKED)])
@pytest.mark.parametrize("moment", range(4))
def test_a_message_that_is_locked_or_unlocked_meanwhile_is_given_just_once(
    qm: QM,
    other: Connection,
    monkeypatch: pytest.MonkeyPatch,
    selection: Selection,
    before: int,
    after: int,
    moment: int,
) -> None:
    for msg_id in IDS:
        qm.put(b"x", msg_id=msg_id, correl_id=CORREL_ID)
    db, queue_id = qm.main.db, find_queue(qm.main.db, "Q").id
    db.run("update messages set state = ?", (before,))
    statements: list[str] = []
    real = type(db).all

    def noted(given: Any, *statement: Any) -> object:
        if given is db and len(statements) == moment:
            other.db.run("update messages set state = ?", (after,))
        statements.append(statement[0])
        return real(given, *statement)

    monkeypatch.setattr(type(db), "all", noted)
    assert [stored.md.msg_id for stored in select(db, queue_id, selection, all_states=True)] == IDS


def test_a_locked_message_is_given_where_any_state_is_meant(qm: QM) -> None:
    for msg_id in IDS:
        qm.put(b"x", msg_id=msg_id)
    qm.main.db.run("update messages set state = 2")
    found = select(qm.main.db, find_queue(qm.main.db, "Q").id, Selection(msg_ids=(IDS[1],)), all_states=True)
    assert [stored.md.msg_id for stored in found] == IDS[1:]
    assert list(select(qm.main.db, find_queue(qm.main.db, "Q").id, BY_ID)) == []
