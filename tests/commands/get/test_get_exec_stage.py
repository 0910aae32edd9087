"""``mqx get --exec`` as a stage: the output is put in the unit of work that takes the messages."""

from __future__ import annotations

import json
import random
import signal
import time

import pytest

from ..test_confirm_killed import count_steps as count_steps
from ..test_confirm_killed import killed as killed

IN, OUT, REPLIES = "DEV.QUEUE.1", "DEV.QUEUE.2", "DEV.QUEUE.3"
UPPER = "tr a-z A-Z"
CORREL_ID = "AB" * 24

pytestmark = pytest.mark.usefixtures("qm")


@pytest.fixture
def backouts(browse):
    """Data and backout count of what can be browsed on a queue."""
    return lambda queue: [(one["data"], one["md"]["backout_count"]) for one in browse(queue)]


def test_a_message_inherits_priority_persistence_expiry_correlation_id_and_properties(mqx, browse):
    options = ("--priority", "7", "--not-persistent", "--expiry", "1h", "--correl-id", CORREL_ID, "--group-id", "AB")
    mqx("put", IN, "a", *options, "--property", "colour=red", "--report", "coa", "--reply-to", REPLIES, check=True)
    (original,) = browse(IN)
    assert mqx("get", IN, "--exec", UPPER, "--to", OUT) == (0, b"", "")
    (made,) = browse(OUT)
    assert (made["data"], made["properties"], browse(IN)) == ("A", original["properties"], [])
    inherited = ("priority", "persistence", "correl_id")
    assert [made["md"][field] for field in inherited] == [7, "MQPER_NOT_PERSISTENT", CORREL_ID]
    assert 35_000 < made["md"]["expiry"] <= 36_000
    assert (made["md"]["report"], made["md"]["reply_to_q"], made["md"]["group_id"]) == (["MQRO_NONE"], "", "0" * 48)
    assert made["md"]["msg_id"] != original["md"]["msg_id"]


@pytest.mark.parametrize(
    ("options", "output", "expected"),
    [
        ((), r"a\nb\n", [b"a\nb\n"]),
        ((), "", []),
        (("--split", "lines"), r"a\r\n\nb", [b"a", b"", b"b"]),
        (("--split", "null"), r"a\n\000b\000", [b"a\n", b"b"]),
        (("--split", "jsonl"), r'{"data":"a"}\n\n{"data_b64":"AAE="}\n', [b"a", b"\0\1"]),
    ],
)
def test_the_output_is_one_message_unless_it_is_split(mqx, bodies, options, output, expected):
    mqx("put", IN, "a", check=True)
    mqx("get", IN, "--exec", f"printf '{output}'", "--to", OUT, *options, check=True)
    assert (bodies(OUT), bodies(IN)) == (expected, [])


def test_json_lines_set_any_field(mqx, browse):
    mqx("put", IN, "a", "--priority", "7", "--property", "colour=red", check=True)
    properties = {"n": {"type": "int32", "value": 5}}
    line = json.dumps({"data": "x", "md": {"priority": 2, "correl_id": CORREL_ID}, "properties": properties})
    mqx("get", IN, "--exec", f"echo '{line}'", "--to", OUT, "--split", "jsonl", check=True)
    (made,) = browse(OUT)
    assert (made["md"]["priority"], made["md"]["correl_id"]) == (2, CORREL_ID)
    assert {name: each["value"] for name, each in made["properties"].items()} == {"colour": "red", "n": 5}


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("cat; false", "exit status 1"),
        ("cat", "<output>:2:1: this is not JSON: Expecting value"),
        ("head -c 104857601 /dev/zero", "wrote more than 104857600 bytes"),
    ],
)
def test_a_command_whose_output_is_no_messages_has_failed(mqx, backouts, command, words):
    mqx("put", IN, '{"data":"a"}\nb', check=True)
    done = mqx("get", IN, "--exec", command, "--to", OUT, "--split", "jsonl")
    assert (done.status, backouts(OUT), backouts(IN)) == (9, [], [('{"data":"a"}\nb', 1)])
    assert f"{words}\n" in done.err


def test_an_output_without_end_is_ended(mqx, backouts):
    mqx("put", IN, "a", check=True)
    done = mqx("get", IN, "--exec", "while :; do head -c 10000000 /dev/zero; done", "--to", OUT)
    assert (done.status, backouts(IN)) == (9, [("a", 1)])
    assert "wrote more than 104857600 bytes" in done.err


def test_an_unknown_queue_takes_nothing(mqx, backouts):
    mqx("put", IN, "a", check=True)
    for target in ("NO.SUCH.QUEUE", "NO.SUCH@QM9"):
        assert mqx("get", IN, "--exec", "touch ran", "--to", target).status == 5
    assert backouts(IN) == [("a", 0)]


@pytest.mark.parametrize("attribute", ["PUT(DISABLED)", "MAXDEPTH(1)", "MAXMSGL(1)"])
def test_what_the_queue_refuses_is_backed_out(mqx, backouts, attribute):
    mqx("mqsc", f"ALTER QLOCAL({OUT}) {attribute}", check=True)
    mqx("put", IN, "a", check=True)
    done = mqx("get", IN, "--exec", "echo 1; echo 22", "--to", OUT, "--split", "lines")
    assert (done.status, backouts(IN), backouts(OUT)) == (9, [("a", 1)], [])
    assert "backed out: cannot put the output: " in done.err


def test_a_queue_deleted_since_the_start_refuses(mqx, mqx_path, backouts):
    mqx("put", IN, "a", check=True)
    done = mqx("get", IN, "--exec", f"{mqx_path} mqsc 'DELETE QLOCAL({OUT})' >&2; cat", "--to", OUT)
    assert (done.status, backouts(IN)) == (9, [("a", 1)])
    assert "MQRC_UNKNOWN_OBJECT_NAME 2085" in done.err


def test_a_queue_of_another_queue_manager_is_reached_by_its_transmission_queue(mqx, browse):
    mqx("mqsc", "DEFINE QLOCAL(QM2) USAGE(XMITQ)", check=True)
    mqx("put", IN, "a", check=True)
    mqx("get", IN, "--exec", UPPER, "--to", "THERE@QM2", check=True)
    (sent,) = browse("QM2")
    assert (sent["body"], sent["headers"][0]["remote_q_name"]) == ("A", "THERE")


@pytest.mark.parametrize(
    ("report", "expected"), [((), ("other", "msg_id")), (("pass-msg-id", "pass-correl-id"), ("msg_id", "correl_id"))]
)
def test_a_reply_has_the_identifiers_that_the_report_options_ask_for(mqx, browse, report, expected):
    options = ("--report", ",".join(report)) if report else ()
    mqx("put", IN, "a", "--type", "request", "--reply-to", REPLIES, "--correl-id", CORREL_ID, *options, check=True)
    (request,) = browse(IN)
    mqx("get", IN, "--exec", UPPER, "--reply", check=True)
    (reply,) = browse(REPLIES)
    known = {request["md"][field]: field for field in ("msg_id", "correl_id")}
    assert tuple(known.get(reply["md"][field], "other") for field in ("msg_id", "correl_id")) == expected
    assert (reply["data"], reply["md"]["msg_type"], reply["md"]["format"]) == ("A", "MQMT_REPLY", "MQSTR")


@pytest.mark.parametrize(("others", "status"), [((), 1), (("b",), 9)])
def test_a_message_without_a_reply_queue_is_backed_out_and_runs_no_command(mqx, backouts, tmp_path, others, status):
    mqx("put", IN, "a", check=True)
    for other in others:
        mqx("put", IN, other, "--reply-to", REPLIES, check=True)
    done = mqx("get", IN, "--all", "--exec", f"cat >> {tmp_path}/ran", "--reply")
    assert (done.status, backouts(IN)) == (status, [("a", 1)])
    assert "MQRC_MISSING_REPLY_TO_Q 2027" in done.err
    assert (tmp_path / "ran").exists() == bool(others)


def test_a_stage_killed_at_any_step_loses_and_doubles_nothing(mqx, bodies, killed, count_steps):
    stage = ("get", IN, "--all", "--exec", "read -r w; echo $w-; echo $w+", "--to", OUT, "--split", "lines")
    words = [f"m{number}" for number in range(60)]
    mqx("put", IN, *words[:2], "--persistent", check=True)
    whole = count_steps(*stage)
    mqx("put", IN, *words[2:], "--persistent", check=True)
    chance = random.Random(3)
    left = [killed(whole * chance.uniform(0.3, 1.5), *stage) for _ in range(12)]
    assert left.count(-signal.SIGKILL) >= 8
    assert mqx("qdepth", IN, "--count").out > b"0\n", "there is something left to do"
    mqx("get", IN, "--wait", "2s", *stage[2:], check=True)
    expected = [f"{word}{sign}" for word in words for sign in "-+"]
    assert (sorted(body.decode() for body in bodies(OUT)), bodies(IN)) == (sorted(expected), [])


def test_a_failure_of_one_worker_takes_no_message_of_another(mqx, bodies):
    mqx("put", IN, "1", "2", "too long", check=True)
    command = "read -r one; [ $one = 1 ] || exec sleep 60"
    done = mqx("get", IN, "--all", "--max-length", "4", "--parallel", "2", "--exec", command)
    assert (done.status, bodies(IN)) == (9, [b"2", b"too long"])


def test_a_batch_is_json_lines_of_up_to_so_many_messages(mqx, browse, tmp_path):
    mqx("put", IN, "a", "b", "c", "--property", "n=1", check=True)
    before = browse(IN)
    command = f"cat > {tmp_path}/$(ls {tmp_path} | wc -l).jsonl"
    done = mqx("get", IN, "--all", "--exec-batch", "2", "--exec", command)
    assert (done.status, done.err) == (0, "3 messages done\n")
    batches = [path.read_text().splitlines() for path in sorted(tmp_path.glob("*.jsonl"))]
    assert [len(lines) for lines in batches] == [2, 1]
    assert [json.loads(line) for lines in batches for line in lines] == before


def test_a_batch_is_taken_or_backed_out_as_a_whole_and_then_handed_one_by_one(mqx, backouts, bodies):
    mqx("put", IN, "a", "bad", "c", check=True)
    batch = ("get", IN, "--all", "--exec-batch", "10", "-0", "--to", OUT, "--exec", "tr '\\0' , | grep -v bad")
    done = mqx(*batch)
    assert (done.status, backouts(IN), bodies(OUT)) == (9, [("a", 1), ("bad", 1), ("c", 1)], [])
    assert "3 messages backed out: exit status 1" in done.err
    mqx("put", IN, "d", "e", check=True)
    assert mqx(*batch).status == 9
    assert (backouts(IN), bodies(OUT)) == ([("bad", 2)], [b"a,\n", b"c,\n", b"d,e,\n"])


def test_a_message_backed_out_before_ends_a_batch_and_counts_no_backout_for_that(mqx, backouts):
    mqx("put", IN, "old", check=True)
    assert mqx("get", IN, "--exec", "false").status == 9
    mqx("put", IN, "new", "--priority", "9", check=True)
    mqx("put", IN, "last", check=True)
    for selection in ((), ("--where", "Root.MQMD.Priority >= 0")):
        done = mqx("get", IN, "--all", *selection, "--exec-batch", "5", "-0", "--exec", "tr '\\0' ,; echo; exit 1")
        assert (done.status, done.out) == (9, b"new,\nold,\nlast,\n")
    assert backouts(IN) == [("new", 2), ("old", 3), ("last", 2)]


def test_the_output_of_a_batch_has_a_default_descriptor(mqx, browse):
    mqx("put", IN, "a", "b", "--priority", "7", "--property", "colour=red", "--correl-id", CORREL_ID, check=True)
    mqx("get", IN, "--all", "--exec-batch", "2", "--exec", "wc -l", "--to", OUT, check=True)
    (made,) = browse(OUT)
    assert (made["data"].strip(), made["md"]["priority"], made["properties"]) == ("2", 0, {})
    assert made["md"]["correl_id"] == "0" * 48


def test_a_batch_ends_with_the_number_of_messages(mqx, bodies):
    mqx("put", IN, *"abcde", check=True)
    done = mqx("get", IN, "-n", "3", "--exec-batch", "2", "-0", "--exec", "tr '\\0' ,; echo")
    assert (done.status, done.out, bodies(IN)) == (0, b"a,b,\nc,\n", [b"d", b"e"])


def test_a_batch_keeps_the_rate_of_messages(mqx):
    mqx("put", IN, *"abcdef", check=True)
    begun = time.monotonic()
    mqx("get", IN, "--all", "--exec-batch", "3", "--rate", "6/s", "--exec", "cat", check=True)
    assert time.monotonic() - begun > 0.5


@pytest.mark.parametrize(
    "options",
    [
        ("--to", OUT, "--reply", "--exec", "cat"),
        ("--split", "lines", "--exec", "cat"),
        ("--reply", "--exec-batch", "2", "--exec", "cat"),
        ("--to", "", "--exec", "cat"),
        ("--to", OUT),
        ("--reply",),
        ("--exec-batch", "2"),
    ],
)
def test_options_that_cannot_be_combined_take_nothing(mqx, bodies, options):
    mqx("put", IN, "a", check=True)
    assert mqx("get", IN, *options).status == 2
    assert bodies(IN) == [b"a"]


def test_max_run_starts_no_command_and_lets_the_running_one_end(mqx, bodies):
    mqx("put", IN, "a", "b", check=True)
    done = mqx("get", IN, "--follow", "--max-run", "300ms", "--exec", "sleep 0.5; cat")
    assert (done, bodies(IN)) == ((0, b"a", "1 message done\n"), [b"b"])


def test_max_run_ends_a_wait_for_messages_and_a_pause_before_a_retry(mqx, define):
    assert mqx("get", IN, "--follow", "--max-run", "100ms", "--exec", "cat") == (0, b"", "0 messages done\n")
    define(IN, backout_threshold=5)
    mqx("put", IN, "a", check=True)
    done = mqx("get", IN, "--follow", "--max-run", "300ms", "--retry-delay", "1m", "--exec", "false")
    assert (done.status, done.err.splitlines()[-1]) == (9, "0 messages done, 1 backed out")
