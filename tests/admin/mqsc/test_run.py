"""MQSC that changes objects: DEFINE, ALTER, DELETE, CLEAR, and their effects on messages and handles."""

from __future__ import annotations

import pytest

from mqtools.admin.mqsc.run import as_json, run_mqsc
from mqtools.constants.message import MQPER_PERSISTENT
from mqtools.constants.objects import MQMDS_FIFO, MQMDS_PRIORITY
from mqtools.constants.options import (
    MQGMO_BROWSE_FIRST,
    MQGMO_LOCK,
    MQOO_BROWSE,
    MQOO_INPUT_EXCLUSIVE,
    MQOO_INPUT_SHARED,
    MQPMO_SYNCPOINT,
)
from mqtools.constants.reasons import MQRC_Q_FULL
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import connect

from ...errors import fails
from ...rows import queue_names, rows
from .mqsc_story import attributes, get_all, only, put, run

# DEFINE


def test_a_defined_queue_takes_messages(connection):
    assert only(connection, "DEFINE QLOCAL(ORDERS)").messages == ["AMQ8006I: mqx queue created."]
    put(connection, "ORDERS", b"one")
    assert get_all(connection, "ORDERS") == [b"one"]


def test_define_sets_what_is_given_and_defaults_the_rest(connection):
    run(connection, "DEFINE QLOCAL(Q) MAXDEPTH(7) NOSHARE DESCR('it''s mine') MSGDLVSQ(FIFO)")
    assert attributes(connection, "Q", "MAXDEPTH", "DESCR", "MSGDLVSQ", "MAXMSGL") == [
        "7",
        "it's mine",
        "FIFO",
        "4194304",
    ]
    (shown,) = run(connection, "DISPLAY QLOCAL(Q) SHARE")
    assert shown.attributes == {"QUEUE": "Q", "TYPE": "QLOCAL", "NOSHARE": None}


@pytest.mark.parametrize("object_type", ["QLOCAL", "QMODEL", "QALIAS", "QREMOTE"])
def test_every_type_of_queue_can_be_defined_altered_displayed_and_deleted(connection, object_type):
    run(connection, f"DEFINE {object_type}(Q) DESCR('one')\nALTER {object_type}(Q) DESCR('two')")
    (shown,) = run(connection, f"DISPLAY {object_type}(Q)")
    assert shown.values["q_desc"] == "two"
    assert shown.values["q_type"] == object_type
    run(connection, f"DELETE {object_type}(Q)")
    assert queue_names(connection) == []


def test_a_name_in_quotes_keeps_its_case_and_one_without_is_folded(connection):
    run(connection, "define ql(orders)\ndefine ql('orders')")
    assert queue_names(connection) == ["ORDERS", "orders"]


def test_like_copies_the_attributes_of_another_queue_of_the_type(connection):
    run(connection, "DEFINE QLOCAL(A) MAXDEPTH(3) BOTHRESH(9)\nDEFINE QLOCAL(B) LIKE(A) BOTHRESH(1)")
    assert attributes(connection, "B", "MAXDEPTH", "BOTHRESH", "CURDEPTH") == ["3", "1", "0"]


def test_like_keeps_the_kind_of_dynamic_queue_that_a_model_makes(connection):
    run(connection, "DEFINE QMODEL(A) DEFTYPE(PERMDYN)\nDEFINE QMODEL(B) LIKE(A)")
    assert attributes(connection, "B", "DEFTYPE") == ["PERMDYN"]


def test_a_queue_like_a_dynamic_one_is_predefined(connection):
    run(connection, "DEFINE QMODEL(MODEL)")
    with connection.open("MODEL", MQOO_INPUT_EXCLUSIVE, dynamic_q_name="DYN.1"):
        run(connection, "DEFINE QLOCAL(B) LIKE(DYN.1)")
        assert attributes(connection, "DYN.1", "DEFTYPE") == ["TEMPDYN"]
        assert attributes(connection, "B", "DEFTYPE") == ["PREDEFINED"]


@pytest.mark.parametrize("like", ["NOPE", "ALIAS"])
def test_like_needs_a_queue_of_the_same_type_and_is_named_in_the_message(connection, like):
    run(connection, "DEFINE QALIAS(ALIAS)")
    command = only(connection, f"DEFINE QLOCAL(B) LIKE({like})")
    assert command.outcome == "failed"
    assert command.messages[0] == f"AMQ8147E: mqx object {like} not found."
    assert queue_names(connection) == ["ALIAS"]


def test_a_queue_that_is_there_is_not_defined_again(connection):
    run(connection, "DEFINE QLOCAL(Q) MAXDEPTH(3)")
    command = only(connection, "DEFINE QLOCAL(Q) MAXDEPTH(4) NOREPLACE")
    assert command.messages[0] == "AMQ8150E: mqx object Q already exists."
    assert attributes(connection, "Q", "MAXDEPTH") == ["3"]


def test_replace_resets_what_is_not_given_and_keeps_the_messages(connection):
    run(connection, "DEFINE QLOCAL(Q) MAXDEPTH(3) DESCR('old')")
    put(connection, "Q", b"kept")
    created = attributes(connection, "Q", "CRDATE", "CRTIME")
    run(connection, "DEFINE QLOCAL(Q) DESCR('new') REPLACE")
    assert attributes(connection, "Q", "MAXDEPTH", "DESCR") == ["5000", "new"]
    assert attributes(connection, "Q", "CRDATE", "CRTIME") == created
    assert get_all(connection, "Q") == [b"kept"]


def test_replace_defines_a_queue_that_is_not_there(connection):
    run(connection, "DEFINE QLOCAL(Q) REPLACE")
    assert queue_names(connection) == ["Q"]


def test_replace_does_not_change_the_type_of_a_queue(connection):
    run(connection, "DEFINE QLOCAL(Q)")
    put(connection, "Q", b"kept")
    command = only(connection, "DEFINE QALIAS(Q) TARGET(OTHER) REPLACE")
    assert (command.outcome, command.messages[0]) == ("failed", "AMQ8150E: mqx object Q already exists.")
    assert attributes(connection, "Q", "TYPE") == ["QLOCAL"]
    assert get_all(connection, "Q") == [b"kept"]


def test_replace_keeps_a_dynamic_queue_dynamic(connection):
    run(connection, "DEFINE QMODEL(MODEL)")
    with connection.open("MODEL", MQOO_INPUT_EXCLUSIVE, dynamic_q_name="DYN.1"):
        run(connection, "DEFINE QLOCAL(DYN.1) REPLACE")
        assert attributes(connection, "DYN.1", "DEFTYPE") == ["TEMPDYN"]


# ALTER


def test_the_maximum_depth_can_go_below_the_depth(connection):
    run(connection, "DEFINE QLOCAL(Q)")
    put(connection, "Q", b"one", b"two")
    run(connection, "ALTER QLOCAL(Q) MAXDEPTH(1)")
    assert attributes(connection, "Q", "CURDEPTH", "MAXDEPTH") == ["2", "1"]
    with fails(MQRC_Q_FULL):
        put(connection, "Q", b"three")


def test_alter_leaves_what_is_not_given(connection):
    run(connection, "DEFINE QLOCAL(Q) MAXDEPTH(3) CLWLRANK(2)\nALTER QLOCAL(Q) DESCR('x')")
    assert attributes(connection, "Q", "MAXDEPTH", "CLWLRANK", "DESCR") == ["3", "2", "x"]


def test_alter_needs_a_queue_of_the_type(connection):
    run(connection, "DEFINE QLOCAL(Q)")
    command = only(connection, "ALTER QALIAS(Q) TARGET(X)")
    assert command.messages == [
        "AMQ8147E: mqx object Q not found.",
        "mqx: queue Q is a QLOCAL, not a QALIAS (MQRC_Q_TYPE_ERROR 2057)",
    ]


def test_messages_that_are_there_follow_a_new_delivery_sequence(connection):
    run(connection, "DEFINE QLOCAL(Q) MSGDLVSQ(FIFO)\nDEFINE QLOCAL(NEXT) MSGDLVSQ(FIFO)")
    for body, priority in ((b"low", 1), (b"high", 8), (b"mid", 5), (b"high 2", 8)):
        for q_name in ("Q", "NEXT"):
            put(connection, q_name, body, priority=priority)
    run(connection, "ALTER QLOCAL(Q) MSGDLVSQ(PRIORITY)")
    assert get_all(connection, "NEXT") == [b"low", b"high", b"mid", b"high 2"]
    with connection.open("Q", MQOO_INPUT_SHARED) as handle:
        assert handle.get().message.data == b"high"
    run(connection, "DEFINE QLOCAL(Q) REPLACE MSGDLVSQ(FIFO)")
    assert get_all(connection, "Q") == [b"low", b"mid", b"high 2"]


@pytest.mark.parametrize(("sequence", "expected"), [(MQMDS_FIFO, [0, 1, 2]), (MQMDS_PRIORITY, [1, 0, 2])])
def test_a_new_delivery_sequence_holds_for_messages_that_come_later(connection, sequence, expected):
    word = "FIFO" if sequence == MQMDS_FIFO else "PRIORITY"
    other = "PRIORITY" if sequence == MQMDS_FIFO else "FIFO"
    bodies = [b"0", b"1", b"2"]
    run(connection, f"DEFINE QLOCAL(Q) MSGDLVSQ({other})")
    put(connection, "Q", bodies[0], priority=4)
    run(connection, f"ALTER QLOCAL(Q) MSGDLVSQ({word})")
    put(connection, "Q", bodies[1], priority=9)
    put(connection, "Q", bodies[2], priority=4)
    assert get_all(connection, "Q") == [bodies[index] for index in expected]


def test_an_uncommitted_message_follows_a_new_delivery_sequence_too(connection):
    run(connection, "DEFINE QLOCAL(Q) MSGDLVSQ(FIFO)")
    put(connection, "Q", b"low", priority=0)
    connection.put1("Q", Message(b"high", MQMD(priority=9)), MQPMO_SYNCPOINT)
    run(connection, "ALTER QLOCAL(Q) MSGDLVSQ(PRIORITY)")
    connection.commit()
    assert get_all(connection, "Q") == [b"high", b"low"]


def test_alter_of_the_queue_manager_shows_and_works(connection):
    run(connection, "DEFINE QLOCAL(DEAD)")
    command = only(connection, "ALTER QMGR DEADQ(DEAD) DESCR('ours') FORCE")
    assert command.messages == ["AMQ8005I: mqx queue manager changed."]
    (shown,) = run(connection, "DISPLAY QMGR DEADQ DESCR")
    assert shown.attributes == {"QMNAME": "QM1", "DEADQ": "DEAD", "DESCR": "ours"}
    assert rows(connection, "select dead_letter_q_name from qmgr") == [("DEAD",)]


# DELETE and CLEAR


def test_delete_needs_purge_for_a_queue_with_messages(connection):
    run(connection, "DEFINE QLOCAL(Q)")
    put(connection, "Q", b"one")
    command = only(connection, "DELETE QLOCAL(Q)")
    assert command.messages[0] == "AMQ8143E: mqx queue Q not empty."
    assert command.messages[-1] == "hint: DELETE QLOCAL(Q) PURGE"
    assert only(connection, "DELETE QLOCAL(Q) PURGE").messages == ["AMQ8007I: mqx queue deleted."]
    assert queue_names(connection) == []


@pytest.mark.parametrize("command", ["DELETE QLOCAL(Q) PURGE", "CLEAR QLOCAL(Q)"])
def test_an_open_queue_is_neither_deleted_nor_cleared(connection, command):
    run(connection, "DEFINE QLOCAL(Q)")
    put(connection, "Q", b"one")
    with connection.open("Q", MQOO_BROWSE):
        found = only(connection, command)
    assert found.messages[0] == "AMQ8148E: mqx object Q in use."
    assert as_json(run_mqsc(connection, command))[0]["outcome"] == "ok"


@pytest.mark.parametrize("command", ["DELETE QLOCAL(Q) PURGE", "CLEAR QLOCAL(Q)"])
def test_uncommitted_messages_stop_a_delete_and_a_clear(connection, command):
    run(connection, "DEFINE QLOCAL(Q)")
    connection.put1("Q", Message(b"one"), MQPMO_SYNCPOINT)
    assert only(connection, command).messages[0] == "AMQ8148E: mqx object Q in use."
    connection.commit()
    assert get_all(connection, "Q") == [b"one"]


def test_clear_removes_the_messages_and_nothing_else(connection):
    run(connection, "DEFINE QLOCAL(Q) MAXDEPTH(9)")
    put(connection, "Q", b"one", b"two", persistence=MQPER_PERSISTENT)
    assert only(connection, "CLEAR QLOCAL(Q)").messages == ["AMQ8022I: mqx queue cleared."]
    assert attributes(connection, "Q", "CURDEPTH", "MAXDEPTH") == ["0", "9"]


def test_a_name_that_is_not_there_is_not_found_and_a_near_one_suggested(connection):
    run(connection, "DEFINE QLOCAL(ORDERS)")
    command = only(connection, "DELETE QLOCAL(ORDERZ)")
    assert command.outcome == "failed"
    assert command.messages == [
        "AMQ8147E: mqx object ORDERZ not found.",
        "mqx: queue ORDERZ does not exist (MQRC_UNKNOWN_OBJECT_NAME 2085)",
        "hint: did you mean ORDERS?",
    ]


def test_a_handle_that_has_a_message_locked_keeps_the_queue(connection):
    run(connection, "DEFINE QLOCAL(Q)")
    put(connection, "Q", b"one")
    with connect("QM1") as other, other.open("Q", MQOO_BROWSE | MQOO_INPUT_SHARED) as handle:
        handle.get(MQGMO_BROWSE_FIRST | MQGMO_LOCK)
        assert only(connection, "DELETE QLOCAL(Q) PURGE").outcome == "failed"
    run(connection, "DELETE QLOCAL(Q) PURGE")
