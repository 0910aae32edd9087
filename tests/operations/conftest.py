"""Fixtures of the operations tests: those of the MQI tests."""

from __future__ import annotations

from ..mqi.conftest import advance, qm, slept

__all__ = ["advance", "qm", "slept"]
