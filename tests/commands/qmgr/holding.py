"""The rows that mqx qmgr prints, and a program that uses a queue manager."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

#: Connects, opens a queue, and stays until its stdin is closed.
HOLDER = """
import sys
from mqtools.constants import options as mq
from mqtools.mqi.connection import connect
with connect(sys.argv[1]) as connection:
    connection.open("DEV.QUEUE.1", mq.MQOO_INPUT_SHARED)
    print("ready", flush=True)
    sys.stdin.read()
"""


def rows(done: Any) -> list[dict[str, Any]]:
    assert done.status == 0, done
    found: list[dict[str, Any]] = json.loads(done.out)
    return found


def hold(path: str) -> subprocess.Popen[bytes]:
    process = subprocess.Popen([sys.executable, "-c", HOLDER, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    return process
