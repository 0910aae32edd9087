"""``mqx put --request``: a request, and its reply on standard output."""

from __future__ import annotations

import json
import os
import signal

import pytest

pytestmark = pytest.mark.usefixtures("qm")

Q, REPLIES, OTHER, MODEL = "DEV.QUEUE.1", "DEV.QUEUE.2", "DEV.QUEUE.3", "REPLY.MODEL"
CORREL_ID = "C0" * 24
#: A server that answers in capitals, as a shell command; the words after it are options of its reply.
SERVER = 'tr a-z A-Z | mqx put "$MQX_REPLY_TO_Q" --type reply -q '
USUAL = '--correl-id "$MQX_MSG_ID"'


@pytest.fixture
def serve(start, environment, mqx_path):
    """Have a process serve the queue of requests; give it."""
    environment["PATH"] = f"{os.path.dirname(mqx_path)}:{os.environ['PATH']}"

    def begin(options=USUAL, command=SERVER):
        return start("get", Q, "--follow", "--exec", command + options)

    return begin


@pytest.fixture
def model(mqx):
    mqx("mqsc", f"DEFINE QMODEL({MODEL})", check=True)


def ask(mqx, *words, to=REPLIES, **more):
    """Put a request, and wait as long for its reply as any server of these tests may take to start."""
    return mqx("put", Q, "--request", "--reply-to", to, "--wait", "40s", *words, **more)


def ask_patiently(mqx, *words, until, **more):
    """Ask with more and more patience, until the server was quick enough for what is to be seen; some never reply."""
    for wait in ("1s", "8s", "40s"):
        done = ask(mqx, *words, "--wait", wait, **more)
        if until(done):
            break
    return done


def test_the_reply_is_written_and_taken(mqx, serve, bodies, eventually):
    """The request goes when the server's command has ended, which is after its reply has come."""
    serve()
    done = ask(mqx, "hello")
    assert (done.status, done.out, done.err) == (0, b"HELLO", "")
    assert bodies(REPLIES) == []
    eventually(lambda: bodies(Q) == [])


def test_several_requests_one_after_the_other(mqx, serve):
    serve()
    assert ask(mqx, "one", "two").out == b"ONE\nTWO\n"
    done = ask(mqx, "--lines", stdin=b"one\ntwo\nthree\n")
    assert (done.status, done.out) == (0, b"ONE\nTWO\nTHREE\n")
    assert ask(mqx, "-0", stdin=b"one\0two\0").out == b"ONE\0TWO\0"
    done = ask(mqx, "--jsonl", "-o", "jsonl", stdin=b'{"mqx":1,"data":"three"}\n')
    assert [json.loads(line)["data"] for line in done.out.splitlines()] == ["THREE"]


def test_a_reply_comes_while_the_next_line_is_not_there_yet(start, serve):
    serve()
    asking = start("put", Q, "--request", "--reply-to", REPLIES, "--lines", "--wait", "40s")
    for word in (b"one\n", b"two\n"):
        asking.stdin.write(word)
        asking.stdin.flush()
        assert asking.stdout.readline() == word.upper()
    asking.stdin.close()
    assert asking.wait(60) == 0


def test_a_model_queue_makes_a_queue_for_the_replies_that_ends_with_the_command(mqx, serve, model, browse):
    serve()
    done = ask(mqx, "hello", "-o", "json", to=MODEL)
    [reply] = json.loads(done.out)
    assert (reply["data"], reply["queue"][:4]) == ("HELLO", "AMQ.")
    assert reply["queue"] not in mqx("qdepth", check=True).out.decode()


@pytest.mark.conformance("TYPES-08", "TYPES-09", "TYPES-11")
@pytest.mark.parametrize(
    ("report", "options"),
    [
        ("pass-msg-id", '--msg-id "$MQX_MSG_ID" --correl-id "$MQX_MSG_ID"'),
        ("pass-correl-id", '--correl-id "$MQX_CORREL_ID"'),
        ("pass-msg-id,pass-correl-id", '--msg-id "$MQX_MSG_ID" --correl-id "$MQX_CORREL_ID"'),
    ],
)
def test_a_reply_is_known_by_what_the_report_options_ask_for(mqx, serve, bodies, report, options):
    mqx("put", REPLIES, "of another", "--correl-id", "FF", check=True)
    serve(options)
    done = ask(mqx, "hello", "--report", report, "--correl-id", CORREL_ID)
    assert (done.status, done.out, bodies(REPLIES)) == (0, b"HELLO", [b"of another"])


@pytest.mark.conformance("TYPES-15")
def test_reports_that_come_first_are_no_reply_and_stay(mqx, serve, bodies, browse, eventually):
    serve()
    done = ask(mqx, "hello", "--report", "coa,cod")
    assert (done.status, done.out) == (0, b"HELLO")
    eventually(lambda: bodies(Q) == [])  # it is delivered when the server's command has ended
    assert [message["md"]["feedback"] for message in browse(REPLIES)] == ["MQFB_COA", "MQFB_COD"]


def test_no_reply_in_time_is_status_3_and_says_what_is_known(mqx, bodies, browse):
    done = ask(mqx, "hello", "--wait", "10ms")
    assert (done.status, done.out) == (3, b"")
    msg_id = browse(Q)[0]["md"]["msg_id"]
    assert done.err.splitlines() == [
        f"no reply to {msg_id} within 0.01 s",
        f"hint: it is still on {Q}: is a program reading that queue?",
    ]
    assert ask(mqx, "hello", "--wait", "10ms", "-q").err == ""
    assert bodies(Q) == [b"hello", b"hello"]


def test_a_server_that_only_takes_or_refuses_is_told_apart(mqx, serve):
    serve("", command="cat > /dev/null; :")
    done = ask_patiently(mqx, "hello", until=lambda done: "still on" not in done.err)
    done.ended(3, "with correl_id 41", f" on {REPLIES}")


def test_a_report_of_failure_is_in_the_hint(mqx, serve):
    refusal = 'mqx put "$MQX_REPLY_TO_Q" "" --type report --feedback nan --correl-id "$MQX_MSG_ID"; cat > /dev/null'
    serve("", command=refusal)
    done = ask_patiently(mqx, "hello", "--report", "nan", until=lambda done: "still on" not in done.err)
    assert (done.status, done.out) == (3, b"")
    assert "hint: a report says that it was refused: MQFB_NAN" in done.err


def test_some_without_a_reply_is_status_9(mqx, serve):
    answer = SERVER.partition("| ")[2]
    serve(command=f'read -r line; [ "$line" = no ] || echo yes | {answer}')
    done = ask_patiently(mqx, "--lines", stdin=b"no\ngo\n", until=lambda done: done.out)
    assert (done.status, done.out) == (9, b"yes\n\n")


def test_a_reply_that_nobody_reads_stays(mqx, serve, start, bodies, eventually):
    serve()
    asking = start("put", Q, "--request", "--reply-to", REPLIES, "--lines")
    asking.stdout.close()
    asking.stdin.write(b"hello\n")
    asking.stdin.close()
    assert asking.wait(60) == 141
    eventually(lambda: bodies(REPLIES) == [b"HELLO"])  # it may come after that


@pytest.mark.parametrize(("how", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_ends_the_wait_and_leaves_nothing_open(start, model, bodies, count_rows, eventually, how, status):
    asking = start("put", Q, "--request", "--reply-to", MODEL, "--wait", "60s", "hello")
    eventually(lambda: count_rows("waiters") == 1)
    asking.send_signal(how)
    assert asking.wait(60) == status
    assert bodies(Q) == [b"hello"]
    assert (count_rows("waiters"), count_rows("holders")) == (0, 0)


def test_a_killed_one_leaves_its_reply_to_others(start, mqx, bodies, count_rows, eventually):
    asking = start("put", Q, "--request", "--reply-to", REPLIES, "--wait", "60s", "hello")
    eventually(lambda: count_rows("waiters") == 1)
    asking.kill()
    asking.wait(60)
    mqx("report-gen", Q, "--action", "reply", "--data", "late", "--consume", check=True)
    assert mqx("get", REPLIES).out == b"late"


def test_a_dry_run_puts_nothing_and_does_not_wait(mqx, bodies):
    done = ask(mqx, "hello", "--dry-run")
    assert (done.status, done.out, bodies(Q)) == (0, b"", [])


def test_a_request_that_cannot_be_put_has_the_status_of_its_reason(mqx, define):
    define(Q, inhibit_put=1)
    assert ask(mqx, "hello").status == 8
    assert ask(mqx, "hello", to="NOWHERE").status == 5
    assert mqx("put", "NOWHERE", "x", "--request", "--reply-to", REPLIES).status == 5


@pytest.mark.parametrize(
    "words",
    [
        ("--request",),
        ("--request", "--reply-to", f"{REPLIES}@ELSEWHERE"),
        ("--request", "--reply-to", REPLIES, "--type", "datagram"),
        ("--request", "--reply-to", REPLIES, "--confirm-id", "1"),
        ("--request", "--reply-to", REPLIES, "--dead-letter"),
        ("--request", "--reply-to", REPLIES, "--print-id"),
        ("--request", "--reply-to", REPLIES, "--batch", "all"),
        ("--request", "--reply-to", REPLIES, "--report", "pass-correl-id"),
        ("--wait", "5s"),
        ("--force",),
    ],
)
def test_words_that_make_no_sense(mqx, bodies, words):
    done = mqx("put", Q, "hello", *words)
    assert (done.status, done.out, bodies(Q)) == (2, b"", [])
