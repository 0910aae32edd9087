"""``mqx put --once`` from outside: what a key keeps from being put twice, and when it is free."""

from __future__ import annotations

import json
import re
import time

import pytest

from ...mqi.children import PATIENCE_S

Q = "DEV.QUEUE.1"

pytestmark = pytest.mark.usefixtures("qm")


def bodies(mqx, q_name=Q):
    return mqx("get", q_name, "--all").out.decode().split()


def test_a_second_put_of_the_key_puts_nothing_and_says_when_the_first_was(mqx):
    assert mqx("put", Q, "a", "b", "--once", "K", check=True).err == ""
    done = mqx("put", Q, "--lines", "--once", "K", stdin=b"c\n")
    assert (done.status, done.out) == (0, b"")
    assert re.fullmatch(rf"mqx: put: K was put on {Q} at 20\d\d-[0-9T:.-]+Z; nothing put\n", done.err)
    totals = json.loads(mqx("put", Q, "d", "--once", "K", "-o", "json", check=True).out)
    assert (totals["messages"], totals["ids"]) == (0, [])
    assert bodies(mqx) == ["a", "b"]


@pytest.mark.parametrize(
    "words",
    [
        ("put", Q, "again", "--once", "other"),
        ("put", "DEV.QUEUE.2", "again", "--once", "K"),
        ("put", Q, "again", "--once", "K", "--window", "1ms"),
    ],
    ids=["another key", "another queue", "after the window"],
)
def test_another_put_is_put(mqx, words):
    mqx("put", Q, "a", "--once", "K", check=True)
    time.sleep(0.01)
    mqx(*words, check=True)
    assert "again" in bodies(mqx, words[1])


def test_a_key_is_deleted_with_its_window_and_with_its_queue(mqx):
    mqx("put", Q, "a", "--once", "K", "--window", "1ms", check=True)
    time.sleep(0.01)
    mqx("put", Q, "b", "--once", "L", check=True)
    assert mqx("sql", "select count(*) from once_keys", "-o", "plain", check=True).out == b"1\n"
    mqx("mqsc", f"DELETE QLOCAL({Q}) PURGE", f"DEFINE QLOCAL({Q})", check=True)
    mqx("put", Q, "c", "--once", "L", check=True)
    assert bodies(mqx) == ["c"]


@pytest.mark.parametrize(
    ("words", "stdin"),
    [(("a" * 20, "b"), b""), (("--jsonl",), b'{"data":"a"}\nno JSON\n'), (("--lines",), b"")],
    ids=["too long", "mistake in the input", "no message"],
)
def test_a_put_that_puts_nothing_leaves_the_key_free(mqx, words, stdin):
    mqx("mqsc", f"ALTER QLOCAL({Q}) MAXMSGL(10)", check=True)
    mqx("put", Q, *words, "--once", "K", stdin=stdin)
    assert bodies(mqx) == []
    mqx("put", Q, "c", "--once", "K", check=True)
    assert bodies(mqx) == ["c"]


@pytest.mark.parametrize("end", ["ends", "is killed"])
def test_another_put_of_the_key_waits_for_the_one_in_progress(mqx, start, end):
    first = start("put", Q, "--lines", "--once", "K")
    first.stdin.write(b"first\n")
    first.stdin.flush()
    wait_for(lambda: mqx("qdepth", Q, "--count", check=True).out == b"1\n")
    second = start("put", Q, "second", "--once", "K")
    time.sleep(0.3)
    assert second.poll() is None
    if end == "ends":
        first.stdin.close()
    else:
        first.kill()
    assert second.wait(PATIENCE_S) == 0
    assert bodies(mqx) == (["first"] if end == "ends" else ["second"])


def test_segments_and_aliases_count_too(mqx):
    mqx("mqsc", f"DEFINE QALIAS(OTHER.NAME) TARGET({Q})", check=True)
    mqx("put", "OTHER.NAME", "abcdef", "--segment", "4", "--once", "K", check=True)
    mqx("put", Q, "again", "--once", "K", check=True)
    assert mqx("get", Q, "--complete", "--all", check=True).out == b"abcdef\n"


def test_dry_run_says_what_would_be_put_and_takes_no_key(mqx):
    assert "would put 1 message" in mqx("put", Q, "a", "--once", "K", "--dry-run", check=True).err
    mqx("put", Q, "a", "--once", "K", check=True)
    assert "nothing put" in mqx("put", Q, "a", "--once", "K", "--dry-run", check=True).err


@pytest.mark.parametrize(
    "words",
    [
        ("--window", "1d"),
        ("--once", ""),
        ("--once", "K", "--confirm-id", "1"),
        ("--once", "K", "--batch", "5"),
        ("--once", "K", "--request", "--reply-to", "DEV.QUEUE.2"),
    ],
)
def test_options_that_cannot_be_combined_are_usage_errors(mqx, words):
    assert mqx("put", Q, "a", *words).status == 2
    assert bodies(mqx) == []


def wait_for(condition):
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end
