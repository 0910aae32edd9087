"""A developer's queue manager, with one queue that is full."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mqtools.admin import queue_managers
from mqtools.mqi.connection import Connection, connect

from .dead_letters import FULL, alter

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def conn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Connection]:
    monkeypatch.setenv("MQX_HOME", str(tmp_path))
    monkeypatch.delenv("MQX_QMGR", raising=False)
    queue_managers.create("QM1", developer=True)
    with connect("QM1") as connection:
        alter(connection, FULL, max_q_depth=0)
        yield connection
