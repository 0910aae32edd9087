"""Implementation of ``mqx qdepth --watch``: redraw on a terminal, else print one table after the other."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

from mqtools.operations.output_reader import pause

from ..shared import command_session
from ..shared.command_session import Session
from .qdepth import depths_text, output_of
from .request import DepthRequest

_CLEAR, _HOME, _CLEAR_LINE, _CLEAR_BELOW = "\x1b[2J", "\x1b[H", "\x1b[K", "\x1b[J"


def watch_depths(session: Session, request: DepthRequest, interval_s: float) -> NoReturn:
    """Print the depths every ``interval_s`` seconds, until a signal or a closed pipe ends it."""
    redraws = _is_screen() and output_of(session, request) == ("plain" if request.count else "table")
    before = _CLEAR
    while True:
        columns, lines = os.get_terminal_size(sys.stdout.fileno()) if redraws else (None, 0)
        _, text = depths_text(session, request, None if session.wide else columns)
        command_session.write_out((before + _screen(text, lines) if redraws else text).encode("utf-8", "surrogatepass"))
        before = ""
        pause(interval_s)


def _is_screen() -> bool:
    return sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"


def _screen(text: str, height: int) -> str:
    """Return the control sequences that redraw the screen with a text; count the lines that do not fit."""
    lines = text.splitlines()
    if height and len(lines) >= height:
        room = max(1, height - 2)
        lines[room:] = [f"{len(lines) - room} more lines"]
    return _HOME + "".join(f"{line}{_CLEAR_LINE}\n" for line in lines) + _CLEAR_BELOW
