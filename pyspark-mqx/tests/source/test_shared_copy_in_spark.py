"""Several tasks of Spark that read one state of a file, while its messages move and workers are killed."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark")


from mqtools.constants.options import MQOO_INPUT_SHARED
from mqtools.message import Message
from mqtools.mqi.connection import connect

from .filling import fill


@pytest.fixture
def moving(qm: Any) -> Iterator[list[bytes]]:
    """Move messages between Q and R all the time, each in one transaction; return their data."""
    sent = fill(qm, 20)
    ended = threading.Event()

    def move() -> None:
        with connect(qm.path) as connection:
            while not ended.is_set():
                for source, target in (("Q", "R"), ("R", "Q")) * 5:
                    with connection.work(), connection.open(source, MQOO_INPUT_SHARED) as handle:
                        connection.put1(target, Message(handle.get().message.data))

    thread = threading.Thread(target=move)
    thread.start()
    yield sent
    ended.set()
    thread.join()


@pytest.mark.xdist_group("spark")
@pytest.mark.timeout(300)
def test_spark_sees_each_message_once_while_all_of_them_move(read: Callable[..., Any], moving: list[bytes]) -> None:
    for _ in range(3):
        found = read("queue string, data binary", numpartitions=6)
        assert Counter(bytes(row.data) for row in found.collect()) == Counter(moving)
        assert found.rdd.getNumPartitions() >= 6


@pytest.mark.slow
def test_spark_survives_a_killed_worker_and_leaves_no_copy(qm: Any, tmp_path: Path) -> None:
    sent = [b"%d " % number + bytes(500_000) for number in range(40)]
    for each in sent:
        qm.put(each)
    (tmp_path / "kill.py").write_text(_KILL)
    command = [sys.executable, str(tmp_path / "kill.py"), qm.path, str(tmp_path)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=300)
    assert done.stdout.split() == [*sorted(str(number) for number in range(40)), "killed", "copies", "1"], done.stderr
    assert list(tmp_path.glob("**/mqx-*")) == []


#: Read with two tasks at a time, each tried twice; kill one that has the copy open, while the next step makes it wait.
_KILL = """
import os, pathlib, signal, sys, threading, time
from pyspark_mqx.session import session

path, folder = sys.argv[1], pathlib.Path(sys.argv[2])
spark = session.start("local[2,2]", {"spark.local.dir": str(folder / "spark"), "spark.driver.memory": "1g"})
read = spark.read.format("mqx").schema("data binary").options(qmgr=path, queue="Q", numpartitions=4).load()

def names(rows):
    while not (folder / "go").exists():
        time.sleep(0.02)
    return [row.data.split(b" ", 1)[0].decode() for row in rows]

found = []
query = threading.Thread(target=lambda: found.extend(read.rdd.mapPartitions(names).collect()))
query.start()
def have_copy_open():
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            names = [os.readlink(f"/proc/{pid}/fd/{number}") for number in os.listdir(f"/proc/{pid}/fd")]
        except OSError:
            continue
        if any(name.startswith(str(folder)) and "/mqx-" in name and name.endswith(".db") for name in names):
            yield int(pid)

while not (pids := list(have_copy_open())):
    assert query.is_alive()
    time.sleep(0.05)
os.kill(pids[0], signal.SIGKILL)
(folder / "go").touch()
query.join()
print(*sorted(found), "killed", "copies", len(list(folder.glob("spark/*/mqx-*.db"))))
spark.stop()
"""
