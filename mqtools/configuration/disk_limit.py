"""The limit of free disk space below which mqx warns, read without the modules of the settings where it is not set."""

from __future__ import annotations

import os

from mqtools.configuration.paths import DISK_FREE_LIMIT, DISK_FREE_LIMIT_VARIABLE, config_path

#: Bytes of the limit where none is set.
DEFAULT_LIMIT = 64 << 20


def limit_bytes() -> int:
    """Return the limit in bytes. Raises ConfigError."""
    if not os.environ.get(DISK_FREE_LIMIT_VARIABLE) and not _may_be_set():
        return DEFAULT_LIMIT
    from mqtools.configuration import settings

    limit: int = settings.value_of(DISK_FREE_LIMIT)
    return limit


def _may_be_set() -> bool:
    """Return whether the configuration file contains the key at all; the TOML parser takes long to import."""
    try:
        with open(config_path(), "rb") as file:
            return DISK_FREE_LIMIT.encode() in file.read()
    except OSError:
        return False
