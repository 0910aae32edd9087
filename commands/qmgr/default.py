"""The default queue manager, when queue managers come and go: scripts without -m continue with the one they had."""

from __future__ import annotations

import os

from mqtools.configuration import file as config
from mqtools.configuration import locate, paths
from mqtools.errors import MQError
from mqtools.rules.object_names import is_path

from ..shared.command_session import Session


def set_default(session: Session, chosen: str) -> None:
    """Make the queue manager the default one of its home folder."""
    value = os.path.abspath(chosen) if is_path(chosen) else chosen
    _write(session, value, f"{value} is now the default queue manager")
    if os.environ.get("MQX_QMGR"):
        session.note(f"hint: $MQX_QMGR is set and overrides it: {os.environ['MQX_QMGR']}")


def find_only_one() -> str | None:
    """Return the queue manager that is the default as the only one in the home folder; None if another way names it."""
    try:
        names = locate.list_names()
        return names[0] if len(names) == 1 and not locate.requested_qmgr()[0] else None
    except MQError:  # no folder, or no readable configuration
        return None


def keep_default(session: Session, only_one: str | None) -> None:
    """Make the queue manager that was the only one the configured default, once there is another.

    With $MQX_HOME one has to be named or chosen.
    """
    names = locate.list_names()
    if only_one is None and len(names) == 1:
        _prefer(session, names[0])
    if only_one is None or names == [only_one]:
        return
    choose = f"hint: there is no default queue manager now: name one as in -m {only_one}, or mqx qmgr use {only_one}"
    if os.environ.get("MQX_HOME"):
        session.note(choose)
        return
    try:
        _write(session, only_one, f"{only_one} stays the default queue manager; to change it: mqx qmgr use NAME")
    except MQError as error:
        session.note(f"{choose} ({error})")


def _prefer(session: Session, only_one: str) -> None:
    """Make the only queue manager of $MQX_HOME its default if the configuration file names one of another folder."""
    named, path = locate.configured_default()
    if named and path != paths.default_path() and not os.path.exists(locate.path_of(named)):
        _write(session, only_one, f"{only_one} is the default queue manager in {paths.home()}")


def is_configured(path: str) -> bool:
    """Return whether a file names a queue manager as the default one. Raises ConfigError."""
    named, _ = locate.configured_default()
    return named is not None and _is_at(named, path)


def forget_default(session: Session, path: str, *, was_configured: bool) -> None:
    """Remove a deleted default from the file that names it, and print which one is the default now.

    path: of the deleted one.  With $MQX_HOME its name stays in the configuration file: it may be that of another one in
    the user's own home folder.
    """
    variable = os.environ.get("MQX_QMGR")
    if was_configured:
        _forget_configured(session)
    if variable:
        if _is_at(variable, path):
            session.note(f"hint: it was the default, named by $MQX_QMGR: {variable}")
    elif was_configured:
        names = locate.list_names()
        if len(names) == 1 and not locate.configured_default()[0]:
            session.note(f"{names[0]} is now the default queue manager")
        else:
            session.note("hint: it was the default; choose another with mqx qmgr use NAME")


def _forget_configured(session: Session) -> None:
    named, path = locate.configured_default()
    if path != paths.default_path() and not is_path(named or ""):
        return
    try:
        _write(session, None, path=path)
    except MQError as error:
        session.note(f"warning: the configuration file still names it: {error}")


def _is_at(named: str, path: str) -> bool:
    return os.path.realpath(locate.path_of(named)) == os.path.realpath(path)


def _write(session: Session, value: str | None, words: str = "", *, path: str = "") -> None:
    path = path or paths.default_path()
    kept = config.set_value(config.DEFAULT_QMGR, value, path)
    if words:
        session.note(words)
    if kept is not None:
        session.note(f"comments were removed from {path}; previous version of the file: {kept}")
