"""Warnings about a file, raised with ``warnings``; the commands print them as notes."""

from __future__ import annotations

import warnings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

#: What prints a warning (``open_files.begin_process``); None for Python's ``warnings``, which take a while to import.
show: Callable[[str], None] | None = None
#: What was shown: each warning once, as ``warnings`` shows it.
_shown: set[str] = set()


class StorageWarning(UserWarning):
    """A file is next to the log of another file, or its reserve cannot be kept."""


def warn(words: str) -> None:
    """Warn of a file: by ``show``, else by ``warnings``."""
    if show is not None:
        if words not in _shown:
            _shown.add(words)
            show(words)
        return
    warnings.warn(words, StorageWarning, stacklevel=3)
