"""The browser in a real terminal: a process on a pseudo-terminal, and the screen that a terminal would show."""

from __future__ import annotations

import os
import re
import shlex
import sys
import time
from pathlib import Path

import pexpect
import pyte
from textual.keys import key_to_character

PATIENCE_S = 60
#: What a terminal sends for a key, where that is not its character.
_SENT = {
    "up": "\x1b[A",
    "down": "\x1b[B",
    "right": "\x1b[C",
    "left": "\x1b[D",
    "home": "\x1b[H",
    "end": "\x1b[F",
    "pageup": "\x1b[5~",
    "pagedown": "\x1b[6~",
    "shift+tab": "\x1b[Z",
    "f1": "\x1bOP",
    "tab": "\t",
    "enter": "\r",
    "escape": "\x1b",
    "slash": "/",
    "plus": "+",
    "at": "@",
}


def sent_for(key: str) -> str:
    """Return what a terminal sends for a key. key: its name in the keymap."""
    if key.startswith("ctrl+"):
        return chr(ord(key[-1]) & 0x1F)
    return _SENT.get(key) or key_to_character(key) or key


class PseudoTerminal:
    """A program in a terminal of its own, 120 columns and 36 lines."""

    def __init__(self, *words: str, size: tuple[int, int] = (120, 36), env: dict[str, str]) -> None:
        width, height = size
        # Where the tests run in a worker these two may be set, and count more than the terminal's own size.
        inherited = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
        self.child = pexpect.spawn(
            words[0],
            list(words[1:]),
            env={**inherited, **env, "TERM": "xterm-256color"},
            dimensions=(height, width),
            encoding="utf-8",
            codec_errors="replace",
            timeout=PATIENCE_S,
        )
        self.screen = pyte.Screen(width, height)
        self._stream = pyte.Stream(self.screen)
        self.written = 0  # characters

    def press(self, key: str) -> None:
        self.child.send(sent_for(key))

    def type(self, text: str) -> None:
        """Send characters."""
        self.child.send(text)

    @property
    def text(self) -> str:
        """What is on the screen."""
        return "\n".join(line.rstrip() for line in self.screen.display)

    def until(self, after: str = "", gone: str = "") -> None:
        """Wait until a pattern is on the screen, or another one is not."""
        deadline = time.monotonic() + PATIENCE_S
        while not self.shows(after, gone):
            assert time.monotonic() < deadline, f"{after or gone!r} never happened; the screen:\n{self.text}"
            self.read()
        if gone:  # a dialog that is drawn again elsewhere has gone for a moment
            self.read()
            if not self.shows(after, gone):
                self.until(after, gone)

    def shows(self, after: str = "", gone: str = "") -> bool:
        """Return whether a pattern is on the screen, and another one is not."""
        text = self.text
        return bool(re.search(after, text)) and not (gone and re.search(gone, text))

    def read(self) -> bool:
        """Take in all that was drawn; return whether the program still has the terminal."""
        wait_s = 0.1
        while True:
            try:
                drawn = self.child.read_nonblocking(65536, timeout=wait_s)
                self.written += len(drawn)
                self._stream.feed(drawn)
            except pexpect.TIMEOUT:
                return True
            except (pexpect.EOF, OSError):
                return False
            wait_s = 0.01  # the rest of what is drawn at once: half a screen can look like another one

    def end(self) -> int:
        """Wait for the end; return the status."""
        while self.read():
            pass
        self.child.wait()
        self.child.close()
        return int(self.child.exitstatus)

    def close(self) -> None:
        self.child.close(force=True)


class Terminal(PseudoTerminal):
    """A browser in a terminal."""

    def __init__(
        self,
        qmgr: str,
        *words: str,
        size: tuple[int, int] = (120, 36),
        env: dict[str, str],
        shell: tuple[str, ...] = (),
    ) -> None:
        """shell: command of an interactive shell that starts the browser, instead of the terminal itself."""
        line = [str(Path(sys.executable).with_name("mqx")), "tui", "-m", qmgr, *words]
        super().__init__(*(shell or line), size=size, env=env)
        if shell:
            self.type(shlex.join(line) + "\r")

    @property
    def text(self) -> str:
        """What is on the screen, and below it which pane has the focus."""
        return f"{super().text}\nfocus {self._focus}"

    @property
    def _focus(self) -> str:
        """The pane with the focus: only its border is heavy."""
        for line in self.screen.display:
            _, corner, title = line.partition("┏")
            if corner:
                return "queues" if "Queues" in title else "detail" if "1 text" in title else "messages"
        return "none"
