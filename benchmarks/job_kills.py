"""Soak test of the jobs of ``mqx pipeline``: drivers and workers are killed, and nothing is lost or doubled.

``make job-kills``, or ``python benchmarks/job_kills.py [--kills N] [--seed S] [--folder DIR] [JOB...]``. Each job has a
queue manager of its own and runs again and again on new messages. It is killed N times by its driver, with all of its
processes, and N times by one of Spark's Python workers. The last run ends by itself; then all that arrived is compared
with all that was put. Exit status 1 where they differ.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import polars

from mqtools.admin import queue_managers
from mqtools.message import Message
from mqtools.mqi.connection import connect
from mqtools.mqi.objects.definitions import define_queue
from mqtools.operations.load import load_messages
from mqtools.operations.stored_messages import load_data

#: Messages of a run; a run that takes longer than this many seconds has failed.
NUMBER, LONGEST = 3_000, 300
Q, COPY = "ORDERS", "COPY"


@dataclass
class Job:
    """A job that is killed. words: of its command.  put: numbers of the messages so far."""

    name: str
    folder: Path
    words: list[str]
    put: int = 0
    files: int = 0
    kills: dict[str, int] = field(default_factory=lambda: {"driver": 0, "worker": 0})

    def __post_init__(self) -> None:
        self.folder.mkdir()
        self.path = queue_managers.create(str(self.folder / "QM1.db"))
        with connect(self.path) as connection, connection.work() as work:
            for name in (Q, COPY):
                define_queue(work, "QLOCAL", name, {"journal": 2, "max_q_depth": 999_999_999})

    def feed(self) -> None:
        """Put new messages, or write a new file to load."""
        numbers = range(self.put, self.put + NUMBER)
        self.put += NUMBER
        if self.name == "load":
            self.files += 1
            lines = "".join(json.dumps({"data": str(n)}) + "\n" for n in numbers)
            (self.folder / f"{self.files}.jsonl").write_text(lines)
            return
        with connect(self.path) as connection:
            load_messages(connection, Q, [Message(b"%d" % n) for n in numbers])

    def start(self) -> subprocess.Popen[bytes]:
        """Start the job, in a process group of its own."""
        words = [word.format(folder=self.folder, file=self.files) for word in self.words]
        common = ["-m", self.path, "--master", "local[2]", "-o", "json"]
        with (self.folder / "log").open("wb") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "mqtools", "pipeline", *words, *common],
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def run_to_end(self) -> float:
        """Run the job until it has ended; return the seconds."""
        begun = time.monotonic()
        status = self.start().wait(LONGEST)
        if status not in (0, 3):
            raise SystemExit(f"{self.name} ended with {status}: {(self.folder / 'log').read_text()}")
        return time.monotonic() - begun

    def kill_driver(self, delay: float) -> bool:
        """Kill all processes of the job after a while; return whether it was still running."""
        process = self.start()
        try:
            process.wait(delay)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return True
        return False

    def kill_worker(self, delay: float) -> bool:
        """Kill a Python worker a while after there is one; return whether there was."""
        process, found = self.start(), False
        until = time.monotonic() + LONGEST
        while process.poll() is None and time.monotonic() < until:
            workers = workers_of(process.pid)
            if workers and not found:
                time.sleep(delay)
                if alive := workers_of(process.pid):
                    os.kill(alive[-1], signal.SIGKILL)
                    found = True
            time.sleep(0.02)
        process.wait()
        return found

    def arrived(self) -> list[int]:
        """Return the numbers of the messages at the target, sorted."""
        if self.name in ("load", "stream-queue"):
            return sorted(map(int, bodies(self.path, COPY)))
        found = polars.read_delta(str(self.folder / "lake"))
        if self.name == "stream":
            assert sorted(found["event_seq"]) == list(range(1, len(found) + 1)), "events are not contiguous"
        return sorted(map(int, found["data"]))


def bodies(path: str, q_name: str) -> list[bytes]:
    with connect(path) as connection:
        rows = connection.db.all(
            "select seq from messages join queues on queues.id = queue_id where name = ?", (q_name,)
        )
        return [load_data(connection, seq) for (seq,) in rows]


def workers_of(process: int, *, is_below: bool = False) -> list[int]:
    """Return the Python processes below Java that have started no other process. is_below: Java has started it."""
    try:
        program = os.path.basename(os.readlink(f"/proc/{process}/exe"))
        lists = Path(f"/proc/{process}/task").glob("*/children")
        own = [int(word) for each in lists for word in each.read_text().split()]
    except OSError:
        return []
    found = [worker for one in own for worker in workers_of(one, is_below=is_below or program == "java")]
    return found or ([process] if is_below and program.startswith("python") and not own else [])


JOBS: dict[str, list[str]] = {
    "archive": ["archive", "--queue", Q, "--to", "{folder}/lake"],
    "consume": ["archive", "--queue", Q, "--to", "{folder}/lake", "--consume", "--yes"],
    "load": ["load", COPY, "{folder}/{file}.jsonl", "--job-id", "{file}"],
    "stream": ["stream", "--queue", Q, "--to", "{folder}/lake", "--checkpoint", "{folder}/c", "--available-now"],
    "stream-queue": ["stream", "--queue", Q, "--to-queue", COPY, "--checkpoint", "{folder}/c", "--available-now"],
}


def soak(job: Job, kills: int, chance: random.Random) -> bool:
    """Kill a job as often as requested, run it to its end, and return whether all arrived once."""
    job.feed()
    usual = job.run_to_end()
    ways: dict[str, Callable[[float], bool]] = {"driver": job.kill_driver, "worker": job.kill_worker}
    tries = 0
    while min(job.kills.values()) < kills and tries < 4 * kills:
        kind = min(job.kills, key=lambda each: (job.kills[each], each))
        if job.name != "load" or tries % 2 == 0:
            job.feed()
        tries += 1
        delay = chance.uniform(0.3, 1) * usual if kind == "driver" else chance.uniform(0, 1)
        job.kills[kind] += ways[kind](delay)
        if job.name == "load":
            job.run_to_end()
    job.run_to_end()
    found, wanted = job.arrived(), list(range(job.put))
    lost, doubled = len(set(wanted) - set(found)), len(found) - len(set(found))
    left = len(bodies(job.path, Q)) if job.name == "consume" else 0
    counted = f"{job.kills['driver']} drivers and {job.kills['worker']} workers killed"
    print(f"{job.name}: {counted}, {job.put} put, {lost} lost, {doubled} doubled, {left} left", flush=True)
    return found == wanted and not left


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder")
    parser.add_argument("jobs", nargs="*", default=list(JOBS))
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mqx-kills-", dir=given.folder) as folder:
        chance = random.Random(given.seed)
        return int(
            not all([soak(Job(name, Path(folder, name), JOBS[name]), given.kills, chance) for name in given.jobs])
        )


if __name__ == "__main__":
    sys.exit(main())
