"""``mqx man``: show manual pages, installed or not."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import click

from mqtools.formats.phrases import did_you_mean, nearest

from ._subcommands import SUBCOMMANDS
from .shared import click_options, command_session
from .shared.command_session import Session, UsageError

#: Folders of pages: next to the package in a source tree, below the prefix of an installation.
_FOLDERS = (
    Path(__file__).resolve().parents[1] / "man",
    Path(sys.prefix, "share", "man", "man1"),
    Path(sys.prefix, "share", "man", "man5"),
    Path(sys.prefix, "share", "man", "man7"),
)


@click.command("man")
@click.argument("topic", required=False)
@click_options.general
def command(session: Session, topic: str | None) -> int:
    """Show the manual page of a command, of mqx itself, or of TOPIC: states, rules,
    settings, json, exit, concepts.

    \b
    mqx man
    mqx man dlq-handle
    mqx man states | less

    On a terminal the page is shown with man(1); otherwise, or without man, as plain text. With -o raw the page source
    is printed, for mandoc and similar programs.
    """
    page = _page(topic)
    if page is None:
        likely = did_you_mean(nearest(topic or "", topics()))
        raise UsageError(f"no manual page for {topic}", likely or f"topics: {', '.join(topics())}")
    if session.output == "raw":
        command_session.write_out(page.read_bytes())
        return 0
    return _show(page)


def _page(topic: str | None) -> Path | None:
    word = (topic or "mqx").removeprefix("mqx-")  # as man(1) calls it, too
    name = word if word == "mqx" else f"mqx-{word}"
    name, sections = ("mqx-config", "5") if word == "settings" else (name, "157")
    for folder in _FOLDERS:
        for section in sections:
            path = folder / f"{name}.{section}"
            if path.parent == folder and path.is_file():
                return path
    return None


def topics() -> list[str]:
    return [*SUBCOMMANDS, "states", "rules", "settings", "json", "exit", "concepts"]


def _show(page: Path) -> int:
    environment = {**os.environ, "MANWIDTH": str(shutil.get_terminal_size((80, 24)).columns)}
    for words in (["man", "-l", str(page)], ["mandoc", str(page)], ["groff", "-man", "-Tutf8", "-P-c", str(page)]):
        if shutil.which(words[0]) is None:
            continue
        if sys.stdout.isatty():
            return subprocess.run(words, check=False, env=environment).returncode
        done = subprocess.run(words, check=False, env=environment, capture_output=True)
        if done.returncode == 0:
            command_session.write_out(_plain(done.stdout))
            return 0
    command_session.write_out(page.read_bytes())
    return 0


def _plain(text: bytes) -> bytes:
    """Remove the overstrikes for bold and underlined text."""
    return re.sub(rb"\x1b\[[0-9;]*m|.\x08", b"", text)
