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
    if read_only.is_set(read_only.READ_ONLY):
        return False
    if not is_configured(PROTECTED):
        return True
    from fnmatch import fnmatchcase

    from mqtools.configuration import settings

    name = name_of_path(path)
    is_protected = any(fnmatchcase(name, pattern) for pattern in settings.value_of(PROTECTED))
    return not is_protected or read_only.is_set(YES_PROTECTED)


def check_change(path: str) -> None:
    """Raise MQError (MQRC_NOT_AUTHORIZED) unless this process may change the queue manager at a path."""
    if allows_changes(path):
        return
    name = name_of_path(path)
    read_only.check_writable(f"queue manager {name}")
    raise MQError(
        f"cannot change queue manager {name}: {PROTECTED} in {config_path()}",
        MQRC_NOT_AUTHORIZED,
        hint="--yes-protected changes it",
        q_mgr_name=name,
    )
