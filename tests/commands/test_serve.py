"""``mqx serve``: what it says when it is ready, what it makes, and how it ends."""

from __future__ import annotations

import base64
import json
import os
import re
import signal
import socket
import ssl
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .conftest import script

PATIENCE_S = 60
CREDENTIALS = {"authorization": "Basic " + base64.b64encode(b"app:passw0rd").decode()}


@pytest.fixture
def serve(start: Any) -> Callable[..., tuple[subprocess.Popen[bytes], dict[str, Any]]]:
    """Start ``mqx serve`` on any port; return the process, and its object once it is ready."""

    def begin(*options: str) -> tuple[subprocess.Popen[bytes], dict[str, Any]]:
        process = start("serve", "--port", "0", "-o", "json", *options)
        return process, json.loads(process.stdout.readline())

    return begin


def path_of(process: subprocess.Popen[bytes]) -> str:
    """Return the path of the queue manager that a process says to have created."""
    assert process.stderr is not None
    return process.stderr.readline().decode().partition("created: ")[2].strip()


def test_it_says_where_it_serves_when_it_is_ready(serve: Any) -> None:
    process, ready = serve("--dev")
    port = ready["port"]
    socket.create_connection(("127.0.0.1", port), PATIENCE_S).close()
    assert ready == {
        "qmgr": "QM1",
        "host": "127.0.0.1",
        "port": port,
        "rest": None,
        "channels": ["DEV.ADMIN.SVRCONN", "DEV.APP.SVRCONN"],
        "conn_name": f"127.0.0.1({port})",
    }
    path_of(process)
    assert process.stderr.readline() == f"clients and channels: 127.0.0.1:{port}\n".encode()
    assert process.stderr.readline() == b"ready\n"


def test_rest_is_served_in_the_same_process(serve: Any, environment: dict[str, str], mqx: Any) -> None:
    pytest.importorskip("starlette")
    environment["MQ_APP_PASSWORD"] = "passw0rd"
    process, ready = serve("--dev", "--rest", "0")
    assert re.fullmatch(r"http://127.0.0.1:\d+/ibmmq/rest/v2", ready["rest"])
    path_of(process)
    lines = [process.stderr.readline().decode() for _ in range(3)]
    assert lines == [f"clients and channels: 127.0.0.1:{ready['port']}\n", f"REST: {ready['rest']}\n", "ready\n"]
    request = urllib.request.Request(
        f"{ready['rest']}/messaging/qmgr/QM1/queue/DEV.QUEUE.1/message",
        b"hello",
        {**CREDENTIALS, "ibm-mq-rest-csrf-token": "", "content-type": "text/plain"},
    )
    with urllib.request.urlopen(request, timeout=PATIENCE_S) as done:
        assert done.status == 201
    assert mqx("get", "DEV.QUEUE.1", "-m", "QM1").out == b"hello"
    process.terminate()
    assert process.wait(PATIENCE_S) == 0


def test_rest_uses_the_development_certificate(serve: Any, environment: dict[str, str]) -> None:
    pytest.importorskip("cryptography")
    pytest.importorskip("starlette")
    environment["MQ_APP_PASSWORD"] = "passw0rd"
    process, ready = serve("--dev", "--tls", "dev", "--rest", "0")
    assert ready["rest"].startswith("https://127.0.0.1:")
    context = ssl.create_default_context(cafile=str(Path(environment["MQX_HOME"], "QM1.db-tls", "ca.pem")))
    request = urllib.request.Request(f"{ready['rest']}/login", headers=CREDENTIALS)
    with urllib.request.urlopen(request, timeout=PATIENCE_S, context=context) as done:
        assert json.load(done)["user"][0]["name"] == "app"
    process.send_signal(signal.SIGINT)
    assert process.wait(PATIENCE_S) == 130


def test_rest_without_tls_is_for_this_machine_only(mqx: Any) -> None:
    pytest.importorskip("starlette")
    mqx("serve", "--dev", "--rest", "0", "--port", "0", "--address", "0.0.0.0").ended(2, "--rest on 0.0.0.0 needs TLS")


def test_rest_says_what_to_install(mqx: Any, environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "uvicorn.py").write_text("raise ImportError")
    environment["PYTHONPATH"] = str(tmp_path)
    done = subprocess.run(
        [script(), "serve", "--dev", "--rest", "0", "--port", "0"], env=environment, capture_output=True, timeout=60
    )
    assert done.returncode == 2
    assert b"hint: pip install 'mqtools[rest]'" in done.stderr


def test_a_rest_port_that_is_taken_is_said(serve: Any, mqx: Any) -> None:
    pytest.importorskip("starlette")
    _, ready = serve("--dev", "--rest", "0")
    port = ready["rest"].split(":")[2].partition("/")[0]
    mqx("serve", "--dev", "QM2", "--port", "0", "--rest", port).ended(
        1, f"127.0.0.1({port}): Address already in use (MQRC"
    )


def test_dev_serves_a_queue_manager_that_exists_as_it_is(serve: Any, mqx: Any) -> None:
    mqx("qmgr", "create", "QM7", check=True)
    _, ready = serve("--dev", "QM7")
    assert (ready["qmgr"], ready["channels"]) == ("QM7", [])
    assert mqx("qmgr", "list", "-o", "jsonl").rows[0]["name"] == "QM7"


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 0), (signal.SIGINT, 130), (signal.SIGHUP, 0)])
def test_a_temporary_queue_manager_goes_at_the_end(serve: Any, number: int, status: int) -> None:
    process, _ = serve("--dev", "--temporary")
    path = Path(path_of(process))
    assert path.exists()
    process.send_signal(number)
    assert process.wait(PATIENCE_S) == status
    assert not path.parent.exists()


def test_a_temporary_queue_manager_goes_with_the_program_that_started_it(
    environment: dict[str, str], eventually: Any
) -> None:
    line = [script(), "serve", "--temporary", "--port", "0"]
    program = f"import subprocess, time; subprocess.Popen({line!r}); time.sleep(600)"
    with subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.PIPE, env=environment) as parent:
        path = Path(path_of(parent))
        assert parent.stderr is not None
        assert any(line == b"ready\n" for line in parent.stderr)
        assert path.exists()
        parent.kill()
        eventually(lambda: not path.parent.exists())


def test_the_folder_of_a_killed_temporary_queue_manager_goes_at_the_next_start(serve: Any) -> None:
    paths = []
    for _ in range(3):
        process, _ = serve("--temporary")
        paths.append(Path(path_of(process)).parent)
        if len(paths) == 2:
            process.kill()
            process.wait(PATIENCE_S)
    assert [path.exists() for path in paths] == [True, False, True]


def test_it_ends_when_the_queue_manager_ends(serve: Any, mqx: Any) -> None:
    for option in ("--wait", "--immediate"):
        process, _ = serve("--dev")
        mqx("qmgr", "end", "QM1", option, check=True)
        assert process.wait(PATIENCE_S) == 0
        mqx("qmgr", "start", "QM1", check=True)


def test_a_port_that_is_taken_is_said(serve: Any, mqx: Any) -> None:
    _, ready = serve("--dev")
    refused = mqx("serve", "--dev", "QM2", "--port", str(ready["port"]))
    refused.ended(1, f"127.0.0.1({ready['port']}): Address already in use")


def test_options_that_do_not_fit_are_refused(mqx: Any) -> None:
    assert mqx("serve", "--dev", "-m", "QM1").status == 2
    assert mqx("serve", "-m", "NONE").status == 5


def test_a_message_channel_needs_tls(serve: Any) -> None:
    _, ready = serve("--dev")
    with socket.create_connection(("127.0.0.1", ready["port"]), PATIENCE_S) as connected:
        connected.sendall(b"MX\x01\x00")
        assert b"SSLCIPH only" in connected.recv(1000)


def test_a_development_certificate_is_made_once_and_verifies(serve: Any, environment: dict[str, str]) -> None:
    pytest.importorskip("cryptography")
    folder = Path(environment["MQX_HOME"]) / "QM1.db-tls"
    made = []
    for _ in range(2):
        process, ready = serve("--dev", "--tls", "dev")
        made.append((folder / "ca.pem").read_bytes())
        context = ssl.create_default_context(cafile=str(folder / "ca.pem"))
        with (
            socket.create_connection(("127.0.0.1", ready["port"]), PATIENCE_S) as connected,
            context.wrap_socket(connected, server_hostname="localhost") as wrapped,
        ):
            assert wrapped.version() == "TLSv1.3"
        process.terminate()
        assert process.wait(PATIENCE_S) == 0
        assert str(folder / "truststore.p12").encode() in process.stderr.read()
    assert made[0] == made[1]
    assert {oct(file.stat().st_mode) for file in folder.iterdir()} == {"0o100600"}


def test_the_dev_channels_use_tls_while_dev_is_served_with_it(serve: Any, mqx: Any) -> None:
    pytest.importorskip("cryptography")
    mqx("qmgr", "create", "QM1", "--dev", check=True)
    mqx("mqsc", "ALTER CHANNEL(DEV.ADMIN.SVRCONN) CHLTYPE(SVRCONN) SSLCIPH(TLS_AES_256_GCM_SHA384)", "-m", "QM1")
    found = []
    for options in (["--tls", "dev"], []):
        process, _ = serve("--dev", *options)
        process.terminate()
        assert process.wait(PATIENCE_S) == 0
        shown = mqx("mqsc", "DISPLAY CHANNEL(DEV.*) SSLCIPH", "-m", "QM1", "-o", "json").out.decode()
        found.append(re.findall(r'"ssl_cipher_spec": ?"(\w*)"', shown))
    assert found == [["TLS_AES_256_GCM_SHA384", "ANY_TLS12_OR_HIGHER"], ["TLS_AES_256_GCM_SHA384", ""]]


def test_a_link_in_the_place_of_the_certificates_is_not_followed(
    mqx: Any, environment: dict[str, str], tmp_path: Path
) -> None:
    pytest.importorskip("cryptography")
    mqx("qmgr", "create", "QM1", check=True)
    (tmp_path / "elsewhere").mkdir()
    os.symlink(tmp_path / "elsewhere", Path(environment["MQX_HOME"]) / "QM1.db-tls")
    refused = mqx("serve", "--port", "0", "--tls", "dev")
    assert "is not a folder of this user" in refused.err
    assert list((tmp_path / "elsewhere").iterdir()) == []
