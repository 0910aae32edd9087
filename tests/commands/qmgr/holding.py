"""The rows that mqx qmgr prints, and a program that uses a queue manager."""

from __future__ import annotations

import json
import subprocess
from typing import Any

from ...mqi.children import start_ready

#: Connects, opens a queue, and stays until its stdin is closed.
HOLDER = """
with connect(path) as connection:
    connection.open("DEV.QUEUE.1", MQOO_INPUT_SHARED)
    print("ready", flush=True)
    sys.stdin.read()
"""


def rows(done: Any) -> list[dict[str, Any]]:
    assert done.status == 0, done
    found: list[dict[str, Any]] = json.loads(done.out)
    return found


def hold(path: str) -> subprocess.Popen[str]:
    return start_ready(HOLDER, path)
