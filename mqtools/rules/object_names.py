"""Names of MQ objects: allowed characters and length."""

from __future__ import annotations

#: Characters of the longest name of a queue or queue manager (MQ_OBJECT_NAME_LENGTH).
NAME_LENGTH = 48
#: Begin of the names of the objects that every queue manager has.
SYSTEM_PREFIX = "SYSTEM."
#: End of the file name of a queue manager.
FILE_SUFFIX = ".db"
_CHARACTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._/%")


def is_valid_name(name: str) -> bool:
    """Return whether a text can name an MQ object."""
    return 0 < len(name) <= NAME_LENGTH and all(character in _CHARACTERS for character in name)


def is_path(name: str) -> bool:
    """Return whether a queue manager is given as a path."""
    return "/" in name or name.endswith(FILE_SUFFIX)
