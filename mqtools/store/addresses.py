"""URI by which SQLite opens a file only to read it: one in use, or one by itself on a read-only disk."""

from __future__ import annotations

import os


def address(path: str) -> str:
    """Return the URI by which a file is only read."""
    escaped = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    no_host = "//" if path.startswith("/") else ""
    return f"file:{no_host}{escaped}?mode=ro{'&immutable=1' if _is_at_rest(path) else ''}"


def _is_at_rest(path: str) -> bool:
    """Return whether a file is by itself where nothing can be written, such as a copy on a read-only disk.

    SQLite then has no place for the index of its log, and reads only a file that it is told will not change. One in
    use has that index beside it, and so has one that mqx has used there before.
    """
    if os.access(os.path.dirname(os.path.abspath(path)), os.W_OK, effective_ids=True):
        return False
    log = f"{path}-wal"
    return not os.path.exists(f"{path}-shm") and not (os.path.exists(log) and os.path.getsize(log))
