"""A queue manager as the front door creates it."""

from __future__ import annotations

from pathlib import Path

import pytest

import mqtools as mq


@pytest.fixture
def qmgr(tmp_path: Path):
    """Queue manager QM1 with the developer's queues."""
    with mq.create(str(tmp_path / "QM1.db"), dev=True) as created:
        yield created
