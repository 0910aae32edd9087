"""A queue manager, and calls on handles."""

from __future__ import annotations

from ..bindings.conftest import home, made

__all__ = ["home", "made"]
