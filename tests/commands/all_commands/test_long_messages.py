"""Long messages: put and got by a process that keeps their data in memory once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from mqtools.admin import queue_managers

MIB = 1 << 20
LENGTH = 48 * MIB
#: Prints the most memory (KiB) that a command has had.
MEASURED = (
    "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True);"
    "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)"
)


def peak_bytes(qmgr: str, *words: str, stdin: Path, stdout: Path) -> int:
    """Return the most memory that a command of mqx has had."""
    mqx = str(Path(sys.executable).with_name("mqx"))
    with stdin.open("rb") as given, stdout.open("wb") as taken:
        done = subprocess.run(
            [sys.executable, "-c", MEASURED, mqx, "-m", qmgr, *words],
            stdin=given,
            stdout=taken,
            stderr=subprocess.PIPE,
            check=True,
        )
    return int(done.stderr) * 1024


@pytest.mark.slow
def test_the_data_of_a_long_message_is_in_memory_once(tmp_path: Path) -> None:
    qmgr = queue_managers.create(str(tmp_path / "QM1.db"), developer=True)
    body, nothing, out = tmp_path / "body", tmp_path / "nothing", tmp_path / "out"
    nothing.touch()
    body.write_bytes("é".encode() * (LENGTH // 2))  # text, which would take twice its length when decoded
    mqx = str(Path(sys.executable).with_name("mqx"))
    for words in (f"ALTER QLOCAL(DEV.QUEUE.1) MAXMSGL({LENGTH})", f"ALTER QMGR MAXMSGL({LENGTH})"):
        subprocess.run([mqx, "-m", qmgr, "mqsc", words], check=True, stdout=subprocess.DEVNULL)
    small = tmp_path / "small"
    small.write_bytes(b"x")
    least = peak_bytes(qmgr, "put", "DEV.QUEUE.2", "-", stdin=small, stdout=out)
    cache = 32 * MIB
    assert peak_bytes(qmgr, "put", "DEV.QUEUE.1", "-", stdin=body, stdout=out) < least + cache + 1.5 * LENGTH
    assert peak_bytes(qmgr, "get", "DEV.QUEUE.1", stdin=nothing, stdout=out) < least + cache + 1.5 * LENGTH
    assert out.read_bytes() == body.read_bytes()
