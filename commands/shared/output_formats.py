"""Output formats (-o) of each command: what its help lists, and what it takes."""

from __future__ import annotations

import click

from .command_session import FORMER_NAMES, JSON, MESSAGES, UsageError

#: One row a queue, a group, an event, ...
ROWS = ("table", "plain", "csv", "json", "jsonl")
#: Of a command that writes nothing else to stdout: what was done, and errors.
COUNTS = JSON

#: Command to its formats. A command that is not listed has those of COUNTS.
_FORMATS = {
    **dict.fromkeys(("get", "browse", "lock", "sub", "trash list"), MESSAGES),
    **dict.fromkeys(
        ("report-gen", "diff", "trace", "stats", "doctor", "channel status", "config explain", "user list"), ROWS
    ),
    "sql": (*ROWS, "parquet"),
    **dict.fromkeys(("remote list", "remote ping"), ROWS),
    "qdepth": (*ROWS, "openmetrics", "nagios"),
    "mqsc": ("plain", *COUNTS),
    "explain": (*ROWS, "text", "tsv"),
    **dict.fromkeys(("events", "log"), ("text", *ROWS)),
    "qmgr delete": COUNTS,
    "qmgr export": ("plain",),
    "man": ("raw",),
    "shell": MESSAGES,  # of the lines; each command says what it does not take
}
#: Commands below these have rows.
_ROW_GROUPS = ("qmgr", "pipeline")

#: Command to the options with which it has other formats than its own, and those; the last that is given counts.
_WITH_OPTION: dict[str, dict[str, tuple[str, ...]]] = {
    **{words: {"--dry-run": MESSAGES} for words in ("delete", "move", "copy", "trash restore", "trash empty")},
    **{words: {"--dry-run": ROWS} for words in ("replay", "push", "apply")},
    "dlq-handle": dict.fromkeys(("--dry-run", "--explain", "--summary"), ROWS),
    "stats": dict.fromkeys(("--statistics", "--accounting"), ("text", "json", "jsonl")),
    "get": {"--exec": COUNTS, "--dry-run": MESSAGES},
    "lock": {"--list": ROWS},
}


def formats_of(words: str) -> tuple[str, ...]:
    """Return the output formats of a command, without those that it has with an option. words: without mqx."""
    return _FORMATS.get(words, ROWS if words.partition(" ")[0] in _ROW_GROUPS else COUNTS)


def all_formats_of(words: str) -> tuple[str, ...]:
    """Return the output formats that a command has, whatever its options."""
    found = dict.fromkeys(formats_of(words))
    for formats in _WITH_OPTION.get(words, {}).values():
        found |= dict.fromkeys(formats)
    return tuple(found)


def check_format(context: click.Context, words: str, output: str | None) -> str | None:
    """Return an output format by its present name; None for the default one.

    Raise UsageError for one that a command does not have with the options that were given.
    """
    formats = formats_of(words)
    for name, others in _WITH_OPTION.get(words, {}).items():
        if any(context.params[each.name or ""] for each in context.command.params if name in each.opts):
            formats = others
    found = FORMER_NAMES.get(output or "", output)
    if found is not None and found not in formats:
        raise UsageError(f"no output format {output!r} here: {', '.join(formats)}")
    return found


def describe_formats(command: click.Command, words: str) -> None:
    """List the formats in the help of the option of a command, and of the subcommands of a group."""
    if isinstance(command, click.Group):
        for name, below in command.commands.items():
            describe_formats(below, f"{words} {name}".strip())
        return
    options: dict[tuple[str, ...], list[str]] = {}
    for name, formats in _WITH_OPTION.get(words, {}).items():
        options.setdefault(formats, []).append(name)
    others = [f"; with {', '.join(names)}: {', '.join(formats)}" for formats, names in options.items()]
    for parameter in command.params:
        if isinstance(parameter, click.Option) and parameter.name == "output":
            parameter.help = f"Output format: {', '.join(formats_of(words))}{''.join(others)}"
