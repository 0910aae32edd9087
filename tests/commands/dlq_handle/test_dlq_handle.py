"""``mqx dlq-handle``: tables checked, rehearsed and run once; which queue it reads, what it says, how it ends."""

from __future__ import annotations

import json

import pytest

from mqtools.constants.reasons import MQRC_UNKNOWN_OBJECT_NAME

from ..burial import DLQ, OTHER, TO, bury

pytestmark = pytest.mark.usefixtures("qm")

#: A table with a rule for what is full, one for one application, and an end.
TABLE = b"""WAIT(NO) RETRYINT(1)
REASON(MQRC_Q_FULL) ACTION(RETRY)
APPLIDAT(KEEP) ACTION(IGNORE)
ACTION(FWD) FWDQ(DEV.QUEUE.2) HEADER(NO)
"""


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
    done = mqx("dlq-handle", "--rules", path, "--check").ended(2)
    assert done.err.splitlines() == [
        f"{path}:1:14: 'ACTON' is not a keyword; did you mean ACTION?",
        "REASON(2053) ACTON(RETRY)",
        "             ^",
        f"{path}:4:2: ACTION(FWD) needs FWDQ",
        "        ACTION(FWD)",
        "        ^",
        "2 mistakes",
    ]


def test_of_a_long_line_is_shown_what_is_around_the_mistake(mqx, rules):
    path = rules(b"REASON(2053) " * 1000 + b"ACTON(RETRY) " + b"DESTQ(A) " * 1000 + b"\n")
    said = mqx("dlq-handle", "--rules", path, "--check").err.splitlines()
    (at,) = (n for n, line in enumerate(said) if line.startswith(f"{path}:1:13001: 'ACTON' is not a keyword"))
    shown, caret = said[at + 1 : at + 3]
    assert shown.startswith("…")
    assert shown.endswith("…")
    assert len(shown) < 1000
    assert shown[len(caret) - 1 :].startswith("ACTON(RETRY)")


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
    done = mqx("dlq-handle", "--check", stdin=b"\x1b]0;owned\x07 ACTION(RETRY)\n").ended(2)
    assert "\x1b" not in done.err
    assert "\x07" not in done.err


def test_a_table_is_text_in_utf_8_or_latin_1(mqx):
    mqx("dlq-handle", "--check", stdin=b"\x7fELF\0\n").ended(2, "cannot read <stdin> as a rules table: it is not text")
    assert mqx("dlq-handle", "--check", stdin="* Größe\nACTION(RETRY)\n".encode("latin-1")).status == 0


def test_a_table_with_mistakes_touches_no_message(mqx, data_on):
    bury()
    done = mqx("dlq-handle", "--once", stdin=b"ACTION(DISCARD)\nACTION(FWD)\n").ended(2, "1 mistake\n")
    assert "2 mistakes" not in done.err
    assert len(data_on(DLQ)) == 1


# --dry-run and --explain


def test_dry_run_says_what_would_become_of_each_message_and_changes_nothing(mqx, rules, data_on):
    full = bury()
    unknown = bury(to="NO.SUCH")
    other = bury(reason=MQRC_UNKNOWN_OBJECT_NAME)
    mqx("put", DLQ, "no dead letter", check=True)
    before = mqx("browse", DLQ, "-o", "jsonl").out
    done = mqx("dlq-handle", "--rules", rules(), "--dry-run", "--once", "-o", "jsonl")
    rows = done.rows
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


def test_dry_run_in_plain_is_a_tab_separated_line_a_message(mqx, rules):
    msg_id = bury()
    done = mqx("dlq-handle", "--rules", rules(), "--dry-run", check=True)
    assert done.out.decode().split("\t") == [msg_id, "MQRC_Q_FULL", "RETRY", "2", TO, "QM1", "\n"]


def test_explain_shows_why_rules_do_not_match(mqx, rules):
    bury()
    msg_id = bury(reason=MQRC_UNKNOWN_OBJECT_NAME)
    words = ["dlq-handle", "--rules", rules(), "--explain", "--msg-id", msg_id]
    [row] = mqx(*words, "-o", "jsonl", check=True).rows
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
def test_once_handles_what_is_there_and_gives_totals(mqx, rules, data_on):
    bury(b"one")
    bury(b"two", reason=MQRC_UNKNOWN_OBJECT_NAME)
    done = mqx("dlq-handle", "--rules", rules(), "--once")
    assert (done.status, done.out) == (0, b"")
    assert (data_on(TO), data_on(OTHER), data_on(DLQ)) == (["one"], ["two"], [])
    assert done.err.startswith(f"AMQ8708: processing started on INPUTQ({DLQ})\n")
    assert "AMQ8709" in done.err
    assert "line 2: chosen once\nline 4: chosen once\n" in done.err


def test_totals_in_json_are_one_object_on_stderr(mqx, rules):
    bury(b"one")
    mqx("put", DLQ, "no dead letter", check=True)
    done = mqx("dlq-handle", "--rules", rules(), "--once", "-o", "json")
    totals = done.totals
    assert (done.status, done.out, totals["messages"]) == (9, b"", 2)
    assert totals["handled"] == {"RETRY": 1, "FWD": 0, "DISCARD": 0}
    assert totals["left"] == {"put_failed": 0, "no_dlh": 1, "no_rule": 0, "loop": 0, "ignored": 0}
    assert totals["rules"] == [{"line": 2, "count": 1}, {"line": 3, "count": 0}, {"line": 4, "count": 0}]
    assert (totals["qmgr"], totals["queue"], totals["ended_by"]) == ("QM1", DLQ, None)


def test_ignored_by_a_rule_is_0_and_stays(mqx):
    bury()
    assert mqx("dlq-handle", "--once", stdin=b"ACTION(IGNORE)\n").status == 0
    assert mqx("dlq-handle", "--once", stdin=b"ACTION(DISCARD)\n").status == 0
    assert mqx("dlq-handle", "--once", stdin=b"ACTION(DISCARD)\n").status == 3


def test_nothing_there_is_3_in_every_way_of_running(mqx, rules):
    for words in (["--once"], [], ["--dry-run"], ["--explain"]):
        assert mqx("dlq-handle", "--rules", rules(), *words).status == 3


def test_selection_restricts_what_the_table_is_applied_to(mqx, rules, data_on):
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
def test_the_queue_is_the_argument_then_inputq_then_deadq(mqx, data_on):
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
        return done.totals["qmgr"] if "AMQ8708" in done.err else done.status

    assert chosen(DLQ, "QM2", "-m", "QM1", inputqm="") == "QM2"
    assert chosen("-m", "QM1", inputqm="", MQX_QMGR="QM2") == "QM1"
    assert chosen(inputqm="", MQX_QMGR="QM2") == 5
    assert chosen(MQX_QMGR="QM2") == "QM2"
    assert chosen(DLQ, " ", "-m", "QM1", inputqm="", MQX_QMGR="QM2") == "QM2"


def test_an_unknown_queue_or_no_queue_at_all_is_5(mqx):
    assert mqx("dlq-handle", "NO.SUCH", "--once", stdin=b"ACTION(RETRY)\n").status == 5
    mqx("mqsc", "ALTER QMGR DEADQ(' ')", check=True)
    assert mqx("dlq-handle", "--once", stdin=b"ACTION(RETRY)\n").status == 5


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
