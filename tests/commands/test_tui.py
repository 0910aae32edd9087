"""``mqx tui`` and ``mqx browse --live`` in a real terminal: how they begin, end, and share a queue."""

from __future__ import annotations

import os
import re
import signal
import time
import tomllib
from collections.abc import Callable, Iterator
from typing import Any

import pexpect
import pytest

Run = Callable[..., Any]

PATIENCE_S = 60
QUEUE = "DEV.QUEUE.1"
#: What gives the terminal back: the main screen, and the cursor.
MAIN_SCREEN, CURSOR = "\x1b[?1049l", "\x1b[?25h"


class Terminal:
    """A browser in a terminal of its own. What it has drawn is kept without escape sequences."""

    def __init__(self, child: pexpect.spawn) -> None:
        self.child = child
        self.drawn = ""

    def press(self, keys: str) -> None:
        self.child.send(keys)

    def expect(self, text: str) -> None:
        """Wait until something is drawn."""
        deadline = time.monotonic() + PATIENCE_S
        while text not in re.sub(r"\x1b\[[0-9;:?<>=]*[A-Za-z]", "", self.drawn):
            assert time.monotonic() < deadline, self.drawn[-3000:]
            self._read()

    def _read(self) -> bool:
        try:
            self.drawn += self.child.read_nonblocking(65536, timeout=1)
        except pexpect.TIMEOUT:
            return True
        except pexpect.EOF:
            return False
        return True

    def end(self) -> int:
        """Wait for the end; give the status."""
        while self._read():
            pass
        self.child.wait()  # closing hurries what has let go of the terminal and not ended yet
        self.child.close()
        assert self.child.signalstatus is None
        status: int = self.child.exitstatus
        return status


@pytest.fixture
def browser(environment: dict[str, str], mqx_path: str) -> Iterator[Callable[..., Terminal]]:
    """Begin a browser: ``browser("tui", "Q")``."""
    running: list[pexpect.spawn] = []

    def begin(*words: str, size: tuple[int, int] = (24, 80)) -> Terminal:
        child = pexpect.spawn(
            mqx_path,
            list(words),
            env={**environment, "TERM": "xterm-256color"},
            dimensions=size,
            encoding="utf-8",
            codec_errors="replace",
            timeout=PATIENCE_S,
        )
        running.append(child)
        return Terminal(child)

    yield begin
    for child in running:
        child.close(force=True)


def test_the_browser_shows_a_queue_and_quits(mqx: Run, qm: str, browser: Run) -> None:
    mqx("put", QUEUE, "hello from a terminal", check=True)
    terminal = browser("tui", QUEUE)
    terminal.expect("hello from a terminal")
    terminal.press("q")
    assert terminal.end() == 0
    assert MAIN_SCREEN in terminal.drawn
    assert CURSOR in terminal.drawn


@pytest.mark.parametrize("words", [("tui", QUEUE), ("browse", QUEUE, "--live")])
def test_it_begins_with_a_selection(mqx: Run, qm: str, browser: Run, words: tuple[str, ...]) -> None:
    mqx("put", QUEUE, "a needle", "some hay", check=True)
    terminal = browser(*words, "--grep", "needle")
    terminal.expect("1 hit")
    terminal.expect("a needle")
    assert "some hay" not in terminal.drawn
    terminal.press("q")
    assert terminal.end() == 0


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_signal_ends_it_with_143_the_terminal_restored_and_locks_freed(
    mqx: Run, qm: str, browser: Run, name: str
) -> None:
    mqx("put", QUEUE, "hello", check=True)
    terminal = browser("tui", QUEUE)
    terminal.expect("hello")
    terminal.press("L")
    terminal.expect("locked")
    assert mqx("get", QUEUE).status == 3
    terminal.press(" ")
    terminal.expect("1 marked")
    os.kill(terminal.child.pid, getattr(signal, name))
    assert terminal.end() == 143
    assert terminal.drawn.rstrip().endswith(CURSOR) or MAIN_SCREEN in terminal.drawn
    assert mqx("browse", QUEUE, "--unmarked").status == 0
    assert mqx("get", QUEUE).out == b"hello"


def test_what_a_killed_session_had_locked_is_free_soon_in_another(mqx: Run, qm: str, browser: Run) -> None:
    mqx("put", QUEUE, "hello", check=True)
    first, second = browser("tui", QUEUE), browser("tui", QUEUE)
    for terminal in (first, second):
        terminal.expect("hello")
    first.press("L")
    first.expect("locked")
    second.expect("locked by ")
    second.expect(f"pid {first.child.pid}")
    os.kill(first.child.pid, signal.SIGKILL)
    began = time.monotonic()
    while mqx("browse", QUEUE, "-o", "jsonl").status != 0:
        assert time.monotonic() - began < PATIENCE_S
    second.press("L")
    second.expect(f"pid {second.child.pid}")
    second.press("q")
    assert second.end() == 0


def test_two_sessions_see_each_others_marks(mqx: Run, qm: str, browser: Run, eventually: Run) -> None:
    mqx("mqsc", "ALTER QMGR MARKINT(3600000)", check=True)  # a mark lasts, however long nothing renews it
    mqx("put", QUEUE, "shared", check=True)
    first, second = browser("tui", QUEUE), browser("tui", QUEUE)
    for terminal in (first, second):
        terminal.expect("shared")
    first.press(" ")
    first.expect("1 marked")
    eventually(lambda: mqx("browse", QUEUE, "--unmarked").status == 3)  # it is shown before it is there
    second.press(" ")
    second.expect("marked by another")
    assert mqx("browse", QUEUE, "--unmarked").status == 3
    first.press("q")
    assert first.end() == 0
    assert mqx("browse", QUEUE, "--unmarked").status == 0
    second.press("q")
    assert second.end() == 0


def test_an_unknown_queue_or_queue_manager_is_5_also_without_a_terminal(mqx: Run, qm: str) -> None:
    assert mqx("tui", "NO.SUCH.QUEUE").status == 5
    assert mqx("tui", "-m", "NOQM").status == 5
    live = mqx("browse", "--live", "NO.SUCH.QUEUE")
    assert (live.status, live.err.splitlines()[0]) == (5, "hint: --live is deprecated; use mqx tui NO.SUCH.QUEUE")
    assert mqx("tui", "--grep", "x").status == 2


def test_without_a_terminal_it_is_2(mqx: Run, qm: str) -> None:
    done = mqx("tui", QUEUE)
    assert (done.status, done.out) == (2, b"")
    assert "requires a terminal" in done.err


@pytest.mark.parametrize("words", [["-n", "1"], ["--all-states"], ["--mark"], ["-o", "json"]])
def test_beside_live_only_a_selection_makes_sense(mqx: Run, qm: str, words: list[str]) -> None:
    mqx("browse", QUEUE, "--live", *words).ended(2, "can only be combined with a selection")


def test_the_keymap_is_printed_as_the_configuration_takes_it(mqx: Run, qm: str) -> None:
    table = tomllib.loads(mqx("tui", "--print-keymap", check=True).out.decode())["keymap"]
    assert table["quit"] == "q,ctrl+q"
    assert table["move.last"] == "G,end"
    assert all(isinstance(keys, str) and keys for keys in table.values())


def test_nothing_of_the_application_is_loaded_by_other_commands(qm: str) -> None:
    import subprocess
    import sys
    from importlib.metadata import entry_points

    (found,) = entry_points(group="console_scripts", name="mqx")
    code = (
        f"import sys, atexit; from {found.module} import {found.attr} as main\n"
        "import os\n"
        "def end(status):\n"
        "    print([name for name in sys.modules if name.startswith('textual')])\n"
        "    sys.exit(status)\n"
        "os._exit = end\n"
        f"main(['browse', '{QUEUE}'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[-1] == "[]"
