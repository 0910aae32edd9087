"""REST puts over one connection with keep-alive and a cookie, against the same puts in this process."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
import tempfile
import time
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


def rest() -> None:
    """Measure puts one by one, their processor time in the server, and what the server takes while idle."""
    with ExitStack() as stack:
        home = stack.enter_context(tempfile.TemporaryDirectory())
        own = {**os.environ, "MQX_HOME": home, "MQ_APP_PASSWORD": "passw0rd"}
        command = [str(Path(sys.executable).with_name("mqx")), "serve", "--dev", "--port", "0", "--rest", "0"]
        server = stack.enter_context(
            subprocess.Popen([*command, "-q", "-o", "json"], env=own, stdout=subprocess.PIPE, text=True)
        )
        stack.callback(server.terminate)
        assert server.stdout is not None
        url = json.loads(server.stdout.readline())["rest"]
        client = http.client.HTTPConnection(url.split("/")[2])
        client.request("POST", "/ibmmq/rest/v2/login", json.dumps({"username": "app", "password": "passw0rd"}),
                       {"content-type": "application/json"})  # fmt: skip
        answer = client.getresponse()
        cookie = (answer.getheader("set-cookie") or "").partition(";")[0]
        answer.read()
        headers = {"cookie": cookie, "ibm-mq-rest-csrf-token": "", "content-type": "text/plain"}

        def call(method: str, expected: int) -> None:
            path = f"/ibmmq/rest/v2/messaging/qmgr/QM1/queue/{_QUEUE}/message"
            client.request(method, path, BODY if method == "POST" else None, headers)
            done = client.getresponse()
            done.read()
            assert done.status == expected, done.status

        def clear() -> None:
            with connect(os.path.join(home, "QM1.db")) as connection:
                handle = connection.open(_QUEUE, 2)
                handle.get_each(100_000)

        def put_us() -> float:
            clear()
            return per_call_us(lambda: call("POST", 201), _COUNT)

        put_us()
        with connect(new_qmgr()) as connection:
            md = MQMD(persistence=MQPER_NOT_PERSISTENT)
            put = lambda: connection.put1("BENCH", Message(BODY, md.replace()))  # noqa: E731
            over_http, here, ratio = paired(put_us, lambda: per_call_us(put, _COUNT))
        report(
            "rest", f"put {over_http:.0f} us ({1e6 / over_http:.0f}/s), in this process {here:.0f} us", f"{ratio:.1f}"
        )
        clear()
        began = _cpu_s(server.pid)
        put_us()
        spent = (_cpu_s(server.pid) - began) / _COUNT * 1e6
        report("rest", "processor time of the server for a put", f"{spent:.0f} us", "at most 500 us")
        began = _cpu_s(server.pid)
        time.sleep(5)
        report("rest", "processor time of the idle server", f"{(_cpu_s(server.pid) - began) / 5 * 100:.1f} %")
