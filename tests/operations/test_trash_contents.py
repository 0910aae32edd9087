"""The trash: contents, retention, size limit and restore."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest

from mqtools.constants import options as mq
from mqtools.constants import reasons as rc
from mqtools.constants.message import MQMF_LAST_MSG_IN_GROUP, MQMF_MSG_IN_GROUP, MQPER_PERSISTENT
from mqtools.constants.properties import MQTYPE_STRING
from mqtools.errors import StorageError
from mqtools.lifecycle.locks import browse_messages_and_lock
from mqtools.lifecycle.verbs import delete_message
from mqtools.message import MQMD, Message, Property
from mqtools.mqi.clear import clear_in_steps
from mqtools.mqi.connection import Connection
from mqtools.mqi.trash_limits import Trash
from mqtools.operations import trash_contents
from mqtools.operations.selection import Selection
from mqtools.operations.views.trash_view import list_removals, load_trashed

from ..rows import messages, rows

WEEK_S = 7 * 86400


@pytest.fixture
def kept(qm):
    """A connection with a trash."""
    qm.main.trash = Trash(WEEK_S, 1 << 20)
    return qm.main


def trash_status(connection: Connection) -> tuple[int, int]:
    """Return how many messages are in the trash, and the bytes they count for."""
    return rows(connection, "select messages, bytes from trash_status")[0]


def numbers(db: Any, **choice: object) -> list[int]:
    return [trashed.number for trashed in trash_contents.select_trashed(db, **choice)]


def delete(qm, data: bytes, q_name: str = "Q") -> None:
    """Delete the one message with this data."""
    (seq,) = [row["seq"] for row in messages(qm.main, q_name) if row["data"] == data]
    delete_message(qm.main, q_name, seq=seq)


def test_what_was_deleted_is_put_back_as_it_lay(qm, kept):
    properties = {"colour": Property(MQTYPE_STRING, "red")}
    for data in (b"first", b"x" * 600_000, b"last"):
        md = MQMD(persistence=MQPER_PERSISTENT, priority=5, expiry=9000, user_identifier="bob", put_date="20200101")
        qm.main.put1("Q", Message(data, md, dict(properties)), mq.MQPMO_SET_ALL_CONTEXT)
    before = messages(kept)
    delete(qm, b"x" * 600_000)
    assert qm.depth() == 2
    done = trash_contents.restore(kept, numbers(kept.db))
    assert (done.number, done.anew, done.error) == (1, 0, None)
    assert messages(kept) == before
    assert qm.depth() == 3
    assert trash_status(kept) == (0, 0)
    assert kept.db.one("select count(*) from trash_chunks") == (0,)


def test_a_message_comes_back_between_its_neighbours(qm, kept):
    for data in "abc":
        qm.put(data)
    delete(qm, b"b")
    qm.put("d")
    trash_contents.restore(kept, numbers(kept.db))
    assert qm.data() == [b"a", b"b", b"c", b"d"]


def test_a_place_is_by_priority_as_the_queue_is_now(qm, kept):
    qm.put("low", priority=1)
    qm.put("high", priority=9)
    delete(qm, b"high")
    qm.alter("Q", msg_delivery_sequence=1)
    trash_contents.restore(kept, numbers(kept.db))
    assert qm.data() == [b"low", b"high"]


def test_a_group_is_whole_again(qm, kept):
    for number, flags in ((1, MQMF_MSG_IN_GROUP), (2, MQMF_LAST_MSG_IN_GROUP)):
        qm.put(str(number), group_id=b"G" * 24, msg_seq_number=number, msg_flags=flags)
    delete(qm, b"2")
    trash_contents.restore(kept, numbers(kept.db))
    with qm.open() as handle:
        options = mq.MQGMO_LOGICAL_ORDER | mq.MQGMO_ALL_MSGS_AVAILABLE
        assert [handle.get(options).message.data for _ in range(2)] == [b"1", b"2"]


def test_a_locked_message_comes_back_unlocked(qm, kept):
    qm.put("a")
    lock = browse_messages_and_lock(kept, "Q")
    delete_message(kept, "Q", seq=lock.messages[0].seq, lock_id=lock.lock_id)
    trash_contents.restore(kept, numbers(kept.db))
    assert [result.message.data for result in qm.got()] == [b"a"]


def test_another_queue_can_have_it(qm, kept):
    qm.put("a")
    delete(qm, b"a")
    done = trash_contents.restore(kept, numbers(kept.db), to_q_name="R")
    assert (done.number, done.anew, qm.data("R"), qm.depth()) == (1, 1, [b"a"], 0)


def test_what_lies_damaged_in_the_trash_stays_there(qm, kept):
    qm.put("x" * 600_000)
    delete(qm, b"x" * 600_000)
    kept.db.run("delete from trash_chunks where number = 1")
    with pytest.raises(StorageError) as caught:
        trash_contents.restore(kept, numbers(kept.db), to_q_name="R")
    assert caught.value.reason == rc.MQRC_OBJECT_DAMAGED
    assert (trash_status(kept)[0], qm.depth("R")) == (1, 0)


@pytest.mark.parametrize(
    ("attributes", "reason"), [({"max_q_depth": 1}, rc.MQRC_Q_FULL), ({"inhibit_put": 1}, rc.MQRC_PUT_INHIBITED)]
)
def test_what_a_queue_refuses_stays_in_the_trash(qm, kept, attributes, reason):
    qm.put("a")
    delete(qm, b"a")
    qm.put("b")
    qm.alter("Q", **attributes)
    done = trash_contents.restore(kept, numbers(kept.db))
    assert (done.number, done.error.reason) == (0, reason)
    assert trash_status(kept)[0] == 1
    assert qm.data() == [b"b"]


def test_what_has_been_restored_cannot_be_restored_twice(qm, kept):
    qm.put("a")
    delete(qm, b"a")
    wanted = numbers(kept.db)
    trash_contents.restore(kept, wanted)
    done = trash_contents.restore(kept, wanted)
    assert (done.number, done.gone, qm.depth()) == (0, 1, 1)


def test_an_undone_delete_leaves_nothing_in_the_trash(qm, kept):
    qm.put("a")
    with suppress(RuntimeError), kept.work():
        delete(qm, b"a")
        raise RuntimeError
    assert (trash_status(kept), qm.data()) == ((0, 0), [b"a"])


def test_one_run_is_one_removal_by_queue_and_way(qm, kept):
    for q_name in ("Q", "R"):
        for data in "ab":
            qm.put(data, q_name)
            delete(qm, data.encode(), q_name)
    found = [(one.q_name, one.cause, one.messages) for one in list_removals(kept)]
    assert found == [("Q", "delete", 2), ("R", "delete", 2)]
    other = qm.connect()
    other.trash = Trash(WEEK_S, 1 << 20)
    qm.put("c")
    delete_message(other, "Q", seq=qm.seqs()[0])
    assert [one.messages for one in list_removals(kept)] == [2, 2, 1]
    assert len(numbers(kept.db, removal=1)) == 2


def test_what_is_too_old_goes_with_the_next_delete(qm, kept, advance):
    qm.put("old")
    delete(qm, b"old")
    advance(WEEK_S + 1)
    assert trash_status(kept)[0] == 1
    qm.put("new")
    delete(qm, b"new")
    assert [load_trashed(kept, each).data for each in trash_contents.select_trashed(kept.db)] == [b"new"]
    assert kept.trash.lost == 0


def test_a_message_bigger_than_the_trash_is_not_kept_and_pushes_nothing_out(qm, kept):
    kept.trash = Trash(WEEK_S, 250_000)
    for data in (b"small", b"z" * 300_000):
        qm.put(data)
        delete(qm, data)
    assert [load_trashed(kept, each).data for each in trash_contents.select_trashed(kept.db)] == [b"small"]
    assert kept.trash.lost == 1


def test_a_queue_that_is_more_than_the_trash_keeps_what_came_last(qm, kept):
    kept.trash = Trash(WEEK_S, 250_000)
    for data in "abc":
        qm.put(data * 100_000)
    clear_in_steps(kept, "Q")
    assert [load_trashed(kept, each).data[:1] for each in trash_contents.select_trashed(kept.db)] == [b"b", b"c"]
    assert kept.trash.lost == 1


def test_work_of_one_delete_is_bounded_however_much_is_too_old(qm, kept, advance):
    for number in range(250):
        qm.put(str(number))
    clear_in_steps(kept, "Q")
    advance(WEEK_S + 1)
    qm.put("x")
    delete(qm, b"x")
    assert trash_status(kept)[0] == 250 + 1 - 100


@pytest.mark.parametrize(
    ("selection", "expected"),
    [
        (Selection(), "abc"),
        (Selection(first=2, last=3), "bc"),
        (Selection(grep="b"), "b"),
        (Selection(where="colour = 'c'"), "c"),
        (Selection(msg_ids=(b"M\x01", b"M\x03")), "ac"),
        (Selection(newer_s=3600), "abc"),
        (Selection(older_s=3600), ""),
    ],
)
def test_a_selection_means_the_same_in_the_trash(qm, kept, selection, expected):
    for number, data in enumerate("abc", 1):
        md = MQMD(msg_id=b"M" + bytes([number]) * 23)
        qm.main.put1("Q", Message(data.encode(), md, {"colour": Property(MQTYPE_STRING, data)} if data == "c" else {}))
        delete(qm, data.encode())
    found = [load_trashed(kept, trashed).data for trashed in trash_contents.select_trashed(kept.db, selection)]
    assert b"".join(found).decode() == expected


def test_emptied_is_gone_for_good(qm, kept):
    for data in (b"a", b"w" * 300_000):
        qm.put(data)
        delete(qm, data)
    assert trash_contents.empty(kept, numbers(kept.db)) == 2
    assert trash_status(kept) == (0, 0)
    assert kept.db.one("select count(*) from trash_chunks") == (0,)


def test_a_journal_says_that_a_message_came_back(qm, kept):
    qm.alter("Q", journal=1)
    qm.put("a")
    delete(qm, b"a")
    trash_contents.restore(kept, numbers(kept.db))
    assert [event for (event,) in kept.db.all("select event from journal order by event_seq")] == [
        "put",
        "delete",
        "restore",
    ]
