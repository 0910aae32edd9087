"""Warnings of a file: it is next to the log of another file, its reserve cannot be kept, or its write turn is held."""

from __future__ import annotations

from _warnings import warn as warn_of_python  # what ``warnings`` has it from, one module fewer
from collections.abc import Callable

#: Function that prints a warning (``open_files.begin_process``); None for Python's ``warnings``.
show: Callable[[str], None] | None = None
_shown: set[str] = set()


class StorageWarning(UserWarning):
    """A file is next to the log of another file, its reserve cannot be kept, or its write turn is held."""


def warn(words: str) -> None:
    """Print a warning once, by ``show`` or by ``warnings``."""
    if show is None:
        warn_of_python(words, StorageWarning, stacklevel=3)
    elif words not in _shown:
        _shown.add(words)
        show(words)
