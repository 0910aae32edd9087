"""``mqx config``: show settings and their origins, and change the configuration file."""

from __future__ import annotations

import click

from mqtools.configuration import file, locate, paths, settings
from mqtools.configuration.settings import SettingValue
from mqtools.formats.rows import Column

from .shared import click_options
from .shared.command_session import Session, as_text
from .shared.group import CommandGroup
from .shared.output_rows import print_rows

_COLUMNS = ("key", "value", "origin", "where")


@click.group("config", cls=CommandGroup)
@click_options.general
def command(session: Session) -> None:
    """Show settings and their origins, and change the configuration file.

    \b
    mqx config explain
    mqx config set trash.max_age 30d
    mqx config unset trash.max_age

    A command line option overrides the environment, the environment the configuration file, and the file the default.
    The file is $XDG_CONFIG_HOME/mqx/config.toml. With $MQX_HOME, config.toml in that folder has the default_qmgr that
    mqx qmgr use sets, and takes precedence. mqx man settings explains all settings, with their variables of the
    environment. The table keymap is for mqx tui.
    """


@command.command("explain", short_help="Show each setting with its value and origin")
@click.argument("key", required=False)
@click_options.general
def explain(session: Session, key: str | None) -> None:
    """Show each setting, or only KEY: value, origin (flag, environment, file, default), and the place of the origin.

    \b
    mqx config explain
    mqx config explain trash.max_age -o json
    mqx config explain -m QM2

    An invalid value ends the command with status 2. Unknown keys of the file are listed on stderr.
    """
    output = session.list_output
    chosen = settings.SETTINGS if key is None else (settings.find(key),)
    flags = {file.DEFAULT_QMGR: ("-m", session.qmgr)} if session.qmgr else {}
    found = [settings.explain(setting, flags) for setting in chosen]
    for explained in found:
        settings.read(explained)  # what cannot be read is no value
    rows = (_row(explained, for_people=output == "table") for explained in found)
    names = (*_COLUMNS, "what") if output == "table" else _COLUMNS
    print_rows(session, rows, [Column(name, "for" if name == "what" else "") for name in names], output)
    for unknown in settings.unknown_keys():
        session.note(f"{paths.config_path()}: unknown setting {unknown!r} ignored")


@command.command("set", short_help="Set a value in the configuration file")
@click.argument("key")
@click.argument("value")
@click_options.general
def set_value(session: Session, key: str, value: str) -> None:
    """Set KEY to VALUE in the configuration file; if that removes comments, mqx keeps the previous file.

    \b
    mqx config set trash.max_age 30d
    mqx config set trash.max_size 1GiB

    Exit status: 2 invalid key or value; 5 unknown queue manager.
    """
    if key == file.DEFAULT_QMGR and not locate.is_elsewhere(value):
        locate.find(value)
    _change(session, key, as_text(value))


@command.command("unset", short_help="Remove a setting from the configuration file")
@click.argument("key")
@click_options.general
def unset(session: Session, key: str) -> None:
    """Remove KEY from the configuration file, so that its default applies.

    \b
    mqx config unset trash.max_age
    """
    _change(session, key, None)


def _row(explained: SettingValue, *, for_people: bool) -> dict[str, object]:
    row: dict[str, object] = {
        "key": explained.setting.key,
        "value": explained.value,
        "origin": explained.origin,
        "where": explained.where,
    }
    return {**row, "what": explained.setting.what} if for_people else row


def _change(session: Session, key: str, value: str | None) -> None:
    """Set a setting in the file; None removes it."""
    kept = settings.change(key, value)
    if kept is not None:
        session.note(f"comments were removed; previous version of the file: {kept}")
    now = settings.explain(settings.find(key))
    if value is not None and now.where != paths.config_path():
        session.note(f"{now.where} is {now.value} and overrides the file")
