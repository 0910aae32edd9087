"""``mqx move`` from outside: what goes, what stays, what is said, and that nothing is lost or doubled."""

from __future__ import annotations

import collections
import signal
import subprocess

import pytest

FROM, TO = "DEV.QUEUE.1", "DEV.QUEUE.2"


@pytest.fixture
def abc(mqx, qm):
    """Ids of a, b, c on the queue."""
    return mqx("put", FROM, "a", "b", "c", "--print-id", check=True).out.decode().split()


def test_everything_moves_in_its_order(mqx, abc, bodies):
    done = mqx("move", FROM, TO, check=True)
    assert (done.out, done.err) == (b"", f"moved 3 messages from {FROM} to {TO}\n")
    assert (bodies(FROM), bodies(TO)) == ([], [b"a", b"b", b"c"])


@pytest.mark.parametrize(
    ("words", "moved"),
    [
        (("--pos", "2..3"), [b"b", b"c"]),
        (("--grep", "b"), [b"b"]),
        (("-n", "2"), [b"a", b"b"]),
        (("--older", "0s"), [b"a", b"b", b"c"]),
        (("--where", "Root.MQMD.Priority = 0", "-n", "1"), [b"a"]),
    ],
)
def test_a_selection_says_what_moves(mqx, abc, bodies, words, moved):
    mqx("move", FROM, TO, *words, check=True)
    assert bodies(TO) == moved
    assert sorted(bodies(FROM) + moved) == [b"a", b"b", b"c"]


def test_json_counts(mqx, abc):
    assert mqx("move", FROM, TO, "-o", "json", check=True).totals == {"messages": 3, "moved": 3}


def test_nothing_to_move_is_3(mqx, qm):
    assert mqx("move", FROM, TO).status == 3


@pytest.mark.parametrize(("verb", "words"), [("move", "would have moved 0"), ("copy", "would have copied 0")])
def test_a_dry_run_of_nothing_says_would_and_is_3(mqx, qm, verb, words):
    done = mqx(verb, FROM, TO, "--dry-run")
    assert (done.status, done.out) == (3, b"")
    assert words in done.err


def test_a_dry_run_shows_the_messages_and_what_would_happen(mqx, abc, bodies, define):
    define("SMALL", max_q_depth=2)
    done = mqx("move", FROM, "SMALL", "--dry-run")
    done.ended(9, "would have moved 2 messages from DEV.QUEUE.1 to SMALL; 1 left", "MQRC_Q_FULL")
    assert [line.split(b"\t")[0].decode() for line in done.out.splitlines()] == abc
    counts = mqx("move", FROM, TO, "--dry-run", "-o", "json", check=True).totals
    assert counts == {"messages": 3, "moved": 0, "would_move": 3}
    assert (len(bodies(FROM)), bodies("SMALL"), bodies(TO)) == (3, [], [])


def test_a_full_queue_ends_it_and_what_came_before_is_counted(mqx, abc, bodies, define):
    define("SMALL", max_q_depth=2)
    mqx("move", FROM, "SMALL").ended(9, "MQRC_Q_FULL 2053", "moved 2 messages from DEV.QUEUE.1 to SMALL; 1 left")
    assert (bodies(FROM), bodies("SMALL")) == ([b"c"], [b"a", b"b"])


def test_all_or_nothing_is_nothing_where_there_is_no_room(mqx, abc, bodies, define):
    define("SMALL", max_q_depth=2)
    assert mqx("move", FROM, "SMALL", "--batch", "all").status == 7
    assert (len(bodies(FROM)), bodies("SMALL")) == (3, [])
    define("SMALL", max_q_depth=3)
    mqx("move", FROM, "SMALL", "--batch", "all", check=True)
    assert len(bodies("SMALL")) == 3


def test_the_queue_itself_is_no_target(mqx, abc, bodies, define):
    define("A", "QALIAS", base_q_name=FROM)
    for target in (FROM, "A"):
        mqx("move", FROM, target).ended(2, "mqx: move: ")
    assert bodies(FROM) == [b"a", b"b", b"c"]


def test_what_is_locked_or_uncommitted_is_passed_over_and_said(mqx, abc, bodies):
    mqx("lock", FROM, "--msg-id", abc[0], check=True)
    mqx("get", FROM, "--msg-id", abc[1], "--confirm-id", "7", check=True)
    done = mqx("move", FROM, TO, check=True)
    assert "skipped, locked or uncommitted: 2 messages" in done.err
    assert bodies(TO) == [b"c"]
    mqx("move", FROM, TO, "--msg-id", abc[0]).ended(3, "locked by")


def put_group(mqx, group_id, *numbers):
    for number in numbers:
        last = ["--last"] if number == max(numbers) else []
        words = ["--group-id", group_id, "--seq", str(number), *last]
        mqx("put", FROM, f"{group_id}{number}", *words, check=True)


def test_groups_go_whole_and_in_their_order(mqx, qm, bodies, define):
    put_group(mqx, "AA", 2, 1, 3)
    put_group(mqx, "BB", 1, 2)
    define("SMALL", max_q_depth=4)
    mqx("move", FROM, "SMALL", "--group-id", "AA", "--group-id", "BB", "--batch", "1").ended(9)
    assert bodies("SMALL") == [b"AA1", b"AA2", b"AA3"]
    assert bodies(FROM) == [b"BB1", b"BB2"]


def test_a_group_that_is_held_in_part_is_passed_over(mqx, qm, bodies):
    put_group(mqx, "AA", 1, 2)
    mqx("lock", FROM, "--pos", "1", check=True)
    done = mqx("move", FROM, TO, "--group-id", "AA")
    assert (done.status, "skipped" in done.err, bodies(TO)) == (3, True, [])
    assert mqx("move", FROM, TO, "--group-id", "AA", "-n", "1").status == 2


def test_more_than_a_batch(mqx, qm, bodies):
    mqx("put", FROM, "--lines", "--persistent", stdin=b"".join(b"%d\n" % n for n in range(250)), check=True)
    assert "moved 250 messages" in mqx("move", FROM, TO, "--batch", "40", check=True).err
    assert bodies(TO) == [b"%d" % n for n in range(250)]


def test_nothing_is_lost_or_doubled_by_a_killed_move(mqx, start, qm, lying_on, define):
    for name in (FROM, TO):
        define(name, max_q_depth=10_000)
    lines = b"".join(b"%d\n" % n for n in range(2000))
    sent = set(mqx("put", FROM, "--lines", "--print-id", stdin=lines, check=True).out.decode().split())
    for number in range(6):
        process = start("move", *((FROM, TO) if number % 2 == 0 else (TO, FROM)), "--batch", "7")
        try:
            process.wait(timeout=0.15 + 0.05 * number)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    there = collections.Counter(row["msg_id"].hex().upper() for name in (FROM, TO) for row in lying_on(name))
    assert set(there) == sent
    assert set(there.values()) == {1}
    assert mqx("qdepth", FROM, "--count").out != mqx("qdepth", TO, "--count").out
    assert int(mqx("qdepth", FROM, "--count").out) == len(lying_on(FROM))


def test_an_interrupt_says_how_far_it_came(mqx, start, qm, bodies, eventually):
    """The second unit would come in an hour: whatever is slow, the interrupt comes before it."""
    mqx("put", FROM, "--lines", stdin=b"x\n" * 25, check=True)
    process = start("move", FROM, TO, "--batch", "10", "--delay", "1h")
    eventually(lambda: bodies(TO))
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert (len(bodies(FROM)), len(bodies(TO))) == (15, 10)
    assert f"moved 10 messages from {FROM} to {TO}; 15 left" in said.decode()


@pytest.mark.parametrize(("verb", "left"), [("move", [b"b", b"c"]), ("copy", [b"a", b"b", b"c"])])
def test_with_a_delay_messages_go_one_by_one(start, abc, bodies, eventually, verb, left):
    process = start(verb, FROM, TO, "--delay", "1h")
    eventually(lambda: bodies(TO))
    assert (bodies(FROM), bodies(TO)) == (left, [b"a"])
    process.send_signal(signal.SIGTERM)
    process.wait(timeout=60)
    assert (bodies(FROM), bodies(TO)) == (left, [b"a"])


def test_with_the_original_pace_messages_are_as_far_apart_as_they_were_put(mqx, start, abc, bodies, eventually):
    mqx("edit", FROM, "--pos", "2", "--set", "put_date=20991231", check=True)
    process = start("move", FROM, TO, "--delay", "original")
    eventually(lambda: bodies(TO))
    assert process.poll() is None
    assert bodies(FROM) == [b"b", b"c"]


def test_a_dry_run_does_not_wait(mqx, abc):
    mqx("move", FROM, TO, "--delay", "1h", "--dry-run", check=True)
    mqx("copy", FROM, TO, "--delay", "1h", "--batch", "3", check=True)


@pytest.mark.parametrize(
    "words",
    [
        ("--delay", "soon"),
        ("--delay", "1s", "--batch", "all"),
        ("--batch", "0"),
        ("--batch", "some"),
        ("-n", "0"),
        ("-o", "papyrus"),
    ],
    ids=" ".join,
)
def test_a_line_that_makes_no_sense_is_2(mqx, abc, bodies, words):
    assert mqx("move", FROM, TO, *words).status == 2
    assert len(bodies(FROM)) == 3
