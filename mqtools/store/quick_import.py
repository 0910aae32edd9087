"""Import of SQLite for a command that does little else: without the modules that it is never to use.

``_sqlite3`` imports ``functools``, and with it ``collections``, ``types`` and more, for one function: the cache of
statements that each connection has. They take two milliseconds, a tenth of the time of a put.
"""

from __future__ import annotations

import sys

_NEEDED = "functools"


def import_sqlite() -> None:
    """Import ``_sqlite3`` with nothing of ``functools`` but the cache that it asks for, made as functools makes it.

    Only for a process with one thread: meanwhile nobody else may import ``functools``.
    """
    if _NEEDED in sys.modules or "_sqlite3" in sys.modules:
        return  # it costs nothing any more
    try:
        from _functools import _lru_cache_wrapper as cache
    except ImportError:
        return  # not CPython: whoever needs SQLite imports all of it
    partly = type(sys)(_NEEDED)
    partly.lru_cache = lambda size: lambda function: cache(function, size, False, tuple)  # type: ignore[attr-defined]
    sys.modules[_NEEDED] = partly
    try:
        import _sqlite3  # noqa: F401
    except (ImportError, AttributeError):
        return  # it asks for more: imported as usual, it gets it
    finally:
        del sys.modules[_NEEDED]
