"""Location of queue managers: from a name to a file.

Precedence: the given name, ``$MQX_QMGR``, ``default_qmgr`` in ``$MQX_HOME/config.toml``, then in the configuration
file, the only queue manager in the home folder. A name with a ``/`` or ending in ``.db`` is a path,
any other is a file in ``$MQX_HOME``.
"""

from __future__ import annotations

import os

from mqtools.configuration.paths import MQ_SCHEME, config_path, default_path, home, remotes_path
from mqtools.constants.reasons import MQRC_NOT_AUTHORIZED, MQRC_Q_MGR_NAME_ERROR
from mqtools.errors import MQError, UsageError
from mqtools.rules.object_names import FILE_SUFFIX, is_path, is_valid_name


def path_of(name: str) -> str:
    """Return the file of a queue manager given by name or path."""
    return name if is_path(name) else os.path.join(home(), name + FILE_SUFFIX)


def name_of_path(path: str) -> str:
    """Return the queue manager name that corresponds to a file name."""
    base = os.path.basename(path)
    return base[: -len(FILE_SUFFIX)] if base.endswith(FILE_SUFFIX) else base


def file_key(path: str) -> tuple[int, int] | None:
    """Return device and inode number of a file; None where there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def list_names() -> list[str]:
    """Return the sorted names of the queue managers in the home folder."""
    try:
        files = os.listdir(home())
    except FileNotFoundError:
        return []
    except OSError as error:
        raise MQError(f"{home()}: {error.strerror}", MQRC_NOT_AUTHORIZED) from error
    return sorted(name[: -len(FILE_SUFFIX)] for name in files if name.endswith(FILE_SUFFIX) and name != FILE_SUFFIX)


def find(name: str | None = None) -> str:
    """Return the path of the queue manager to use.

    Raises MQError: MQRC_Q_MGR_NAME_ERROR if it does not exist, or none is named and there is no default;
    ConfigError if the configuration file is needed and cannot be read.
    """
    wanted, origin = requested_qmgr(name)
    if wanted:
        if is_elsewhere(wanted):
            raise elsewhere_error(wanted)
        path = path_of(wanted)
        if not os.path.exists(path):
            raise MQError(
                f"there is no queue manager {wanted}{origin}",
                MQRC_Q_MGR_NAME_ERROR,
                hint=lambda: _hint(wanted, is_configured=bool(origin) and not os.environ.get("MQX_QMGR")),
                q_mgr_name=wanted,
            )
        return path
    names = list_names()
    if len(names) == 1:
        return os.path.join(home(), names[0] + FILE_SUFFIX)
    if names:
        raise MQError(
            f"which queue manager? There are {', '.join(names)}",
            MQRC_Q_MGR_NAME_ERROR,
            hint=f"name one, as in -m {names[0]}, or make one the default: mqx qmgr use {names[0]}",
        )
    raise MQError("there is no queue manager yet", MQRC_Q_MGR_NAME_ERROR, hint="create one: mqx qmgr create QM1 --dev")


def requested_qmgr(name: str | None = None) -> tuple[str | None, str]:
    """Return the requested queue manager, and a description of where it is named, empty for ``name`` itself.

    The first of ``name``, ``$MQX_QMGR`` and the configuration file; None if none of them names one.
    """
    if name:
        return name, ""
    if os.environ.get("MQX_QMGR"):
        return os.environ["MQX_QMGR"], ", named by $MQX_QMGR"
    configured, path = configured_default()
    return configured, f", named by {path}" if configured else ""


def is_elsewhere(name: str | None) -> bool:
    """Return whether a queue manager is an ``mq:`` address or the name of a remote.

    Raises UsageError for an address of another scheme, and for a name that a queue manager in the home folder has, too.
    """
    if not name:
        return False
    if name.startswith(MQ_SCHEME):
        return True
    if is_path(name):
        scheme, is_address, _ = name.partition("://")
        if is_address and scheme.isalnum():
            raise UsageError(
                f"{name} is not an address of a queue manager", "a queue manager elsewhere is mq://HOST:PORT/CHANNEL"
            )
        return False
    try:
        with open(remotes_path(), encoding="utf-8", errors="replace") as file:
            if name not in file.read():
                return False  # without importing the parser, which takes a while
    except FileNotFoundError:
        return False
    except OSError as error:
        raise MQError(f"{remotes_path()}: {error.strerror}", MQRC_NOT_AUTHORIZED) from error
    if name not in _remotes():
        return False
    if os.path.exists(path_of(name)):
        raise UsageError(
            f"{name} is both a queue manager here and a remote",
            f"-m {path_of(name)} is the one here; mqx remote remove {name} removes the remote",
        )
    return True


def _remotes() -> list[str]:
    from mqtools.configuration import remotes

    return sorted(remotes.read())


def elsewhere_error(name: str, what: str = "this command") -> UsageError:
    """Return the error for what only a queue manager of mqx offers. what: the option or command."""
    remote = "REMOTE" if name.startswith(MQ_SCHEME) else name
    return UsageError(
        f"{what} needs a queue manager of mqx, and {name} is elsewhere",
        f"mqx pull {remote}:QUEUE makes a local copy of the messages",
    )


def known_names() -> list[str]:
    """Return the names of the queue managers in the home folder, and of the remotes, for a hint."""
    try:
        return list_names() + _remotes()
    except MQError:  # of the file of remotes: a hint is no reason for another error
        return list_names()


def _hint(wanted: str, *, is_configured: bool) -> str | None:
    """Return a hint: the existing queue managers and remotes, and the command that creates the requested one.

    is_configured: a configuration file names it; the command that chooses another one is shown, too.
    """
    from shlex import quote

    here, names = list_names(), known_names()
    parts = [f"there are: {', '.join(names)}"] if names else []
    if here and is_configured:
        parts.append(f"choose one: mqx qmgr use {quote(here[0])}")
    if is_valid_name(name_of_path(path_of(wanted))):
        parts.append(f"create it: mqx qmgr create {quote(wanted)}")
    return "; ".join(parts) or None


def configured_default() -> tuple[str | None, str]:
    """Return ``default_qmgr`` and the path of the file that has it; None without an entry. Raises ConfigError."""
    for path in (default_path(), config_path()):
        if os.path.exists(path):
            from mqtools.configuration.file import default_qmgr

            if name := default_qmgr(path):
                return name, path
    return None, config_path()
