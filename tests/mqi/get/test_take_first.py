"""Gets that take whatever comes first remove it by the statement that finds it; all others look at it before."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mqtools.constants.message import MQRO_COD
from mqtools.constants.options import MQGMO_BROWSE_FIRST, MQGMO_LOCK, MQGMO_SYNCPOINT, MQGMO_UNMARKED_BROWSE_MSG
from mqtools.constants.reasons import MQRC_NO_MSG_AVAILABLE, MQRC_TRUNCATED_MSG_FAILED
from mqtools.message import MQMD
from mqtools.mqi.get import get, select_message
from mqtools.store.messages.messages import CHUNK

from ..conftest import QM, fails


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Keys of the messages that were removed by the statement that found them."""
    seqs: list[int] = []
    real = select_message.take_first

    def noted(db: object, queue_id: int) -> object:
        stored = real(db, queue_id)  # type: ignore[arg-type]
        if stored is not None:
            seqs.append(stored.seq)
        return stored

    monkeypatch.setattr(select_message, "take_first", noted)
    return seqs


def test_a_plain_get_removes_what_it_finds(qm: QM, taken: list[int]) -> None:
    qm.put("low", priority=1)
    qm.put("high", priority=8)
    handle = qm.open()
    assert [handle.get().message.data for _ in range(2)] == [b"high", b"low"]
    assert len(taken) == 2
    assert qm.depth() == 0
    with fails(MQRC_NO_MSG_AVAILABLE):
        handle.get()


@pytest.mark.parametrize(
    "arguments",
    [{"options": MQGMO_SYNCPOINT}, {"options": MQGMO_UNMARKED_BROWSE_MSG}, {"max_length": 9}, {"md": MQMD()}],
)
def test_a_get_that_depends_on_the_message_looks_first(qm: QM, taken: list[int], arguments: dict[str, object]) -> None:
    qm.put("a")
    assert qm.open().get(**arguments).message.data == b"a"  # type: ignore[arg-type]
    assert taken == []


def test_a_message_that_is_too_long_for_the_buffer_stays(qm: QM) -> None:
    qm.put("too long")
    assert qm.open().get(max_length=3).reason == MQRC_TRUNCATED_MSG_FAILED
    assert qm.depth() == 1


def test_a_message_with_an_expiry_is_looked_at(qm: QM, taken: list[int], advance: Callable[[float], None]) -> None:
    qm.put("gone", expiry=10)
    qm.put("there", expiry=900)
    advance(2)
    result = qm.open().get()
    assert (result.message.data, result.message.md.expiry) == (b"there", 880)
    assert taken == []
    assert qm.depth() == 0


def test_data_in_chunks_is_read_and_removed(qm: QM, taken: list[int]) -> None:
    body = b"ab" * CHUNK
    qm.put(body)
    assert qm.open().get().message.data == body
    assert taken == []
    with qm.main.work() as work:
        assert work.db.all("select * from message_chunks") == []


def test_members_of_groups_keep_their_rules(qm: QM, taken: list[int]) -> None:
    qm.put("of a group", group_id=b"\x01" * 24, msg_flags=8)
    qm.put("alone")
    assert qm.open().get().message.data == b"of a group"
    assert taken == []


def test_what_the_handle_has_locked_itself_comes_in_its_place(qm: QM, taken: list[int]) -> None:
    qm.put("locked")
    qm.put("next")
    handle = qm.open()
    handle.get(MQGMO_BROWSE_FIRST | MQGMO_LOCK)
    assert handle.get().message.data == b"locked"
    assert taken == []


def test_a_journaled_queue_records_the_get(qm: QM, taken: list[int]) -> None:
    qm.alter("Q", journal=1)
    qm.put("a")
    qm.open().get()
    assert taken == []
    with qm.main.work() as work:
        assert [row[0] for row in work.db.all("select event from journal order by event_seq")] == ["put", "get"]


def test_the_delivery_report_is_made(qm: QM, taken: list[int]) -> None:
    qm.define("REPLIES")
    qm.put("a", report=MQRO_COD, reply_to_q="REPLIES")
    qm.open().get()
    assert len(taken) == 1
    assert qm.depth("REPLIES") == 1


def test_an_error_after_the_removal_undoes_it(qm: QM, taken: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    qm.put("a")
    handle = qm.open()
    with monkeypatch.context() as patch:
        patch.setattr(get.present, "represent", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            handle.get()
    assert len(taken) == 1
    assert qm.depth() == 1
    assert handle.get().message.data == b"a"


def test_in_a_transaction_of_the_caller_an_error_could_not_be_undone(qm: QM, taken: list[int]) -> None:
    qm.put("a")
    handle = qm.open()
    with qm.main.work():
        assert handle.get().message.data == b"a"
    assert taken == []
