"""A server for Java clients: a queue manager with the queues of the tests, and ``mqx serve`` for it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from mqtools.admin.mqsc.run import run_mqsc
from mqtools.mqi.connection import connect

FOLDER = Path(__file__).parent
#: The command that is tested; another one, to try the tests themselves against.
MQX = os.environ.get("MQX", str(Path(sys.executable).with_name("mqx")))
PASSWORD = "passw0rd"


def define(qmgr: str) -> None:
    """Define the queues that the tests use."""
    with connect(qmgr) as connection:
        report = run_mqsc(connection, (FOLDER / "definitions.mqsc").read_text(encoding="utf-8"))
    assert {command.outcome for command in report.commands} == {"ok"}, report


@dataclass
class Served:
    """A running server."""

    home: Path
    port: int
    process: subprocess.Popen[str]

    @property
    def qmgr(self) -> str:
        return str(self.home / "QM1.db")


@contextmanager
def serve(home: Path, *options: str) -> Iterator[Served]:
    """Run ``mqx serve --dev QM1`` with more options, and end it with SIGTERM."""
    environ = {**os.environ, "MQX_HOME": str(home), "MQ_APP_PASSWORD": PASSWORD, "MQ_ADMIN_PASSWORD": PASSWORD}
    command = [MQX, "serve", "--dev", "QM1", *options, "-o", "json"]
    with subprocess.Popen(
        command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        try:
            yield Served(home, json.loads(process.stdout.readline())["port"], process)
        finally:
            process.terminate()
            process.wait(30)
