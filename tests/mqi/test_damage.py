"""Messages that are not as they were put: told once, set aside, never delivered as good."""

from __future__ import annotations

import pytest

from mqtools.admin.checkup import DAMAGED, check_up
from mqtools.constants.options import MQGMO_BROWSE_NEXT, MQGMO_SYNCPOINT, MQOO_BROWSE, MQOO_INPUT_SHARED
from mqtools.constants.reasons import MQRC_OBJECT_DAMAGED
from mqtools.constants.states import LOCKED_FOR_BROWSE, UNLOCKED
from mqtools.errors import MessageDamaged
from mqtools.lifecycle.held_messages import list_locks
from mqtools.message import MQMD
from mqtools.mqi.trash_limits import Trash
from mqtools.operations.delete import delete_batch
from mqtools.operations.move import Route, carry_batch
from mqtools.operations.selection import Selection, select
from mqtools.operations.stored_messages import data_read_along, load_data
from mqtools.operations.trash_contents import select_trashed
from mqtools.operations.unload import copy_messages, take_messages
from mqtools.operations.views.trash_view import load_trashed

LONG = b"y" * 600_000
#: Lengths on both sides of where another sum begins.
LENGTHS = (1, 1024, 1025, 100_000)

#: A statement that changes what a checksum covers.
DAMAGES = [
    "data = cast('PAY 900' as blob)",
    "reply_to_q = 'MINE'",
    "user_identifier = 'root'",
    "priority = 7",
    "expires_at = put_at + 1000000000",
    'properties = \'{"a": ["string", "b"]}\'',
]
#: One that changes what may change while a message lies there.
CHANGES = ["backout_count = backout_count + 1", "order_key = order_key + 1", "state = 1"]


def spoil(qm, change=DAMAGES[0], where="1"):
    qm.main.db.run(f"update messages set {change} where {where}")


@pytest.mark.parametrize("change", DAMAGES)
def test_a_damaged_message_is_told_once_and_passed_over_then(qm, change):
    qm.put("PAY 100")
    spoil(qm, change)
    qm.put("PAY 200")
    with pytest.raises(MessageDamaged) as caught:
        qm.main.open("Q", MQOO_INPUT_SHARED).get()
    assert caught.value.reason == MQRC_OBJECT_DAMAGED
    assert [result.message.data for result in qm.got()] == [b"PAY 200"]
    (lock,) = list_locks(qm.main, "Q")
    assert (lock.appl_name, lock.number) == ("damaged message", 1)


@pytest.mark.parametrize("change", CHANGES)
def test_what_changes_in_place_is_no_damage(qm, change):
    qm.put("PAY 100")
    spoil(qm, change)
    assert [result.message.data for result in qm.got()] == [b"PAY 100"]


def test_a_backed_out_message_is_as_it_was(qm):
    qm.put("PAY 100")
    handle = qm.main.open("Q", MQOO_INPUT_SHARED)
    handle.get(MQGMO_SYNCPOINT)
    qm.main.backout()
    assert handle.get().message.md.backout_count == 1


def test_the_unit_of_work_goes_on(qm):
    qm.put("first")
    qm.put("second")
    spoil(qm, where="data = cast('second' as blob)")
    handle = qm.main.open("Q", MQOO_INPUT_SHARED)
    handle.get(MQGMO_SYNCPOINT)
    with pytest.raises(MessageDamaged):
        handle.get(MQGMO_SYNCPOINT)
    qm.main.commit()
    assert qm.depth() == 1


def test_a_piece_of_a_long_message_is_covered_too(qm):
    qm.put(LONG)
    qm.main.db.run("update message_chunks set data = zeroblob(length(data)) where number = 1")
    with pytest.raises(MessageDamaged):
        qm.main.open("Q", MQOO_BROWSE).get(16)


def test_a_long_message_is_read_in_pieces_when_it_is_sound(qm):
    qm.put(LONG)
    seq = qm.main.db.one("select seq from messages")[0]
    assert load_data(qm.main, seq) == LONG
    assert load_data(qm.main, seq, 10) == LONG[:10]


def test_reading_checks_also_where_only_the_beginning_is_shown(qm):
    qm.put("PAY 100")
    spoil(qm)
    with pytest.raises(MessageDamaged):
        load_data(qm.main, qm.main.db.one("select seq from messages")[0], 3)


def test_a_move_sets_it_aside_and_goes_on_the_next_time(qm):
    for data in ("a", "b"):
        qm.put(data)
    spoil(qm, where="data = cast('a' as blob)")
    keys = [row[0] for row in qm.main.db.all("select seq from messages order by seq")]
    done = carry_batch(qm.main, Route("Q", "R"), keys)
    assert (done.number, done.error.reason) == (0, MQRC_OBJECT_DAMAGED)
    done = carry_batch(qm.main, Route("Q", "R"), keys)
    assert (done.number, done.gone, done.error) == (1, 1, None)


def test_one_that_was_put_by_an_older_version_is_not_checked(qm):
    qm.put("PAY 100")
    spoil(qm, "checksum = null, data = cast('PAY 900' as blob)")
    assert [result.message.data for result in qm.got()] == [b"PAY 900"]


def damaged(qm):
    """Return what the check-up says to be damaged."""
    return [finding.subject for finding in check_up(qm.main.db) if finding.state == DAMAGED]


def test_doctor_finds_all_and_a_delete_takes_them_away(qm):
    for data in ("a", "b", LONG):
        qm.put(data)
    spoil(qm, "data = cast('x' as blob)", "data = cast('a' as blob)")
    seq, msg_id = qm.main.db.one("select seq, msg_id from messages order by seq")
    assert damaged(qm) == [f"Q {msg_id.hex().upper()}"]
    delete_batch(qm.main, "Q", [seq])
    assert damaged(qm) == []


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("change", DAMAGES[1:])
def test_each_length_is_covered_with_its_descriptor(qm, length, change):
    qm.put("y" * length)
    assert qm.main.open("Q", MQOO_BROWSE).get(MQGMO_BROWSE_NEXT).message.data == b"y" * length
    spoil(qm, change)
    with pytest.raises(MessageDamaged):
        qm.got()


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("at", [0, -1])
def test_one_bit_of_each_length_is_noticed(qm, length, at):
    qm.put("y" * length)
    data = bytearray(b"y" * length)
    data[at] ^= 1
    qm.main.db.run("update messages set data = ?", (bytes(data),))
    with pytest.raises(MessageDamaged):
        qm.got()


def queue_id(qm):
    return qm.main.db.one("select queue_id from messages")[0]


def get_by_id(qm):
    md = MQMD(msg_id=qm.main.db.one("select msg_id from messages")[0])
    qm.main.open("Q", MQOO_INPUT_SHARED).get(md=md)


def get_under_syncpoint(qm):
    qm.main.open("Q", MQOO_INPUT_SHARED).get(MQGMO_SYNCPOINT)


def browse(qm):
    qm.main.open("Q", MQOO_BROWSE).get(MQGMO_BROWSE_NEXT)


def unload(qm):
    list(copy_messages(qm.main.db, queue_id(qm), Selection()))


def show(qm):
    for stored in select(qm.main.db, queue_id(qm), Selection(), with_data=True):
        data_read_along(qm.main.db, stored)


@pytest.mark.parametrize("read", [get_by_id, get_under_syncpoint, browse, unload, show])
def test_no_way_to_read_a_message_delivers_a_damaged_one(qm, read):
    qm.put("PAY 100")
    spoil(qm)
    with pytest.raises(MessageDamaged):
        read(qm)


def test_a_copy_leaves_a_damaged_message_out_and_goes_on(qm):
    for data in ("a", "b", "c"):
        qm.put(data)
    spoil(qm, where="data = cast('b' as blob)")
    noted = []
    copied = copy_messages(qm.main, queue_id(qm), Selection(), note_damaged=noted.append)
    assert [one.message.data for one in copied] == [b"a", b"c"]
    assert [error.reason for error in noted] == [MQRC_OBJECT_DAMAGED]


def test_what_removes_messages_sets_a_damaged_one_aside_and_goes_on(qm):
    for data in ("a", "b", "c"):
        qm.put(data)
    spoil(qm, where="data = cast('b' as blob)")
    noted = []
    (taken,) = take_messages(qm.main, "Q", Selection(), batch=10, note_damaged=noted.append)
    qm.main.commit()
    assert [one.message.data for one in taken] == [b"a", b"c"]
    assert (len(noted), len(list_locks(qm.main, "Q")), qm.depth()) == (1, 1, 1)


@pytest.mark.parametrize("data", [b"PAY 100", LONG], ids=["short", "long"])
def test_a_message_in_the_trash_is_checked(qm, data):
    qm.main.trash = Trash(1e6, 1 << 30)
    qm.put(data)
    delete_batch(qm.main, "Q", [qm.main.db.one("select seq from messages")[0]])
    (number,) = qm.main.db.one("select number from trash")
    (trashed,) = select_trashed(qm.main.db)
    assert load_trashed(qm.main, trashed).data == data
    table, key = ("trash_chunks", "trash_number") if data == LONG else ("trash", "number")
    qm.main.db.run(f"update {table} set data = zeroblob(length(data)) where {key} = ?", (number,))
    with pytest.raises(MessageDamaged):
        load_trashed(qm.main, trashed)


def test_the_lock_of_a_damaged_message_is_in_the_journal(qm):
    qm.alter("Q", journal=1)
    qm.put("PAY 100")
    spoil(qm)
    with pytest.raises(MessageDamaged):
        qm.main.open("Q", MQOO_INPUT_SHARED).get()
    assert qm.main.db.all("select event, state_before, state_after from journal order by event_seq") == [
        ("put", None, UNLOCKED),
        ("browse_lock", UNLOCKED, LOCKED_FOR_BROWSE),
    ]
