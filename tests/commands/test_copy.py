"""``mqx copy`` from outside: the original stays, the copy is the same."""

from __future__ import annotations

FROM, TO = "DEV.QUEUE.1", "DEV.QUEUE.2"


def test_a_copy_is_the_same_and_the_original_stays(mqx, qm, browse):
    mqx("put", FROM, "x", "--priority", "7", "--persistent", "--property", "n:int32=3", "--correl-id", "AB", check=True)
    before = browse(FROM)
    done = mqx("copy", FROM, TO, check=True)
    assert done.err == f"copied 1 message from {FROM} to {TO}\n"
    assert browse(FROM) == before
    assert [{**one, "queue": FROM} for one in browse(TO)] == before


def test_json_counts(mqx, qm):
    mqx("put", FROM, "a", "b", check=True)
    assert mqx("copy", FROM, TO, "-n", "1", "-o", "json", check=True).totals == {"messages": 1, "copied": 1}
    counts = mqx("copy", FROM, TO, "--dry-run", "-o", "json", check=True).totals
    assert counts == {"messages": 2, "copied": 0, "would_copy": 2}


def test_a_copy_onto_its_own_queue_ends(mqx, qm, bodies):
    mqx("put", FROM, "a", "b", check=True)
    mqx("copy", FROM, FROM, check=True)
    assert bodies(FROM) == [b"a", b"b", b"a", b"b"]
