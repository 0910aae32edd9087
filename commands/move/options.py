"""Arguments and options that ``mqx move`` and ``mqx copy`` share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from ..shared import click_options, pace
from .move import BATCH

F = TypeVar("F", bound=Callable[..., Any])


_ROUTE: tuple[Callable[[Any], Any], ...] = (
    click.argument("queue", metavar="FROM"),
    click.argument("target", metavar="TO"),
    click.option(
        "-n", "limit", type=click_options.Number(min=1), help="Maximum number of messages; default: all that match"
    ),
    click_options.batch(BATCH, "Messages in one transaction; all: one unit of work, during which all that write wait"),
    pace.option,
    click.option("--dry-run", is_flag=True, help="Show the messages and the result, without changing anything"),
)


def route(function: F) -> F:
    """Add the arguments FROM and TO and the options of a move."""
    wrapped: Any = function
    for option in reversed(_ROUTE):
        wrapped = option(wrapped)
    return wrapped  # type: ignore[no-any-return]
