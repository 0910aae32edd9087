"""Options that mean something with another option only, and the check for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import click

from .click_options import F, together
from .command_session import UsageError, option_word


def dependent_options(rows: Mapping[str, tuple[dict[str, Any], str]]) -> Callable[[F], F]:
    """Return options as one decorator. rows: name of the parameter to the settings of its option, and its help."""
    return together(*(click.option(option_word(name), help=help, **kind) for name, (kind, help) in rows.items()))


def check_required(given: Mapping[str, Any], needed: str, *names: str) -> None:
    """Raise UsageError if one of some options is given without another one. needed: parameter of that."""
    for name in names:
        if given[name] is not None and given[name] is not False and given[needed] in (None, False):
            raise UsageError(f"{option_word(name)} requires {option_word(needed)}")
