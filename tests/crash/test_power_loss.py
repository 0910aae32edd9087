"""Power losses at any moment: what was acknowledged is there, what was got and acknowledged is not there again.

A program writes down in a file of its own what it is about to do and what it was told was done. All that it writes and
flushes is recorded, and replayed up to each place: there the power is lost, with any part of what was not flushed.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .accounting import connect_without_log, take_stock
from .power_loss import Disk, lay_out, read_record

#: Puts and gets persistent messages one by one and in units of work, ends, and does it again.
PROGRAM = """
import os, random, sys
from mqtools.constants.options import MQGMO_SYNCPOINT, MQOO_INPUT_SHARED, MQPMO_SYNCPOINT
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import connect
path, diary, seed = sys.argv[1:]
os.environ.update(FAULT_PATH=os.path.basename(path))
chance = random.Random(int(seed))
file = os.open(diary, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
def note(*words):
    os.write(file, (" ".join(words) + "\\n").encode())
def message(text):
    return Message(text.encode(), MQMD(persistence=1))
number = 0
for life in range(3):
    with connect(path) as connection:
        handle = connection.open("Q", MQOO_INPUT_SHARED)
        for step in range(6):
            texts = [f"m{number + count}" for count in range(chance.choice([1, 1, 3]))]
            number += len(texts)
            note("begin put", *texts)
            for text in texts:
                connection.put1("Q", message(text), MQPMO_SYNCPOINT if len(texts) > 1 else 0)
            if len(texts) > 1:
                connection.commit()
            note("end")
            if chance.random() < 0.6:
                note("begin get")
                note("got", handle.get(MQGMO_SYNCPOINT).message.data.decode())
                connection.commit()
                note("end")
"""


def run_recorded(faults: str, path: str, folder: Path, seed: int) -> Path:
    """Run the program; return the record of what it changed, its diary among it."""
    record, diary = folder / "record", folder / f"{os.path.basename(path)}.diary"
    env = {**os.environ, "LD_PRELOAD": faults, "FAULT_RECORD": str(record), "FAULT_PATH": os.path.basename(path)}
    subprocess.run([sys.executable, "-c", PROGRAM, path, str(diary), str(seed)], env=env, check=True, timeout=120)
    return record


def read_diary(text: str) -> tuple[list[str], set[str], set[str]]:
    """Return what was on the queue when the last acknowledgement came, and what was being put and got then."""
    there: list[str] = []
    putting: set[str] = set()
    getting: set[str] = set()
    for line in text.splitlines():
        verb, *words = line.split()
        if verb == "begin":
            putting = set(words[1:])
            there += words[1:]
        elif verb == "got":
            getting = {words[0]}
        else:
            there = [name for name in there if name not in getting]
            putting, getting = set(), set()
    return there, putting, getting


@pytest.mark.filterwarnings("ignore::mqtools.store.file_warnings.StorageWarning")
@pytest.mark.parametrize("seed", [1, 2])
def test_what_was_acknowledged_survives_a_power_loss_at_any_moment(
    faults: str, path: str, tmp_path: Path, every_case: bool, first_seed: int, seed: int
) -> None:
    seed += first_seed
    disk = Disk({path: bytearray(Path(path).read_bytes())})
    changes = [
        change for change in read_record(run_recorded(faults, path, tmp_path, seed)) if "-shm" not in change.path
    ]
    chance = random.Random(seed)
    diary, losses = "", 0
    for place, change in enumerate(changes):
        if change.path.endswith(".diary"):
            diary += change.data.decode()
            continue
        disk.apply(change)
        if not every_case and place % 3:
            continue
        folder = tmp_path / f"loss-{place}"
        folder.mkdir()
        lay_out(disk.after_power_loss(chance), folder)
        there, putting, getting = read_diary(diary)
        found = take_stock(str(folder / "QM1.db"), connect_without_log)["Q"]
        assert found in possible(there, putting, getting), f"power lost at change {place}: {found}, {diary}"
        losses += 1
        shutil.rmtree(folder)
    assert losses > 50
    for number in range(8):  # once the program has ended, the file lacks no log
        folder = tmp_path / f"end-{number}"
        folder.mkdir()
        lay_out(disk.after_power_loss(chance), folder)
        assert take_stock(str(folder / "QM1.db"))["Q"] == read_diary(diary)[0]


def possible(there: list[str], putting: set[str], getting: set[str]) -> list[list[str]]:
    """Return what may be on the queue: a unit that was being committed is there as a whole or not at all."""
    done = [name for name in there if name not in getting]
    undone = [name for name in there if name not in putting]
    return [done, undone, there]
