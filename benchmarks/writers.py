"""Many writer processes against one: of mqx, and of raw SQLite with the same locks and flushes, as the floor."""

from __future__ import annotations

import subprocess
import sys

from measure import new_qmgr, report

_SECONDS = 3.0

_MQX = """
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import connect
connection = connect(path)
handle = connection.open("BENCH", 16)
def put():
    handle.put(Message(b"x" * 1024, MQMD(persistence=1)))
"""
#: As few lines as can be: one of two kernel locks after the other, an insert, a counter, a commit, a flush.
_RAW = """
import fcntl, os, sqlite3
sql = sqlite3.connect(path, isolation_level=None)
sql.execute("pragma synchronous = off")
sql.execute("create table if not exists raw (id integer primary key, data)")
sql.execute("create table if not exists counters (id integer primary key, depth)")
sql.execute("insert or ignore into counters values (1, 0)")
turn, writer = (os.open(path + name, os.O_RDWR | os.O_CREAT) for name in ("-turn", "-writer"))
log = os.open(path + "-wal", os.O_RDWR)
def put():
    fcntl.flock(turn, fcntl.LOCK_EX)
    fcntl.flock(writer, fcntl.LOCK_EX)
    fcntl.flock(turn, fcntl.LOCK_UN)
    sql.execute("begin immediate")
    sql.execute("insert into raw (data) values (?)", (b"x" * 1024,))
    sql.execute("update counters set depth = depth + 1 where id = 1")
    sql.execute("commit")
    fcntl.flock(writer, fcntl.LOCK_UN)
    os.fdatasync(log)
"""
_LOOP = """
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
    """Measure eight writer processes against one: total, fairness, the longest wait; and the total of raw SQLite."""
    eight = _write(8, _MQX)
    served = [done for done, _ in eight]
    _report_total("", sum(served), _write(1, _MQX)[0][0], "at least 1.5")
    raw = sum(done for done, _ in _write(8, _RAW))
    _report_total("raw SQLite: ", raw, _write(1, _RAW)[0][0], "the floor")
    report("writers", "least served / most served of 8", f"{min(served) / max(served):.2f}", "at least 0.6")
    report("writers", "longest put of 8 writers", f"{max(wait for _, wait in eight):.0f} ms", "at most 50 ms")


def puts_of(number: int, seconds: float) -> float:
    """Return how often so many writers together put in a second."""
    return sum(done for done, _ in _write(number, _MQX, seconds)) / seconds


def _report_total(whose: str, eight: int, one: int, goal: str) -> None:
    what = f"{whose}8 writers {eight / _SECONDS:.0f}/s, 1 writer {one / _SECONDS:.0f}/s"
    report("writers", what, f"{eight / one:.2f}", goal)


def _write(number: int, program: str, seconds: float = _SECONDS) -> list[tuple[int, float]]:
    """Run writers for some seconds; return how often each has put, and its longest put (milliseconds)."""
    path = new_qmgr()
    text = f"import sys, time\npath, seconds = sys.argv[1], float(sys.argv[2])\n{program}{_LOOP}"
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", text, path, str(seconds)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(number)
    ]
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
