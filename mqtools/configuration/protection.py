"""Protection against changes: read-only use, and queue managers that the configuration protects."""

from __future__ import annotations

from mqtools.configuration import read_only
from mqtools.configuration.locate import name_of_path
from mqtools.configuration.paths import PROTECTED, config_path
from mqtools.constants.reasons import MQRC_NOT_AUTHORIZED
from mqtools.errors import MQError

#: Environment variable that refuses every change.
READ_ONLY = read_only.READ_ONLY
#: Environment variable that allows changes of protected queue managers.
YES_PROTECTED = "MQX_YES_PROTECTED"


def is_read_only() -> bool:
    """Return whether this process must change nothing."""
    return read_only.is_set(READ_ONLY)


def allows_changes(path: str) -> bool:
    """Return whether this process may change the queue manager at a path. Raises ConfigError."""
    return not is_read_only() and (read_only.is_set(YES_PROTECTED) or not is_protected(path))


def check_change(path: str) -> None:
    """Raise MQError (MQRC_NOT_AUTHORIZED) unless this process may change the queue manager at a path."""
    name = name_of_path(path)
    read_only.check_writable(f"queue manager {name}")
    if not read_only.is_set(YES_PROTECTED) and is_protected(path):
        raise MQError(
            f"cannot change queue manager {name}: {PROTECTED} in {config_path()}",
            MQRC_NOT_AUTHORIZED,
            hint="--yes-protected changes it",
            q_mgr_name=name,
        )


def check_writable(what: str) -> None:
    """Raise MQError (MQRC_NOT_AUTHORIZED) if this process must change nothing. what: to be changed."""
    read_only.check_writable(what)


def is_protected(path: str) -> bool:
    """Return whether the configuration protects a queue manager. Raises ConfigError."""
    if not _may_protect():
        return False
    from fnmatch import fnmatchcase

    from mqtools.configuration import settings

    name = name_of_path(path)
    return any(fnmatchcase(name, pattern) for pattern in settings.value_of(PROTECTED))


def _may_protect() -> bool:
    """Return whether the configuration file contains the key at all; the TOML parser takes long to import."""
    try:
        with open(config_path(), "rb") as file:
            return PROTECTED.encode() in file.read()
    except OSError:
        return False
