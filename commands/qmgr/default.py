"""The default queue manager, when queue managers come and go: scripts without -m go on with the one they had."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from mqtools.configuration import file as config
from mqtools.configuration import locate, paths
from mqtools.errors import MQError

if TYPE_CHECKING:
    from ..shared.command_session import Session


def set_default(session: Session, chosen: str) -> None:
    """Make the queue manager the default one in the configuration file."""
    value = os.path.abspath(chosen) if locate.is_path(chosen) else chosen
    _write(session, value, f"{value} is now the default queue manager")
    if os.environ.get("MQX_QMGR"):
        session.note(f"hint: $MQX_QMGR is set and overrides it: {os.environ['MQX_QMGR']}")


def find_only_one() -> str | None:
    """Return the queue manager that is the default as the only one in the home folder; None if another way names it."""
    try:
        names = locate.list_names()
        return names[0] if len(names) == 1 and not locate.requested_qmgr()[0] else None
    except MQError:  # no folder, or no readable configuration: then it is no default either
        return None


def keep_default(session: Session, only_one: str | None) -> None:
    """Make the queue manager that was the only one the configured default, once there is another.

    Not with $MQX_HOME: the configuration file would name it for the user's own home folder, too.
    """
    if only_one is None or locate.list_names() == [only_one]:
        return
    choose = f"hint: there is no default queue manager now: name one as in -m {only_one}, or mqx qmgr use {only_one}"
    if os.environ.get("MQX_HOME"):
        session.note(choose)
        return
    try:
        _write(session, only_one, f"{only_one} stays the default queue manager; to change it: mqx qmgr use NAME")
    except MQError as error:
        session.note(f"{choose} ({error})")


def is_configured(path: str) -> bool:
    """Return whether the configuration file names a queue manager as the default one. Raises ConfigError."""
    named = locate.configured_default()
    return named is not None and _is_at(named, path)


def forget_default(session: Session, path: str, *, was_configured: bool) -> None:
    """Remove a deleted default from the configuration file, and print which one is the default now.

    path: of the deleted one.  Its name stays in the file with $MQX_HOME, as it may be that of another one in the user's
    own home folder.
    """
    variable = os.environ.get("MQX_QMGR")
    if was_configured:
        _forget_configured(session)
    if variable:
        if _is_at(variable, path):
            session.note(f"hint: it was the default, named by $MQX_QMGR: {variable}")
    elif was_configured:
        names = locate.list_names()
        if len(names) == 1 and not locate.configured_default():
            session.note(f"{names[0]} is now the default queue manager")
        else:
            session.note("hint: it was the default; choose another with mqx qmgr use NAME")


def _forget_configured(session: Session) -> None:
    if os.environ.get("MQX_HOME") and not locate.is_path(locate.configured_default() or ""):
        return
    try:
        _write(session, None)
    except MQError as error:
        session.note(f"warning: the configuration file still names it: {error}")


def _is_at(named: str, path: str) -> bool:
    return os.path.realpath(locate.path_of(named)) == os.path.realpath(path)


def _write(session: Session, value: str | None, words: str = "") -> None:
    kept = config.set_value(config.DEFAULT_QMGR, value)
    if words:
        session.note(words)
    if kept is not None:
        session.note(f"comments were removed from {paths.config_path()}; previous version of the file: {kept}")
