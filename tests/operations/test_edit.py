"""Editing in place: changed and unchanged fields, errors, and atomicity."""

from __future__ import annotations

import pytest

from mqtools.constants import reasons as rc
from mqtools.constants.message import MQMF_LAST_MSG_IN_GROUP, MQMF_MSG_IN_GROUP, MQRO_COA
from mqtools.constants.options import MQGMO_BROWSE_FIRST, MQGMO_LOCK, MQPMO_SET_ALL_CONTEXT
from mqtools.constants.properties import MQTYPE_INT32, MQTYPE_STRING
from mqtools.headers.chain import prefix_dlh
from mqtools.message import MQMD, Message, Property
from mqtools.mqi.trash_limits import Trash
from mqtools.operations import trash_contents
from mqtools.operations.edit import Changes, edit_batch, replace_locked
from mqtools.operations.stored_messages import as_message, load_data, load_message

from ..mqi.conftest import fails
from ..rows import messages


def edit(qm, **changes: object):
    """Change every message of the queue."""
    return edit_batch(qm.main, "Q", qm.seqs(), Changes(**changes).apply)


def test_only_what_is_changed_changes(qm):
    md = MQMD(msg_id=b"M" * 24, priority=3, persistence=1, expiry=9000, user_identifier="bob", put_date="20200101")
    qm.main.put1("Q", Message(b"a", md, {"c": Property(MQTYPE_STRING, "red")}), MQPMO_SET_ALL_CONTEXT)
    (before,) = messages(qm.main)
    done = edit(qm, fields={"correl_id": b"C" * 24, "format": "MQSTR"})
    assert (done.number, done.unchanged, done.gone, done.error) == (1, 0, 0, None)
    assert messages(qm.main) == [{**before, "correl_id": b"C" * 24, "format": "MQSTR"}]


def test_properties_are_set_and_taken_away(qm):
    qm.main.put1("Q", Message(b"a", MQMD(), {"c": Property(MQTYPE_STRING, "red"), "d": Property(MQTYPE_INT32, 1)}))
    edit(qm, properties={"d": Property(MQTYPE_INT32, 2), "e": Property(MQTYPE_INT32, 3)}, unset=("c",))
    (got,) = qm.got()
    assert {name: value.value for name, value in got.message.properties.items()} == {"d": 2, "e": 3}


def test_a_body_behind_headers_is_replaced_and_the_headers_stay(qm):
    md, data = prefix_dlh(MQMD(format="MQSTR"), b"broken", reason=2053, dest_q_name="R", dest_q_mgr_name="QM1")
    qm.main.put1("Q", Message(data, md))
    edit(qm, body=b"mended")
    assert qm.data() == [data[:-6] + b"mended"]


def test_long_data_becomes_short_and_short_long(qm):
    long = b"x" * 600_000
    qm.put(long)
    edit(qm, body=b"short")
    assert (qm.data(), qm.main.db.one("select count(*) from message_chunks")) == ([b"short"], (0,))
    edit(qm, body=long)
    assert qm.data() == [long]


def test_a_message_stays_at_its_place(qm):
    for data in "abc":
        qm.put(data)
    edit_batch(qm.main, "Q", qm.seqs()[1:2], Changes(body=b"B").apply)
    qm.put("d")
    assert qm.data() == [b"a", b"B", b"c", b"d"]
    assert qm.depth() == 4


def test_a_priority_moves_it_among_the_priorities(qm):
    for data in "abc":
        qm.put(data, priority=5)
    edit_batch(qm.main, "Q", qm.seqs()[2:], Changes({"priority": 6}).apply)
    assert qm.data() == [b"c", b"a", b"b"]
    edit_batch(qm.main, "Q", qm.seqs()[:1], Changes({"priority": 5}).apply)
    assert qm.data() == [b"a", b"b", b"c"]


def test_the_end_of_its_time_stays_unless_it_is_edited(qm, advance):
    qm.put("a", expiry=9000)
    ends = messages(qm.main)[0]["expires_at"]
    advance(100)
    edit(qm, fields={"format": "MQSTR"})
    assert messages(qm.main)[0]["expires_at"] == ends
    edit(qm, fields={"expiry": 9000})
    assert 95_000 < messages(qm.main)[0]["expires_at"] - ends < 105_000
    edit(qm, fields={"expiry": -1})
    assert messages(qm.main)[0]["expires_at"] is None


def test_no_report_is_made(qm):
    qm.put("a")
    edit(qm, fields={"report": MQRO_COA, "reply_to_q": "R"})
    assert (qm.depth("R"), messages(qm.main)[0]["report"]) == (0, MQRO_COA)


def test_a_full_or_put_inhibited_queue_can_be_mended(qm):
    qm.put("a")
    qm.alter("Q", max_q_depth=1, inhibit_put=1)
    assert edit(qm, body=b"b").number == 1


def test_a_message_in_a_group_stays_in_it_and_one_can_join(qm):
    qm.put("1", group_id=b"G" * 24, msg_seq_number=1, msg_flags=MQMF_MSG_IN_GROUP)
    qm.put("2")
    edit_batch(
        qm.main,
        "Q",
        qm.seqs()[1:],
        Changes({"group_id": b"G" * 24, "msg_seq_number": 2, "msg_flags": MQMF_LAST_MSG_IN_GROUP}).apply,
    )
    complete = qm.main.db.all("select complete_messages, complete from groups")
    assert complete == [(2, 1)]
    edit_batch(qm.main, "Q", qm.seqs()[:1], Changes(body=b"one").apply)
    assert qm.main.db.all("select complete_messages, complete from groups") == [(2, 1)]


def test_the_same_is_left_alone(qm):
    qm.main.trash = Trash(1000, 1 << 20)
    qm.put("a", priority=4)
    done = edit(qm, fields={"priority": 4})
    assert (done.number, done.unchanged) == (0, 1)
    assert list(trash_contents.select_trashed(qm.main.db)) == []


def test_what_goes_into_the_trash_for_one_takes_no_room_from_others_that_come_back_with_it(qm):
    qm.main.trash = Trash(1000, 1 << 20)
    for data in ("a", "b"):
        qm.put(data)
    edit_batch(qm.main, "Q", qm.seqs(), Changes(body=b"c" * 300).apply)
    wanted = [trashed.number for trashed in trash_contents.select_trashed(qm.main.db)]
    qm.main.trash = Trash(1000, 1200)
    done = trash_contents.restore(qm.main, wanted[::-1])
    assert (done.exchanged, done.gone, qm.data()) == (2, 0, [b"a", b"b"])
    assert len(list(trash_contents.select_trashed(qm.main.db))) == 1


@pytest.mark.parametrize(("room", "restored"), [(1000, True), (700, False)])
def test_an_edit_is_taken_back_where_the_trash_has_no_room_for_both_versions(qm, room, restored):
    qm.main.trash = Trash(1000, 1 << 20)
    qm.put("a")
    edit(qm, body=b"b" * 300)
    (trashed,) = trash_contents.select_trashed(qm.main.db)
    qm.main.trash = Trash(1000, room)
    done = trash_contents.restore(qm.main, [trashed.number])
    assert (done.exchanged, done.held, qm.main.trash.lost) == ((1, 0, 0) if restored else (0, 1, 0))
    assert (qm.data(), qm.depth()) == ([b"a" if restored else b"b" * 300], 1)
    assert len(list(trash_contents.select_trashed(qm.main.db))) == 1


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"fields": {"priority": 77}}, rc.MQRC_PRIORITY_EXCEEDS_MAXIMUM),
        ({"fields": {"msg_type": 0}}, rc.MQRC_MSG_TYPE_ERROR),
        ({"fields": {"expiry": 0}}, rc.MQRC_EXPIRY_ERROR),
        ({"fields": {"format": "MQDEAD"}}, rc.MQRC_DLH_ERROR),
        ({"body": b"x" * 11}, rc.MQRC_MSG_TOO_BIG_FOR_Q),
        ({"properties": {"a b": Property(MQTYPE_STRING, "")}}, rc.MQRC_PROPERTY_NAME_ERROR),
    ],
    ids=str,
)
def test_what_would_be_no_message_is_refused_and_nothing_changes(qm, changes, reason):
    qm.put("a")
    qm.alter("Q", max_msg_length=10)
    (before,) = messages(qm.main)
    done = edit(qm, **changes)
    assert (done.number, done.error.reason) == (0, reason)
    assert messages(qm.main) == [before]


def test_what_came_before_a_refusal_stays_edited(qm):
    for data in "ab":
        qm.put(data)

    def change(message: Message) -> Message:
        return message.replace(md=message.md.replace(priority=9 if message.data == b"a" else 10))

    done = edit_batch(qm.main, "Q", qm.seqs(), change)
    assert (done.number, done.error.reason) == (1, rc.MQRC_PRIORITY_EXCEEDS_MAXIMUM)
    assert [row["priority"] for row in messages(qm.main)] == [9, 0]


def test_a_get_inhibited_queue_is_not_edited(qm):
    qm.put("a")
    wanted = qm.seqs()
    qm.alter("Q", inhibit_get=1)
    with fails(rc.MQRC_GET_INHIBITED):
        edit_batch(qm.main, "Q", wanted, Changes(body=b"b").apply)


def test_the_handle_that_locked_it_can_replace_it_once(qm):
    qm.put("a")
    seq = qm.seqs()[0]
    before = as_message(load_message(qm.main, seq), load_data(qm.main, seq), 0)
    after = before.replace(data=b"b")
    with qm.open() as handle, qm.open() as other:
        handle.get(MQGMO_BROWSE_FIRST | MQGMO_LOCK)
        with fails(rc.MQRC_NO_MSG_AVAILABLE):
            replace_locked(qm.main, "Q", seq, other.id, before, after)
        replace_locked(qm.main, "Q", seq, handle.id, before, after)
        with fails(rc.MQRC_NO_MSG_AVAILABLE):
            replace_locked(qm.main, "Q", seq, handle.id, after, before)
        assert [got.message.data for got in qm.got()] == [b"b"]
    assert qm.depth() == 0


def test_a_journal_has_both_messages(qm):
    qm.alter("Q", journal=1)
    qm.put("a")
    edit(qm, body=b"b")
    assert qm.main.db.all("select event, data, detail from journal order by event_seq")[1:] == [
        ("edit", None, "data 'a' -> 'b'"),
        ("edit", None, "data 'a' -> 'b'"),
    ]
