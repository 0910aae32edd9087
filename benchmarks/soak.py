"""Crash tests for hours: every case of tests/crash, and every test that kills processes, with another seed each round.

    make soak HOURS=1

Prints a line for each round. Ends with 1 at the first round that fails, whose seed repeats it:
``MQX_SOAK_SEED=1234 pytest tests/crash``.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent


def run_round(seed: int) -> subprocess.CompletedProcess[str]:
    """Run one round of tests; return the finished process."""
    line = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--timeout", "3600", "-m", "crash and not spark", "tests"]
    env = {**os.environ, "MQX_SOAK_SEED": str(seed), "HYPOTHESIS_PROFILE": "fuzz"}
    return subprocess.run(line, cwd=ROOT, env=env, capture_output=True, text=True, check=False)


def main() -> int:
    """Run rounds until the time is over; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hours", type=float, default=1.0, help="hours to run; at least one round is run")
    parser.add_argument("--seed", type=int, help="seed of the first round")
    given = parser.parse_args()
    end = time.monotonic() + given.hours * 3600
    seed = random.randrange(1, 1_000_000) if given.seed is None else given.seed
    rounds = 0
    while not rounds or time.monotonic() < end:
        began = time.monotonic()
        done = run_round(seed)
        summary = done.stdout.strip().rpartition("\n")[2]
        print(f"round {rounds + 1}, seed {seed}, {time.monotonic() - began:.0f} s: {summary}", flush=True)
        if done.returncode:
            print(done.stdout)
            return 1
        rounds, seed = rounds + 1, seed + 1000
    return 0


if __name__ == "__main__":
    sys.exit(main())
