"""Soak test of streams: killed at random times, they must lose nothing and write nothing twice.

``make stream-kills``, or ``python benchmarks/stream_kills.py [--kills N] [--seed S] [--rate N] [--folder DIR]``. A
program puts and gets on the journaled queues of two queue managers all the time, in and out of units of work. Three
streams follow them: into a Delta table, into Parquet files, and onto a queue of a third queue manager. The process
group of each is killed N times: some time after it has begun to work, or just when a batch has landed and is not yet
noted as done. At the end all read what is left, and all that came is compared with the journals. A seed repeats the
calls and the times of the kills, as far as the machine does.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq

from mqtools.admin import queue_managers
from mqtools.constants.options import MQGMO_SYNCPOINT, MQOO_INPUT_AS_Q_DEF, MQPMO_SYNCPOINT
from mqtools.errors import NoMessageAvailable
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import Connection, connect
from mqtools.mqi.objects.definitions import alter_qmgr, define_queue
from mqtools.operations.archive_files import parquet_files

#: What Spark says where a worker has not started within ten seconds: the machine is too busy, and no fault of ours.
OVERLOADED = "Python worker failed to connect back"
QUEUES = ("ORDERS", "PAYMENTS", "NOTES")
#: Java as light as it goes: it is started again and again, and never gets old.
JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto"
#: Seconds within which a kill comes once a stream works; how long one waits for a batch that has landed, and for a
#: stream to begin.
SOON, LANDS, BEGINS = 4.0, 120.0, 600.0


def new_qmgr(path: Path, queues: tuple[str, ...], journal: int) -> None:
    """Create a queue manager with deep queues, and a journal that keeps everything."""
    with connect(queue_managers.create(str(path))) as connection, connection.work() as work:
        for name in queues:
            define_queue(work, "QLOCAL", name, {"journal": journal, "max_q_depth": 999_999_999})
        alter_qmgr(work, {"journal_age_s": -1, "journal_size_bytes": -1})


def write_all_the_time(path: str, rate: float, seed: str) -> None:
    """Put and get until SIGTERM. rate: calls a second."""
    ended = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: ended.set())
    chance = random.Random(seed)
    number = time.time_ns()  # so that no data is twice the same, in a second run neither
    with connect(path, appl_name="writer") as connection:
        while not ended.wait(1 / rate):
            number = _some_calls(connection, chance, number)


def _some_calls(connection: Connection, chance: random.Random, number: int) -> int:
    """Put, get, or both in a unit of work that may be backed out; return the number of the last put."""
    in_unit = chance.random() < 0.2
    for _ in range(chance.randint(1, 6) if in_unit else 1):
        queue = chance.choice(QUEUES)
        if chance.random() < 0.7:
            number += 1
            size = 300_000 if chance.random() < 0.001 else chance.randint(0, 200)
            data = b"%s %d " % (connection.db.path.encode(), number) + b"x" * size
            connection.put1(queue, Message(data, MQMD(format="MQSTR")), MQPMO_SYNCPOINT if in_unit else 0)
        else:
            _get(connection, queue, MQGMO_SYNCPOINT if in_unit else 0)
    if in_unit and chance.random() < 0.8:
        connection.commit()
    elif in_unit:
        connection.backout()
    return number


def _get(connection: Connection, queue: str, options: int) -> None:
    with connection.open(queue, MQOO_INPUT_AS_Q_DEF) as handle:
        try:
            handle.get(options)
        except NoMessageAvailable:
            return


class Follower(threading.Thread, ABC):
    """Stream that is started and killed repeatedly. words: of its command.  kills: counted by state."""

    def __init__(self, name: str, words: list[str], folder: Path, kills: int, seed: int) -> None:
        super().__init__(name=name)
        self.words = ["pipeline", "stream", "--master", "local[1]", "-o", "json", *words]
        self.words += ["--checkpoint", str(folder / f"{name}.checkpoint")]
        self.checkpoint = folder / f"{name}.checkpoint"
        self.log = folder / f"{name}.log"
        self.number = kills
        self.chance = random.Random(f"{seed} {name}")
        self.kills: Counter[str] = Counter()
        self.failures = self.overloads = 0

    def run(self) -> None:
        """Kill the stream as often as requested."""
        while self.kills.total() < self.number and self.failures < 3:
            self._live_and_die()

    def _live_and_die(self) -> None:
        delay, aims = self.chance.uniform(0, SOON), self.chance.random() < 0.4
        self.log.unlink(missing_ok=True)
        begun = time.monotonic()
        before = self.signs()
        process = self.start_stream()
        if not self._until(process, lambda: self.signs() != before, BEGINS):
            self._failed(process)
            return
        if aims:
            self._until(process, self.is_landed, LANDS)
        else:
            self._until(process, lambda: False, delay)
        if process.poll() is not None:
            self._failed(process)
            return
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        state = self.state()
        self.kills[state] += 1
        said = f"{self.name} kill {self.kills.total()} after {time.monotonic() - begun:.1f} s"
        print(f"{said}, {'aimed' if aims else f'{delay:.2f} s of work'}: {state}", flush=True)

    def _failed(self, process: subprocess.Popen[bytes]) -> None:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        status = process.wait()
        said = self.log.read_text()[-1000:]
        if OVERLOADED in said:
            self.overloads += 1
        else:
            self.failures += 1
        print(f"{self.name} ENDED by itself with {status}: {said}", flush=True)

    def start_stream(self, *more: str) -> subprocess.Popen[bytes]:
        """Start the stream, in a process group of its own."""
        with self.log.open("ab") as log:
            command = [Path(sys.executable).with_name("mqx"), *self.words, *more]
            return subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                env={"JDK_JAVA_OPTIONS": JAVA, **os.environ},
            )

    def _until(self, process: subprocess.Popen[bytes], is_so: Callable[[], bool], seconds: float) -> bool:
        """Wait for a condition or the end of the process; return whether the condition holds."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and process.poll() is None:
            if is_so():
                return True
            time.sleep(0.002)
        return False

    def batches(self, kind: str) -> int:
        """Return the number of the last batch in a log of Spark, -1 before the first. kind: offsets or commits."""
        folder = self.checkpoint / kind
        return max((int(one.name) for one in folder.glob("*") if one.name.isdigit()), default=-1)

    def signs(self) -> set[str]:
        """Return names that change as soon as a stream is working."""
        folders = [self.checkpoint / "offsets", self.checkpoint / "commits", *self.places()]
        return {str(one) for folder in folders if folder.is_dir() for one in folder.iterdir()}

    def state(self) -> str:
        """Return the state in which a kill has met the stream."""
        if self.batches("offsets") == self.batches("commits"):
            return "between batches"
        return "landed, not noted" if self.is_landed() else "batch in hand"

    def is_landed(self) -> bool:
        """Return whether the planned batch is written and not yet committed."""
        planned = self.batches("offsets")
        return planned > self.batches("commits") and self.has(planned)

    @abstractmethod
    def places(self) -> list[Path]:
        """Return the folders that show that a batch is being written."""

    @abstractmethod
    def has(self, number: int) -> bool:
        """Return whether the target has a batch."""


class IntoFolder(Follower):
    """Stream into a folder. form: a Delta table, or bare files."""

    def __init__(self, form: str, paths: list[str], folder: Path, kills: int, seed: int) -> None:
        self.target = folder / f"events-{form}"
        words = [word for path in paths for word in ("-m", path)]
        super().__init__(form, [*words, "--to", str(self.target), "--format", form], folder, kills, seed)

    def places(self) -> list[Path]:
        return [self.target / "_mqx"]

    def has(self, number: int) -> bool:
        if any((self.target / "_mqx").glob("*/manifest.json")):
            return True
        return any(f'"batch": {number},' in note.read_text() for note in (self.target / "_mqx").glob("stream-*.json"))


class OntoQueue(Follower):
    """Stream onto a queue of another queue manager."""

    def __init__(self, paths: list[str], target: str, folder: Path, kills: int, seed: int) -> None:
        self.target = target
        words = [word for path in paths for word in ("-m", path)]
        super().__init__("queue", [*words, "--to-queue", "COPY", "--to-qmgr", target], folder, kills, seed)

    def places(self) -> list[Path]:
        return [Path(f"{self.target}-run")]

    def has(self, number: int) -> bool:
        with sqlite3.connect(f"file:{self.target}?mode=ro", uri=True) as db:
            found = db.execute("select 1 from applied where id glob ?", (f"stream * {number} *",)).fetchone()
        db.close()
        return found is not None


def differences(came: Counter[object], wanted: Counter[object]) -> tuple[int, int]:
    """Return the numbers of lost and of duplicate items."""
    return (wanted - came).total(), (came - wanted).total()


def journaled(paths: list[str], columns: str, where: str) -> Counter[object]:
    """Read journals; put the name of the queue manager in front of each row."""
    found: Counter[object] = Counter()
    for path in paths:
        db = sqlite3.connect(path)
        chunks = "(select group_concat(hex(data), '') from journal_chunks as c where c.event_seq = j.event_seq)"
        rows = db.execute(f"select {columns.format(chunks=chunks)} from journal as j where {where}")
        found.update((Path(path).stem, *row) for row in rows)
        db.close()
    return found


def check_files(paths: list[str], folder: Path) -> tuple[int, int, int]:
    """Compare the files with the journals; return events, lost, duplicates."""
    came: Counter[object] = Counter()
    for path in parquet_files(str(folder)):
        name = path.partition("/qmgr=")[2].partition("/")[0]
        rows = pq.ParquetFile(path).read(["event_seq", "event", "msg_id", "data"]).to_pylist()
        came.update((name, r["event_seq"], r["event"], r["msg_id"], r["data"].hex().upper()) for r in rows)
    columns = "event_seq, event, hex(msg_id), coalesce(nullif(hex(data), ''), {chunks}, '')"
    wanted = journaled(paths, columns, "1")
    return (wanted.total(), *differences(came, wanted))


def check_queue(paths: list[str], target: str) -> tuple[int, int, int]:
    """Compare the queue with the puts in the journals; return messages, lost, duplicates."""
    db = sqlite3.connect(target)
    chunks = "(select group_concat(hex(data), '') from message_chunks as c where c.seq = m.seq)"
    rows = db.execute(f"select coalesce(hex(data), '') || coalesce({chunks}, '') from messages as m")
    came = Counter(row[0] for row in rows)
    db.close()
    events = journaled(paths, "coalesce(hex(data), '') || coalesce({chunks}, '')", "event = 'put'")
    wanted = Counter(row[1] for row in events.elements())  # type: ignore[index]
    return (wanted.total(), *differences(came, wanted))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=100, help="of each stream")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--rate", type=float, default=60, help="calls a second, at each queue manager")
    parser.add_argument("--folder", help="where everything goes and stays, more in a second run; else temporary")
    parser.add_argument("--write", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.write:
        return write_all_the_time(given.write, given.rate, str(given.seed))
    folder = Path(given.folder or tempfile.mkdtemp(prefix="mqx-stream-kills-"))
    print(f"seed {given.seed}, folder {folder}", flush=True)
    sys.exit(soak(given, folder))


def soak(given: argparse.Namespace, folder: Path) -> int:
    """Run the soak test; return the exit status."""
    begun = time.monotonic()
    names = ("QM1", "QM2", "HUB")
    if not (folder / "HUB.db").exists():
        for name in names:
            new_qmgr(folder / f"{name}.db", ("COPY",) if name == "HUB" else QUEUES, 0 if name == "HUB" else 2)
    *paths, hub = (str(folder / f"{name}.db") for name in names)
    words = [sys.executable, __file__, "--rate", str(given.rate), "--seed", str(given.seed), "--write"]
    writers = [subprocess.Popen([*words, path]) for path in paths]
    table = IntoFolder("delta", paths, folder, given.kills, given.seed)
    files = IntoFolder("parquet", paths, folder, given.kills, given.seed)
    queue = OntoQueue(paths, hub, folder, given.kills, given.seed)
    followers: tuple[Follower, ...] = (table, files, queue)
    try:
        for follower in followers:
            follower.start()
        for follower in followers:
            follower.join()
    finally:
        for writer in writers:
            writer.terminate()
            writer.wait()
    statuses = [follower.start_stream("--available-now").wait() for follower in followers]
    results = [*(check_files(paths, each.target) for each in (table, files)), check_queue(paths, hub)]
    for follower, status, (number, lost, doubled) in zip(followers, statuses, results, strict=True):
        kills = ", ".join(f"{count} {state}" for state, count in follower.kills.most_common())
        print(f"{follower.name}: {follower.kills.total()} kills ({kills}), {follower.batches('commits') + 1} batches")
        print(f"{follower.name}: {number} wanted, {lost} lost, {doubled} doubled, last status {status}")
        print(f"{follower.name}: ended by itself {follower.failures} times, overloaded {follower.overloads} times")
    print(f"seed {given.seed}: {time.monotonic() - begun:.0f} s", flush=True)
    is_good = not any(lost or doubled for _, lost, doubled in results)
    if is_good and not given.folder:
        shutil.rmtree(folder)
    return 0 if is_good and not any(statuses) and not sum(follower.failures for follower in followers) else 1


if __name__ == "__main__":
    main()
