"""A command with subcommands, whose mistakes always say which of them they are about."""

from __future__ import annotations

from typing import Any

import click


class Group(click.Group):
    """A group; click alone does not say of which subcommand an option lacks its argument, or is none."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the subcommand; name it in a mistake that names no command yet."""
        try:
            return super().invoke(ctx)
        except click.UsageError as mistake:
            name = ctx.invoked_subcommand
            command = self.get_command(ctx, name) if name is not None else None
            if mistake.ctx is None and command is not None:
                mistake.ctx = click.Context(command, parent=ctx, info_name=name)
            raise
