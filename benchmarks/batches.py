"""Channels and the dead-letter handler, whole processes: messages a second, and processor time of each side."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from measure import BODY, report

from mqtools.admin import queue_managers
from mqtools.admin.mqsc.run import run_mqsc
from mqtools.headers.chain import prefix_dlh
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import connect

_COUNT = 20_000
#: Messages that are put in one transaction.
_PORTION = 1_000
_CHANNEL = "A.TO.B"
_RULE = "INPUTQ(DLQ) WAIT(NO)\nACTION(FWD) FWDQ(TARGET) HEADER(NO)\n"


def channel() -> None:
    """Measure one channel over one connection, with the default batches of 50, persistent messages of 1 KiB."""
    sender = _create(
        "A", "DEFINE QLOCAL(B) USAGE(XMITQ) MAXDEPTH(999999)", "DEFINE QREMOTE(ORDERS) RNAME(ORDERS) RQMNAME(B)"
    )
    socket = os.path.join(os.path.dirname(sender), "socket")
    _run(sender, f"DEFINE CHANNEL({_CHANNEL}) CHLTYPE(SDR) XMITQ(B) CONNAME('unix:{socket}')")
    receiver = _create("B", "DEFINE QLOCAL(ORDERS) MAXDEPTH(999999)", f"DEFINE CHANNEL({_CHANNEL}) CHLTYPE(RCVR)")
    listener = _start(receiver, "channel", "listen", "--unix", socket, "--insecure")
    while not os.path.exists(socket):
        time.sleep(0.01)
    start = ("channel", "start", _CHANNEL, "--drain")
    idle_s, idle_sender_s = _time(_start(sender, *start))
    idle_receiver_s = _processor_s(listener.pid)
    _put(sender, "ORDERS", [Message(BODY, MQMD(persistence=1)) for _ in range(_COUNT)])
    took_s, sender_s = _time(_start(sender, *start))
    receiver_s = _processor_s(listener.pid) - idle_receiver_s
    listener.terminate()
    listener.wait()
    _report("channel", "sender", took_s - idle_s, sender_s - idle_sender_s)
    report("channel", "receiver, processor time a message", f"{receiver_s / _COUNT * 1e6:.0f} us", "at most 200 us")


def dead_letters() -> None:
    """Measure dlq-handle: a rule that forwards every letter, without its header."""
    path = _create(
        "D", "DEFINE QLOCAL(TARGET) MAXDEPTH(999999)", "DEFINE QLOCAL(DLQ) MAXDEPTH(999999)", "ALTER QMGR DEADQ(DLQ)"
    )
    with tempfile.NamedTemporaryFile("w", suffix=".tab") as rules:
        rules.write(_RULE)
        rules.flush()
        start = ("dlq-handle", "--once", "--rules", rules.name)
        idle_s, idle_processor_s = _time(_start(path, *start))
        _put(path, "DLQ", [_letter() for _ in range(_COUNT)])
        took_s, processor_s = _time(_start(path, *start))
    _report("dlq", "dlq-handle that forwards", took_s - idle_s, processor_s - idle_processor_s)


def _report(section: str, what: str, took_s: float, processor_s: float) -> None:
    report(section, what, f"{_COUNT / took_s:.0f}/s", "at least 5000/s")
    report(section, f"{what}, processor time a message", f"{processor_s / _COUNT * 1e6:.0f} us", "at most 200 us")


def _letter() -> Message:
    md, data = prefix_dlh(
        MQMD(persistence=1), BODY, reason=2053, dest_q_name="ORDERS", dest_q_mgr_name="D", put_appl_type=6,
        put_appl_name="bench", put_date="20261120", put_time="10000000",
    )  # fmt: skip
    return Message(data, md)


def _create(name: str, *commands: str) -> str:
    path = queue_managers.create(os.path.join(tempfile.mkdtemp(), f"{name}.db"))
    _run(path, *commands)
    return path


def _run(path: str, *commands: str) -> None:
    with connect(path) as connection:
        assert not run_mqsc(connection, "\n".join(commands)).failed


def _put(path: str, q_name: str, messages: list[Message]) -> None:
    with connect(path) as connection:
        for at in range(0, len(messages), _PORTION):
            connection.put_each(q_name, messages[at : at + _PORTION])


def _start(path: str, *words: str) -> subprocess.Popen[bytes]:
    script = str(Path(sys.executable).with_name("mqx"))
    return subprocess.Popen([script, "-m", path, "-q", *words])


def _time(process: subprocess.Popen[bytes]) -> tuple[float, float]:
    """Wait for the end of a process; return how long it took from now, and its processor time (seconds)."""
    begin = time.perf_counter()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return time.perf_counter() - begin, usage.ru_utime + usage.ru_stime


def _processor_s(pid: int) -> float:
    """Return the processor time that a running process has used, in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
