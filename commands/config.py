"""``mqx config``: what is configured, and where each value comes from."""

from __future__ import annotations

import click

from . import _config
from .shared import click_options
from .shared.command_session import Session, as_text
from .shared.group import Group


@click.group("config", cls=Group)
@click_options.general
def command(session: Session) -> None:
    """Show what is configured and where each value comes from; change the configuration file.

    \b
    mqx config explain
    mqx config set trash.max_age 30d
    mqx config unset trash.max_age

    A flag of the command line goes before the environment, that before the file, that before the default. The file
    is $XDG_CONFIG_HOME/mqx/config.toml. The settings: default_qmgr (-m, $MQX_QMGR); home ($MQX_HOME, not in the
    file); editor ($VISUAL, $EDITOR); trash.max_age ($MQX_TRASH_MAX_AGE), a time such as 7d; trash.max_size
    ($MQX_TRASH_MAX_SIZE), a size such as 256MiB; tls.certificate, tls.key and tls.trust ($MQX_TLS_CERTIFICATE,
    $MQX_TLS_KEY, $MQX_TLS_TRUST), PEM files of channels with SSLCIPH. The table keymap is for mqx tui.
    """


@command.command("explain", short_help="Show each setting with its value and origin.")
@click.argument("key", required=False)
@click_options.general
def explain(session: Session, key: str | None) -> int:
    """Show each setting, or KEY alone: its value, its origin (flag, environment, file, default), and where that is.

    \b
    mqx config explain
    mqx config explain trash.max_age -o json
    mqx config explain -m QM2

    A value that cannot be read is status 2. Keys of the file that are no setting are named on stderr.
    """
    return _config.explain(session, key)


@command.command("set", short_help="Write a setting into the file.")
@click.argument("key")
@click.argument("value")
@click_options.general
def set_value(session: Session, key: str, value: str) -> int:
    """Write a setting into the configuration file; the file as it was is kept beside it where comments are lost.

    \b
    mqx config set trash.max_age 30d
    mqx config set trash.max_size 1GiB
    """
    return _config.change(session, key, as_text(value))


@command.command("unset", short_help="Take a setting out of the file.")
@click.argument("key")
@click_options.general
def unset(session: Session, key: str) -> int:
    """Take a setting out of the configuration file, so that its default counts.

    \b
    mqx config unset trash.max_age
    """
    return _config.change(session, key, None)
