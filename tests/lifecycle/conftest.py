"""A queue manager to talk to, as the tests of the MQI have it."""

from __future__ import annotations

from ..mqi.conftest import advance, qm, slept

__all__ = ["advance", "qm", "slept"]
