"""``mqx get``: what is got, how it is written, how long it waits, and what stays on the queue."""

from __future__ import annotations

import csv
import io
import json
import signal
import subprocess
import sys

import pytest

Q = "DEV.QUEUE.1"


@pytest.mark.parametrize(
    ("options", "expected", "left"),
    [
        pytest.param([], b"a", 2, id="one message, nothing added"),
        pytest.param(["-n", "2"], b"a\nb", 1, id="a newline between"),
        pytest.param(["-n", "5"], b"a\nb\nc", 0, id="fewer than asked for is a success"),
        pytest.param(["--all"], b"a\nb\nc", 0, id="all"),
        pytest.param(["--all", "-0"], b"a\0b\0c", 0, id="NUL between"),
        pytest.param(["--all", "-o", "raw"], b"a\nb\nc", 0, id="raw by name"),
    ],
)
def test_raw_is_the_data_and_what_stands_between(abc, mqx, bodies, options, expected, left):
    assert mqx("get", Q, *options, check=True).out == expected
    assert len(bodies(Q)) == left


def test_an_empty_queue_is_3_and_silent(qm, mqx):
    assert mqx("get", Q) == (3, b"", "")


@pytest.mark.parametrize(
    ("output", "expected"),
    [("raw", b""), ("json", b"[]\n"), ("jsonl", b""), ("plain", b""), ("hex", b""), ("dump", b"")],
)
def test_an_empty_queue_gives_an_empty_document(qm, mqx, output, expected):
    done = mqx("get", Q, "-o", output)
    assert (done.status, done.out, done.err) == (3, expected, "")


def test_a_loop_over_get_ends_by_itself(abc, environment, mqx_path):
    line = f'while "{mqx_path}" get {Q} > one; do cat one; echo; done; echo "ended"'
    done = subprocess.run(["sh", "-c", line], env=environment, cwd=environment["HOME"], capture_output=True, timeout=60)
    assert done.stdout == b"a\nb\nc\nended\n"


def test_json_is_one_array_and_jsonl_one_object_a_line(abc, mqx):
    (one,) = json.loads(mqx("get", Q, "-o", "json", check=True).out)
    assert (one["data"], one["queue"], one["state"]) == ("a", Q, "unlocked")
    lines = mqx("get", Q, "--all", "-o", "jsonl", check=True).out.splitlines()
    assert [json.loads(line)["data"] for line in lines] == ["b", "c"]


def test_json_of_several_messages_is_one_array(abc, mqx):
    assert [one["data"] for one in json.loads(mqx("get", Q, "--all", "-o", "json").out)] == ["a", "b", "c"]


def test_plain_is_tab_separated_without_heading(abc, mqx):
    lines = mqx("get", Q, "--all", "-o", "plain", check=True).out.decode().splitlines()
    cells = [line.split("\t") for line in lines]
    assert [row[-1] for row in cells] == ["a", "b", "c"]
    assert all(len(row) == 7 and len(row[0]) == 48 for row in cells)


def test_csv_has_one_heading(abc, mqx):
    rows = list(csv.DictReader(io.StringIO(mqx("get", Q, "--all", "-o", "csv", check=True).out.decode())))
    assert [(row["data"], row["length"], row["type"]) for row in rows] == [
        ("a", "1", "datagram"),
        ("b", "1", "datagram"),
        ("c", "1", "datagram"),
    ]


def test_table_has_one_heading_and_a_line_a_message(abc, mqx):
    lines = mqx("get", Q, "--all", "-o", "table", check=True).out.decode().splitlines()
    assert lines[0].split()[0] == "MSG_ID"
    assert len(lines) == 4


def test_hex_and_dump_list_the_bytes(abc, mqx):
    assert b"00000000:  61 " in mqx("get", Q, "-o", "hex", check=True).out
    dump = mqx("get", Q, "-o", "dump", check=True).out
    assert b"MsgType" in dump
    assert b"62" in dump


def test_an_output_nobody_knows_takes_nothing(abc, mqx, bodies):
    assert mqx("get", Q, "-o", "yaml").status == 2
    assert bodies(Q) == [b"a", b"b", b"c"]


def test_more_messages_than_a_unit_of_work_holds(qm, mqx, bodies, count_rows):
    lines = b"".join(b"%d\n" % n for n in range(250))
    mqx("put", Q, "--lines", stdin=lines, check=True)
    assert mqx("get", Q, "--all", check=True).out == lines.removesuffix(b"\n")
    assert bodies(Q) == []
    assert count_rows("holders") == 0


@pytest.mark.conformance("BEY-24")
def test_longer_than_max_length_is_7_and_the_message_stays(qm, mqx, bodies):
    mqx("put", Q, "four", check=True)
    done = mqx("get", Q, "--max-length", "3")
    assert (done.status, done.out) == (7, b"")
    assert "MQRC_TRUNCATED_MSG_FAILED 2080" in done.err
    assert bodies(Q) == [b"four"]


def test_what_was_got_before_a_message_too_long_is_counted(qm, mqx, bodies):
    mqx("put", Q, "one", "two", "three", "four", check=True)
    done = mqx("get", Q, "--all", "--max-length", "3")
    assert (done.status, done.out) == (9, b"one\ntwo")
    assert "got so far: 2 messages" in done.err
    assert bodies(Q) == [b"three", b"four"]


@pytest.mark.parametrize("output", ["json", "jsonl", "table", "csv", "plain"])
def test_a_document_that_ends_early_is_complete(qm, mqx, bodies, output):
    mqx("put", Q, "one", "two", "three", "four", check=True)
    done = mqx("get", Q, "--all", "--max-length", "3", "-o", output)
    assert done.status == 9
    assert done.out.count(b"one") == done.out.count(b"two") == 1
    if output == "json":
        assert [one["data"] for one in json.loads(done.out)] == ["one", "two"]
    assert bodies(Q) == [b"three", b"four"]


@pytest.mark.parametrize("selection", [[], ["--grep", "four"]])
def test_accept_truncated_takes_what_fits_and_warns(qm, mqx, bodies, selection):
    mqx("put", Q, "four", check=True)
    done = mqx("get", Q, "--max-length", "3", "--accept-truncated", *selection)
    assert (done.status, done.out) == (4, b"fou")
    assert bodies(Q) == []


def ids_of(mqx, *words):
    return mqx("put", Q, *words, "--print-id", check=True).out.decode().split()


def test_selection_by_msg_id_and_by_its_beginning(qm, mqx):
    ids = ids_of(mqx, "a", "b", "c")
    assert mqx("get", Q, "--msg-id", ids[1], check=True).out == b"b"
    assert mqx("get", Q, "--msg-id", ids[2].lower(), check=True).out == b"c"
    assert mqx("get", Q, "--msg-id", ids[0][:-2], check=True).out == b"a"


def test_a_beginning_that_several_ids_have_is_2_and_takes_nothing(abc, mqx, bodies):
    done = mqx("get", Q, "--msg-id", "41")
    assert done.status == 2
    assert "candidates: " in done.err
    assert len(bodies(Q)) == 3


def test_several_ids_are_got_in_the_order_of_delivery_and_once(qm, mqx):
    ids = ids_of(mqx, "a", "b", "c")
    options = [word for one in (ids[2], ids[0], ids[2]) for word in ("--msg-id", one)]
    assert mqx("get", Q, "--all", *options, check=True).out == b"a\nc"


def test_ids_on_stdin(qm, mqx):
    ids = ids_of(mqx, "a", "b", "c")
    assert mqx("get", Q, "--all", "--ids", "-", stdin=f"{ids[0]}\n{ids[2]}\n".encode()).out == b"a\nc"


def test_ids_in_a_file(qm, mqx, tmp_path):
    (tmp_path / "ids").write_text("\n".join(ids_of(mqx, "a", "b")) + "\n")
    assert mqx("get", Q, "--all", "--ids", str(tmp_path / "ids")).out == b"a\nb"


@pytest.mark.parametrize("stdin", [b"", b"\n"])
def test_no_ids_are_nothing_and_not_everything(abc, mqx, bodies, stdin):
    assert mqx("get", Q, "--all", "--ids", "-", stdin=stdin).status == 3
    assert len(bodies(Q)) == 3


@pytest.mark.parametrize("option", ["--grep", "--where", "--grep-hex", "--pos", "--msg-id"])
def test_an_empty_condition_is_a_mistake_and_not_everything(abc, mqx, bodies, option):
    assert mqx("get", Q, "--all", option, "").status == 2
    assert len(bodies(Q)) == 3


def test_ids_that_are_none_are_a_usage_error(abc, mqx):
    assert mqx("get", Q, "--ids", "-", stdin=b"\xff\xfe").status == 2


def put_selectable(mqx):
    old = {"md": {"put_date": "20200101", "put_time": "00000000", "correl_id": "CC" * 24, "priority": 8}, "data": "old"}
    mqx("put", Q, "--jsonl", "--keep-context", stdin=json.dumps(old).encode(), check=True)
    group = ["--group-id", "AA", "--seq", "1"]
    mqx("put", Q, "new", "--property", "colour=red", "--priority", "5", *group, check=True)
    mqx("put", Q, "New [x] 100%", "--priority", "3", check=True)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--correl-id", "CC" * 24], b"old"),
        (["--correl-id", "CC"], b"old"),
        (["--correl-id", "00" * 24], b"new\nNew [x] 100%"),
        (["--group-id", "AA"], b"new"),
        (["--pos", "2"], b"new"),
        (["--pos", "2..3"], b"new\nNew [x] 100%"),
        (["--pos", "2.."], b"new\nNew [x] 100%"),
        (["--pos", "..2"], b"old\nnew"),
        (["--where", "colour = 'red'"], b"new"),
        (["--where", "Root.MQMD.Priority > 4"], b"old\nnew"),
        (["--where", "colour IS NULL AND Root.MQMD.Priority < 5"], b"New [x] 100%"),
        (["--grep", "[x] 100%"], b"New [x] 100%"),
        (["--grep", "new"], b"new"),
        (["--grep", "NEW", "-i"], b"new\nNew [x] 100%"),
        (["--grep-hex", "6E6577"], b"new"),
        (["--older", "1h"], b"old"),
        (["--newer", "1h"], b"new\nNew [x] 100%"),
        (["--grep", "n", "-i", "--newer", "1h", "--where", "Root.MQMD.Priority = 5"], b"new"),
        (["--grep", "nowhere"], b""),
        (["--msg-id", "FF" * 24], b""),
        (["--pos", "9"], b""),
    ],
)
def test_selection(qm, mqx, options, expected):
    put_selectable(mqx)
    done = mqx("get", Q, "--all", *options)
    assert (done.status, done.out) == (0 if expected else 3, expected)


def test_selection_of_dead_letters_by_reason(qm, mqx, define):
    define("SMALL", max_q_depth=0)
    define("SHUT", inhibit_put=1)
    mqx("put", "SMALL", "full", "--dead-letter")
    mqx("put", "SHUT", "shut", "--dead-letter")
    dlq = "DEV.DEAD.LETTER.QUEUE"
    for reason in ("MQRC_PUT_INHIBITED", "PUT_INHIBITED", "2051"):
        assert len(json.loads(mqx("browse", dlq, "-o", "json", "--reason", reason).out)) == 1
    assert mqx("get", dlq, "--reason", "MQRC_Q_FULL", check=True).out.endswith(b"full")
    assert mqx("get", dlq, "--reason", "MQRC_NO_SUCH").status == 2


@pytest.mark.parametrize("places", ["0", "3..1", "a", "1...3", ".."])
def test_places_that_are_none_are_a_usage_error(abc, mqx, bodies, places):
    assert mqx("get", Q, "--all", "--pos", places).status == 2
    assert len(bodies(Q)) == 3


def test_a_selector_that_does_not_parse_shows_where(abc, mqx, bodies):
    done = mqx("get", Q, "--where", "colour = = 'red'")
    assert done.status == 2
    assert "MQRC_SELECTOR_SYNTAX_ERROR 2459" in done.err
    lines = done.err.splitlines()
    assert lines[1:3] == ["colour = = 'red'", "         ^"]
    assert len(bodies(Q)) == 3


def test_a_locked_message_is_not_there_and_the_hint_says_who_has_it(qm, mqx):
    (msg_id,) = ids_of(mqx, "a")
    mqx("lock", Q, check=True)
    done = mqx("get", Q, "--msg-id", msg_id)
    assert (done.status, done.out) == (3, b"")
    assert done.err.startswith("hint: 1 message is locked by ")


def test_an_unknown_queue_is_5_with_a_suggestion(qm, mqx):
    done = mqx("get", "DEV.QUEUE.9")
    assert done.status == 5
    assert done.err.startswith("mqx: get: queue DEV.QUEUE.9 does not exist (MQRC_UNKNOWN_OBJECT_NAME 2085)\nhint: ")


@pytest.mark.parametrize("options", [[], ["--grep", "x"], ["--wait", "1s"]])
def test_an_inhibited_queue_is_8(qm, mqx, define, options):
    define("SHUT", inhibit_get=1)
    assert mqx("get", "SHUT", *options).status == 8


def test_an_alias_leads_to_its_queue(abc, mqx, define):
    define("OTHER.NAME", "QALIAS", base_q_name=Q)
    assert json.loads(mqx("get", "OTHER.NAME", "-o", "jsonl", check=True).out)["queue"] == Q


def test_a_dry_run_shows_and_leaves(abc, mqx, bodies):
    done = mqx("get", Q, "-n", "2", "--dry-run", "-o", "jsonl", check=True)
    assert [json.loads(line)["data"] for line in done.out.splitlines()] == ["a", "b"]
    assert bodies(Q) == [b"a", b"b", b"c"]


@pytest.mark.parametrize("options", [["-n", "0"], ["-n", "2", "--all"], ["--wait", "soon"], ["--max-length", "big"]])
def test_usage_errors_take_nothing(abc, mqx, bodies, options):
    assert mqx("get", Q, *options).status == 2
    assert len(bodies(Q)) == 3


def test_a_persistent_message_survives_and_the_get_of_it_too(qm, mqx):
    from mqtools.admin import queue_managers

    mqx("put", Q, "kept", "--persistent", check=True)
    mqx("put", Q, "lost", "--not-persistent", check=True)
    queue_managers.end(qm)
    assert mqx("get", Q).status == 5
    queue_managers.start(qm)
    assert mqx("get", Q, "--all", check=True).out == b"kept"


# -- waiting ------------------------------------------------------------------------------------------------


def test_a_wait_that_runs_out_is_3_and_leaves_no_trace(qm, mqx, count_rows):
    for options in ([], ["--grep", "x"], ["-o", "jsonl"]):
        done = mqx("get", Q, "--wait", "100ms", *options)
        assert (done.status, done.out, done.err) == (3, b"", "")
    assert [count_rows(table) for table in ("waiters", "holders")] == [0, 0]


@pytest.mark.parametrize("selection", [[], ["--where", "colour = 'red'"], ["--grep", "yes"]])
def test_a_wait_ends_with_the_message_that_fits(qm, mqx, start, eventually, count_rows, bodies, selection):
    process = start("get", Q, "--wait", "120s", *selection)
    eventually(lambda: count_rows("waiters") == 1)
    if selection:
        mqx("put", Q, "no", check=True)
        eventually(lambda: count_rows("waiters") == 1)
    mqx("put", Q, "yes", "--property", "colour=red", check=True)
    assert process.communicate(timeout=60)[0] == b"yes"
    assert process.returncode == 0
    assert bodies(Q) == ([b"no"] if selection else [])
    assert [count_rows(table) for table in ("waiters", "holders")] == [0, 0]


@pytest.mark.parametrize("selection", [["--where", "colour = 'red'"], ["--grep", "yes"]])
@pytest.mark.parametrize("how", ["unlock", "undo", "edit", "restore"])
def test_a_wait_ends_with_an_older_message_that_comes_back(qm, mqx, start, eventually, count_rows, selection, how):
    mqx("put", Q, "yes", "--property", "colour=red", check=True)
    mqx("put", Q, "later", check=True)
    if how == "unlock":
        lock_id = mqx("lock", Q, "-n", "1", "--print-id", check=True).out.decode().strip()
        words = ["unlock", Q, "--lock-id", lock_id]
    elif how == "undo":
        mqx("get", Q, "--confirm-id", "7", check=True)
        words = ["undo", Q, "--confirm-id", "7"]
    elif how == "edit":
        given = ("--set-property", "colour=grey") if selection[0] == "--where" else ("--body-from", "/dev/null")
        mqx("edit", Q, "--pos", "1", *given, check=True)
        words = ["trash", "restore", "--all"]
    else:
        mqx("delete", Q, "--pos", "1", "--yes", check=True)
        words = ["trash", "restore", "--all"]
    process = start("get", Q, "--wait", "120s", *selection)
    eventually(lambda: count_rows("waiters") == 1)
    mqx("put", Q, "no", check=True)
    eventually(lambda: count_rows("waiters") == 1)
    mqx(*words, check=True)
    assert process.communicate(timeout=60)[0] == b"yes"


def test_a_wait_is_for_each_message(qm, mqx, start, eventually, bodies):
    process = start("get", Q, "-n", "2", "--wait", "120s")
    mqx("put", Q, "a", check=True)
    eventually(lambda: bodies(Q) == [])
    mqx("put", Q, "b", check=True)
    assert process.communicate(timeout=60)[0] == b"a\nb"


@pytest.mark.parametrize("selection", [[], ["--grep", "m"]])
@pytest.mark.parametrize("output", ["raw", "jsonl", "plain", "table", "csv"])
def test_follow_writes_each_message_at_once(qm, mqx, start, eventually, bodies, output, selection):
    process = start("get", Q, "--follow", "-o", output, *selection)
    for body in (b"m1", b"m2"):
        mqx("put", Q, body.decode(), check=True)
        seen = b""
        while body not in seen:
            piece = process.stdout.read1()
            assert piece, process.stderr.read()
            seen += piece
    eventually(lambda: bodies(Q) == [])
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130


def test_an_array_that_is_followed_is_complete_when_it_is_interrupted(qm, mqx, start, eventually, bodies):
    process = start("get", Q, "--follow", "-o", "json")
    mqx("put", Q, "a", "b", check=True)
    eventually(lambda: bodies(Q) == [])
    process.send_signal(signal.SIGINT)
    assert [one["data"] for one in json.loads(process.communicate(timeout=60)[0])] == ["a", "b"]
    assert process.returncode == 130


def test_follow_with_a_number_ends_after_it(qm, mqx, start):
    process = start("get", Q, "--follow", "-n", "2")
    mqx("put", Q, "a", "b", "c", check=True)
    assert process.communicate(timeout=60)[0] == b"a\nb"


def test_two_gets_share_a_queue_without_loss_or_double(qm, mqx, start):
    lines = [b"%d" % n for n in range(300)]
    mqx("put", Q, "--lines", stdin=b"\n".join(lines), check=True)
    both = [start("get", Q, "--all"), start("get", Q, "--all", "--where", "Root.MQMD.Priority >= 0")]
    got = [one for process in both for one in process.communicate(timeout=60)[0].split(b"\n") if one]
    assert sorted(got, key=int) == lines


def test_puts_and_gets_of_several_processes_at_once(qm, start, bodies):
    putters = [start("put", Q, "--lines", stdout=subprocess.DEVNULL) for _ in range(2)]
    getters = [start("get", Q, "-n", "100", "--wait", "120s") for _ in range(2)]
    for number, putter in enumerate(putters):
        putter.stdin.write(b"".join(b"%d-%d\n" % (number, n) for n in range(100)))
        putter.stdin.close()
    got = [one for getter in getters for one in getter.communicate(timeout=60)[0].split(b"\n")]
    assert sorted(got) == sorted(b"%d-%d" % (number, n) for number in range(2) for n in range(100))
    assert bodies(Q) == []


def test_one_of_several_selected_goes_to_each_of_two_gets(qm, mqx, start):
    mqx("put", Q, "--lines", stdin=b"x1\nx2\nx3\nx4\n", check=True)
    both = [start("get", Q, "-n", "2", "--grep", "x") for _ in range(2)]
    got = b"\n".join(process.communicate(timeout=60)[0] for process in both)
    assert sorted(got.split(b"\n")) == [b"x1", b"x2", b"x3", b"x4"]


#: A get that somebody else is faster than, who gives the message back while it waits.
OVERTAKEN = f"""
import runpy, sys
from mqtools.constants.options import MQGMO_SYNCPOINT, MQOO_INPUT_SHARED
from mqtools.mqi.connection import connect
from mqtools.mqi.handle import Handle

other = connect("QM1")
theirs = other.open("{Q}", MQOO_INPUT_SHARED)
get, wait = Handle.get, Handle.wait_for_arrival

def too_late(*given, **named):
    Handle.get = get
    theirs.get(MQGMO_SYNCPOINT)
    return get(*given, **named)

def given_back_meanwhile(handle, deadline, look):
    return wait(handle, deadline, lambda: look() or other.backout())

Handle.get, Handle.wait_for_arrival = too_late, given_back_meanwhile
del sys.argv[0]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def test_what_somebody_else_had_and_gives_back_is_got(qm, mqx, mqx_path, environment):
    mqx("put", Q, "x", check=True)
    command = [sys.executable, "-c", OVERTAKEN, mqx_path, "get", Q, "-m", "QM1", "--grep", "x", "--wait", "60s"]
    done = subprocess.run(command, env=environment, capture_output=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"x", b"")
