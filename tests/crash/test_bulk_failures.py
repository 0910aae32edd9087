"""Commands on many messages whose disk fails half-way: nothing is lost or doubled, and they say how far they came."""

from __future__ import annotations

import errno
import os
import re
import shutil
from pathlib import Path

import pytest

from mqtools.constants.options import MQPMO_SET_ALL_CONTEXT
from mqtools.formats.message_input import read_messages
from mqtools.formats.mistakes import Findings
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import connect

from ..commands.fork_server import ForkServer
from .accounting import connect_without_log, take_stock

BODIES = [f"{number:03d}" for number in range(240)]
#: A command, and the number of messages in one of its transactions. {} is a file beside that of the queue manager.
COMMANDS = {
    "move": (("move", "Q", "R", "--batch", "20"), 20),
    "copy": (("copy", "Q", "R", "--batch", "20"), 20),
    "delete": (("delete", "Q", "--pos", "1..240", "--yes"), 100),
    "unload": (("unload", "Q", "{}", "--move", "--batch", "20", "--force"), 20),
    "load": (("load", "R", "{}", "--batch", "20"), 20),
}
FAULTS = [("write", errno.ENOSPC, False), ("write", errno.EIO, True), ("flush", errno.EIO, True)]
_STORAGE, _PARTLY = 10, 9
_SAID = re.compile(r"(?:so far:|moved|copied|loaded) (\d+) messages?")


@pytest.fixture(scope="module")
def filled(made: str, tmp_path_factory: pytest.TempPathFactory, fault_server: ForkServer) -> Path:
    """A folder with a queue manager that has 240 messages on Q, and a dump of them."""
    folder = tmp_path_factory.mktemp("filled")
    path = shutil.copyfile(made, folder / "QM1.db")
    path.chmod(0o600)
    with connect(str(path)) as connection:
        messages = [Message(body.encode(), MQMD(persistence=1, format="MQSTR")) for body in BODIES]
        connection.put_each("Q", messages, MQPMO_SET_ALL_CONTEXT)
    env = {**os.environ, "MQX_QMGR": str(path)}
    assert fault_server.run(("unload", "Q", str(folder / "dump")), stdin=b"", env=env, timeout=60)[0] == 0
    return folder


def in_dump(path: Path) -> list[str]:
    with path.open("rb") as file:
        return [read.message.data.decode() for read in read_messages(file, Findings("dump"))]


def far(command: str, path: str, dump: Path) -> int:
    """Return how far a command has come. Fails where a message is lost or doubled."""
    found = take_stock(path, connect_without_log)
    on_q, on_r = found["Q"], found["R"]
    done = len(on_r) if command in ("copy", "load") else len(BODIES) - len(on_q)
    assert on_q == (BODIES if command in ("copy", "load") else BODIES[done:])
    assert on_r == ([] if command in ("delete", "unload") else BODIES[:done])
    if command == "unload":
        assert in_dump(dump) == BODIES[:done]
    return done


# A disk that takes no mark of a complete file leaves one that seems to lack its log.
@pytest.mark.parametrize(("call", "number", "stays"), FAULTS, ids=["full", "broken", "flush"])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_whose_disk_fails_says_how_far_it_came_and_goes_on_later(
    filled: Path, fault_server: ForkServer, environment: dict[str, str], tmp_path: Path, command: str, call: str,
    number: int, stays: bool, every_case: bool,
) -> None:  # fmt: skip
    words, batch = COMMANDS[command]
    path, dump, count = str(tmp_path / "QM1.db"), tmp_path / "dump", tmp_path / "count"
    env = {**environment, "MQX_QMGR": path, "FAULT_PATH": "QM1.db"}
    line = [word.format(dump) for word in words]

    def run(**faults: object) -> tuple[int, str]:
        extra = {f"FAULT_{name.upper()}": str(value) for name, value in faults.items()}
        status, _, err = fault_server.run(line, stdin=b"", env={**env, **extra}, timeout=60)
        return status, err.decode()

    def begin() -> None:
        for each in tmp_path.glob("QM1.db*"):
            shutil.rmtree(each) if each.is_dir() else each.unlink()
        for name in ("QM1.db", "dump"):
            shutil.copy(filled / name, tmp_path)

    begin()
    assert run(call=call, count=count)[0] == 0
    calls = len(count.read_bytes())
    for nth in range(1, calls + 1) if every_case else (calls // 3, calls // 2, calls * 4 // 5):
        begin()
        status, err = run(call=call, first=nth, last=10**6 if stays else nth, errno=number)
        done = far(command, path, dump) if status else len(BODIES)
        said = max(map(int, _SAID.findall(err)), default=0)
        unsaid = batch if "committed and visible" in err else 0  # the error itself says it of these
        about = f"{call} {nth} of {calls}: {status} {done} {err}"
        assert "Traceback" not in err, about
        assert done - unsaid <= said <= done, about
        assert status == 0 or status == (_STORAGE if command == "unload" or not said else _PARTLY), about
        if command in ("move", "delete"):
            status, err = run()
            assert (status in (0, 3), far(command, path, dump)) == (True, len(BODIES)), about
