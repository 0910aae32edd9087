"""Benchmarks of reads without Spark, and of archives against ``pyarrow`` alone, as ratios measured in one run.

``python benchmarks/arrow.py [SECTION…] [--messages N]``. Sections: process (``mqx unload --parquet`` against ``mqx
pipeline archive``, whole processes), archive (the archive's write on ``local[1]`` against ``pyarrow`` writing the same
batches, without the start of Spark). The machine should have nothing else to do.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from pyspark_mqx.jobs import archive as jobs
from pyspark_mqx.jobs.delta_target import DeltaPlace
from spark import new_qmgr, report, seconds, start

from mqtools.arrow.columns import EXACT, MESSAGE
from mqtools.arrow.parquet import write_file
from mqtools.arrow.queue_reader import read

Q, ROUNDS = "DEV.QUEUE.1", 3


def run(*words: str) -> float:
    begin = time.perf_counter()
    subprocess.run([os.path.join(os.path.dirname(sys.executable), "mqx"), *words], check=True, capture_output=True)
    return time.perf_counter() - begin


def process(path: str, messages: int) -> None:
    """Measure one queue manager into a table: whole processes."""
    folder = tempfile.mkdtemp()
    spark = min(run("pipeline", "archive", "-m", path, "--queue", Q, "--to", f"{folder}/{n}") for n in range(2))
    ours = min(run("unload", Q, "-m", path, "--parquet", f"{folder}/{n}.parquet") for n in range(2))
    report("process", f"{messages} messages: unload --parquet {ours:.1f} s, archive {spark:.1f} s", spark / ours, "3")


def archive(path: str, messages: int) -> None:
    """Measure an archive in a session that runs against the same batches written by pyarrow in one process."""
    folder = Path(tempfile.mkdtemp())
    names = [*MESSAGE, *EXACT]
    session = start(1)
    jobs.archive(session, DeltaPlace(str(folder / "warm")), path, Q)

    def plain(n: int) -> float:
        rows = read(path, Q, names, alone=True)
        return seconds(lambda: write_file(str(folder / f"{n}.parquet"), rows.schema, rows, replaces=False))

    def ours(n: int) -> float:
        return seconds(lambda: jobs.archive(session, DeltaPlace(str(folder / str(n))), path, Q))

    rounds = [(ours(n), plain(n)) for n in range(ROUNDS)]
    taken, least = (min(each) for each in zip(*rounds, strict=True))
    session.stop()
    report("archive", f"{messages} messages {taken:.1f} s, pyarrow {least:.1f} s", taken / least, "at most 2.5")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sections", nargs="*", default=["process", "archive"])
    parser.add_argument("--messages", type=int, default=300_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mqx-arrow-bench-") as tempfile.tempdir:
        path = new_qmgr(given.messages)
        for section in given.sections:
            {"process": process, "archive": archive}[section](path, given.messages)
        shutil.rmtree(os.path.dirname(path))


if __name__ == "__main__":
    main()
