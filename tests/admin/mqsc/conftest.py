"""A connection to a bare queue manager, which MQSC fills."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mqtools.admin import queue_managers
from mqtools.mqi.connection import Connection, connect

from ...copied import copy_of


@pytest.fixture
def connection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Connection]:
    """A connection to QM1, which has no queues."""
    monkeypatch.setenv("MQX_HOME", str(tmp_path))
    with connect(copy_of(queue_managers.create, "QM1")) as connection:
        yield connection
