"""Searches that look at few messages at a time, and what they looked at."""

from __future__ import annotations

import pytest

from mqtools.mqi.get import long_search
from mqtools.store.scans import filtered_scan

from .searches import Looks


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two places are many, and one that comes into question is enough for a page."""
    monkeypatch.setattr(long_search, "_IN_TURN", 2)
    monkeypatch.setattr(filtered_scan, "_FIRST", 1)
    monkeypatch.setattr(filtered_scan, "_LONGEST", 2)


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> Looks:
    return Looks(monkeypatch)
