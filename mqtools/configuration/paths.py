"""Paths of what mqx keeps for a user: the folder of queue managers, the configuration file, state files."""

from __future__ import annotations

import os

#: Key of the configuration file for name patterns of protected queue managers; here, because little is loaded with it.
PROTECTED = "protected"
#: Key and environment variable of the free disk space below which mqx warns; here for the same reason.
DISK_FREE_LIMIT, DISK_FREE_LIMIT_VARIABLE = "disk_free_limit", "MQX_DISK_FREE_LIMIT"
#: Largest value of that limit, in bytes.
MOST_DISK_LIMIT = 16 << 30
#: Scheme of an address of a queue manager elsewhere.
MQ_SCHEME = "mq:"


def home() -> str:
    """Return the folder of the queue managers: ``$MQX_HOME``, else ``mqx`` in the user's data folder."""
    return os.environ.get("MQX_HOME") or os.path.join(_base("XDG_DATA_HOME", ".local/share"), "mqx")


def remotes_path() -> str:
    """Return the path of the file with the queue managers elsewhere."""
    return os.path.join(home(), "remotes.toml")


def config_path() -> str:
    return os.path.join(_base("XDG_CONFIG_HOME", ".config"), "mqx", "config.toml")


def is_configured(key: str) -> bool:
    """Return whether the configuration file contains a key at all; the TOML parser takes long to import."""
    try:
        with open(config_path(), "rb") as file:
            return key.encode() in file.read()
    except OSError:
        return False


def default_path() -> str:
    """Return the path of the file that ``mqx qmgr use`` writes.

    With ``$MQX_HOME`` it is in that folder: the configuration file would name the default for other folders, too.
    """
    folder = os.environ.get("MQX_HOME")
    return os.path.join(folder, "config.toml") if folder else config_path()


def state_path(name: str) -> str:
    """Return the path of a file that a program keeps between runs and that may be lost."""
    return os.path.join(_base("XDG_STATE_HOME", ".local/state"), "mqx", name)


def _base(variable: str, default: str) -> str:
    folder = os.environ.get(variable, "")
    return folder if folder.startswith("/") else os.path.join(os.path.expanduser("~"), default)
