"""Help of ``mqx`` itself, as click formats it at 80 columns, without importing click."""

from __future__ import annotations

import os
import sys

from ._subcommands import SUBCOMMANDS, groups
from .shared.command_session import write_line

_COLUMNS = 80

_HEAD = """\
Usage: mqx [OPTIONS] COMMAND [ARGS]...

  IBM MQ's message semantics in one SQLite file, with the operator's tools
  around it.

  mqx qmgr create QM1 --dev        # create a queue manager and three queues
  mqx put DEV.QUEUE.1 hello        # put a message
  mqx browse DEV.QUEUE.1           # show it
  mqx get DEV.QUEUE.1              # get it

Options:
  --version                    Show the version and exit
  -m, --qmgr NAME              Queue manager: a name, or a path with / or .db
  -o, --output FORMAT          Output format: see mqx COMMAND --help
  -q, --quiet                  Print only errors to stderr
  -v, --verbose                Print what was done to stderr
  --debug                      Show the traceback of an error
  --color [auto|always|never]  Colour in tables
  --yes                        Do not ask for confirmation
  --wide                       Do not fit tables to the terminal
  --read-only                  Refuse every change, with exit status 8
  --yes-protected              Change protected queue managers, too
  -h, --help                   Show this message and exit."""


def show() -> int | None:
    """Write the help to stdout; return None where click must wrap it for another width."""
    if _columns() < _COLUMNS:
        return None
    width = max(map(len, SUBCOMMANDS))
    lines = [_HEAD]
    for heading, rows in groups():
        lines += ["", f"{heading}:", *(f"  {name:{width}}  {summary}" for name, summary in rows)]
    write_line("\n".join(lines))
    return 0


def _columns() -> int:
    """Return the width of the output: $COLUMNS, else that of the terminal."""
    given = os.environ.get("COLUMNS", "")
    if given.isdecimal() and int(given):
        return int(given)
    return os.get_terminal_size().columns if sys.stdout.isatty() else _COLUMNS
