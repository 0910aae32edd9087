"""Layout of help: the options of a command in groups, and examples that fit a narrow terminal."""

from __future__ import annotations

from shutil import get_terminal_size

import click

from .click_options import SELECTION

#: Heading of the help to the parameters below it. Parameters that are in no group are options of the command itself.
_GROUPS = {
    "Selection": SELECTION,
    "Output": (
        *("output", "template", "columns", "sort", "tz", "wide", "null", "separator", "force", "color"),
        "print_id",
    ),
    "Common": ("qmgr", "quiet", "verbose", "debug", "yes", "read_only", "read_write", "yes_protected"),
}
_OWN = "Options"
#: Columns that help text is indented by.
_INDENT = 2
#: Columns below which click writes wider than the terminal, unless it gets a width.
_CLICK_LEAST = 52


def group_options(command: click.Command) -> None:
    def format_options(ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows: dict[str, list[tuple[str, str]]] = {heading: [] for heading in (_OWN, *_GROUPS)}
        for parameter in command.get_params(ctx):
            record = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
            if record is not None:
                heading = "Common" if "--help" in parameter.opts else _heading(parameter.name)
                rows[heading].append(record)
        for heading, records in rows.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records, col_max=min(30, formatter.width // 2))
        if isinstance(command, click.Group):
            command.format_commands(ctx, formatter)

    command.format_options = format_options  # type: ignore[method-assign]
    fit_examples(command)
    if isinstance(command, click.Group):
        for below in command.commands.values():
            group_options(below)


def fit_examples(command: click.Command) -> None:
    """Make the help of a command leave out the comments of examples that are wider than the terminal."""

    def format_help_text(ctx: click.Context, formatter: click.HelpFormatter) -> None:
        whole = command.help
        command.help = whole and "\n".join(_fitted(line, formatter.width) for line in whole.split("\n"))
        type(command).format_help_text(command, ctx, formatter)
        command.help = whole

    command.format_help_text = format_help_text  # type: ignore[method-assign]


def narrow_width() -> int | None:
    """Return the width of a terminal that is narrower than what click takes for the least, else None."""
    columns = get_terminal_size().columns
    return columns if columns < _CLICK_LEAST else None


def _fitted(line: str, width: int) -> str:
    if len(line.strip()) + _INDENT <= width:
        return line
    return line.partition("  # ")[0].rstrip()


def _heading(name: str | None) -> str:
    return next((heading for heading, names in _GROUPS.items() if name in names), _OWN)
