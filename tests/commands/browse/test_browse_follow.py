"""``mqx browse --follow``: what arrives is shown once, and stays."""

from __future__ import annotations

import json
import signal

import pytest

Q = "DEV.QUEUE.1"


@pytest.fixture
def shown(start, eventually, count_rows):
    """Begin ``browse --follow`` and wait until it waits; the function returned reads lines of its output."""

    def begin(*options):
        process = start("browse", Q, "--follow", "--template", "%b\\n", *options)
        eventually(lambda: count_rows("waiters") == 1)
        return process, lambda number: [process.stdout.readline().rstrip().decode() for _ in range(number)]

    return begin


def test_what_is_there_comes_in_delivery_order_and_then_what_arrives(qm, mqx, shown, bodies):
    mqx("put", Q, "a", "b", check=True)
    mqx("put", Q, "first", "--priority", "9", check=True)
    process, read = shown()
    mqx("put", Q, "urgent", "--priority", "9", check=True)
    assert read(4) == ["first", "a", "b", "urgent"]
    assert sorted(bodies(Q)) == [b"a", b"b", b"first", b"urgent"]
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 143


@pytest.mark.parametrize(("options", "expected"), [(["-n", "0"], ["c"]), (["-n", "1"], ["b", "c"])])
def test_a_number_says_how_many_of_those_that_are_there(qm, mqx, shown, options, expected):
    mqx("put", Q, "a", "b", check=True)
    _, read = shown(*options)
    mqx("put", Q, "c", check=True)
    assert read(len(expected)) == expected


def test_a_message_of_a_unit_of_work_arrives_with_its_commit(qm, mqx, shown):
    mqx("put", Q, "early", "--confirm-id", "7", check=True)
    _, read = shown("-n", "0")
    mqx("put", Q, "late", "--confirm-id", "8", check=True)
    mqx("put", Q, "between", check=True)
    assert read(1) == ["between"]
    mqx("confirm", "put", Q, "--confirm-id", "8", check=True)
    mqx("confirm", "put", Q, "--confirm-id", "7", check=True)
    assert read(2) == ["late", "early"]


def test_a_locked_message_is_shown_when_it_is_unlocked_but_not_twice(qm, mqx, shown):
    mqx("put", Q, "a", "b", check=True)
    lock_id = mqx("lock", Q, "-n", "1", "--print-id", check=True).out.decode().strip()
    _, read = shown()
    assert read(1) == ["b"]
    mqx("unlock", Q, "--lock-id", lock_id, check=True)
    assert read(1) == ["a"]
    mqx("put", Q, "c", check=True)
    assert read(1) == ["c"]


def test_the_queue_may_be_emptied_meanwhile(qm, mqx, shown):
    mqx("put", Q, "a", check=True)
    _, read = shown()
    assert read(1) == ["a"]
    mqx("delete", Q, "--all", "--yes", check=True)
    mqx("put", Q, "b", check=True)
    assert read(1) == ["b"]


def test_only_what_is_selected_arrives(qm, mqx, shown):
    _, read = shown("--where", "colour = 'red'")
    for colour in ("blue", "red"):
        mqx("put", Q, colour, "--property", f"colour={colour}", check=True)
    assert read(1) == ["red"]


def test_an_array_has_an_end_when_it_is_interrupted(qm, mqx, start, eventually, count_rows):
    mqx("put", Q, "a", check=True)
    process = start("browse", Q, "--follow", "-o", "json")
    eventually(lambda: count_rows("waiters") == 1)
    process.send_signal(signal.SIGINT)
    assert [one["data"] for one in json.loads(process.communicate(timeout=60)[0])] == ["a"]
    assert process.returncode == 130


def test_what_cannot_be_followed_is_refused(qm, mqx):
    assert mqx("browse", "NO.SUCH", "--follow").status == 5
    assert mqx("browse", Q, "-n", "0").status == 2
    assert mqx("browse", Q, "--follow", "--pos", "1").status == 2
