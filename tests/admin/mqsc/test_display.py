"""MQSC DISPLAY: objects, attributes, filters, status and connections."""

from __future__ import annotations

import pytest

from mqtools.constants.objects import MQQT_ALIAS
from mqtools.constants.options import (
    MQOO_BROWSE,
    MQOO_INPUT_EXCLUSIVE,
    MQOO_INPUT_SHARED,
    MQOO_INQUIRE,
    MQOO_OUTPUT,
    MQPMO_SYNCPOINT,
)
from mqtools.message import Message
from mqtools.mqi.connection import connect

from ...rows import rows
from .mqsc_story import attributes, only, own, put, run

# DISPLAY


def test_a_named_queue_shows_all_its_attributes(connection):
    run(connection, "DEFINE QALIAS(A) TARGET(Q)")
    (shown,) = run(connection, "DISPLAY QUEUE(A)")
    assert shown.title == "AMQ8409I: Display Queue details."
    assert shown.attributes["TARGET"] == "Q"
    assert shown.values["base_q_name"] == "Q"
    assert "MAXDEPTH" not in shown.attributes


def test_a_pattern_shows_names_and_types_of_all_that_fit(connection):
    run(connection, "DEFINE QLOCAL(A.1)\nDEFINE QALIAS(A.2)\nDEFINE QLOCAL(B.1)")
    assert [item.attributes for item in run(connection, "DIS Q(A*)")] == [
        {"QUEUE": "A.1", "TYPE": "QLOCAL"},
        {"QUEUE": "A.2", "TYPE": "QALIAS"},
    ]
    assert len(run(connection, "DIS Q(A.*) ALL")[0].pairs) > 40


@pytest.mark.parametrize(
    "command", ["DIS QL(*)", "DIS Q(*) TYPE(QLOCAL)", "DIS Q(*) TYPE(QL)", "DIS Q(*) WHERE(TYPE EQ QLOCAL)"]
)
def test_queues_are_filtered_by_type(connection, command):
    run(connection, "DEFINE QLOCAL(A)\nDEFINE QALIAS(B)\nDEFINE QMODEL(C)\nDEFINE QREMOTE(D)")
    assert own(run(connection, command)) == ["A"]
    assert own(run(connection, "DIS Q(*) TYPE(ALL)")) == ["A", "B", "C", "D"]


@pytest.mark.parametrize(
    ("where", "names"),
    [
        ("CURDEPTH GT 0", ["B"]),
        ("MAXDEPTH LE 5", ["A", "B"]),
        ("DESCR LK 'pay*'", ["B"]),
        ("DESCR EQ ' '", ["A", "C"]),
        ("PUT EQ DISABLED", ["A"]),
        ("TARGET EQ A", ["C"]),
    ],
)
def test_where_filters_and_shows_what_it_filters_by(connection, where, names):
    run(connection, "DEFINE QLOCAL(A) MAXDEPTH(5) PUT(DISABLED)\nDEFINE QLOCAL(B) MAXDEPTH(4) DESCR('payments')")
    run(connection, "DEFINE QALIAS(C) TARGET(A)")
    put(connection, "B", b"one")
    found = run(connection, f"DISPLAY QUEUE(*) WHERE({where})")
    assert own(found) == names
    assert all(where.split()[0] in item.attributes for item in found)


def test_a_display_that_finds_nothing_fails(connection):
    run(connection, "DEFINE QLOCAL(A)")
    for command in ("DIS Q(X*)", "DIS QALIAS(A)", "DIS Q(*) WHERE(CURDEPTH GT 0)"):
        found = only(connection, command)
        assert (found.outcome, found.messages[0][:9]) == ("failed", "AMQ8147E:")


@pytest.mark.parametrize("command", ["DISPLAY QMGR", "DISPLAY QMGR ALL"])
def test_the_queue_manager_shows_all_its_attributes(connection, command):
    (shown,) = run(connection, command)
    assert shown.title == "AMQ8408I: Display Queue Manager details."
    assert shown.values["q_mgr_name"] == "QM1"
    assert shown.values["max_msg_length"] == 4194304
    assert shown.values["platform"] == "UNIX"
    assert "SYNCPT" in shown.attributes


def test_queue_status_counts_messages_handles_and_what_is_uncommitted(connection):
    run(connection, "DEFINE QLOCAL(Q)")
    put(connection, "Q", b"one")
    connection.put1("Q", Message(b"two"), MQPMO_SYNCPOINT)
    with connection.open("Q", MQOO_INPUT_SHARED | MQOO_OUTPUT):
        (shown,) = run(connection, "DISPLAY QSTATUS(Q)")
    values = shown.values
    assert [values[name] for name in ("current_q_depth", "open_input_count", "open_output_count")] == [2, 1, 1]
    assert (shown.attributes["UNCOM"], values["uncommitted_msgs"]) == ("1", 1)
    assert values["last_put_date"]
    assert len(values["last_put_time"].split(".")) == 3
    assert (values["last_get_date"], values["last_get_time"]) == ("", "")
    assert 0 <= values["oldest_msg_age"] < 600


def test_queue_status_of_a_quiet_queue_says_no_to_uncommitted(connection):
    run(connection, "DEFINE QLOCAL(Q)\nDEFINE QALIAS(A)")
    found = run(connection, "DISPLAY QSTATUS(*) TYPE(QUEUE) UNCOM WHERE(CURDEPTH EQ 0)")
    assert own(found) == ["Q"]
    assert found[0].attributes == {"QUEUE": "Q", "TYPE": "QUEUE", "CURDEPTH": "0", "UNCOM": "NO"}
    assert run(connection, "DISPLAY QSTATUS(Q) TYPE")[0].attributes == {"QUEUE": "Q", "TYPE": "QUEUE"}


def test_handle_status_tells_who_has_a_queue_open_and_how(connection):
    run(connection, "DEFINE QLOCAL(Q)")
    with (
        connect("QM1", appl_name="server", user_identifier="ana") as other,
        other.open("Q", MQOO_INPUT_EXCLUSIVE | MQOO_INQUIRE),
        connection.open("Q", MQOO_BROWSE | MQOO_OUTPUT),
    ):
        (shown,) = run(connection, "DISPLAY QSTATUS(*) TYPE(HANDLE) WHERE(USERID EQ 'ana')")
        assert only(connection, "DISPLAY QSTATUS(Q) TYPE(HANDLE) ALL").objects[1].attributes["BROWSE"] == "YES"
        (connected,) = run(connection, "DISPLAY CONN(*) WHERE(APPLTAG EQ 'server')")
        users = run(connection, "DISPLAY CONN(*) APPLTYPE WHERE(APPLTYPE EQ USER)")
        assert [item.attributes["APPLTYPE"] for item in users] == ["USER", "USER"]
    expected = {"INPUT": "EXCL", "OUTPUT": "NO", "BROWSE": "NO", "INQUIRE": "YES", "SET": "NO", "APPLTAG": "server"}
    assert {keyword: shown.attributes[keyword] for keyword in expected} == expected
    assert connected.values["connection_id"] == shown.values["connection_id"]
    assert connected.values["process_id"] == shown.values["process_id"]


def test_handle_status_of_a_queue_that_nobody_has_open_is_not_found(connection):
    run(connection, "DEFINE QLOCAL(Q)")
    assert only(connection, "DISPLAY QSTATUS(Q) TYPE(HANDLE)").messages == ["AMQ8565E: Queue Status not found."]


def test_ping_answers(connection):
    assert only(connection, "PING QMGR").messages == ["AMQ8415I: Ping mqx Queue Manager command complete."]


def test_the_open_counts_leave_out_the_dead(connection):
    run(connection, "DEFINE QLOCAL(Q)")
    other = connect("QM1")
    other.open("Q", MQOO_INPUT_SHARED)
    assert attributes(connection, "Q", "IPPROCS") == ["1"]
    other.presence.close()  # as the kernel does when a process dies
    assert attributes(connection, "Q", "IPPROCS") == ["0"]
    assert only(connection, "DISPLAY QSTATUS(Q) TYPE(HANDLE)").outcome == "failed"
    other.db.close()


def test_the_type_of_a_queue_is_shown_by_its_word(connection):
    run(connection, "DEFINE QALIAS(A) TARGET(Q)")
    assert rows(connection, "select q_type from queues where name = 'A'") == [(MQQT_ALIAS,)]
    assert attributes(connection, "A", "TYPE") == ["QALIAS"]
