"""Names of MQ objects: allowed characters, length, and generic names."""

from __future__ import annotations

#: Characters of the longest name of a queue or queue manager (MQ_OBJECT_NAME_LENGTH).
NAME_LENGTH = 48
#: Begin of the names of the objects that every queue manager has.
SYSTEM_PREFIX = "SYSTEM."
#: End of the file name of a queue manager.
FILE_SUFFIX = ".db"
#: Characters that names are made of.
CHARACTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._/%")


def is_valid_name(name: str) -> bool:
    """Return whether a text can name an MQ object."""
    return 0 < len(name) <= NAME_LENGTH and CHARACTERS.issuperset(name)


def matches_name(pattern: str, name: str) -> bool:
    """Return whether a name matches a generic name; ``*`` matches any characters or none."""
    if "*" not in pattern:
        return name == pattern
    first, *between, last = pattern.split("*")
    if not name.startswith(first):
        return False
    rest = name[len(first) :]
    for part in between:
        at = rest.find(part)
        if at < 0:
            return False
        rest = rest[at + len(part) :]
    return rest.endswith(last)


def is_path(name: str) -> bool:
    """Return whether a queue manager is given as a path."""
    return "/" in name or name.endswith(FILE_SUFFIX)
