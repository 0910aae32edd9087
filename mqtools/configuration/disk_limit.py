"""The limit of free disk space below which mqx warns, read without the modules of the settings where it is not set."""

from __future__ import annotations

import os

from mqtools.configuration import settings
from mqtools.configuration.paths import DISK_FREE_LIMIT, DISK_FREE_LIMIT_VARIABLE, is_configured

#: Bytes of the limit where none is set.
DEFAULT_LIMIT = 64 << 20


def limit_bytes() -> int:
    """Return the limit in bytes. Raises ConfigError."""
    if not os.environ.get(DISK_FREE_LIMIT_VARIABLE) and not is_configured(DISK_FREE_LIMIT):
        return DEFAULT_LIMIT
    limit: int = settings.value_of(DISK_FREE_LIMIT)
    return limit
