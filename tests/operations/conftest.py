"""Fixtures of the operations tests: those of the MQI tests."""

from __future__ import annotations

import pytest

from ..mqi.conftest import QM, advance, qm, slept

__all__ = ["advance", "qm", "slept"]


@pytest.fixture
def kept(qm: QM) -> QM:
    """The queue manager, with journals of all its queues."""
    for name in ("Q", "R", "DLQ"):
        qm.alter(name, journal=1)
    return qm
