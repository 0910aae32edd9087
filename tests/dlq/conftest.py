"""A developer's queue manager, with one queue that is full."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mqtools.admin import queue_managers
from mqtools.mqi.connection import Connection, connect

from ..copied import copy_of
from .dead_letters import FULL, Clock, alter


def _create(path: str) -> None:
    queue_managers.create(path, developer=True)
    with connect(path) as connection:
        alter(connection, FULL, max_q_depth=0)


@pytest.fixture
def clock() -> Clock:
    """Return a clock that only the handler's own sleeps move on."""
    return Clock()


@pytest.fixture
def conn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Connection]:
    monkeypatch.setenv("MQX_HOME", str(tmp_path))
    monkeypatch.delenv("MQX_QMGR", raising=False)
    with connect(copy_of(_create, "QM1")) as connection:
        yield connection
