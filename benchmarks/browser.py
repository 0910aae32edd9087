"""The live browser in a terminal: the first rows against a bare Textual application, the last page, memory, keys."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import select
import struct
import sys
import termios
import time
from collections.abc import Sequence
from pathlib import Path

from measure import fill, new_qmgr, paired, report

from mqtools.message import MQMD, Message
from mqtools.mqi.connection import connect
from mqtools.mqi.objects.definitions import alter_qmgr, alter_queue

_MESSAGES = 1_000_000
_SIZE = struct.pack("HHHH", 36, 120, 0, 0)
_PATIENCE_S = 120
#: Time for which keys are pressed while a long body is laid out (seconds).
_WATCHED_S = 10
#: A bare application: what Textual itself takes to draw one line.
_BARE = """
from textual.app import App
from textual.widgets import Static
class Bare(App):
    def compose(self):
        yield Static("1 of 1")
Bare().run()
"""


class Terminal:
    """A program in a terminal of 120 columns and 36 lines."""

    def __init__(self, line: Sequence[str]) -> None:
        self.began_at = time.monotonic()
        self.pid, self._file = pty.fork()
        if not self.pid:
            os.execve(line[0], line, {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor"})
        fcntl.ioctl(self._file, termios.TIOCSWINSZ, _SIZE)

    def until(self, text: str) -> float:
        """Wait until a text was drawn; return when."""
        drawn = b""
        while text.encode() not in drawn:
            assert select.select([self._file], [], [], _PATIENCE_S)[0], f"{text} was never drawn"
            drawn = drawn[-200:] + os.read(self._file, 65536)
        return time.monotonic()

    def press(self, keys: str) -> float:
        """Press keys; return when."""
        os.write(self._file, keys.encode())
        return time.monotonic()

    @property
    def processor_s(self) -> float:
        """Processor time so far, user and system, of all threads that run."""
        threads = Path(f"/proc/{self.pid}/task").glob("*/schedstat")
        return sum(int(each.read_text().split()[0]) for each in threads) / 1e9

    @property
    def memory_mb(self) -> float:
        """Memory that no other process shares."""
        lines = Path(f"/proc/{self.pid}/smaps_rollup").read_text().splitlines()
        return sum(int(line.split()[1]) for line in lines if line.startswith("Private_")) / 1024

    def close(self) -> None:
        """End the program."""
        os.kill(self.pid, 9)
        os.waitpid(self.pid, 0)
        os.close(self._file)


def browser() -> None:
    """Measure the live browser on a queue with a million messages."""
    path = new_qmgr()
    fill(path, _MESSAGES)
    ours = [str(Path(sys.executable).with_name("mqx")), "tui", "BENCH", "-m", path]
    bare = [sys.executable, "-c", _BARE]
    for what, is_processor in (("wall", False), ("processor", True)):
        one, other, ratio = paired(
            lambda is_processor=is_processor: _first_rows(ours, f"1 of {_MESSAGES:,}".replace(",", " "), is_processor),
            lambda is_processor=is_processor: _first_rows(bare, "1 of 1", is_processor),
            rounds=11,
        )
        report(
            "browser",
            f"first rows {one * 1000:.0f} ms {what}, a bare app {other * 1000:.0f} ms",
            f"{ratio:.2f}",
            "at most 1.5",
        )
    _measure_running(ours, bare)


def _first_rows(line: Sequence[str], text: str, is_processor: bool) -> float:
    terminal = Terminal(line)
    drawn_at = terminal.until(text)
    taken_s = terminal.processor_s if is_processor else drawn_at - terminal.began_at
    terminal.close()
    return taken_s


def _measure_running(ours: Sequence[str], bare: Sequence[str]) -> None:
    everything = f"{_MESSAGES:,}".replace(",", " ")
    terminal, other = Terminal(ours), Terminal(bare)
    terminal.until(f"1 of {everything}")
    other.until("1 of 1")
    time.sleep(3)  # until what keys need is imported
    last_ms, down_ms = [], []
    for _ in range(9):
        last_ms.append((-terminal.press("G") + terminal.until(f"{everything} of {everything}")) * 1000)
        down_ms.append((-terminal.press("k") + terminal.until(f" of {everything}")) * 1000)
        terminal.press("g")
        terminal.until(f"1 of {everything}")
    report("browser", "the last page of a million messages", f"{sorted(last_ms)[4]:.0f} ms", "at most 200 ms")
    report("browser", "a key that moves the cursor", f"{sorted(down_ms)[4]:.0f} ms")
    report("browser", "memory beyond a bare app", f"{terminal.memory_mb - other.memory_mb:.0f} MB", "at most 50 MB")
    terminal.close()
    other.close()
    _measure_long_json()


def _measure_long_json() -> None:
    """Measure a JSON of 12 MB: when its first lines are there, and the slowest key while the rest is laid out."""
    path = new_qmgr()
    with connect(path) as connection:
        with connection.work() as work:
            alter_qmgr(work, {"max_msg_length": 20_000_000})
            alter_queue(work, "QLOCAL", "BENCH", {"max_msg_length": 20_000_000})
        items = [{"number": number, "name": f"item {number}", "tags": ["a", "b"]} for number in range(200_000)]
        connection.put1("BENCH", Message(json.dumps(items).encode(), MQMD(format="MQSTR")))
    terminal = Terminal([str(Path(sys.executable).with_name("mqx")), "tui", "BENCH", "-m", path])
    terminal.until("1 of 1")
    time.sleep(3)
    first_ms = (-terminal.press("3") + terminal.until("laying")) * 1000
    began, slowest_ms = time.monotonic(), 0.0
    while time.monotonic() - began < _WATCHED_S:
        for heading in ("local", "age", "time UTC"):
            slowest_ms = max(slowest_ms, (-terminal.press("u") + terminal.until(heading)) * 1000)
            time.sleep(0.05)
    report("browser", "the first lines of a JSON of 12 MB", f"{first_ms:.0f} ms")
    report("browser", "the slowest key while it is laid out", f"{slowest_ms:.0f} ms", "at most 100 ms")
    terminal.close()
