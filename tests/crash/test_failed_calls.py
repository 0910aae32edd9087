"""Each call to the system that a command makes for its file fails once: what the command says is so.

SQLite's own tests fail the n-th call for every n; so do these, for a put, a get, a move, and a unit of work.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from mqtools.message import MQMD, Message
from mqtools.mqi.connection import connect

from ..commands.fork_server import ForkServer
from .accounting import take_stock

#: A command, what is on Q and R before, and after it has done its work.
COMMANDS = {
    "put": (("put", "Q", "--persistent", "new"), (["1", "2"], []), (["1", "2", "new"], [])),
    "get": (("get", "Q"), (["1", "2"], []), (["2"], [])),
    "move": (("move", "Q", "R", "--yes"), (["1", "2"], []), ([], ["1", "2"])),
    "unit": (
        ("put", "Q", "--persistent", "--batch", "3", "a", "b", "c"),
        (["1", "2"], []),
        (["1", "2", "a", "b", "c"], []),
    ),
}
FAULTS = [
    ("open", errno.EMFILE),
    ("open", errno.EIO),
    ("write", errno.ENOSPC),
    ("write", errno.EDQUOT),
    ("write", errno.EIO),
    ("truncate", errno.EIO),
    ("flush", errno.EIO),
    ("flush", errno.ENOSPC),
]
#: Exit statuses: done; failed; refused because something is full; the disk or the file.
_STATUSES = {0, 1, 7, 8, 10}

Run = Callable[..., tuple[int, bytes, str]]


@pytest.fixture
def path(path: str) -> str:
    """A queue manager with two messages on Q."""
    with connect(path) as connection:
        for body in (b"1", b"2"):
            connection.put1("Q", Message(body, MQMD(persistence=1)))
    return path


@pytest.fixture
def run(fault_server: ForkServer, environment: dict[str, str], path: str) -> Run:
    def run(*words: str, **faults: object) -> tuple[int, bytes, str]:
        extra = {f"FAULT_{name.upper()}": str(value) for name, value in faults.items()}
        env = {**environment, "FAULT_PATH": os.path.basename(path), "MQX_QMGR": path, **extra}
        status, out, err = fault_server.run(words, stdin=b"", env=env, timeout=60)
        return status, out, err.decode()

    return run


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(("call", "number"), FAULTS, ids=lambda value: errno.errorcode.get(value, value))
def test_what_a_command_says_is_so_whichever_call_fails(
    path: str, run: Run, tmp_path: Path, every_case: bool, command: str, call: str, number: int
) -> None:
    words, before, after = COMMANDS[command]
    count = tmp_path / "count"
    kept = shutil.copyfile(path, str(tmp_path / "kept"))
    assert run(*words, call=call, count=count)[0] == 0
    calls = len(count.read_bytes())
    assert calls or call == "truncate"
    step = 1 if every_case else 4
    for nth in [*range(1, calls, step), calls]:
        for name in ("QM1.db-wal", "QM1.db-shm"):
            (tmp_path / name).unlink(missing_ok=True)
        shutil.rmtree(f"{path}-run", ignore_errors=True)
        shutil.copyfile(kept, path)
        status, _, err = run(*words, call=call, first=nth, last=nth, errno=number)
        about = f"{call} {nth} of {calls}: {status} {err}"
        assert status in _STATUSES, about
        assert "Traceback" not in err, about
        assert bool(err) or status == 0, about
        is_visible = status == 0 or "committed and visible" in err
        found = take_stock(path)
        assert (found["Q"], found["R"]) == (after if is_visible else before), about
