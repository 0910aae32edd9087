"""Running the installed ``mqx`` as operators do: a real process with a home of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest


class Done(NamedTuple):
    """A finished command: exit status, stdout as bytes, stderr as text."""

    status: int
    out: bytes
    err: str


def script() -> str:
    """Give the path of the installed command."""
    beside = Path(sys.executable).with_name("mqx")
    found = str(beside) if beside.exists() else shutil.which("mqx")
    assert found is not None, "mqx is not installed in this environment"
    return found


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """An environment in which nothing of the user's is seen or touched."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MQX_", "XDG_"))}
    return {
        **kept,
        "HOME": str(tmp_path),
        "MQX_HOME": str(tmp_path / "qmgrs"),
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "TERM": "dumb",
    }


@pytest.fixture
def mqx(environment: dict[str, str]) -> Callable[..., Done]:
    """Run a command line: ``mqx("put", "Q", "x", stdin=b"")``; check=True insists on status 0."""

    def run(*arguments: str, stdin: bytes = b"", check: bool = False, timeout: float = 60, **extra: str) -> Done:
        done = subprocess.run(
            [script(), *arguments],
            input=stdin,
            capture_output=True,
            env={**environment, **extra},
            timeout=timeout,
            check=False,
        )
        result = Done(done.returncode, done.stdout, done.stderr.decode("utf-8", "replace"))
        if check:
            assert result.status == 0, result
        return result

    return run


@pytest.fixture
def qm(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> str:
    """A fresh queue manager QM1 with the developer's queues; its path."""
    from mqtools.qmgr import admin

    for name in ("HOME", "MQX_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, environment[name])
    monkeypatch.delenv("MQX_QMGR", raising=False)
    return admin.create("QM1", developer=True)
