"""Options for fields of the message descriptor, and the descriptor that they make."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import click

from mqtools.constants.message import MQPER_NOT_PERSISTENT, MQPER_PERSISTENT
from mqtools.message import MQMD

from .click_options import F


def _persistence(_context: click.Context, _parameter: click.Parameter, is_persistent: bool | None) -> int | None:
    if is_persistent is None:
        return None
    return MQPER_PERSISTENT if is_persistent else MQPER_NOT_PERSISTENT


def persistence(origin: str) -> Callable[[F], F]:
    """Return the option for the persistence of messages. origin: whose persistence they have without it."""
    return click.option(
        "--persistent/--not-persistent",
        "persistence",
        default=None,
        callback=_persistence,
        help=f"Keep the message across a restart; default: that of the {origin}",
    )


def descriptor_of(given: Mapping[str, Any], fields: Sequence[str]) -> MQMD:
    """Return the descriptor with the values of the options that are named as its fields; None is the default."""
    return MQMD(**{field: given[field] for field in fields if given[field] is not None})
