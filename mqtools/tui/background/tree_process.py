"""Layout of a long body in a process of its own, because threads of one process take turns with the interpreter.

The process reads the text from its standard input and writes pages: a head, then lines. The last page has no lines;
behind it are the folds, as pairs of numbers.
"""

from __future__ import annotations

import os
import struct
import subprocess
import sys
from array import array
from collections.abc import Iterator
from time import sleep

from mqtools.formats.terminal import visible
from mqtools.tui.display.folds import FoldFinder
from mqtools.tui.display.paged_lines import PAGE, PagedLines
from mqtools.tui.display.tabs import TABS, explain_layout
from mqtools.tui.display.trees import TREES

#: Head of a page: bytes of its lines, and the part of the text that was read.
_HEAD = struct.Struct("=Qd")
#: Pairs of numbers that are taken at a time, and the pause after those (seconds).
_PAIRS, _PAUSE_S = 10_000, 0.001
#: Added to the niceness of the process: keys come first.
_NICER = 10
_ENCODING, _ERRORS = "utf-8", "surrogatepass"


def lay_out(text: str, tab: int, lines: PagedLines, folds: dict[int, int]) -> Iterator[float]:
    """Lay out a text as JSON or XML; yield the part that was read after each page.

    Raises OSError if there is no process, or it ends early; ValueError if it ends within a page.

    lines, folds: take the result.  Closing the iterator ends the process.
    """
    command = [sys.executable, "-P", "-m", __name__, str(tab)]
    pipe, nothing = subprocess.PIPE, subprocess.DEVNULL  # a traceback would be written over the screen
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=nothing, start_new_session=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(text.encode(_ENCODING, _ERRORS))
            process.stdin.close()
            while len(head := process.stdout.read(_HEAD.size)) == _HEAD.size:
                length, part = _HEAD.unpack(head)
                if not length:
                    break
                lines.add_page(process.stdout.read(length).decode(_ENCODING, _ERRORS))
                yield part
            while pairs := process.stdout.read(_PAIRS * 16):
                numbers = array("q", pairs)
                folds.update(zip(numbers[::2], numbers[1::2], strict=True))
                sleep(_PAUSE_S)
            if process.wait():
                raise OSError(f"the process that lays out {TABS[tab]} ended with status {process.returncode}")
        finally:
            process.kill()


def main() -> None:
    """Lay out the text of the standard input as the tab of the argument."""
    os.nice(_NICER)
    tab = int(sys.argv[1])
    text = sys.stdin.buffer.read().decode(_ENCODING, _ERRORS)
    finder, page, at = FoldFinder(), list[str](), 0
    try:
        for at, line in TREES[tab](text):
            page.append(visible(line))
            finder.add(page[-1])
            if len(page) == PAGE:
                _write(page, at / len(text))
                page = []
    except ValueError as error:
        page.append(visible(explain_layout(tab, error, " from here on")))
    if page:
        _write(page, 1)
    numbers = array("q", (number for pair in finder.folds().items() for number in pair))
    sys.stdout.buffer.write(_HEAD.pack(0, 1) + numbers.tobytes())
    sys.stdout.buffer.flush()


def _write(lines: list[str], part: float) -> None:
    page = "\n".join(lines).encode(_ENCODING, _ERRORS)
    sys.stdout.buffer.write(_HEAD.pack(len(page), part) + page)


if __name__ == "__main__":
    main()
