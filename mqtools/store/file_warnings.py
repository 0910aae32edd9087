"""Warnings about a file, raised with ``warnings``; the commands print them as notes."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

#: What prints a warning; None for Python's ``warnings``, which take a while to import.
_show: Callable[[str], None] | None = None
#: What was shown: each warning once, as ``warnings`` shows it.
_shown: set[str] = set()


class StorageWarning(UserWarning):
    """A file is not what it seems: a copy without its log, or one beside the log of another file."""


def show_by(show: Callable[[str], None]) -> None:
    """Have this process print its warnings by a function."""
    global _show
    _show = show


def warn_of_log(path: str, aside: str | None, *, is_missing: bool) -> None:
    """Warn of a log that was set aside, and of one that is missing. aside: where the log is now, None if it was not."""
    words = []
    if aside is not None:
        words.append(f"{path}-wal is the log of another file or of another time: it is now {aside}, and was not used")
    if is_missing:
        words.append(
            f"{path} lacks its log: it was copied while a program used it, or another program than mqx has closed it; "
            "it may lack the newest messages (mqx qmgr backup makes a complete copy)"
        )
    warn("; ".join(words))


def warn(words: str) -> None:
    """Warn of a file: by what ``show_by`` was told, else by ``warnings``."""
    if _show is not None:
        if words not in _shown:
            _shown.add(words)
            _show(words)
        return
    import warnings

    warnings.warn(words, StorageWarning, stacklevel=3)
