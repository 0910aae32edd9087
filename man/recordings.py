"""Record terminal sessions: the demo as an asciinema cast, the rehearsal of a rules table as a picture (SVG).

Each runs in its own terminal, on its own queue managers. `make recordings` recreates them.
"""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "recordings"

_WIDTH, _HEIGHT = 100, 30
#: Longest pause that a recording keeps, in seconds.
_MAX_PAUSE_S = 1.0
_RULES = """\
INPUTQ('DEV.DEAD.LETTER.QUEUE') WAIT(NO)
REASON(MQRC_Q_FULL) DESTQ(ORDERS) +
  ACTION(FWD) FWQD(OVERFLOW) HEADER(NO)
"""
#: Commands before the recording of the rehearsal begins.
_SCENE = (
    "mqx -q qmgr create QM1 --dev",
    "mqx -q mqsc 'DEFINE QLOCAL(ORDERS) MAXDEPTH(2)' 'DEFINE QLOCAL(OVERFLOW)' 'DEFINE QLOCAL(INVOICES) PUT(DISABLED)'",
    "mqx -q put ORDERS --dead-letter 'order 1' 'order 2' 'order 3' 'order 4'; true",
    "mqx -q put INVOICES --dead-letter 'invoice 1'; true",
)
#: Commands of the rehearsal, and their exit statuses.
REHEARSAL = (
    ("mqx dlq-handle --summary --by reason,destq", 0),
    ("mqx dlq-handle --check --rules night.rules", 2),
    ("sed -i s/FWQD/FWDQ/ night.rules", 0),
    ("mqx dlq-handle --dry-run --rules night.rules", 9),
    ("mqx dlq-handle --once --rules night.rules", 9),
    ("mqx qdepth --columns name,depth,oldest_age_s --sort -depth", 0),
)


def run_in_terminal(command: str, environment: dict[str, str], folder: str) -> tuple[int, list[tuple[float, str]]]:
    """Run a command of the shell in a terminal; return its status, and its output with the seconds since its start."""
    master, slave = pty.openpty()
    begin = time.monotonic()
    process = subprocess.Popen(
        ["bash", "-c", f"stty cols {_WIDTH} rows {_HEIGHT}; {command}"],
        stdin=slave, stdout=slave, stderr=slave, cwd=folder, env=environment, start_new_session=True,
    )  # fmt: skip
    os.close(slave)
    events, rest = [], b""
    while True:
        try:
            data = os.read(master, 65536)
        except OSError:  # the end of a terminal, on Linux
            break
        if not data:
            break
        text, rest = _whole_characters(rest + data)
        events.append((time.monotonic() - begin, text))
    os.close(master)
    return process.wait(), events


def _whole_characters(data: bytes) -> tuple[str, bytes]:
    """Return the text of UTF-8, and the bytes of a character that is not complete yet."""
    for cut in range(4):
        try:
            return data[: len(data) - cut].decode("utf-8"), data[len(data) - cut :]
        except UnicodeDecodeError:
            continue
    return data.decode("utf-8", "replace"), b""


def environment_of(home: str) -> dict[str, str]:
    """Return the environment of a recording, in which nothing of the user's is seen."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MQX_", "XDG_"))}
    return {
        **kept,
        **{name: home for name in ("HOME", "MQX_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME")},
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "TERM": "xterm-256color",
        "COLUMNS": str(_WIDTH),
        "LINES": str(_HEIGHT),
    }


def cast(command: str, title: str) -> Iterator[str]:
    """Yield the lines of an asciicast (version 2) of a command."""
    with tempfile.TemporaryDirectory() as home:
        status, events = run_in_terminal(command, environment_of(home), home)
    assert status == 0, command
    yield json.dumps({"version": 2, "width": _WIDTH, "height": _HEIGHT, "title": title})
    at = before = 0.0
    for moment, text in events:
        at += min(moment - before, _MAX_PAUSE_S)
        before = moment
        yield json.dumps([round(at, 3), "o", text])


def rehearse() -> Iterator[tuple[str, int, str]]:
    """Yield each command of the rehearsal with its status and output."""
    with tempfile.TemporaryDirectory() as home:
        environment = environment_of(home)
        Path(home, "night.rules").write_text(_RULES, encoding="utf-8")
        for command in _SCENE:
            status, events = run_in_terminal(command, environment, home)
            assert status == 0, (command, events)
        for command, _ in REHEARSAL:
            status, events = run_in_terminal(command, environment, home)
            yield command, status, "".join(text for _, text in events).replace("\r\n", "\n")


def picture(session: list[tuple[str, int, str]], title: str) -> str:
    """Return a session as SVG, without the fonts of the network."""
    with open(os.devnull, "w", encoding="utf-8") as nothing:
        console = Console(record=True, width=_WIDTH, file=nothing, force_terminal=True, color_system="truecolor")
        for command, _, output in session:
            console.print(Text.assemble(("$ ", "bold green"), (command, "bold")))
            if output:
                console.print(Text.from_ansi(output.rstrip("\n")))
        found = console.export_svg(title=title, unique_id="mqx")
    return re.sub(r"@font-face \{.*?\}\s*", "", found, flags=re.S)


def main() -> None:
    """Write the recordings."""
    FOLDER.mkdir(exist_ok=True)
    lines = cast(f"bash {ROOT / 'examples' / 'demo.sh'}", "mqx: two days of New York's airports")
    (FOLDER / "demo.cast").write_text("\n".join(lines) + "\n", encoding="utf-8")
    session = list(rehearse())
    assert [(command, status) for command, status, _ in session] == list(REHEARSAL), session
    (FOLDER / "rehearsal.svg").write_text(picture(session, "a rules table, rehearsed"), encoding="utf-8")


if __name__ == "__main__":
    main()
