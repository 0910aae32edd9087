"""Changes of a queue manager elsewhere: put, get, move, copy, load, unload, dead letters, publications, definitions."""

from __future__ import annotations

import json
import signal

import pytest

Q, R, DLQ = "DEV.QUEUE.1", "DEV.QUEUE.2", "DEV.DEAD.LETTER.QUEUE"

TABLE = """
REASON(MQRC_Q_FULL) ACTION(RETRY)
REASON(MQRC_PUT_INHIBITED) ACTION(FWD) FWDQ(DEV.QUEUE.3) HEADER(NO)
REASON(MQRC_MSG_TOO_BIG_FOR_Q) ACTION(DISCARD)
DESTQ(SELF) ACTION(FWD) FWDQ(DEV.DEAD.LETTER.QUEUE)
ACTION(IGNORE)
"""


def test_what_is_got_was_written_before(there, start, bodies):
    there("put", Q, "a", "b", "c", check=True)
    assert there("get", Q, check=True).out == b"a"
    assert there("get", Q, "--grep", "c", check=True).out == b"c"
    assert bodies(Q) == [b"b"]
    with open("/dev/full", "wb") as full:
        assert start("get", Q, "-m", "ELSEWHERE", "--yes", stdout=full).wait(60) == 10
    assert bodies(Q) == [b"b"]
    assert (there("get", Q, "--all", check=True).out, there("get", Q).status) == (b"b\n", 3)


@pytest.mark.parametrize("selection", [(), ("--grep", "yes")])
def test_a_get_waits_for_what_fits(mqx, there, start, selection):
    waiting = start("get", Q, "-m", "ELSEWHERE", "--yes", "--wait", "50s", *selection)
    mqx("put", "-m", "QM1", R, "elsewhere", check=True)
    mqx("put", "-m", "QM1", Q, "yes", check=True)
    assert waiting.communicate(timeout=60)[0] == b"yes"
    assert there("get", Q, "--wait", "100ms", *selection).status == 3


def test_a_wait_ends_when_nobody_reads_the_output(start, port, eventually):
    waiting = start("get", Q, "-m", "ELSEWHERE", "--yes", "--follow")
    waiting.stdout.close()
    assert waiting.wait(60) == 141


def test_move_and_copy_keep_the_message_and_stop_at_a_full_queue(there, define, browse, bodies):
    define("SMALL", max_q_depth=2)
    words = ("--correl-id", "text:c", "--priority", "3", "--reply-to", "A@B")
    there("put", Q, "a", "b", "c", *words, check=True)
    before = browse(Q)
    done = there("move", Q, "SMALL")
    assert (done.status, bodies("SMALL"), bodies(Q)) == (9, [b"a", b"b"], [b"c"])
    assert there("move", Q, "SMALL", "--batch", "all").status == 7
    there("copy", "SMALL", R, "--grep", "b", check=True)
    assert (bodies(R), bodies("SMALL")) == ([b"b"], [b"a", b"b"])
    assert [message["md"] for message in browse("SMALL")] == [message["md"] for message in before[:2]]


def test_a_dump_comes_back_as_it_was(there, browse, tmp_path):
    there("put", Q, "a", "b", "--persistent", "--expiry", "1h", check=True)
    before = browse(Q)
    file = str(tmp_path / "q.dump")
    there("unload", Q, file, "--move", check=True)
    assert browse(Q) == []
    there("load", Q, file, check=True)
    for message in (*before, *(after := browse(Q))):
        assert message["md"].pop("expiry") > 35_000
    assert after == before


def test_each_action_of_a_rules_table(mqx, there, define, bodies, tmp_path, browse):
    define("FULL", max_q_depth=1)
    define("CLOSED", inhibit_put=1)
    define("SHORT", max_msg_length=1)
    for target in ("FULL", "CLOSED", "SHORT"):
        mqx("put", "-m", "QM1", target, *["letter"] * (1 + (target == "FULL")), "--dead-letter")
    mqx("put", "-m", "QM1", DLQ, "no header", check=True)
    (tmp_path / "rules").write_text(TABLE)
    words = ("dlq-handle", "--rules", str(tmp_path / "rules"), "--once")
    done = there(*words, "-o", "json")
    assert (done.status, done.totals["handled"]) == (9, {"RETRY": 0, "FWD": 1, "DISCARD": 1})
    assert (done.totals["left"]["put_failed"], done.totals["left"]["no_dlh"]) == (1, 1)
    assert (bodies("DEV.QUEUE.3"), len(bodies(DLQ))) == ([b"letter"], 2)
    assert [message["md"]["backout_count"] for message in browse(DLQ)] == [1, 1]
    define("FULL", max_q_depth=2)
    assert there(*words, "-o", "json").totals["handled"] == {"RETRY": 1, "FWD": 0, "DISCARD": 0}
    assert (bodies("FULL"), bodies(DLQ)) == ([b"letter", b"letter"], [b"no header"])


def test_a_rule_that_forwards_to_its_own_queue_is_no_loop(mqx, there, define, bodies, tmp_path):
    define("FULL", max_q_depth=1)
    define("ALIAS", "QALIAS", base_q_name=DLQ)
    mqx("put", "-m", "QM1", "FULL", "a", "b", "--dead-letter")
    (tmp_path / "rules").write_text("ACTION(FWD) FWDQ(ALIAS)\n")
    done = there("dlq-handle", "--rules", str(tmp_path / "rules"), "--once", "-o", "json")
    assert (done.totals["left"]["loop"], len(bodies(DLQ))) == (1, 1)


def test_a_redrive_puts_letters_back_where_they_were_for(mqx, there, define, bodies, browse):
    define("FULL", max_q_depth=1)
    mqx("put", "-m", "QM1", "FULL", "a", "b", "c", "--dead-letter", "--property", "colour=red")
    assert bodies("FULL") == [b"a"]
    mqx("put", "-m", "QM1", DLQ, "no header", check=True)
    there("dlq-handle", "--redrive").ended(9, "2053", "0 messages redriven, 3 left")
    mqx("get", "-m", "QM1", "FULL", check=True)
    done = there("dlq-handle", "--redrive", "-o", "json")
    assert (done.status, json.loads(done.err.splitlines()[-1])["redriven"]) == (9, 1)
    (back,) = browse("FULL")
    properties = back["properties"]
    assert (properties["usr.colour"]["value"], properties["mqx.redrive.count"]["value"]) == ("red", 1)
    assert there("dlq-handle", "--redrive", "--to", R, check=False).status == 9
    (body,) = bodies(R)
    assert (body.endswith(b"c"), len(bodies(DLQ))) == (True, 1)


def test_a_plan_that_was_made_there_is_applied_there(mqx, there, define, bodies, tmp_path):
    define("FULL", max_q_depth=1)
    mqx("put", "-m", "QM1", "FULL", "a", "b", "c", "--dead-letter")
    mqx("get", "-m", "QM1", "FULL", check=True)
    (tmp_path / "rules").write_text("ACTION(RETRY)\nACTION(FWD) FWDQ(DEV.QUEUE.2) HEADER(NO)\n")
    plan = str(tmp_path / "plan")
    done = there("dlq-handle", "--rules", str(tmp_path / "rules"), "--plan", plan, check=True)
    assert ("planned 2 actions for QM1_" in done.err, bodies("FULL")) == (True, [])
    there("apply", plan, check=True)
    assert (bodies("FULL"), bodies(R), bodies(DLQ)) == ([b"b"], [b"c"], [])


def test_the_handler_serves_until_it_is_stopped(mqx, start, port, define, bodies, tmp_path, eventually):
    define("FULL", max_q_depth=1)
    (tmp_path / "rules").write_text("WAIT(YES)\nACTION(FWD) FWDQ(DEV.QUEUE.3) HEADER(NO)\n")
    service = start("dlq-handle", "-m", "ELSEWHERE", "--yes", "--rules", str(tmp_path / "rules"))
    assert b"AMQ8708" in service.stderr.readline()
    mqx("put", "-m", "QM1", "FULL", "a", "b", "--dead-letter")
    eventually(lambda: bodies("DEV.QUEUE.3") == [b"b"])
    service.send_signal(signal.SIGTERM)
    assert service.wait(60) == 0


def test_publications_reach_a_subscriber(mqx, there, start):
    subscriber = start("sub", "-m", "ELSEWHERE.RO", "a/#", "-n", "2")
    assert b"subscribed" in subscriber.stderr.readline()
    there("pub", "a/b", "one", check=True)
    mqx("pub", "-m", "QM1", "a/c", "two", check=True)
    assert subscriber.communicate(timeout=60)[0] == b"one\ntwo\n"
    assert "no subscription matched it" in there("pub", "x/y", "z", check=True).err


def test_definitions_are_changed_by_mqsc(there, mqx):
    assert there("mqsc", "DEFINE QLOCAL(NEW) +\n  MAXDEPTH(7)", check=True).out.count(b"AMQ8006I") == 1
    (report,) = json.loads(mqx("mqsc", "-m", "ELSEWHERE.RO", "DIS QL(NEW) MAXDEPTH", "-o", "json", check=True).out)
    assert report["objects"] == [{"name": "NEW", "q_type": "QLOCAL", "max_q_depth": 7}]
    assert there("mqsc", "DEFINE QLOCAL(NEW)").status == 1


def test_a_request_gets_its_reply(mqx, there, start):
    asking = start("put", Q, "-m", "ELSEWHERE", "--yes", "--request", "--reply-to", R, "--wait", "50s", "who")
    request = mqx("get", "-m", "QM1", Q, "--wait", "50s", "-o", "jsonl", check=True).rows[0]
    mqx("put", "-m", "QM1", R, "me", "--correl-id", request["md"]["msg_id"], "--type", "reply", check=True)
    assert asking.communicate(timeout=60)[0] == b"me"


def test_a_command_processes_messages_and_puts_its_output(there, mqx, define, bodies):
    define("JOBS", backout_threshold=2, backout_req_q_name="FAILED.JOBS")
    define("FAILED.JOBS")
    there("put", "JOBS", "a", "bad", "c", check=True)
    exec_words = ("--exec", "read word; test $word != bad && echo done $word", "--retry-delay", "1ms")
    done = there("get", "JOBS", "--all", *exec_words, "--to", R)
    assert (done.status, bodies(R)) == (9, [b"done a\n", b"done c\n"])
    assert "moved to FAILED.JOBS" in done.err
    assert (bodies("JOBS"), bodies("FAILED.JOBS")) == ([], [b"bad"])
    assert there("get", "JOBS", "--exec", "true").status == 3
    assert there("get", R, "--exec", "true", "--to", "NOPE").status == 5


def test_a_command_waits_for_messages_until_a_signal(mqx, start, port, bodies, eventually):
    waiting = start("get", Q, "-m", "ELSEWHERE", "--yes", "--follow", "--grep", "yes", "--exec", "cat")
    mqx("put", "-m", "QM1", Q, "no", "yes", check=True)
    eventually(lambda: bodies(Q) == [b"no"])
    waiting.send_signal(signal.SIGTERM)
    assert (waiting.wait(60), waiting.stdout.read()) == (0, b"yes")


def test_a_get_that_waits_ends_with_the_status_of_its_signal_or_partly_done(mqx, there, start, bodies):
    for status, words in ((143, b"got so far: "), (9, b"MQRC_CONNECTION_BROKEN 2009")):
        waiting = start("get", Q, "-m", "ELSEWHERE", "--yes", "-n", "3", "--wait", "50s")
        mqx("put", "-m", "QM1", Q, "one", "two", check=True)
        assert [waiting.stdout.readline() for _ in range(2)] == [b"one\n", b"two\n"]
        if status == 143:
            waiting.send_signal(signal.SIGTERM)
        else:
            mqx("mqsc", "STOP CHANNEL(DEV.ADMIN.SVRCONN) MODE(FORCE)", "-m", "QM1", check=True)
        assert (waiting.wait(60), words in waiting.stderr.read()) == (status, True)
        assert bodies(Q) in ([], [b"two"])  # it may end before the second commit, never before the first
        mqx("get", "-m", "QM1", Q, "--all")


def test_a_message_comes_back_when_the_program_is_killed(start, there, bodies, eventually):
    there("put", Q, "a", check=True)
    running = start("get", Q, "-m", "ELSEWHERE", "--yes", "--exec", "sleep 50")
    eventually(lambda: there("browse", Q).status == 3)
    running.kill()
    eventually(lambda: bodies(Q) == [b"a"])
