"""Output formats (-o) of each command: what its help lists, and what it takes."""

from __future__ import annotations

import click

from .command_session import UsageError

#: One row a queue, a group, an event, ...
ROWS = ("table", "plain", "csv", "json", "jsonl")
#: Messages: exact (raw), or one row or object each.
MESSAGES = ("raw", "jsonl", "json", "table", "plain", "csv", "hex", "dump")
#: Of a command that writes nothing else to stdout: what was done, and errors.
COUNTS = ("json", "jsonl")

#: Command to its formats. A command that is not listed has those of COUNTS.
_FORMATS = {
    **dict.fromkeys(("put", "get", "browse", "lock", "sub", "delete", "move", "copy"), MESSAGES),
    **dict.fromkeys(("trash list", "trash restore", "trash empty"), MESSAGES),
    **dict.fromkeys(("dlq-handle", "report-gen", "replay", "diff", "trace", "stats", "sql", "doctor"), ROWS),
    **dict.fromkeys(("channel status", "config explain"), ROWS),
    "qdepth": (*ROWS, "openmetrics", "nagios"),
    "mqsc": ("plain", *COUNTS),
    "explain": (*ROWS, "text", "tsv"),
    "qmgr export": COUNTS,
    "man": ("raw",),
    "shell": MESSAGES,  # of the lines; each command says what it does not take
}
#: Commands below these have rows.
_ROW_GROUPS = ("qmgr", "pipeline")


def formats_of(command: str) -> tuple[str, ...]:
    """Return the output formats of a command. command: its words, without mqx."""
    return _FORMATS.get(command, ROWS if command.partition(" ")[0] in _ROW_GROUPS else COUNTS)


def check_format(command: str, output: str | None) -> None:
    """Raise UsageError for an output format that a command does not have."""
    formats = formats_of(command)
    if output is not None and output not in formats:
        raise UsageError(f"no output format {output!r} here: {', '.join(formats)}")


def describe_formats(command: click.Command, words: str) -> None:
    """List the formats in the help of the option of a command, and of the subcommands of a group."""
    if isinstance(command, click.Group):
        for name, below in command.commands.items():
            describe_formats(below, f"{words} {name}".strip())
        return
    for parameter in command.params:
        if isinstance(parameter, click.Option) and parameter.name == "output":
            parameter.help = f"Output format: {', '.join(formats_of(words))}"
