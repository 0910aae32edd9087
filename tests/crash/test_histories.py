"""Histories of concurrent operations, checked against what a queue promises.

Several processes put, get, lock, back out and commit at once and write down when each call began and ended. No order
between them is assumed; what holds in every order is checked: each message is got once at most and by one process,
none is got that was not put, the messages of one putter are got in their order by one getter, a message that is
locked is got by nobody else until it is unlocked, and what was not got is there.
"""

from __future__ import annotations

import json
import os
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from ..mqi.children import output_of, start_child
from .accounting import take_stock

#: One process: prints its history as JSON, an object for each call.
PROGRAM = """
import json, random, time
name, seed, steps = arguments[0], int(arguments[1]), int(arguments[2])
chance = random.Random(seed)
history = []
def note(kind, began, **values):
    history.append({"process": name, "kind": kind, "began": began, "ended": time.monotonic(), **values})
with connect(path) as connection:
    handle = connection.open("Q", MQOO_INPUT_SHARED | MQOO_BROWSE)
    for step in range(steps):
        kind = chance.choice(["put", "put", "unit", "get", "get", "backout", "lock"])
        began = time.monotonic()
        try:
            if kind == "put":
                connection.put1("Q", Message(f"{name}.{step}".encode(), MQMD(persistence=1)))
                note("put", began, messages=[f"{name}.{step}"])
            elif kind == "unit":
                texts = [f"{name}.{step}.{number}" for number in range(3)]
                for text in texts:
                    connection.put1("Q", Message(text.encode()), MQPMO_SYNCPOINT)
                connection.commit()
                note("put", began, messages=texts)
            elif kind == "get":
                note("get", began, messages=[handle.get(MQGMO_SYNCPOINT).message.data.decode()])
                connection.commit()
            elif kind == "backout":
                handle.get(MQGMO_SYNCPOINT)
                connection.backout()
            else:
                found = handle.get(MQGMO_BROWSE_FIRST | MQGMO_LOCK)
                locked = time.monotonic()
                time.sleep(chance.random() / 500)
                note("lock", locked, messages=[found.message.data.decode()])
                handle.get(MQGMO_UNLOCK)
        except NoMessageAvailable:
            pass
print(json.dumps(history))
"""
_PROCESSES, _STEPS = 3, 60


@pytest.mark.conformance("SYNC-01", "LOCK-01")
def test_what_a_queue_promises_holds_in_every_history(
    made: str, tmp_path: Path, every_case: bool, first_seed: int
) -> None:
    steps = _STEPS * (50 if every_case else 1)
    for seed in range(first_seed, first_seed + (20 if every_case else 1)):
        path = shutil.copyfile(made, str(tmp_path / f"QM{seed}.db"))
        os.chmod(path, 0o600)
        children = [
            start_child(PROGRAM, path, f"p{number}", seed * 100 + number, steps) for number in range(_PROCESSES)
        ]
        history = [call for child in children for call in json.loads(output_of(child))]
        left = take_stock(path)["Q"]
        check_history(history, left)


def check_history(history: list[dict[str, Any]], left: list[str]) -> None:
    """Check that a history is one of a queue. left: what is on the queue at its end."""
    put = Counter(name for call in history if call["kind"] == "put" for name in call["messages"])
    got = Counter(name for call in history if call["kind"] == "get" for name in call["messages"])
    assert max(put.values()) == 1
    assert max(got.values(), default=1) == 1, "got twice"
    assert not got - put, "got without having been put"
    assert Counter(left) == put - got, "neither there nor got"
    check_order(history, left)
    check_locks(history)


def check_order(history: list[dict[str, Any]], left: list[str]) -> None:
    """The messages of a putter are in their order on the queue, and nothing that was got was put after it was got."""
    for process in {call["process"] for call in history}:
        mine = [
            name
            for call in history
            if call["kind"] == "put" and call["process"] == process
            for name in call["messages"]
        ]
        there = [name for name in left if name in set(mine)]
        assert there == [name for name in mine if name in set(there)]
    ended = {name: call["began"] for call in history if call["kind"] == "put" for name in call["messages"]}
    for call in history:
        if call["kind"] == "get":
            assert ended[call["messages"][0]] <= call["ended"], "got before it was put"


def check_locks(history: list[dict[str, Any]]) -> None:
    """While a process had a message locked nobody else got it or locked it."""
    for lock in history:
        if lock["kind"] != "lock":
            continue
        for call in history:
            if call is not lock and call["kind"] in ("get", "lock") and call["messages"] == lock["messages"]:
                is_during = call["began"] > lock["began"] and call["ended"] < lock["ended"]
                assert not (is_during and call["process"] != lock["process"]), (lock, call)
