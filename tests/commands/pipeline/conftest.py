"""A Java of any version, and messages on queues, for ``mqx pipeline``."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from mqtools.message import MQMD, Message
from mqtools.mqi.connection import connect
from mqtools.operations.load import load_messages

#: Without Spark there is nothing to test here but the hint to install it: ``tests/test_installation.py``.
collect_ignore_glob = [] if find_spec("pyspark") else ["test_*.py"]


@pytest.fixture
def java(tmp_path: Path) -> Callable[[str], str]:
    """Make a folder that has a Java of some version; gives what JAVA_HOME would be."""

    def make(version: str) -> str:
        program = tmp_path / "java" / "bin" / "java"
        program.parent.mkdir(parents=True)
        program.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n")
        program.chmod(0o755)
        return str(tmp_path / "java")

    return make


@pytest.fixture
def lay(qm: str) -> Callable[..., None]:
    """Lay messages on a queue: each data, and fields of the descriptor."""

    def put(queue: str, *several: tuple[bytes, dict[str, Any]]) -> None:
        with connect(qm) as connection:
            messages = [Message(data, MQMD(**fields)) for data, fields in several]
            assert load_messages(connection, queue, messages) == (len(several), None)

    return put


@pytest.fixture
def no_spark(qm: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is refused is refused before Spark is started."""
    monkeypatch.setattr("pyspark_mqx.session.session.start", lambda *_: pytest.fail("Spark was started"))
