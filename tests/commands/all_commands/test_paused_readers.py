"""A command that is paused while it prints leaves the log short, whatever others write meanwhile."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable

import pytest

from mqtools.admin.mqsc.run import run_mqsc
from mqtools.message import Message
from mqtools.mqi.connection import connect

QUEUE, OTHER = "DEV.QUEUE.1", "DEV.QUEUE.2"
#: What a pipe takes at most, and more.
_MUCH = 300
_MANY = 800


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(("browse", QUEUE, "-o", "jsonl"), id="browse"),
        pytest.param(("browse", QUEUE, "-o", "jsonl", "--at", "-1ms"), id="past"),
        pytest.param(("unload", QUEUE), id="unload"),
        pytest.param(("get", QUEUE, "--all", "-o", "jsonl"), id="get"),
    ],
)
def test_a_paused_reader_lets_the_log_be_used_anew(
    qm: str, start: Callable[..., subprocess.Popen[bytes]], words: tuple[str, ...]
) -> None:
    with connect(qm) as connection:
        run_mqsc(connection, f"ALTER QLOCAL({QUEUE}) JOURNAL(BODY)")
        for _ in range(_MUCH):
            connection.put1(QUEUE, Message(bytes(2000)))
        process = start(*words)
        assert process.stdout is not None
        assert process.stdout.read(1)  # it prints, and waits for a reader of the rest
        for _ in range(_MANY):
            connection.put1(OTHER, Message(bytes(10_000)))
        assert process.poll() is None, "it has all been printed: that is no pause"
        assert os.path.getsize(f"{qm}-wal") < 6 << 20
        process.stdout.read()
        assert process.wait() == 0
