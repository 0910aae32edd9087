"""Open handles and signals as their connection sees them, for type checkers."""

from __future__ import annotations

from typing import Protocol


class Signal(Protocol):
    """Method of a signal that a connection calls."""

    def drop(self) -> None:
        """Cancel it if it is outstanding."""


class OpenHandle(Protocol):
    """Methods of an open handle that a connection calls."""

    def unit_ended(self, *, backed_out: bool, keeps: bool = False) -> None:
        """Restore or forget the positions retained before the unit of work."""

    @property
    def signal(self) -> Signal | None:
        """Its signal, if one was set."""
