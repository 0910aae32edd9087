"""A disk that fails at a flush: what is acknowledged is on disk, and what is not acknowledged is told truly.

A library that is preloaded fails the n-th flush, for ever or once, and records each flush.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from mqtools.admin import depths
from mqtools.admin.checkup import SOUND, check_up
from mqtools.constants.reasons import MQRC_OBJECT_DAMAGED
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import connect

from ...crash.power_loss import read_record
from ...errors import fails
from ..conftest import Done

Mqx = Callable[..., Done]
QUEUE = "DEV.QUEUE.1"


@pytest.fixture
def failing(mqx: Mqx, faults: str, tmp_path: Path) -> Callable[..., tuple[Done, list[str]]]:
    """Run a command whose flushes from one number to another fail; give its end and the flushes, in order."""

    def run(*line: str, first: int, last: int = 10_000) -> tuple[Done, list[str]]:
        record = tmp_path / "record"
        record.write_bytes(b"")
        faulty = {"LD_PRELOAD": faults, "FAULT_PATH": "/qmgrs", "FAULT_RECORD": str(record), "FAULT_CALL": "flush"}
        numbers = {"FAULT_FIRST": str(first), "FAULT_LAST": str(last), "FAULT_ERRNO": str(errno.EIO)}
        done = mqx(*line, **faulty, **numbers)
        words = {"f": "flushed", "x": "failed"}
        flushes = [change for change in read_record(record) if change.kind in words]
        return done, [f"{words[change.kind]} {os.path.basename(change.path)}" for change in flushes]

    return run


def depth(mqx: Mqx) -> int:
    return int(mqx("qdepth", "--count", QUEUE, check=True).out)


#: What the only process flushes for a persistent message: the header of the log and its folder (SQLite); the log and
#: the mark in the file, before the put returns; and at the end the log once more, and the file that it is moved into.
FLUSHES = ["QM1.db-wal", "qmgrs", "QM1.db-wal", "QM1.db", "QM1.db-wal", "QM1.db"]


def test_what_a_put_flushes(qm: str, failing: Callable[..., tuple[Done, list[str]]]) -> None:
    done, flushes = failing("put", QUEUE, "--persistent", "x", first=100)
    assert done.status == 0
    assert flushes == [f"flushed {name}" for name in FLUSHES]


@pytest.mark.parametrize("number", [1, 3, 4, 5, 6])
def test_a_put_that_is_acknowledged_after_one_failed_flush_was_flushed_after_it(
    qm: str, mqx: Mqx, failing: Callable[..., tuple[Done, list[str]]], number: int
) -> None:
    done, flushes = failing("put", QUEUE, "--persistent", "x", first=number, last=number)
    failed = f"failed {FLUSHES[number - 1]}"
    assert flushes.count(failed) == 1
    if number >= 5:  # it was flushed before; the log stays for the next command
        assert done.status == 0
        assert os.path.getsize(f"{qm}-wal")
    elif done.status == 0:
        assert failed.replace("failed", "flushed") in flushes[flushes.index(failed) + 1 :]
    else:
        assert done.status == 10, done
        assert "MQRC_RESOURCE_PROBLEM" in done.err
    assert depth(mqx) == (1 if done.status == 0 or "committed and visible" in done.err else 0)
    mqx("put", QUEUE, "--persistent", "next", check=True)
    assert mqx("doctor", "--thorough").out.startswith(b"file\tok\t")


@pytest.mark.parametrize("number", [1, 3, 4])
def test_a_put_whose_flushes_all_fail_is_not_acknowledged_and_told_truly(
    qm: str, mqx: Mqx, failing: Callable[..., tuple[Done, list[str]]], number: int
) -> None:
    done, _ = failing("put", QUEUE, "--persistent", "x", first=number)
    assert done.status == 10, done
    assert "MQRC_RESOURCE_PROBLEM" in done.err
    assert "flush" in done.err
    before = depth(mqx)
    assert before == ("committed and visible" in done.err)
    mqx("put", QUEUE, "--persistent", "next", check=True)
    assert depth(mqx) == before + 1


def test_nothing_is_acknowledged_after_a_failed_flush_until_the_log_was_written_anew(
    qm: str, mqx: Mqx, failing: Callable[..., tuple[Done, list[str]]], tmp_path: Path
) -> None:
    """Also not by another process, whose own flush would succeed: the pages are taken for written."""
    holder = connect(qm)  # so that the log is not moved into the file at the end of the command
    holder.put1(QUEUE, Message(b"0"))
    done, _ = failing("put", QUEUE, "--persistent", "a", first=1)
    assert done.status == 10
    assert "flush" in mqx("doctor").out.decode()
    holder.put1(QUEUE, Message(b"b", MQMD(persistence=1)))
    assert "flush" not in mqx("doctor").out.decode()
    holder.disconnect()
    done, flushes = failing("put", QUEUE, "--persistent", "--batch", "1", "c", "d", first=3, last=3)
    assert done.status == 0, done
    assert depth(mqx) == 5
    position = flushes.index("failed QM1.db-wal")
    assert flushes[position + 1] == "flushed QM1.db-wal"  # at once, before the mark and the next message


def test_a_log_that_has_lost_what_was_written_is_not_taken_for_flushed(qm: str) -> None:
    with connect(qm) as connection:
        connection.put1(QUEUE, Message(b"a", MQMD(persistence=1)))
        Path(f"{qm}-unflushed").touch()
        with open(f"{qm}-wal", "r+b") as log:
            log.seek(-50, os.SEEK_END)
            log.write(b"lost")
        with fails(MQRC_OBJECT_DAMAGED):
            connection.put1(QUEUE, Message(b"b", MQMD(persistence=1)))
    # The close has left the log alone, and its checksums show the next program what is lost.
    with connect(qm) as connection:
        assert next(check_up(connection.db, thorough=True)).state == SOUND
        assert depths.depth(connection.db, QUEUE) == 0
