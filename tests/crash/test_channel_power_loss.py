"""Power losses while a channel runs, at either end or at both: restarted, it has lost and doubled nothing.

The program puts on one queue manager, sends by a channel to another one, and gets there. What both write and flush is
recorded, and replayed up to each place. There the power is lost at one end or at both; an end that keeps it has all
that it wrote. Then the channel is started again, and the queue at the receiving end is compared with the diary.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mqtools.admin import queue_managers
from mqtools.admin.mqsc.run import run_mqsc
from mqtools.channel import caller
from mqtools.channel.transport import parse_address
from mqtools.mqi import recovery
from mqtools.mqi.connection import connect

from .accounting import bodies, connect_without_log
from .power_loss import Change, Disk, lay_out, read_record
from .test_power_loss import possible, read_diary

CHANNEL = "QM1.TO.QM2"
#: Ends that lose the power.
LOSERS = (("QM1.db",), ("QM2.db",), ("QM1.db", "QM2.db"))

PROGRAM = """
import os, random, sys
from mqtools.channel import caller
from mqtools.channel.transport import parse_address
from mqtools.constants.options import MQGMO_SYNCPOINT, MQOO_INPUT_SHARED, MQPMO_SYNCPOINT
from mqtools.errors import NoMessageAvailable
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import connect
one, two, diary, seed = sys.argv[1:]
os.environ.update(FAULT_PATH=".db")
chance = random.Random(int(seed))
file = os.open(diary, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
def note(*words):
    os.write(file, (" ".join(words) + "\\n").encode())
number = 0
for life in range(2):
    with connect(one) as sending, connect(two) as receiving:
        for step in range(3):
            for unit in range(chance.choice([1, 3])):
                texts = [f"m{number + count}" for count in range(chance.choice([1, 2, 4]))]
                number += len(texts)
                note("begin put", *texts)
                for text in texts:
                    sending.put1("ORDERS", Message(text.encode(), MQMD(persistence=1)), MQPMO_SYNCPOINT)
                sending.commit()
                note("end")
            caller.start(sending, "QM1.TO.QM2", to=parse_address("qmgr:" + two), drains=True, note=print)
            with receiving.open("ORDERS", MQOO_INPUT_SHARED) as handle:
                for _ in range(chance.choice([0, 1, 3])):
                    note("begin get")
                    try:
                        note("got", handle.get(MQGMO_SYNCPOINT).message.data.decode())
                    except NoMessageAvailable:
                        pass
                    receiving.commit()
                    note("end")
"""


def make_ends(folder: Path) -> tuple[str, str]:
    """Create both queue managers; return their paths."""
    one = queue_managers.create(str(folder / "QM1.db"))
    two = queue_managers.create(str(folder / "QM2.db"))
    commands = {
        one: [
            "DEFINE QREMOTE(ORDERS) RNAME(ORDERS) RQMNAME(QM2) XMITQ(QM2)",
            "DEFINE QLOCAL(QM2) USAGE(XMITQ)",
            f"DEFINE CHANNEL({CHANNEL}) CHLTYPE(SDR) XMITQ(QM2) BATCHSZ(3) CONNAME('qmgr:QM2')",
        ],
        two: ["DEFINE QLOCAL(ORDERS)", f"DEFINE CHANNEL({CHANNEL}) CHLTYPE(RCVR)"],
    }
    for path, lines in commands.items():
        with connect(path) as connection:
            for line in lines:
                assert not run_mqsc(connection, line).failed
    return one, two


def record_run(faults: str, one: str, two: str, folder: Path, seed: int) -> list[Change]:
    """Run the program; return what it changed, its diary among it."""
    record, diary = folder / "record", folder / "seen.db.diary"
    env = {**os.environ, "LD_PRELOAD": faults, "FAULT_RECORD": str(record), "FAULT_PATH": ".db"}
    subprocess.run([sys.executable, "-c", PROGRAM, one, two, str(diary), str(seed)], env=env, check=True, timeout=120)
    return [change for change in read_record(record) if "-shm" not in change.path and "-run" not in change.path]


def files_after(disk: Disk, chance: random.Random, losers: tuple[str, ...]) -> dict[str, bytes]:
    """Return the files of both ends; those of an end that kept the power have all that was written."""
    lost = disk.after_power_loss(chance)
    kept = disk.as_written()
    names = {path for path in (*lost, *kept)}

    def lose(path: str) -> bool:
        return os.path.basename(path).startswith(losers)

    return {path: files[path] for path in names for files in [lost if lose(path) else kept] if path in files}


def restart_channel(folder: Path) -> list[str]:
    """Start the channel again until nothing is left to send; return what lies at the receiving end."""
    two = str(folder / "QM2.db")
    for name in ("QM1.db", "QM2.db"):
        connect_without_log(str(folder / name)).disconnect()
    with connect(str(folder / "QM1.db")) as sending:
        caller.start(sending, CHANNEL, to=parse_address(f"qmgr:{two}"), drains=True, note=print)
        assert sending.db.all("select sum(depth) from queue_status") == [(0,)]
        assert sending.db.all("pragma integrity_check") == [("ok",)]
    with connect(two) as receiving:
        assert receiving.db.all("pragma integrity_check") == [("ok",)]
        with receiving.work() as work:
            recovery.recover(work)  # the program has ended
        return bodies(receiving, "ORDERS")


@pytest.mark.filterwarnings("ignore::mqtools.store.file_warnings.StorageWarning")
@pytest.mark.parametrize("seed", [1, 2])
def test_a_channel_that_is_restarted_after_a_power_loss_loses_and_doubles_nothing(
    faults: str, tmp_path: Path, every_case: bool, first_seed: int, seed: int
) -> None:
    one, two = make_ends(tmp_path)
    disk = Disk({path: bytearray(Path(path).read_bytes()) for path in (one, two)})
    changes = record_run(faults, one, two, tmp_path, seed + first_seed)
    chance = random.Random(seed + first_seed)
    diary, losses = "", 0
    for place, change in enumerate(changes):
        if change.path.endswith(".diary"):
            diary += change.data.decode()
            continue
        disk.apply(change)
        for losers in LOSERS if every_case else LOSERS[place % 16 : place % 16 + 1]:
            folder = tmp_path / f"loss-{place}-{len(losers)}-{losers[0]}"
            folder.mkdir()
            lay_out(files_after(disk, chance, losers), folder)
            there, putting, getting = read_diary(diary)
            found = restart_channel(folder)
            assert found in possible(there, putting, getting), f"{losers} at change {place}: {found}, {diary}"
            losses += 1
            shutil.rmtree(folder)
    assert losses > 50
