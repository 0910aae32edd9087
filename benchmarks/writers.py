"""Many writer processes against one: the total, and how fairly they are served."""

from __future__ import annotations

import subprocess
import sys

from measure import new_qmgr, report

_SECONDS = 3.0

_WRITER = """
import sys, time
path, seconds = sys.argv[1], float(sys.argv[2])
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import connect
connection = connect(path)
handle = connection.open("BENCH", 16)
def put():
    handle.put(Message(b"x" * 1024, MQMD(persistence=1)))
print("ready", flush=True)
sys.stdin.readline()
done, longest, end = 0, 0.0, time.perf_counter() + seconds
while (begin := time.perf_counter()) < end:
    put()
    done += 1
    longest = max(longest, time.perf_counter() - begin)
print(done, longest * 1000, flush=True)
"""


def writers() -> None:
    """Measure eight writer processes against one: total, fairness, the longest wait."""
    eight, one = _write(8), _write(1)[0][0]
    served = [done for done, _ in eight]
    what = f"8 writers {sum(served) / _SECONDS:.0f}/s, 1 writer {one / _SECONDS:.0f}/s"
    report("writers", what, f"{sum(served) / one:.2f}")
    report("writers", "least served / most served of 8", f"{min(served) / max(served):.2f}", "at least 0.6")
    report("writers", "longest put of 8 writers", f"{max(wait for _, wait in eight):.0f} ms", "at most 50 ms")


def _write(number: int) -> list[tuple[int, float]]:
    """Run writers for some seconds; return how often each has put, and its longest put (milliseconds)."""
    path = new_qmgr()
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", _WRITER, path, str(_SECONDS)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        for _ in range(number)
    ]  # fmt: skip
    for process in processes:
        assert process.stdout is not None
        process.stdout.readline()
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    results = []
    for process in processes:
        assert process.stdout is not None
        done, longest = process.stdout.readline().split()
        results.append((int(done), float(longest)))
        process.wait()
    return results
