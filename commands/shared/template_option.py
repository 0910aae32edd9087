"""The option for a template in place of an output format."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from mqtools.formats.message_template import parse_template

from .click_options import Converted
from .command_session import Session, UsageError


def template_option(*names: str) -> Callable[[Any], Any]:
    """Return the option for a template in place of an output format. names: of it, further than --template."""
    kind = Converted("template", parse_template)
    words = "Template for each message, such as '%i %p %s\\n'"
    return click.option("--template", *names, "template", type=kind, metavar="TEMPLATE", help=words)


def check_template(template: object, session: Session) -> None:
    """Raise UsageError for a template and an output format."""
    if template is not None and session.output is not None:
        raise UsageError("--template cannot be combined with -o: it is the whole output")
