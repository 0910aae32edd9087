"""LISTENER and SERVICE objects that run: start, status, restart, stop, and their end with the queue manager."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mqtools.admin import queue_managers
from mqtools.constants import cmqc
from mqtools.constants import cmqcfc as c
from mqtools.headers.pcf import CFIN, CFST
from mqtools.mqi.connection import connect

from ..admin.pcf.conftest import Server
from .conftest import Done

pytestmark = pytest.mark.slow

Run = Callable[..., Done]


@pytest.fixture
def run(qm: str, mqx: Run, environment: dict[str, str], eventually: Any) -> Iterator[Run]:
    """Run MQSC commands; at the end nothing is left that they have started."""
    environment["MQX_PLAIN_LISTENERS"] = "yes"
    yield lambda *commands, **how: mqx("-m", "QM1", "mqsc", *commands, **how)
    queue_managers.end(qm)
    eventually(lambda: queue_managers.state_of(qm) == "ended")


def status(run: Run, kind: str) -> dict[str, str]:
    """Return what DISPLAY shows of the status of S; nothing where it does not run."""
    done = run(f"DISPLAY {kind}(S) ALL", "-o", "json")
    objects = json.loads(done.out)[0]["objects"]
    return {name.upper(): str(value) for name, value in objects[0].items()} if objects else {}


def running(run: Run, kind: str, eventually: Any, but: str = "") -> str:
    """Wait until S runs, in another process than ``but``; return the process id."""

    def pid() -> str:
        found = status(run, kind)
        return found["PID"] if found.get("STATUS") == "RUNNING" and found["PID"] != but else ""

    found: str = eventually(pid)
    return found


def is_gone(pid: str) -> bool:
    return not os.path.exists(f"/proc/{pid}")


def logged(mqx: Run) -> list[str]:
    return [row["amq"] for row in mqx("-m", "QM1", "log", "-o", "jsonl").rows]


def test_a_listener_serves_channels_and_is_started_again_after_a_crash(run: Run, mqx: Run, eventually: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    run(f"DEFINE LISTENER(S) PORT({port})", "DEFINE CHANNEL(A.B) CHLTYPE(RCVR)", "START LISTENER(S)", check=True)
    first = running(run, "LSSTATUS", eventually)
    mqx("qmgr", "create", "QM2", check=True)
    mqx(
        "-m", "QM2", "mqsc", "DEFINE QLOCAL(QM1) USAGE(XMITQ)", f"DEFINE CHANNEL(A.B) CHLTYPE(SDR) XMITQ(QM1) +\n"
        f"CONNAME('127.0.0.1({port})')", check=True,
    )  # fmt: skip
    eventually(lambda: mqx("-m", "QM2", "channel", "ping", "A.B").status == 0)
    assert run("START LISTENER(S)").status != 0
    assert run("START LISTENER(S) IGNSTATE(YES)").status == 0
    assert run("DELETE LISTENER(S)").status != 0
    os.kill(int(first), signal.SIGKILL)
    again = running(run, "LSSTATUS", eventually, but=first)
    assert "AMQ5042E" in logged(mqx)
    run("STOP LISTENER(S)", check=True)
    eventually(lambda: is_gone(again))
    eventually(lambda: not status(run, "LSSTATUS"))
    assert run("STOP LISTENER(S)").status != 0
    run("DELETE LISTENER(S)", check=True)


def test_a_service_gets_its_arguments_without_a_shell_and_ends_with_the_queue_manager(
    qm: str, run: Run, mqx: Run, eventually: Any, tmp_path: Path
) -> None:
    out, stopped = tmp_path / "out", tmp_path / "stopped"
    program = "import sys, time; print(sys.argv[1:], flush=True); time.sleep(1000)"
    argument = f'-c "{program}" "a  b" $HOME +QMNAME+ \\"'
    stop = f"echo +MQ_SERVER_PID+ > {stopped}; kill +MQ_SERVER_PID+"
    run(
        f"DEFINE SERVICE(S) SERVTYPE(SERVER) CONTROL(QMGR) STARTCMD('/usr/bin/env') STDOUT('{out}') +\n"
        f"STARTARG('python3 {argument}') STOPCMD('/bin/sh') STOPARG('-c \"{stop}\"')",
        "START SERVICE(S)",
        check=True,
    )
    pid = running(run, "SVSTATUS", eventually)
    eventually(lambda: out.exists() and out.read_text() == "['a  b', '$HOME', 'QM1', '\"']\n")
    assert queue_managers.end(qm, wait=True) == "ended"
    assert is_gone(pid)
    assert stopped.read_text().strip() == pid
    assert mqx("qmgr", "start", "QM1").status == 0
    assert running(run, "SVSTATUS", eventually) != pid
    assert {"AMQ5028I", "AMQ5029I"} <= set(logged(mqx))


def test_an_immediate_end_ends_a_service_too(qm: str, run: Run, eventually: Any) -> None:
    run("DEFINE SERVICE(S) SERVTYPE(SERVER) STARTCMD('/bin/sleep') STARTARG('1000')", "START SERVICE(S)", check=True)
    pid = running(run, "SVSTATUS", eventually)
    queue_managers.end(qm, immediate=True)
    eventually(lambda: is_gone(pid))


def test_a_service_does_not_outlive_its_supervisor(run: Run, eventually: Any) -> None:
    run("DEFINE SERVICE(S) SERVTYPE(SERVER) STARTCMD('/bin/sleep') STARTARG('1000')", "START SERVICE(S)", check=True)
    pid = running(run, "SVSTATUS", eventually)
    supervisor = re.search(r"^PPid:\s*(\d+)$", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    assert supervisor is not None
    os.kill(int(supervisor[1]), signal.SIGKILL)
    eventually(lambda: is_gone(pid))
    assert status(run, "SVSTATUS") == {}
    run("START SERVICE(S)", check=True)
    running(run, "SVSTATUS", eventually)


def test_a_command_runs_once_and_the_log_says_how_it_ended(run: Run, mqx: Run, eventually: Any, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(
        f"DEFINE SERVICE(S) STARTCMD('/bin/sh') STARTARG('-c \"echo begun; exit 7\"') STDOUT('{out}')",
        "START SERVICE(S)",
        check=True,
    )
    eventually(lambda: "AMQ5042E" in logged(mqx))
    assert out.read_text() == "begun\n"
    assert out.stat().st_mode & 0o777 == 0o600
    assert mqx("log", "-n", "1", "-o", "jsonl").rows[0]["detail"] == "ended with status 7"


@pytest.mark.parametrize(
    ("words", "detail"),
    [
        ("STARTCMD('sleep')", "not an absolute path"),
        ("STARTCMD('/none')", "No such file"),
        ("STARTCMD('/bin/sleep') STARTARG('\"1')", "No closing quotation"),
        ("STARTCMD('/bin/sleep') STARTARG('1') STDOUT('/none/out')", "No such file"),
    ],
)
def test_what_cannot_be_started_is_in_the_log(run: Run, mqx: Run, eventually: Any, words: str, detail: str) -> None:
    run(f"DEFINE SERVICE(S) SERVTYPE(SERVER) {words}", "START SERVICE(S)", check=True)
    eventually(lambda: "AMQ5042E" in logged(mqx))
    (row,) = (row for row in mqx("log", "-o", "jsonl").rows if row["amq"] == "AMQ5042E")
    assert detail in row["detail"]
    eventually(lambda: status(run, "SVSTATUS").get("STATUS") == "RETRYING")
    run("STOP SERVICE(S)", check=True)


def test_an_output_file_is_not_written_through_a_link(run: Run, mqx: Run, eventually: Any, tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("kept")
    (tmp_path / "out").symlink_to(target)
    run(f"DEFINE SERVICE(S) STARTCMD('/bin/echo') STARTARG('x') STDOUT('{tmp_path}/out')", "START SERVICE(S)")
    eventually(lambda: "AMQ5042E" in logged(mqx))
    assert target.read_text() == "kept"


def test_pcf_starts_inquires_and_stops(qm: str, run: Run, eventually: Any) -> None:
    run("DEFINE SERVICE(S) SERVTYPE(SERVER) STARTCMD('/bin/sleep') STARTARG('1000')", "DEFINE QLOCAL(R)", check=True)
    name = CFST(cmqc.MQCA_SERVICE_NAME, b"S")
    with connect(qm) as connection:
        server = Server(_Programs(connection))
        assert server.reason(c.MQCMD_STOP_SERVICE, name)[0] == c.MQRCCF_SERVICE_STOPPED
        assert server.reason(c.MQCMD_START_SERVICE, CFST(cmqc.MQCA_SERVICE_NAME, b"NONE"))[0] == 2085
        server.ask(c.MQCMD_START_SERVICE, name)
        pid = running(run, "SVSTATUS", eventually)
        assert server.reason(c.MQCMD_START_SERVICE, name)[0] == c.MQRCCF_SERVICE_RUNNING
        server.ask(c.MQCMD_START_SERVICE, name, CFIN(c.MQIACF_IGNORE_STATE, c.MQIS_YES))
        (found,) = server.ask(c.MQCMD_INQUIRE_SERVICE_STATUS, name)
        assert (found[c.MQIACF_SERVICE_STATUS], found[c.MQIACF_PROCESS_ID]) == (2, int(pid))
        server.ask(c.MQCMD_STOP_SERVICE, name)
        eventually(lambda: is_gone(pid))
        eventually(lambda: not status(run, "SVSTATUS"))
        assert server.reason(c.MQCMD_INQUIRE_SERVICE_STATUS, name)[0] == 2085


class _Programs:
    """What ``Server`` needs: a connection, and what arrives on a queue."""

    def __init__(self, connection: Any) -> None:
        self.main = connection

    def got(self, q_name: str) -> Iterator[Any]:
        from mqtools.constants.options import MQOO_INPUT_SHARED
        from mqtools.errors import NoMessageAvailable

        with self.main.open(q_name, MQOO_INPUT_SHARED) as handle:
            while True:
                try:
                    yield handle.get()
                except NoMessageAvailable:
                    return
