"""``mqx dlq-handle``: tables checked, rehearsed and run, by real processes that signals reach."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from mqtools.constants.reasons import MQRC_Q_FULL, MQRC_UNKNOWN_OBJECT_NAME
from mqtools.headers.chain import prefix_dlh
from mqtools.message import MQMD, Message
from mqtools.qmgr.connection import connect

from .conftest import script

pytestmark = pytest.mark.usefixtures("qm")

DLQ, TO, OTHER = "DEV.DEAD.LETTER.QUEUE", "DEV.QUEUE.1", "DEV.QUEUE.2"

#: A table with a rule for what is full, one for one application, and an end.
TABLE = b"""WAIT(NO) RETRYINT(1)
REASON(MQRC_Q_FULL) ACTION(RETRY)
APPLIDAT(KEEP) ACTION(IGNORE)
ACTION(FWD) FWDQ(DEV.QUEUE.2) HEADER(NO)
"""


@pytest.fixture
def bury(qm):
    """Put a dead letter as a channel does; give its id in hex."""

    def put(data=b"hello", *, to=TO, reason=MQRC_Q_FULL, encoding=546, ccsid=1208, q_name=DLQ, swap=None, **md):
        given = MQMD(format="MQSTR", coded_char_set_id=1208, **md)
        dead_md, dead = prefix_dlh(
            given, data, reason=reason, dest_q_name=to, dest_q_mgr_name="QM1", encoding=encoding, ccsid=ccsid
        )
        message = Message(dead if swap is None else dead.replace(*swap), dead_md)
        with connect(qm) as connection:
            connection.put1(q_name, message)
        return message.md.msg_id.hex().upper()

    return put


@pytest.fixture
def rules(tmp_path):
    """Write a rules table to a file; give its path."""

    def write(text=TABLE, name="rules.tab"):
        path = tmp_path / name
        path.write_bytes(text)
        return str(path)

    return write


@pytest.fixture
def data_on(mqx):
    def browse(queue):
        return [json.loads(line).get("data") for line in mqx("browse", queue, "-o", "jsonl").out.splitlines()]

    return browse


# --check


def test_check_of_a_good_table_is_quiet_on_stdout(mqx, rules):
    done = mqx("dlq-handle", "--rules", rules(), "--check")
    assert (done.status, done.out, done.err) == (0, b"", "no mistakes\n")


def test_check_shows_every_mistake_with_its_line_a_caret_and_the_count(mqx, rules):
    path = rules(b"REASON(2053) ACTON(RETRY)\nACTION(RETRY)\n DESTQ(A) +\n\tACTION(FWD)\n")
    done = mqx("dlq-handle", "--rules", path, "--check")
    assert done.status == 2
    assert done.err.splitlines() == [
        f"{path}:1:14: 'ACTON' is no keyword; did you mean ACTION?",
        "REASON(2053) ACTON(RETRY)",
        "             ^",
        f"{path}:4:2: ACTION(FWD) needs FWDQ",
        "        ACTION(FWD)",
        "        ^",
        "2 mistakes",
    ]


def test_check_warns_and_is_0(mqx):
    done = mqx("dlq-handle", "--check", stdin=b"REASON(2053) ACTION(RETRY)\n")
    assert done.status == 0
    assert done.err.startswith("<stdin>:1:1: warning: no rule without patterns")
    assert done.err.endswith("no mistakes, 1 warning\n")


def test_check_in_json_is_one_object_on_stderr(mqx):
    done = mqx("dlq-handle", "--check", "-o", "json", stdin=b"ACTION(RETRY)\nREASON(QQ) ACTION(DISCARD)\nACTION(FWD)\n")
    found = json.loads(done.err)
    assert (done.status, done.out) == (2, b"")
    assert [(e["file"], e["line"], e["column"]) for e in found["errors"]] == [("<stdin>", 2, 8), ("<stdin>", 3, 1)]
    assert all(set(e) == {"file", "line", "column", "message"} for e in found["errors"])


def test_check_in_json_has_warnings_likewise(mqx):
    found = json.loads(
        mqx("dlq-handle", "--check", "-o", "json", stdin=b"REASON(2053) ACTION(RETRY)\n", check=True).err
    )
    assert (found["errors"], [w["line"] for w in found["warnings"]]) == ([], [1])


def test_control_characters_of_a_table_do_not_reach_the_terminal(mqx):
    done = mqx("dlq-handle", "--check", stdin=b"\x1b]0;owned\x07 ACTION(RETRY)\n")
    assert done.status == 2
    assert "\x1b" not in done.err
    assert "\x07" not in done.err


def test_a_table_in_latin_1_is_read(mqx):
    assert mqx("dlq-handle", "--check", stdin="* Größe\nACTION(RETRY)\n".encode("latin-1")).status == 0


def test_a_table_with_mistakes_touches_no_message(mqx, bury, data_on):
    bury()
    done = mqx("dlq-handle", "--once", stdin=b"ACTION(DISCARD)\nACTION(FWD)\n")
    assert done.status == 2
    assert "2 mistakes" not in done.err
    assert "1 mistake\n" in done.err
    assert len(data_on(DLQ)) == 1


# --dry-run and --explain


def test_dry_run_says_what_would_become_of_each_message_and_changes_nothing(mqx, bury, rules, data_on):
    full = bury()
    unknown = bury(to="NO.SUCH")
    other = bury(reason=MQRC_UNKNOWN_OBJECT_NAME)
    mqx("put", DLQ, "no dead letter", check=True)
    before = mqx("browse", DLQ, "-o", "jsonl").out
    done = mqx("dlq-handle", "--rules", rules(), "--dry-run", "-o", "jsonl")
    rows = [json.loads(line) for line in done.out.splitlines()]
    assert rows[:3] == [
        {
            "msg_id": full,
            "reason": "MQRC_Q_FULL",
            "action": "RETRY",
            "line": 2,
            "target": TO,
            "target_q_mgr": "QM1",
            "fails": None,
        },
        {
            "msg_id": unknown,
            "reason": "MQRC_Q_FULL",
            "action": "RETRY",
            "line": 2,
            "target": "NO.SUCH",
            "target_q_mgr": "QM1",
            "fails": "MQRC_UNKNOWN_OBJECT_NAME",
        },
        {
            "msg_id": other,
            "reason": "MQRC_UNKNOWN_OBJECT_NAME",
            "action": "FWD",
            "line": 4,
            "target": OTHER,
            "target_q_mgr": "",
            "fails": None,
        },
    ]
    assert (rows[3]["reason"], rows[3]["action"], rows[3]["line"]) == (None, None, None)
    assert done.status == 9
    assert "line 2: RETRY 2 messages\nline 4: FWD 1 message\n" in done.err
    assert mqx("browse", DLQ, "-o", "jsonl").out == before
    assert data_on(TO) == []


def test_dry_run_in_plain_is_a_tab_separated_line_a_message(mqx, bury, rules):
    msg_id = bury()
    done = mqx("dlq-handle", "--rules", rules(), "--dry-run", check=True)
    assert done.out.decode().split("\t") == [msg_id, "MQRC_Q_FULL", "RETRY", "2", TO, "QM1", "\n"]


def test_explain_shows_why_rules_do_not_match(mqx, bury, rules):
    bury()
    msg_id = bury(reason=MQRC_UNKNOWN_OBJECT_NAME)
    words = ["dlq-handle", "--rules", rules(), "--explain", "--msg-id", msg_id]
    [row] = [json.loads(line) for line in mqx(*words, "-o", "jsonl", check=True).out.splitlines()]
    assert row["rules"] == [
        {"line": 2, "matches": False, "because": ["REASON"]},
        {"line": 3, "matches": False, "because": ["APPLIDAT"]},
        {"line": 4, "matches": True, "because": []},
    ]
    lines = [line.split("\t") for line in mqx(*words, check=True).out.decode().splitlines()]
    assert [(line[2], line[3], line[4], line[5]) for line in lines] == [
        ("2", "false", "REASON", ""),
        ("3", "false", "APPLIDAT", ""),
        ("4", "true", "", "FWD"),
    ]


# Running


@pytest.mark.conformance("BEY-69")
def test_once_handles_what_is_there_and_gives_totals(mqx, bury, rules, data_on):
    bury(b"one")
    bury(b"two", reason=MQRC_UNKNOWN_OBJECT_NAME)
    done = mqx("dlq-handle", "--rules", rules(), "--once")
    assert (done.status, done.out) == (0, b"")
    assert (data_on(TO), data_on(OTHER), data_on(DLQ)) == (["one"], ["two"], [])
    assert done.err.startswith(f"AMQ8708: dead letters are read from INPUTQ({DLQ})\n")
    assert "AMQ8709" in done.err
    assert "line 2: chosen once\nline 4: chosen once\n" in done.err


def test_totals_in_json_are_one_object_on_stdout(mqx, bury, rules):
    bury(b"one")
    mqx("put", DLQ, "no dead letter", check=True)
    done = mqx("dlq-handle", "--rules", rules(), "--once", "-o", "json")
    totals = json.loads(done.out)
    assert done.status == 9
    assert totals["handled"] == {"RETRY": 1, "FWD": 0, "DISCARD": 0}
    assert totals["left"] == {"put_failed": 0, "no_dlh": 1, "no_rule": 0, "loop": 0, "ignored": 0}
    assert totals["rules"] == [{"line": 2, "count": 1}, {"line": 3, "count": 0}, {"line": 4, "count": 0}]
    assert (totals["qmgr"], totals["queue"], totals["ended_by"]) == ("QM1", DLQ, None)


def test_ignored_by_a_rule_is_0_and_stays(mqx, bury):
    bury()
    assert mqx("dlq-handle", "--once", stdin=b"ACTION(IGNORE)\n").status == 0
    assert mqx("dlq-handle", "--once", stdin=b"ACTION(DISCARD)\n").status == 0
    assert mqx("dlq-handle", "--once", stdin=b"ACTION(DISCARD)\n").status == 3


def test_nothing_there_is_3_in_every_way_of_running(mqx, rules):
    for words in (["--once"], [], ["--dry-run"], ["--explain"]):
        assert mqx("dlq-handle", "--rules", rules(), *words).status == 3


@pytest.mark.conformance("BEY-77")
def test_messages_without_an_mqdlh_are_left(mqx, bury, data_on):
    bury()
    mqx("put", DLQ, "no dead letter", check=True)
    done = mqx("dlq-handle", "--once", stdin=b"ACTION(DISCARD)\n")
    assert done.status == 9
    assert "AMQ8721" in done.err
    assert "left: 1 without MQDLH" in done.err
    assert data_on(DLQ) == ["no dead letter"]


def test_a_put_that_fails_leaves_the_message_and_says_why(mqx, bury):
    bury(to="NO.SUCH")
    done = mqx("dlq-handle", "--once", stdin=b"ACTION(RETRY)\n")
    assert done.status == 9
    assert "AMQ8722: rule of line 1: the put to NO.SUCH at QM1 got MQRC_UNKNOWN_OBJECT_NAME 2085" in done.err
    assert "left: 1 put failed" in done.err


def test_a_rule_that_feeds_its_own_queue_leaves_the_message(mqx, bury):
    bury()
    done = mqx("dlq-handle", "--once", stdin=f"ACTION(FWD) FWDQ({DLQ})\n".encode())
    assert done.status == 9
    assert "left: 1 for the queue itself" in done.err


def test_no_rule_leaves_the_message(mqx, bury):
    bury()
    done = mqx("dlq-handle", "--once", stdin=b"REASON(1) ACTION(DISCARD)\n")
    assert (done.status, "left: 1 without a rule" in done.err) == (9, True)


def test_nul_padded_names_match_by_bytes_and_deliver_trimmed(mqx, bury, data_on):
    blanks = b" " * (48 - len(TO))
    swap = (TO.encode() + blanks, TO.encode() + blanks.replace(b" ", b"\0"))
    bury(b"nul", swap=swap)
    plain = mqx("dlq-handle", "--once", stdin=f"DESTQ({TO}) ACTION(DISCARD)\n".encode())
    assert plain.status == 9
    assert "holds NUL" in plain.err
    assert mqx("dlq-handle", "--once", stdin=f"DESTQ({TO}*) ACTION(RETRY)\n".encode()).status == 0
    assert data_on(TO) == ["nul"]


def test_an_ebcdic_dead_letter_header_is_understood(mqx, bury, data_on):
    bury(b"from far", encoding=785, ccsid=500)
    assert mqx("dlq-handle", "--once", stdin=f"DESTQ({TO}) REASON(2053) ACTION(RETRY)\n".encode()).status == 0
    assert data_on(TO) == ["from far"]


def test_selection_restricts_what_the_table_is_applied_to(mqx, bury, rules, data_on):
    for data, reason in ((b"a", 2053), (b"b", 2085), (b"c", 2053)):
        bury(data, reason=reason)
    path = rules(b"ACTION(FWD) FWDQ(DEV.QUEUE.2) HEADER(NO)\n")
    assert mqx("dlq-handle", "--rules", path, "--once", "--reason", "2085").status == 0
    assert data_on(OTHER) == ["b"]
    assert mqx("dlq-handle", "--rules", path, "--once", "--pos", "2").status == 0
    assert data_on(OTHER) == ["b", "c"]
    assert mqx("dlq-handle", "--rules", path, "--once", "--older", "1h").status == 3
    assert mqx("dlq-handle", "--rules", path, "--once", "--where", "no valid", "--debug").status == 2
    assert len(data_on(DLQ)) == 1


# Which queue, which queue manager


@pytest.mark.conformance("BEY-69")
def test_the_queue_is_the_argument_then_inputq_then_deadq(mqx, bury, data_on):
    for queue in (DLQ, TO, OTHER):
        bury(q_name=queue)
    table = f"INPUTQ({TO})\nACTION(DISCARD)\n".encode()
    assert mqx("dlq-handle", OTHER, "--once", stdin=table).status == 0
    assert [len(data_on(queue)) for queue in (DLQ, TO, OTHER)] == [1, 1, 0]
    assert mqx("dlq-handle", "--once", stdin=table).status == 0
    assert [len(data_on(queue)) for queue in (DLQ, TO, OTHER)] == [1, 0, 0]
    assert mqx("dlq-handle", " ", "--once", stdin=table).status == 0
    assert len(data_on(DLQ)) == 0


@pytest.mark.conformance("BEY-69")
def test_the_queue_manager_is_the_argument_then_m_then_inputqm_then_the_default(mqx):
    mqx("qmgr", "create", "QM2", "--dev", check=True)

    def chosen(*words, **environment):
        table = b"INPUTQM(QM9)\nACTION(DISCARD)\n" if "inputqm" in environment else b"ACTION(DISCARD)\n"
        environment.pop("inputqm", None)
        done = mqx("dlq-handle", *words, "--once", "-o", "json", stdin=table, **environment)
        return json.loads(done.out)["qmgr"] if done.out else done.status

    assert chosen(DLQ, "QM2", "-m", "QM1", inputqm="") == "QM2"
    assert chosen("-m", "QM1", inputqm="", MQX_QMGR="QM2") == "QM1"
    assert chosen(inputqm="", MQX_QMGR="QM2") == 5
    assert chosen(MQX_QMGR="QM2") == "QM2"
    assert chosen(DLQ, " ", "-m", "QM1", inputqm="", MQX_QMGR="QM2") == "QM2"


def test_an_unknown_queue_or_no_queue_at_all_is_5(mqx):
    assert mqx("dlq-handle", "NO.SUCH", "--once", stdin=b"ACTION(RETRY)\n").status == 5
    mqx("mqsc", "ALTER QMGR DEADQ(' ')", check=True)
    assert mqx("dlq-handle", "--once", stdin=b"ACTION(RETRY)\n").status == 5


def test_a_get_inhibited_queue_is_forbidden(mqx):
    mqx("mqsc", f"ALTER QLOCAL({DLQ}) GET(DISABLED)", check=True)
    done = mqx("dlq-handle", "--once", stdin=b"ACTION(RETRY)\n")
    assert done.status == 8
    assert "MQRC_GET_INHIBITED" in done.err


@pytest.mark.parametrize(
    "words",
    [
        ("--check", "--dry-run"),
        ("--check", "--once"),
        ("--once", "-o", "table"),
        ("--dry-run", "-o", "raw"),
        ("--ids", "-"),
        ("--rules", "no/such/file"),
    ],
)
def test_words_that_make_no_sense_are_refused(mqx, words):
    stdin = b"414D\n" if "--ids" in words else b"ACTION(RETRY)\n"
    done = mqx("dlq-handle", *words, stdin=stdin)
    assert (done.status, done.err.splitlines()[-1].partition(":")[0] in ("mqx", "hint")) == (2, True)


# The service


class Service:
    """A handler that waits, in a process of its own."""

    def __init__(self, words, environment, rules=None):
        self.process = subprocess.Popen(
            [script(), "dlq-handle", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
        )
        self.lines = []
        if rules is not None:
            self.process.stdin.write(rules)
        self.process.stdin.close()

    def until(self, words):
        """Read what it says until a line has the words; give that line."""
        for line in self.process.stderr:
            self.lines.append(line.decode())
            if words in self.lines[-1]:
                return self.lines[-1]
        raise AssertionError(f"ended without {words!r}: {self.lines}")

    def end(self, number):
        """Send a signal; give the status and the rest of what it says."""
        self.process.send_signal(number)
        rest = self.process.stderr.read().decode()
        return self.process.wait(60), rest


@pytest.fixture
def service(environment):
    with contextlib.ExitStack() as stack:

        def start(*words, rules=None):
            made = Service(words, environment, rules)
            stack.callback(made.process.wait)
            stack.callback(made.process.kill)
            stack.callback(made.process.stdout.close)
            stack.callback(made.process.stderr.close)
            made.until("AMQ8708")
            return made

        yield start


WAITING = b"WAIT(YES) RETRYINT(1)\nREASON(MQRC_Q_FULL) ACTION(RETRY)\nACTION(IGNORE)\n"


def test_an_arrival_wakes_the_service_and_sigterm_ends_it_in_order(mqx, bury, service):
    running = service(rules=WAITING)
    bury(b"woken")
    assert mqx("get", TO, "--wait", "30s", check=True).out == b"woken"
    status, rest = running.end(signal.SIGTERM)
    assert status == 0
    assert "AMQ8709" in rest
    assert "1 retried" in rest
    assert "line 2: chosen once" in rest


def test_sigint_ends_it_in_order_too(bury, service):
    running = service(rules=WAITING)
    bury(b"left", reason=1)
    status, rest = running.end(signal.SIGINT)
    assert status == 130
    assert "AMQ8709" in rest


def test_sigterm_is_0_whatever_is_left(mqx, service):
    mqx("put", DLQ, "no dead letter", check=True)
    running = service(rules=WAITING)
    running.until("AMQ8721")
    assert running.end(signal.SIGTERM)[0] == 0


def test_totals_in_json_come_also_when_it_is_told_to_end(bury, service):
    running = service("-o", "json", rules=WAITING)
    bury(b"x", to="NO.SUCH")
    running.until("AMQ8722")
    running.process.send_signal(signal.SIGTERM)
    totals = json.loads(running.process.stdout.read())
    assert totals["left"]["put_failed"] == 1
    assert running.process.wait(60) == 0


def test_sighup_reads_the_table_again(mqx, bury, service, rules):
    path = rules(b"WAIT(YES)\nACTION(IGNORE)\n")
    running = service("--rules", path)
    bury(b"kept")
    rules(WAITING)
    running.process.send_signal(signal.SIGHUP)
    running.until("read again")
    assert mqx("get", TO, "--wait", "30s", check=True).out == b"kept"
    assert running.end(signal.SIGTERM)[0] == 0


def test_a_new_table_with_mistakes_is_reported_and_the_old_one_kept(mqx, bury, service, rules):
    path = rules(WAITING)
    running = service("--rules", path)
    rules(b"ACTION(FWD)\n")
    running.process.send_signal(signal.SIGHUP)
    running.until("stays")
    assert any(line.startswith(f"{path}:1:1: ACTION(FWD) needs FWDQ") for line in running.lines)
    bury(b"still")
    assert mqx("get", TO, "--wait", "30s", check=True).out == b"still"
    Path(path).unlink()
    running.process.send_signal(signal.SIGHUP)
    running.until("stays")
    assert running.end(signal.SIGTERM)[0] == 0


def test_a_selection_is_applied_to_what_arrives_later(mqx, bury, service):
    running = service("--grep", "mine", rules=WAITING)
    bury(b"yours")
    bury(b"mine")
    assert mqx("get", TO, "--wait", "30s", check=True).out == b"mine"
    status, _ = running.end(signal.SIGTERM)
    assert status == 0
    assert mqx("qdepth", DLQ, "--count", check=True).out.strip() == b"1"


def test_a_closed_pipe_is_141_after_the_messages_are_handled(bury, environment, data_on, rules):
    bury(b"done")
    reader, writer = os.pipe()
    os.close(reader)
    words = [script(), "dlq-handle", "--rules", rules(), "--once", "-o", "json"]
    done = subprocess.run(words, env=environment, stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert done.returncode == 141
    assert data_on(TO) == ["done"]
