"""A developer's queue manager, with one queue that is full."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mqtools.qmgr import admin
from mqtools.qmgr.connection import Connection, connect

from .dead_letters import (
    FULL,
    alter,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def conn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Connection]:
    monkeypatch.setenv("MQX_HOME", str(tmp_path))
    monkeypatch.delenv("MQX_QMGR", raising=False)
    admin.create("QM1", developer=True)
    with connect("QM1") as connection:
        alter(connection, FULL, max_q_depth=0)
        yield connection
