"""Command with subcommands whose usage errors name the subcommand."""

from __future__ import annotations

from typing import Any

import click


class Group(click.Group):
    """Command group; click alone does not name the subcommand in an error about its options."""

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
