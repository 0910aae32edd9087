"""REST puts over connections with keep-alive and a cookie, against the same puts in this process."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

from measure import BODY, new_qmgr, paired, per_call_us, report

from mqtools.constants.message import MQPER_NOT_PERSISTENT
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import connect

_COUNT = 2000
_QUEUE = "DEV.QUEUE.1"


def _cpu_s(pid: int) -> float:
    """Return the processor time of a process in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _log_in(host: str) -> tuple[http.client.HTTPConnection, dict[str, str]]:
    """Return a connection that is kept alive, and the headers of its requests."""
    client = http.client.HTTPConnection(host)
    body = json.dumps({"username": "app", "password": "passw0rd"})
    client.request("POST", "/ibmmq/rest/v2/login", body, {"content-type": "application/json"})
    answer = client.getresponse()
    answer.read()
    cookie = (answer.getheader("set-cookie") or "").partition(";")[0]
    return client, {"cookie": cookie, "ibm-mq-rest-csrf-token": "", "content-type": "text/plain"}


def _put(client: http.client.HTTPConnection, headers: dict[str, str]) -> None:
    client.request("POST", f"/ibmmq/rest/v2/messaging/qmgr/QM1/queue/{_QUEUE}/message", BODY, headers)
    done = client.getresponse()
    done.read()
    assert done.status == 201, done.status


def _rate(host: str) -> float:
    """Return the puts in a second of two clients at a time: while one reads its answer, the server serves the other."""
    clients = [_log_in(host) for _ in range(2)]
    with ThreadPoolExecutor(2) as threads:
        began = time.perf_counter()
        for done in [threads.submit(lambda each=each: [_put(*each) for _ in range(_COUNT)]) for each in clients]:
            done.result()
        return 2 * _COUNT / (time.perf_counter() - began)


def rest() -> None:
    """Measure puts of one client and of two, their processor time in the server, and what the server takes while idle.

    Where there are two processors, the server has one of them for itself.
    """
    with ExitStack() as stack:
        home = stack.enter_context(tempfile.TemporaryDirectory())
        own = {**os.environ, "MQX_HOME": home, "MQ_APP_PASSWORD": "passw0rd"}
        command = [str(Path(sys.executable).with_name("mqx")), "serve", "--dev", "--port", "0", "--rest", "0"]
        server = stack.enter_context(
            subprocess.Popen([*command, "-q", "-o", "json"], env=own, stdout=subprocess.PIPE, text=True)
        )
        stack.callback(server.terminate)
        processors = os.sched_getaffinity(0)
        if len(processors) > 1:
            first = min(processors)
            os.sched_setaffinity(server.pid, {first})
            os.sched_setaffinity(0, processors - {first})
            stack.callback(os.sched_setaffinity, 0, processors)
        assert server.stdout is not None
        host = json.loads(server.stdout.readline())["rest"].split("/")[2]
        client = _log_in(host)

        def clear() -> None:
            with connect(os.path.join(home, "QM1.db")) as connection:
                handle = connection.open(_QUEUE, 2)
                handle.get_each(100_000)

        def put_us() -> float:
            clear()
            return per_call_us(lambda: _put(*client), _COUNT)

        put_us()
        with connect(new_qmgr()) as connection:
            md = MQMD(persistence=MQPER_NOT_PERSISTENT)
            put = lambda: connection.put1("BENCH", Message(BODY, md.replace()))  # noqa: E731
            over_http, here, ratio = paired(put_us, lambda: per_call_us(put, _COUNT))
        report(
            "rest", f"put {over_http:.0f} us ({1e6 / over_http:.0f}/s), in this process {here:.0f} us", f"{ratio:.1f}"
        )
        clear()
        report("rest", "puts of two clients, server on one processor", f"{_rate(host):.0f}/s", "at least 2000/s")
        clear()
        began = _cpu_s(server.pid)
        put_us()
        spent = (_cpu_s(server.pid) - began) / _COUNT * 1e6
        report("rest", "processor time of the server for a put", f"{spent:.0f} us", "at most 500 us")
        began = _cpu_s(server.pid)
        time.sleep(5)
        report("rest", "processor time of the idle server", f"{(_cpu_s(server.pid) - began) / 5 * 100:.1f} %")
