"""Command with subcommands whose usage errors name the subcommand."""

from __future__ import annotations

from typing import Any

import click

from mqtools.formats.phrases import did_you_mean, nearest

from .command_session import UsageError
from .synonyms import find_equivalent


class CommandGroup(click.Group):
    """Command group; click alone does not name the subcommand in an error about its options."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the subcommand. Raise UsageError for an unknown one."""
        is_word = args and not args[0].startswith("-") and not ctx.resilient_parsing
        if is_word and self.get_command(ctx, args[0]) is None:
            ctx.obj.command = ctx.command_path.removeprefix("mqx ")
            line = find_equivalent(args[0], args[1:], f"{ctx.command.name} ")
            likely = f"mqx {line}" if line else did_you_mean(nearest(args[0], self.list_commands(ctx)))
            raise UsageError(f"no such command: {args[0]}", likely or f"{ctx.command_path} --help")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the subcommand; add it to a usage error that names no command."""
        try:
            return super().invoke(ctx)
        except click.UsageError as mistake:
            name = ctx.invoked_subcommand
            command = self.get_command(ctx, name) if name is not None else None
            if mistake.ctx is None and command is not None:
                mistake.ctx = click.Context(command, parent=ctx, info_name=name)
            raise
