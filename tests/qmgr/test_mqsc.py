"""MQSC run against a queue manager: what each command does, what it says, and what stops it."""

from __future__ import annotations

import json
import threading

import pytest

from mqtools.constants.message import MQPER_PERSISTENT
from mqtools.constants.objects import MQMDS_FIFO, MQMDS_PRIORITY, MQQT_ALIAS
from mqtools.constants.options import (
    MQGMO_BROWSE_FIRST,
    MQGMO_LOCK,
    MQGMO_WAIT,
    MQOO_BROWSE,
    MQOO_INPUT_EXCLUSIVE,
    MQOO_INPUT_SHARED,
    MQOO_INQUIRE,
    MQOO_OUTPUT,
    MQPMO_SYNCPOINT,
)
from mqtools.constants.reasons import MQRC_GET_INHIBITED, MQRC_PUT_INHIBITED, MQRC_Q_FULL
from mqtools.errors import MQError, NoMessageAvailable
from mqtools.message import MQMD, Message
from mqtools.qmgr import admin
from mqtools.qmgr.connection import connect
from mqtools.qmgr.mqsc import COMMANDS, as_json, check_mqsc, lines, run_mqsc
from mqtools.store import holders, queues


@pytest.fixture
def connection(tmp_path, monkeypatch):
    monkeypatch.setenv("MQX_HOME", str(tmp_path))
    admin.create("QM1")
    with connect("QM1") as connection:
        yield connection


def run(connection, text):
    """Run commands that must all succeed; give the objects that were displayed."""
    report = run_mqsc(connection, text)
    assert [command.messages for command in report.commands if command.outcome != "ok"] == []
    return [item for command in report.commands for item in command.objects]


def only(connection, text):
    """Run one command; give its report."""
    report = run_mqsc(connection, text)
    assert report.read == 1
    return report.commands[0]


def attributes(connection, name, *keywords):
    """Display attributes of one queue, in the order asked for."""
    (shown,) = run(connection, f"DISPLAY QUEUE('{name}') {' '.join(keywords)}")
    return [shown.attributes[keyword] for keyword in keywords]


def put(connection, name, *bodies, **fields):
    for body in bodies:
        connection.put1(name, Message(body, MQMD(**fields)))


def get_all(connection, name):
    found = []
    with connection.open(name, MQOO_INPUT_SHARED) as handle:
        while True:
            try:
                found.append(handle.get().message.data)
            except NoMessageAvailable:
                return found


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
    assert queues.names(connection.db) == []


def test_a_name_in_quotes_keeps_its_case_and_one_without_is_folded(connection):
    run(connection, "define ql(orders)\ndefine ql('orders')")
    assert queues.names(connection.db) == ["ORDERS", "orders"]


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
    assert queues.names(connection.db) == ["ALIAS"]


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
    assert queues.names(connection.db) == ["Q"]


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


def test_alter_takes_effect_at_once_for_handles_that_are_open(connection):
    run(connection, "DEFINE QLOCAL(Q)")
    with connection.open("Q", MQOO_OUTPUT) as handle:
        handle.put(Message(b"one"))
        run(connection, "ALTER QLOCAL(Q) PUT(DISABLED) FORCE")
        with pytest.raises(MQError) as caught:
            handle.put(Message(b"two"))
        assert caught.value.reason == MQRC_PUT_INHIBITED


def test_inhibiting_gets_ends_a_wait(connection):
    run(connection, "DEFINE QLOCAL(Q)")
    reasons = []

    def wait():
        with connect("QM1") as other, other.open("Q", MQOO_INPUT_SHARED) as handle:
            try:
                handle.get(MQGMO_WAIT, wait_ms=60_000)
            except MQError as error:
                reasons.append(error.reason)

    thread = threading.Thread(target=wait)
    thread.start()
    while not holders.waiting(connection.db):
        assert thread.is_alive()
    run(connection, "ALTER QLOCAL(Q) GET(DISABLED)")
    thread.join(timeout=30)
    assert reasons == [MQRC_GET_INHIBITED]


def test_the_maximum_depth_can_go_below_the_depth(connection):
    run(connection, "DEFINE QLOCAL(Q)")
    put(connection, "Q", b"one", b"two")
    run(connection, "ALTER QLOCAL(Q) MAXDEPTH(1)")
    assert attributes(connection, "Q", "CURDEPTH", "MAXDEPTH") == ["2", "1"]
    with pytest.raises(MQError) as caught:
        put(connection, "Q", b"three")
    assert caught.value.reason == MQRC_Q_FULL


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
    run(connection, "DEFINE QLOCAL(Q) MSGDLVSQ(FIFO)")
    for body, priority in ((b"low", 1), (b"high", 8), (b"mid", 5), (b"high 2", 8)):
        put(connection, "Q", body, priority=priority)
    run(connection, "ALTER QLOCAL(Q) MSGDLVSQ(PRIORITY)")
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
    assert queues.qmgr(connection.db).dead_letter_q_name == "DEAD"


# DELETE and CLEAR


def test_delete_needs_purge_for_a_queue_with_messages(connection):
    run(connection, "DEFINE QLOCAL(Q)")
    put(connection, "Q", b"one")
    command = only(connection, "DELETE QLOCAL(Q)")
    assert command.messages[0] == "AMQ8143E: mqx queue Q not empty."
    assert command.messages[-1] == "hint: DELETE QLOCAL(Q) PURGE"
    assert only(connection, "DELETE QLOCAL(Q) PURGE").messages == ["AMQ8007I: mqx queue deleted."]
    assert queues.names(connection.db) == []


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
    assert [item.attributes["QUEUE"] for item in run(connection, command)] == ["A"]
    assert len(run(connection, "DIS Q(*) TYPE(ALL)")) == 4


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
    assert [item.attributes["QUEUE"] for item in found] == names
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
    (shown,) = run(connection, "DISPLAY QSTATUS(*) TYPE(QUEUE) UNCOM WHERE(CURDEPTH EQ 0)")
    assert shown.attributes == {"QUEUE": "Q", "TYPE": "QUEUE", "CURDEPTH": "0", "UNCOM": "NO"}


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
    expected = {"INPUT": "EXCL", "OUTPUT": "NO", "BROWSE": "NO", "INQUIRE": "YES", "SET": "NO", "APPLTAG": "server"}
    assert {keyword: shown.attributes[keyword] for keyword in expected} == expected
    assert connected.values["connection_id"] == shown.values["connection_id"]
    assert connected.values["process_id"] == shown.values["process_id"]


def test_handle_status_of_a_queue_that_nobody_has_open_is_not_found(connection):
    run(connection, "DEFINE QLOCAL(Q)")
    assert only(connection, "DISPLAY QSTATUS(Q) TYPE(HANDLE)").messages == ["AMQ8565E: Queue Status not found."]


def test_ping_answers(connection):
    assert only(connection, "PING QMGR").messages == ["AMQ8415I: Ping mqx Queue Manager command complete."]


# What is wrong


@pytest.mark.parametrize(
    ("command", "column", "text"),
    [
        ("DEFINE QLOCAL(Q) MAXDEPT(3)", 18, "MAXDEPT is not an attribute of QLOCAL; did you mean MAXDEPTH?"),
        ("DEFINE QLOCAL(Q) MAXDEPTH(many)", 18, "MAXDEPTH must be 0 to 999999999"),
        ("DEFINE QLOCAL(Q) TARGET(X)", 18, None),
        ("DEFINE QLOCAL(Q) CURDEPTH(1)", 18, "CURDEPTH can be displayed, not set"),
        ("DEFINE QALIAS(Q) TARGET(A) TARGQ(B)", 28, "TARGQ is given twice, once as a synonym"),
        ("DEFINE QLOCAL(Q) REPLACE(YES)", 18, "REPLACE takes no value"),
        ("DEFINE QLOCAL MAXDEPTH(3)", 1, "DEFINE QLOCAL needs a name: QLOCAL(NAME)"),
        ("DEFINE QLOCAL(A*)", 1, "'A*' is no name: letters, digits, . / _ %, 48 at most"),
        ("DELETE QALIAS(Q) PURGE", 18, "PURGE is not a parameter of DELETE"),
        ("CLEAR QLOCAL(Q) NOW", 17, "NOW is not a parameter of CLEAR"),
        ("ALTER QMGR(QM1)", 1, "ALTER QMGR takes no name"),
        ("DISPLAY QLOCAL(Q) MAXDEPTH(3)", 19, "MAXDEPTH takes no value here; to select by it: WHERE"),
        ("DISPLAY QLOCAL(Q) CURDEPHT", 19, "CURDEPHT is not an attribute of QLOCAL; did you mean CURDEPTH?"),
        ("DISPLAY QUEUE(*) TYPE(TOPIC)", 18, "TYPE must be one of QALIAS QLOCAL QMODEL QREMOTE ALL"),
        ("DISPLAY QUEUE(*) WHERE(CURDEPTH LK 3)", 18, "LK is for texts and names; CURDEPTH is neither"),
        ("DISPLAY QUEUE(*) WHERE(CURDEPTH GT)", 18, None),
        ("DISPLAY QSTATUS(*) WHERE(NOPE EQ 1)", 20, None),
        ("PING QMGR NOW", 11, "NOW is not a parameter of PING"),
    ],
)
def test_a_mistake_is_named_with_its_place_and_nothing_is_run(connection, command, column, text):
    report = run_mqsc(connection, f"* a comment\n{command}", "setup.mqsc")
    (mistake,) = report.mistakes
    assert (mistake.file, mistake.line, mistake.column) == ("setup.mqsc", 2, column)
    assert text is None or mistake.text == text
    assert (report.read, report.syntax_errors, report.failed) == (1, 1, 0)
    assert queues.names(connection.db) == []


def test_all_mistakes_of_a_file_are_reported_at_once_and_the_rest_is_run(connection):
    text = """DEFINE QLOCAL(A)
DEFINE QLOCAL(B) +
   MAXDEPT(3) +
   PUT(OFF)
DEFIN QLOCAL(C)
DELETE QLOCAL(NOPE)
DEFINE QLOCAL(D)
"""
    report = run_mqsc(connection, text)
    assert [(mistake.line, mistake.column) for mistake in report.mistakes] == [(3, 4), (4, 4), (5, 1)]
    assert [command.outcome for command in report.commands] == ["ok", "syntax", "syntax", "failed", "ok"]
    assert [(command.line, command.column) for command in report.commands][:2] == [(1, 1), (3, 4)]
    assert (report.read, report.syntax_errors, report.failed) == (5, 2, 1)
    assert queues.names(connection.db) == ["A", "D"]


def test_a_check_runs_nothing_and_finds_the_same_mistakes(connection):
    report = check_mqsc("DEFINE QLOCAL(A)\nDEFINE QLOCAL(B) MAXDEPT(3)\nDISPLAY QLOCAL(NOPE)")
    assert [command.outcome for command in report.commands] == ["ok", "syntax", "ok"]
    assert queues.names(connection.db) == []


@pytest.mark.parametrize("command", ["START CHINIT", "DEFINE PROCESS(P)", "DISPLAY TOPIC(*)", "REFRESH SECURITY"])
def test_a_command_of_mq_that_is_not_ours_fails_and_says_so(connection, command):
    found = only(connection, command)
    assert found.outcome == "failed"
    assert found.messages[0].endswith("is not supported (MQRC_FUNCTION_NOT_SUPPORTED 2298)")
    assert check_mqsc(command).failed == 1


def test_nothing_after_end_is_run(connection):
    report = run_mqsc(connection, "DEFINE QLOCAL(A)\nEND\nDEFINE QLOCAL(B)")
    assert (report.read, queues.names(connection.db)) == (1, ["A"])


def test_an_ended_queue_manager_fails_each_command(connection, tmp_path):
    admin.end(str(tmp_path / "QM1.db"), immediate=True)
    report = run_mqsc(connection, "DEFINE QLOCAL(A)\nPING QMGR\nDISPLAY QUEUE(*)")
    assert report.failed == 3
    assert {as_json(report)[n]["reason"] for n in range(3)} == {"MQRC_CONNECTION_BROKEN"}
    admin.start(str(tmp_path / "QM1.db"))


@pytest.mark.parametrize(("verb", "object_type"), COMMANDS)
def test_every_command_refuses_a_parameter_that_it_does_not_have(verb, object_type):
    name = "" if object_type == "QMGR" else "(X)"
    report = check_mqsc(f"{verb} {object_type}{name} ZZZ(1)")
    assert [mistake.text.split()[0] for mistake in report.mistakes] == ["ZZZ"]


# What a run gives


def test_a_run_reads_like_runmqsc(connection):
    report = run_mqsc(connection, "* set up\ndefine ql(a) +\n  maxdepth(3)\ndis ql(a) maxdepth curdepth\ndelete ql(b)")
    assert list(lines(report)) == [
        "       : * set up",
        "     1 : define ql(a) +",
        "       :   maxdepth(3)",
        "AMQ8006I: mqx queue created.",
        "     2 : dis ql(a) maxdepth curdepth",
        "AMQ8409I: Display Queue details.",
        "   QUEUE(A)                                TYPE(QLOCAL)",
        "   CURDEPTH(0)                             MAXDEPTH(3)",
        "     3 : delete ql(b)",
        "AMQ8147E: mqx object B not found.",
        "mqx: queue B does not exist (MQRC_UNKNOWN_OBJECT_NAME 2085)",
        "3 MQSC commands read.",
        "No commands have a syntax error.",
        "One valid MQSC command could not be processed.",
    ]


def test_a_syntax_error_shows_the_command_up_to_it(connection):
    shown = list(lines(run_mqsc(connection, "alter ql(a) maxdept(4) put(enabled)")))
    assert shown[1:4] == [
        "AMQ8405I: Syntax error detected at or near end of command segment below:-",
        "ALTER QLOCAL(A) MAXDEPT(4)",
        "<stdin>:1:13: MAXDEPT is not an attribute of QLOCAL; did you mean MAXDEPTH?",
    ]


def test_json_has_one_object_a_command_with_the_attributes_by_name(connection):
    report = run_mqsc(connection, "DEFINE QL(A) GET(DISABLED)\nDIS QL(A) GET SHARE MAXDEPTH\nDELETE QL(B)\nFOO")
    first, second, third, fourth = json.loads(json.dumps(as_json(report)))
    assert first["outcome"] == "ok"
    assert second["objects"] == [
        {"name": "A", "q_type": "QLOCAL", "inhibit_get": "DISABLED", "max_q_depth": 5000, "shareability": "SHARE"}
    ]
    assert (third["outcome"], third["reason"]) == ("failed", "MQRC_UNKNOWN_OBJECT_NAME")
    assert (fourth["outcome"], fourth["reason"]) == ("syntax", None)
    assert fourth["mistakes"] == [{"line": 4, "column": 1, "message": "FOO is not a verb"}]
    assert [item["number"] for item in (first, second, third, fourth)] == [1, 2, 3, 4]


# Dead processes and locks


def test_a_handle_that_has_a_message_locked_keeps_the_queue(connection):
    run(connection, "DEFINE QLOCAL(Q)")
    put(connection, "Q", b"one")
    with connect("QM1") as other, other.open("Q", MQOO_BROWSE | MQOO_INPUT_SHARED) as handle:
        handle.get(MQGMO_BROWSE_FIRST | MQGMO_LOCK)
        assert only(connection, "DELETE QLOCAL(Q) PURGE").outcome == "failed"
    run(connection, "DELETE QLOCAL(Q) PURGE")


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
    assert queues.by_name(connection.db, "A").q_type == MQQT_ALIAS
    assert attributes(connection, "A", "TYPE") == ["QALIAS"]
