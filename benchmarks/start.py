"""Section ``start``: whole processes of everyday commands against a Python that only imports sqlite3.

Run it with the Python of a plain install (a wheel in an environment of its own): an editable install has files that
every start reads. ``mqx --help`` loads click, and with it the options that the commands share.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from measure import report

from mqtools.admin import queue_managers

#: Rounds: in each one every command runs once, and the bare Python before it.
ROUNDS = 25
_QUEUE = "DEV.QUEUE.1"
#: Command lines, and how much of the time of the bare Python they are to take at most.
LINES = (
    (("put", _QUEUE, "hello"), 1.6),
    (("-m", "BENCH", "put", _QUEUE, "hello"), 1.6),
    (("get", _QUEUE), 1.8),
    (("qdepth",), 1.5),
    (("browse", _QUEUE, "-n", "1"), 2),
    (("--help",), 3),
    (("put", _QUEUE, "hello", "-o", "json"), None),
)


def start() -> None:
    """Measure the start of each command: by the clock, and by the processor, which a busy machine changes less."""
    home = tempfile.mkdtemp()
    environment = {**os.environ, "MQX_HOME": home, "XDG_CONFIG_HOME": home}
    queue_managers.create(os.path.join(home, "BENCH.db"), developer=True)
    script = str(Path(sys.executable).with_name("mqx"))
    subprocess.run([script, "put", _QUEUE, *map(str, range(100))], env=environment, check=True)
    bare = (sys.executable, "-c", "import sqlite3")
    for words, goal in LINES:
        pairs = [(_run((script, *words), environment), _run(bare, environment)) for _ in range(ROUNDS)]
        for number, clock in enumerate(("wall", "processor")):
            ours, theirs = ([each[side][number] for each in pairs] for side in (0, 1))
            ratio = statistics.median(a / b for a, b in zip(ours, theirs, strict=True))
            name = " ".join(word for word in words if word not in (_QUEUE, "hello"))
            ours_ms, theirs_ms = statistics.median(ours), statistics.median(theirs)
            what = f"mqx {name} {ours_ms:.1f} ms {clock}, import sqlite3 {theirs_ms:.1f} ms"
            report("start", what, f"{ratio:.2f}", "" if goal is None else f"at most {goal}")


def _run(command: tuple[str, ...], environment: dict[str, str]) -> tuple[float, float]:
    """Return the milliseconds that a process takes, by the clock and of the processor."""
    begin = time.perf_counter()
    with open(os.devnull, "wb") as nothing:
        process = subprocess.Popen(command, env=environment, stdout=nothing)
        _, status, used = os.wait4(process.pid, 0)
    took = time.perf_counter() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return took * 1000, (used.ru_utime + used.ru_stime) * 1000
