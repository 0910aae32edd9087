"""The limit of free disk space below which mqx warns, read without the modules of the settings where it is not set."""

from __future__ import annotations

import os

from mqtools.configuration.paths import config_path
from mqtools.store.log.disk_room import DEFAULT_LIMIT

KEY = "disk_free_limit"
VARIABLE = "MQX_DISK_FREE_LIMIT"


def limit_bytes() -> int:
    """Return the limit in bytes. Raises ConfigError."""
    if not os.environ.get(VARIABLE) and not _may_be_set():
        return DEFAULT_LIMIT
    from mqtools.configuration import settings

    limit: int = settings.value_of(KEY)
    return limit


def _may_be_set() -> bool:
    """Return whether the configuration file contains the key at all; the TOML parser takes long to import."""
    try:
        with open(config_path(), "rb") as file:
            return KEY.encode() in file.read()
    except OSError:
        return False
