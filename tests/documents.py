"""Fenced blocks of the documents, and the console sessions in them.

A block is run, compiled or checked by the language of its fence:

``console``  a session: a line that begins with ``$`` is a command, ``>`` continues it, other lines are output of it;
``name.ext`` as the fence's ``title="name.ext"``, whatever the language: a file that the reader makes.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_ROOT = Path(__file__).parent.parent
#: Ends the output of a command, before its status.
_END = "\x1e"
_FENCE = re.compile(
    r"^```(?P<language>\w*)(?: title=\"(?P<title>[^\"]+)\")?\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)


class Block(NamedTuple):
    """A fenced block; line is the number of its first line in the document."""

    language: str
    title: str | None
    text: str
    line: int


class Command(NamedTuple):
    """A command of a session, and the lines of output that the document shows."""

    words: str
    shown: list[str]
    line: int


def read_blocks(document: Path) -> list[Block]:
    """Return the fenced blocks of a document, in order."""
    text = document.read_text(encoding="utf-8")
    return [
        Block(match["language"], match["title"], match["text"], text.count("\n", 0, match.start()) + 2)
        for match in _FENCE.finditer(text)
    ]


def read_session(block: Block) -> list[Command]:
    """Return the commands of a console block. Raise ValueError where it begins with output."""
    commands: list[Command] = []
    for number, line in enumerate(block.text.splitlines(), block.line):
        if line.startswith("$ "):
            commands.append(Command(line[2:], [], number))
        elif not commands:
            raise ValueError(f"line {number}: a console block begins with a command: {line!r}")
        elif line.startswith("> ") or line == ">":
            last = commands[-1]
            commands[-1] = last._replace(words=f"{last.words}\n{line[2:]}")
        else:
            commands[-1].shown.append(line)
    return commands


def find_missing_line(shown: list[str], output: str) -> str | None:
    """Return the first shown line that the output does not have in its place, None if it has all.

    The output may have more lines. In a shown line, ``…`` stands for any text, and any blanks for any others.
    """
    lines = iter([_squeeze(line) for line in output.splitlines()])
    for line in shown:
        wanted = ".*".join(re.escape(part) for part in _squeeze(line).split("…"))
        if not any(re.fullmatch(wanted, other) for other in lines):
            return line
    return None


def _squeeze(line: str) -> str:
    return re.sub(r"\s+", " ", line).strip()


def check_sessions(page: Path, home: Path) -> None:
    """Run the sessions of a page, and check that each command succeeds and shows what the page shows."""
    commands = list(play(page, home))
    assert commands, "a guide has a session"
    for command, status, output in commands:
        place = f"{page.name}:{command.line}: $ {command.words}"
        assert status == 0, f"{place}\nstatus {status}\n{output}"
        assert find_missing_line(command.shown, output) is None, f"{place}\n{output}"


def play(page: Path, home: Path) -> Iterator[tuple[Command, int, str]]:
    """Yield each command of a page with its status and output: one shell, in a home of its own."""
    work = home / "work"
    work.mkdir()
    shutil.copytree(_ROOT / "examples", work / "examples", ignore=shutil.ignore_patterns("__pycache__"))
    script, commands = [], []
    for block in read_blocks(page):
        if block.title is not None:
            script.append(f"cat > {block.title} <<'{_END}'\n{block.text}{_END}")
        elif block.language == "console":
            for command in read_session(block):
                commands.append(command)
                script.append(f"{command.words}\nprintf '\\n{_END}%s\\n' $?")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MQX_", "PYTEST_"))}
    environment |= {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_DATA_HOME": str(home / ".local/share"),
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }
    done = subprocess.run(
        ["bash", "-c", "exec 2>&1\n" + "\n".join(script)],
        cwd=work,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback (most recent call last)" not in done.stdout, done.stdout
    outputs = re.findall(rf"(.*?)\n{_END}(\d+)\n", done.stdout, re.DOTALL)
    assert len(outputs) == len(commands), f"the shell ended before the page:\n{done.stdout}"
    for command, (output, status) in zip(commands, outputs, strict=True):
        yield command, int(status), output
