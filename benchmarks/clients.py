"""IBM's Java client over a connection of ``mqx serve``, against the same verbs in this process."""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from measure import BODY, new_qmgr, paired, per_call_us, report

from mqtools.calls import messages, objects
from mqtools.calls.connections import commit, open_session
from mqtools.constants import cmqc
from mqtools.constants.message import MQPER_NOT_PERSISTENT, MQPER_PERSISTENT
from mqtools.constants.options import MQOO_INPUT_SHARED, MQOO_OUTPUT
from mqtools.headers.mqrfh2 import MQRFH2, pack_mqrfh2
from mqtools.headers.structures_message import GMO, MD, OD, PMO
from mqtools.message import Message
from mqtools.mqi.connection import Connection, connect
from mqtools.mqi.objects.definitions import alter_queue

_FOLDER = Path(__file__).parent
_COUNT, _WARM_UP = 2000, 2500
_CONVERSATIONS, _IDLE = 200, 100


class _Client:
    """A JVM that does one command after another."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline()

    def ask(self, command: str) -> str:
        assert self._process.stdin is not None
        self._process.stdin.write(command + "\n")
        self._process.stdin.flush()
        return self.line()


def _classpath() -> str | None:
    """Return where Maven keeps the client, or None if it is not there."""
    file = tempfile.mktemp()
    line = [
        "-q",
        "-f",
        str(_FOLDER.parent / "tests" / "java"),
        "dependency:build-classpath",
        f"-Dmdep.outputFile={file}",
    ]
    for mode in (["-o"], []):
        if shutil.which("mvn") and subprocess.run(["mvn", *mode, *line], stdout=subprocess.DEVNULL).returncode == 0:
            return Path(file).read_text()
    return None


def clients() -> None:
    """Measure sends and receives one by one, 200 conversations, a listener's delay, and 100 idle connections."""
    classpath = _classpath()
    if classpath is None:
        report("clients", "left out: no Maven, or no network to fetch IBM's client", "")
        return
    with ExitStack() as stack:
        home = stack.enter_context(tempfile.TemporaryDirectory())
        command = [str(Path(sys.executable).with_name("mqx")), "serve", "--dev", "BENCH", "--port", "0", "-o", "json"]
        server = stack.enter_context(
            subprocess.Popen(command, env={**os.environ, "MQX_HOME": home}, stdout=subprocess.PIPE, text=True)
        )
        stack.callback(server.terminate)
        assert server.stdout is not None
        port = json.loads(server.stdout.readline())["port"]
        line = ["java", "-cp", classpath, str(_FOLDER / "Clients.java"), str(port), str(len(BODY))]
        pipe = subprocess.PIPE
        jvm = stack.enter_context(subprocess.Popen(line, cwd=home, stdin=pipe, stdout=pipe, text=True))
        stack.callback(jvm.kill)
        client = _Client(jvm)
        connection = stack.enter_context(connect(f"{home}/BENCH.db"))
        with connection.work() as work:
            for name in ("DEV.QUEUE.1", "DEV.QUEUE.2"):
                alter_queue(work, "QLOCAL", name, {"max_q_depth": 999_999_999})
        _one_by_one(client, _Program(new_qmgr()))
        _fairness(client)
        _listener(client, connection)
        _idle(client, server.pid)


class _Program:
    """A program in this process that makes the calls of the JMS client: the same structures, options and data."""

    def __init__(self, path: str) -> None:
        self._session = open_session(path)
        wanted = MD.initial() | {"Format": b"MQHRF2  ", "CodedCharSetId": 1208, "Encoding": 273}
        folders = ("<mcd><Msd>jms_bytes</Msd></mcd>", "<jms><Dst>queue:///BENCH</Dst><Tms>1700000000000</Tms></jms>")
        self._body = pack_mqrfh2(MQRFH2(folders=list(folders)), 273, 1208) + BODY
        self._descriptors = {each: MD.pack(wanted | {"Persistence": each}) for each in (0, 1)}
        self._any = MD.pack(MD.initial() | {"Version": 2})
        self._put_options = PMO.pack(PMO.initial() | {"Options": cmqc.MQPMO_NO_SYNCPOINT | cmqc.MQPMO_NEW_MSG_ID})
        options = cmqc.MQGMO_SYNCPOINT_IF_PERSISTENT | cmqc.MQGMO_PROPERTIES_FORCE_MQRFH2 | cmqc.MQGMO_FAIL_IF_QUIESCING
        self._get_options = GMO.pack(GMO.initial() | {"Version": 4, "Options": options})
        od = OD.pack(OD.initial() | {"ObjectName": b"BENCH".ljust(48)})
        self._handle, *_ = objects.open_object(self._session, od, MQOO_INPUT_SHARED | MQOO_OUTPUT)

    def send(self, persistence: int) -> None:
        messages.put(self._session, self._handle, self._descriptors[persistence], self._put_options, self._body)

    def receive(self, persistence: int) -> None:
        """Get as the client does: it acknowledges a persistent message with a commit."""
        messages.get(self._session, self._handle, self._any, self._get_options, 1 << 20)
        if persistence == MQPER_PERSISTENT:
            commit(self._session)


def _one_by_one(client: _Client, program: _Program) -> None:
    for name, persistence, goal in (
        ("persistent", MQPER_PERSISTENT, "at least 0.60"),
        ("nonpersistent", MQPER_NOT_PERSISTENT, "at least 0.50"),
    ):
        client.ask(f"{name} {_WARM_UP}")
        client.ask(f"receive {_WARM_UP}")
        _compare(
            f"send {name}",
            goal,
            lambda name=name: float(client.ask(f"{name} {_COUNT}")),
            lambda persistence=persistence: 1e6 / per_call_us(lambda: program.send(persistence), _COUNT),
        )
        _compare(
            f"receive {name}",
            goal,
            lambda: float(client.ask(f"receive {_COUNT}")),
            lambda persistence=persistence: 1e6 / per_call_us(lambda: program.receive(persistence), _COUNT),
        )


def _compare(what: str, goal: str, ours: Callable[[], float], in_process: Callable[[], float]) -> None:
    through, within, ratio = paired(ours, in_process)
    report("clients", f"{what} {through:.0f}/s, in process {within:.0f}/s", f"{ratio:.2f}", goal)


def _fairness(client: _Client) -> None:
    sent = json.loads(client.ask(f"conversations {_CONVERSATIONS} 5"))
    what = f"{_CONVERSATIONS} conversations for 5 s: {sum(sent) / 5:.0f}/s; least {min(sent)}, most {max(sent)}"
    report("clients", what, f"{min(sent) / statistics.median(sent):.2f} of median", "at least 0.50")


def _listener(client: _Client, connection: Connection) -> None:
    client.ask("listen 1")
    delays = []
    with connection.open("DEV.QUEUE.3", MQOO_OUTPUT) as handle:
        for _ in range(200):
            time.sleep(0.02)
            handle.put(Message(str(time.time_ns()).encode()))
            delays.append(int(client.line()) / 1e6)
    delays = sorted(delays[20:])
    what = f"listener hears a put of another process, 95 in 100 in {delays[len(delays) * 95 // 100]:.1f} ms"
    report("clients", what, f"{statistics.median(delays):.1f} ms", "at most 5 ms")


def _idle(client: _Client, pid: int) -> None:
    client.ask(f"idle {_IDLE}")
    time.sleep(2)
    begin = _processor_s(pid)
    time.sleep(10)
    report("clients", f"processor of {_IDLE} idle connections", f"{(_processor_s(pid) - begin) * 10:.1f} %", "none")


def _processor_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
