"""Protection against changes: read-only use, and queue managers that the configuration protects."""

from __future__ import annotations

from mqtools.configuration import read_only
from mqtools.configuration.locate import name_of_path
from mqtools.configuration.paths import PROTECTED, config_path, is_configured
from mqtools.constants.reasons import MQRC_NOT_AUTHORIZED
from mqtools.errors import MQError

#: Environment variable that allows changes of protected queue managers.
YES_PROTECTED = "MQX_YES_PROTECTED"


def allows_changes(path: str) -> bool:
    """Return whether this process may change the queue manager at a path. Raises ConfigError."""
    return not read_only.is_set(read_only.READ_ONLY) and (read_only.is_set(YES_PROTECTED) or not is_protected(path))


def check_change(path: str) -> None:
    """Raise MQError (MQRC_NOT_AUTHORIZED) unless this process may change the queue manager at a path."""
    read_only.check_writable(f"queue manager {name_of_path(path)}")
    if is_protected(path) and not read_only.is_set(YES_PROTECTED):
        name = name_of_path(path)
        raise MQError(
            f"cannot change queue manager {name}: {PROTECTED} in {config_path()}",
            MQRC_NOT_AUTHORIZED,
            hint="--yes-protected changes it",
            q_mgr_name=name,
        )


def is_protected(path: str) -> bool:
    """Return whether the configuration protects a queue manager. Raises ConfigError."""
    if not is_configured(PROTECTED):
        return False
    from fnmatch import fnmatchcase

    from mqtools.configuration import settings

    name = name_of_path(path)
    return any(fnmatchcase(name, pattern) for pattern in settings.value_of(PROTECTED))
