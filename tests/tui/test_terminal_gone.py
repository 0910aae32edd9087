"""A terminal that is closed ends the browser, whatever it was doing, and whether or not a signal says so."""

from __future__ import annotations

import asyncio
import fcntl
import os
import pty
import select
import shlex
import struct
import sys
import termios
import time
from pathlib import Path

import pytest
from textual.app import App
from textual.drivers.linux_driver import LinuxDriver

from mqtools.tui.terminal_driver import HUNG_UP, TerminalDriver, TerminalOutput

from .conftest import PATIENCE_S


class Closed:
    """A file whose terminal has been closed."""

    encoding = "utf-8"

    def write(self, _: str) -> int:
        raise OSError(5, "Input/output error")

    flush = write


def test_what_cannot_be_written_is_dropped_and_reported_once():
    reported = []
    output = TerminalOutput(Closed(), lambda: reported.append("gone"))  # type: ignore[arg-type]
    assert [output.write("hello"), output.write("again")] == [5, 5]
    output.flush()
    assert reported == ["gone"]


def test_a_terminal_whose_keys_cannot_be_read_ends_the_application(monkeypatch):
    app: App[None] = App()

    async def read_keys() -> None:
        async with app.run_test() as pilot:
            TerminalDriver(app).run_input_thread()
            await pilot.pause()

    monkeypatch.setattr(LinuxDriver, "run_input_thread", lambda _: Closed().write(""))
    asyncio.run(read_keys())
    assert app.return_code == HUNG_UP


class Shell:
    """A shell on a terminal of its own, which can be closed while the shell lives."""

    def __init__(self, *words: str) -> None:
        self.pid, self._terminal = pty.fork()
        if not self.pid:
            os.execvpe("bash", ["bash", *words], {**os.environ, "TERM": "xterm-256color", "PS1": "ready> "})
        fcntl.ioctl(self._terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 36, 120, 0, 0))

    def until(self, text: str) -> None:
        drawn, deadline = b"", time.monotonic() + PATIENCE_S
        while text.encode() not in drawn:
            assert time.monotonic() < deadline, f"{text} never came; the end of what did: {drawn[-500:]!r}"
            if select.select([self._terminal], [], [], 1)[0]:
                drawn += os.read(self._terminal, 65536)

    def type(self, text: str) -> None:
        os.write(self._terminal, text.encode())

    def close_terminal(self) -> None:
        os.close(self._terminal)

    def reap(self) -> None:
        eventually(lambda: os.waitpid(self.pid, os.WNOHANG)[0], "the shell outlived its terminal")


def eventually(claim, words: str) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not claim():
        assert time.monotonic() < deadline, words
        time.sleep(0.01)


def line(path: str, pid_file: Path) -> str:
    """A command line that writes the process id of the browser to a file, and becomes it."""
    mqx = Path(sys.executable).with_name("mqx")
    return f"sh -c {shlex.quote(f'echo $$ > {pid_file}; exec {mqx} tui Q -m {path}')}"


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.mark.slow
def test_a_terminal_that_is_closed_without_a_signal_ends_it_with_143(qm, tmp_path):
    qm.put("hello")
    status = tmp_path / "status"
    # The shell, which leads the session, ignores the signal that the system sends to it alone.
    shell = Shell(
        "-c", f"trap '' HUP; {line(qm.path, tmp_path / 'pid')}; echo $? > {status}.new; mv {status}.new {status}"
    )
    shell.until("hello")
    shell.close_terminal()
    shell.reap()
    assert int(status.read_text()) == HUNG_UP


@pytest.mark.slow
@pytest.mark.parametrize("after_s", [0, 0.002, 0.02])
def test_a_terminal_that_is_closed_as_a_suspended_browser_resumes_ends_it(qm, tmp_path, after_s):
    qm.put("hello")
    shell = Shell("--norc", "--noprofile", "-i")
    shell.until("ready> ")
    shell.type(f"{line(qm.path, tmp_path / 'pid')}\r")
    shell.until("1 of 1")
    pid = int((tmp_path / "pid").read_text())
    shell.type("\x1a")
    shell.until("Stopped")
    shell.type("fg\r")
    time.sleep(after_s)  # no wait for a condition: the terminal is to be closed in the middle of it
    shell.close_terminal()
    shell.reap()
    eventually(lambda: not is_alive(pid), "the browser outlived its terminal")
