"""Options ``-0`` and ``--separator``: the text that ends each message of raw output."""

from __future__ import annotations

import os

import click

from .click_options import together
from .command_session import UsageError

separator_options = together(
    click.option("-0", "--null", "null", is_flag=True, help="End each raw message with NUL"),
    click.option("--separator", metavar="STR", help="End each raw message with this text; default: a newline"),
)


def separator_of(null: bool, separator: str | None) -> bytes:
    """Return the text that ends each message when there can be several. Raise UsageError for both options."""
    if null and separator is not None:
        raise UsageError("-0 cannot be combined with --separator")
    return b"\0" if null else b"\n" if separator is None else os.fsencode(separator)
