"""Options of a command in groups, for its help."""

from __future__ import annotations

import click

#: Heading of the help to the parameters below it. Parameters that are in no group are options of the command itself.
_GROUPS = {
    "Selection": (
        *("msg_ids", "correl_ids", "group_ids", "ids", "pos", "where", "grep", "ignore_case", "grep_hex", "not_grep"),
        *("not_grep_hex", "older", "newer", "reason"),
    ),
    "Output": ("output", "template", "columns", "sort", "tz", "wide", "null", "force", "color", "print_id"),
    "Common": ("qmgr", "quiet", "verbose", "debug", "yes", "read_only", "yes_protected"),
}
_OWN = "Options"


def group_options(command: click.Command) -> None:
    """Make a command, and the subcommands of a group, list their options in groups."""

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
                    formatter.write_dl(records)
        if isinstance(command, click.Group):
            command.format_commands(ctx, formatter)

    command.format_options = format_options  # type: ignore[method-assign]
    if isinstance(command, click.Group):
        for below in command.commands.values():
            group_options(below)


def _heading(name: str | None) -> str:
    return next((heading for heading, names in _GROUPS.items() if name in names), _OWN)
