"""Pytest plug-in: the fixture ``mqx_qmgr``, a fresh queue manager for each test of a program that uses MQ.

``mqx_listener`` serves it to programs that connect over the network, such as Java programs.

The marker ``mqx`` of a test defines its queues, ``@pytest.mark.mqx(queues=["ORDERS"], mqsc="orders.mqsc")``, or
for all tests by the settings ``mqx_queues``, ``mqx_mqsc`` (a file, from the root folder) and ``mqx_name``. The modules
``pymqi`` and ``ibmmq`` can be imported in the tests; where a pymqi is installed that has its client library,
``mqx_bindings = true`` makes it use ours. The option ``--check-channel`` is that of ``mqx run``.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from mqtools.admin import queue_managers
from mqtools.admin.mqsc.run import lines, run_mqsc
from mqtools.bindings.programs import CHECK_CHANNEL, FOLDER
from mqtools.calls.deferral import CallBlock
from mqtools.calls.sessions import end_all
from mqtools.constants.options import MQOO_INPUT_SHARED
from mqtools.errors import NoMessageAvailable
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import Connection, connect
from mqtools.mqi.objects.definitions import attributes_of_queue, define_queue

# The library is imported in functions: pytest loads this plug-in for every test suite, with or without a queue manager.


_NAME = "QM1"
_CHANNEL = "DEV.APP.SVRCONN"
#: The channel of ``mqx_listener``, which lets the administrator in that runs the tests.
_CHANNEL_SCRIPT = f"""
DEFINE CHANNEL({_CHANNEL}) CHLTYPE(SVRCONN) REPLACE
SET CHLAUTH({_CHANNEL}) TYPE(BLOCKUSER) USERLIST('nobody') ACTION(REPLACE)
"""


class FreshQueueManager:
    """Queue manager for the duration of a test. name: that programs connect to.  path: its file."""

    def __init__(self, name: str, path: str) -> None:
        self.name = name
        self.path = path

    def connect(self) -> Connection:
        """Connect without the bindings."""
        return connect(self.path)

    def define(self, *names: str, **attributes: object) -> None:
        """Define local queues, with attributes as ``objects.definitions`` calls them (``max_q_depth=3``)."""
        with CallBlock(), self.connect() as connection, connection.work() as work:
            for name in names:
                define_queue(work, "QLOCAL", name, dict(attributes))

    def mqsc(self, text: str) -> None:
        """Run MQSC commands. Raises ValueError with the report when one of them fails."""
        with CallBlock(), self.connect() as connection:
            report = run_mqsc(connection, text)
        if report.syntax_errors or report.failed:
            raise ValueError("\n".join(lines(report)))

    def put(self, queue: str, data: bytes | str = b"", **fields: Any) -> bytes:
        """Put a message; return its id. fields: of the message descriptor, ``priority=3``."""
        if isinstance(data, str):
            fields = {"format": "MQSTR", "coded_char_set_id": 1208, **fields}
            data = data.encode()
        message = Message(data, MQMD(**fields))
        with CallBlock(), self.connect() as connection:
            connection.put1(queue, message)
        return message.md.msg_id

    def get_all(self, queue: str) -> list[bytes]:
        """Get all messages that are available now; return their data."""
        found: list[bytes] = []
        with CallBlock(), self.connect() as connection, connection.open(queue, MQOO_INPUT_SHARED) as handle:
            try:
                while True:
                    found.append(handle.get().message.data)
            except NoMessageAvailable:
                return found

    def depth(self, queue: str) -> int:
        """Return the number of messages on a queue, uncommitted puts included."""
        with CallBlock(), self.connect() as connection, connection.db.reading():
            found = attributes_of_queue(connection.db, queue)["current_q_depth"]
        assert isinstance(found, int)
        return found


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the settings, and the option."""
    words = "Refuse clients of mqx_qmgr as a queue manager does: by channel, port and CHLAUTH."
    parser.getgroup("mqx").addoption("--check-channel", action="store_true", help=words)
    parser.addini("mqx_name", "Name of the queue manager of mqx_qmgr.", default=_NAME)
    parser.addini("mqx_queues", "Local queues of mqx_qmgr.", type="args")
    parser.addini("mqx_mqsc", "File of MQSC commands that mqx_qmgr begins with.", default="")
    parser.addini("mqx_bindings", "Use mqx also where a pymqi with a client library is.", type="bool", default=False)


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker and add the bindings to the path, last, so that they hide no installed package."""
    config.addinivalue_line("markers", "mqx(queues, mqsc, name): what the queue manager of the fixture mqx_qmgr has")
    if FOLDER in sys.path:
        return
    if config.getini("mqx_bindings"):
        sys.path.insert(0, FOLDER)
    else:
        sys.path.append(FOLDER)


@pytest.fixture(scope="session")
def _mqx_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the queue managers that are created once, to be copied for each test."""
    return tmp_path_factory.mktemp("mqx")


@pytest.fixture
def mqx_qmgr(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, _mqx_template: Path
) -> Iterator[FreshQueueManager]:
    """Return a fresh queue manager, the default one, with the queues of the marker or the settings."""
    _check_bindings()
    marked: dict[str, Any] = {}
    for marker in reversed(list(request.node.iter_markers("mqx"))):
        marked.update(marker.kwargs)
    name = str(marked.get("name") or request.config.getini("mqx_name"))
    home = tmp_path / "mqx"
    monkeypatch.setenv("MQX_HOME", str(home))
    monkeypatch.setenv("MQX_QMGR", name)
    if request.config.getoption("--check-channel"):
        monkeypatch.setenv(CHECK_CHANNEL, "1")
    qmgr = FreshQueueManager(name, _copy(_mqx_template, name, home))
    qmgr.define(*marked.get("queues", request.config.getini("mqx_queues")))
    script = marked.get("mqsc") or request.config.getini("mqx_mqsc")
    if script:
        qmgr.mqsc((request.config.rootpath / script).read_text(encoding="utf-8"))
    yield qmgr
    end_all()
    shutil.rmtree(home)


def _copy(template: Path, name: str, home: Path) -> str:
    """Copy the template of a queue manager, which is created on first use."""
    original = template / f"{name}.db"
    if not original.exists():
        queue_managers.create(str(original))
    home.mkdir(mode=0o700)
    for suffix in ("", "-wal"):
        if os.path.exists(f"{original}{suffix}"):
            shutil.copy(f"{original}{suffix}", f"{home / name}.db{suffix}")
    return f"{home / name}.db"


@dataclass(frozen=True)
class RunningListener:
    """Listener of a test. conn_name: HOST(PORT).  channel: a SVRCONN that needs no password of this user's programs."""

    qmgr: FreshQueueManager
    host: str
    port: int
    conn_name: str
    channel: str


@pytest.fixture
def mqx_listener(mqx_qmgr: FreshQueueManager, tmp_path: Path) -> Iterator[RunningListener]:
    """Serve ``mqx_qmgr`` on a free port of this machine; clients act as the user that runs the tests."""
    mqx_qmgr.mqsc(_CHANNEL_SCRIPT)
    line = [sys.executable, "-m", "mqtools", "serve", "-m", mqx_qmgr.path, "--port", "0", "-o", "json"]
    with (
        (tmp_path / "mqx-serve.log").open("w") as log,
        subprocess.Popen(line, stdout=subprocess.PIPE, stderr=log) as process,
    ):
        try:
            assert process.stdout is not None
            ready = process.stdout.readline()
            if not ready:
                pytest.fail(f"mqx serve did not start: {(tmp_path / 'mqx-serve.log').read_text()}")
            found = json.loads(ready)
            yield RunningListener(mqx_qmgr, found["host"], found["port"], found["conn_name"], _CHANNEL)
        finally:
            process.terminate()


def _check_bindings() -> None:
    """Fail if the test's pymqi or ibmmq would connect to a real queue manager."""
    for package, c_part in (("pymqi", "pymqe"), ("ibmmq", "ibmmqc")):
        used = getattr(sys.modules.get(package), c_part, None)
        if used is not None and used.__name__ != f"mqtools.bindings.{c_part}":
            pytest.fail(f"this {package} has its own client library: set mqx_bindings = true")
