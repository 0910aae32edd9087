"""A flush that fails, the writing anew of the log that fails too, and a power loss after each of them.

A failed flush is the worst case of Linux: the kernel takes what was to be written for written, so that a later flush
succeeds and leaves it out. The states of a unit of work whose flush failed:

- the log was written anew and flushed: it is acknowledged, and survives;
- that failed too: the call fails, and says that the unit is visible and may be lost. It is either there or not, whole;
- until the log was written anew no later unit is acknowledged, by whatever process.
"""

from __future__ import annotations

import errno
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .accounting import connect_without_log, take_stock
from .power_loss import Disk, lay_out, read_record

#: Puts messages one by one, each by a connection of its own while another one has the file open, and notes what it
#: was told: acknowledged, in doubt with the words, or refused.
PROGRAM = """
import os, sys
from mqtools.errors import MQError
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import connect
path, diary = sys.argv[1:]
file = os.open(diary, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
def note(*words):
    os.write(file, (" ".join(words) + "\\n").encode())
holder = connect(path)
holder.put1("Q", Message(b"m0"))
for number in range(1, 7):
    name = f"m{number}"
    with connect(path) as connection:
        note("begin", name)
        try:
            connection.put1("Q", Message(name.encode(), MQMD(persistence=1)))
            note("acknowledged", name)
        except MQError as error:
            note("in-doubt" if "committed and visible" in str(error) else "refused", name, str(error.reason))
"""

_RESOURCE_PROBLEM = "2102"


def run(faults: str, path: str, folder: Path, **extra: str) -> tuple[Path, list[list[str]]]:
    """Run the program with failing flushes; return the record of what it changed, and its diary."""
    record, diary = folder / "record", folder / f"{os.path.basename(path)}.diary"
    env = {
        **os.environ,
        "LD_PRELOAD": faults,
        "FAULT_PATH": os.path.basename(path),
        "FAULT_RECORD": str(record),
        "FAULT_ERRNO": str(errno.EIO),
        **extra,
    }
    subprocess.run([sys.executable, "-c", PROGRAM, path, str(diary)], env=env, check=True, timeout=120)
    return record, [line.split() for line in diary.read_text().splitlines()]


def names(diary: list[list[str]], verb: str) -> list[str]:
    return [words[1] for words in diary if words[0] == verb]


@pytest.mark.filterwarnings("ignore::mqtools.store.file_warnings.StorageWarning")
@pytest.mark.parametrize("failures", [1, 2, 3, 5])
@pytest.mark.parametrize("first", [3, 4, 5, 6])
def test_what_is_acknowledged_after_failed_flushes_survives_a_power_loss(
    faults: str, path: str, tmp_path: Path, first: int, failures: int
) -> None:
    """failures: the flush, then that of the log written anew, and so on."""
    disk = Disk({path: bytearray(Path(path).read_bytes())})
    last = str(first + failures - 1)
    record, diary = run(faults, path, tmp_path, FAULT_CALL="flush", FAULT_FIRST=str(first), FAULT_LAST=last)
    changes = [change for change in read_record(record) if "-shm" not in change.path]
    assert sum(change.kind == "x" for change in changes) == failures
    told: list[list[str]] = []
    chance = random.Random(first * 10 + failures)
    for place, change in enumerate(changes):
        if change.path.endswith(".diary"):
            told.append(change.data.decode().split())
            continue
        disk.apply(change)
        if place % 4:
            continue
        folder = tmp_path / f"loss-{place}"
        folder.mkdir()
        lay_out(disk.after_power_loss(chance), folder)
        found = [name for name in take_stock(str(folder / "QM1.db"), connect_without_log)["Q"] if name != "m0"]
        assert set(names(told, "acknowledged")) <= set(found) <= set(names(told, "begin")), (told, found)
        assert found == sorted(found)
        shutil.rmtree(folder)
    assert all(words[2] == _RESOURCE_PROBLEM for words in diary if words[0] in ("in-doubt", "refused"))
    assert names(diary, "acknowledged")


@pytest.mark.parametrize("failures", [2, 3, 4])
def test_what_is_in_doubt_is_visible_and_what_was_refused_is_not(
    faults: str, path: str, tmp_path: Path, failures: int
) -> None:
    _, diary = run(faults, path, tmp_path, FAULT_CALL="flush", FAULT_FIRST="5", FAULT_LAST=str(4 + failures))
    found = take_stock(path)["Q"]
    assert [name for name in found if name != "m0"] == sorted(names(diary, "acknowledged") + names(diary, "in-doubt"))
    assert names(diary, "in-doubt")


def test_a_flush_that_fails_where_no_note_can_be_left_is_an_error_of_the_queue_manager(
    faults: str, path: str, tmp_path: Path
) -> None:
    """The folder of the note is of those that cannot be written to: the call fails as with a note."""
    _, diary = run(faults, path, tmp_path, FAULT_CALL="flush", FAULT_FIRST="5", FAULT_LAST="7", FAULT_NOTE="unflushed")
    assert names(diary, "in-doubt")
    assert len(names(diary, "acknowledged")) + len(names(diary, "in-doubt")) == 6
