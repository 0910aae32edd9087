"""A home of its own, a queue manager in it, and processes that are connected to that."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mqtools.admin import queue_managers

from ...mqi.children import start_ready
from .holding import HOLDER, put


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("MQX_QMGR", raising=False)
    monkeypatch.setenv("MQX_HOME", str(tmp_path / "qmgrs"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path / "qmgrs"


@pytest.fixture
def path() -> str:
    return queue_managers.create("QM1", developer=True)


@pytest.fixture
def hold(path: str) -> Iterator[Callable[[], subprocess.Popen[str]]]:
    """Start a process that is connected and has a message uncommitted."""
    started: list[subprocess.Popen[str]] = []

    def start() -> subprocess.Popen[str]:
        put(path)
        started.append(start_ready(HOLDER, path))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.communicate()
