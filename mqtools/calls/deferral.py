"""Calls that code of the program makes inside another call of its thread, where the garbage collector runs it.

A ``__del__`` that closes a queue there would change what the call is reading, or wait for the write turn that the
call holds. So a close or disconnect inside a call runs at the end of that call, or before the call begins to wait.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from threading import local


class _Thread(local):
    """State of one thread. is_calling: it is inside a call.  deferred: what runs at its end."""

    def __init__(self) -> None:
        self.is_calling = False
        self.deferred: deque[Callable[[], object]] = deque()

    def run_deferred(self) -> None:
        """Run what was deferred, and what is deferred meanwhile."""
        while self.deferred:
            self.deferred.popleft()()


_thread = _Thread()


def defer(function: Callable[[], object]) -> bool:
    """Defer a function to the end of the call that the thread is inside of; return False outside of calls."""
    if _thread.is_calling:
        _thread.deferred.append(function)
    return _thread.is_calling


class CallBlock:
    """Block of a call: at the end of the outermost one, what was deferred runs."""

    def __enter__(self) -> None:
        self._is_inner = _thread.is_calling
        _thread.is_calling = True

    def __exit__(self, *_: object) -> None:
        if not self._is_inner:
            try:
                _thread.run_deferred()
            finally:
                _thread.is_calling = False


class WaitBlock:
    """Block in which a call only waits: it runs what was deferred, and nothing needs to be deferred."""

    def __enter__(self) -> None:
        self._is_inner = _thread.is_calling
        if self._is_inner:
            _thread.run_deferred()
        _thread.is_calling = False

    def __exit__(self, *_: object) -> None:
        _thread.is_calling = self._is_inner
