"""A queue manager to talk to, as the tests of the MQI have it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ..mqi.conftest import advance, qm, slept
from .lifecycle_story import Clock, Story, story_in

__all__ = ["advance", "qm", "slept"]


@pytest.fixture
def story(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Story]:
    """A story in a home of its own."""
    yield from story_in(tmp_path, monkeypatch)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock of the queue manager, which the test moves."""
    return Clock(monkeypatch)
