"""The pytest plug-in: a fresh queue manager for each test of a program that uses MQ."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent.parent
PLUGIN = "mqtools.bindings.pytest_plugin"

SETTINGS = "[pytest]\nmqx_queues = IN OUT\n"
USES_PYMQI = """
import pymqi
import pytest

def test_uncommitted_work_ends_with_its_test(mqx_qmgr):
    global held
    held = pymqi.connect(mqx_qmgr.name)
    held.put1("IN", b"x", pymqi.MD(), pymqi.PMO(Options=pymqi.CMQC.MQPMO_SYNCPOINT))
    assert mqx_qmgr.depth("IN") == 1

def test_the_next_one_sees_nothing_of_it(mqx_qmgr):
    assert mqx_qmgr.depth("IN") == 0
    with pytest.raises(pymqi.MQMIError) as caught:
        held.commit()
    assert caught.value.reason == pymqi.CMQC.MQRC_HCONN_ERROR

def test_without_a_name_it_is_the_default(mqx_qmgr):
    queue = pymqi.Queue(pymqi.QueueManager(""), "OUT")
    queue.put("hi")
    assert mqx_qmgr.get_all("OUT") == [b"hi"]

@pytest.mark.mqx(queues=[])
def test_a_marker_counts_more_than_the_settings(mqx_qmgr):
    mqx_qmgr.define("LATER", max_q_depth=1)
    mqx_qmgr.put("LATER", b"1")
    with pytest.raises(pymqi.MQMIError) as caught:
        pymqi.connect(mqx_qmgr.name).put1("LATER", b"2")
    assert caught.value.reason == pymqi.CMQC.MQRC_Q_FULL
    with pytest.raises(pymqi.MQMIError):
        pymqi.connect(mqx_qmgr.name).put1("IN", b"2")

def test_mqsc_that_fails_says_why(mqx_qmgr):
    with pytest.raises(ValueError, match="DEPTHMAX"):
        mqx_qmgr.mqsc("DEFINE QLOCAL(A) DEPTHMAX(5)")
"""

USES_THE_NETWORK = """
import socket

def test_it_is_served_to_clients(mqx_listener):
    assert mqx_listener.conn_name == f"{mqx_listener.host}({mqx_listener.port})"
    with socket.create_connection((mqx_listener.host, mqx_listener.port), 60) as connected:
        connected.sendall(b"TSH " + (28).to_bytes(4, "big") + b"\\2\\x09\\x30" + bytes(17))
        assert connected.recv(1000).startswith(b"TSH ")
"""


def run(folder: Path, **extra: str) -> subprocess.CompletedProcess[str]:
    """Run pytest in a folder, with the plug-in only."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("MQX_", "PYTEST_"))
    } | extra
    # An installation that is older than the plug-in does not declare it.
    declared = any(one.value == PLUGIN for one in entry_points(group="pytest11"))
    named = [] if declared else ["-p", PLUGIN]
    words = [sys.executable, "-m", "pytest", *named, "-p", "no:cacheprovider", "-q", "--rootdir", folder]
    return subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, timeout=100, check=False)


def test_each_test_has_a_queue_manager_of_its_own(tmp_path):
    (tmp_path / "pytest.ini").write_text(SETTINGS, encoding="utf-8")
    (tmp_path / "test_it.py").write_text(USES_PYMQI, encoding="utf-8")
    done = run(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "5 passed" in done.stdout


def test_a_listener_serves_the_queue_manager(tmp_path):
    (tmp_path / "test_it.py").write_text(USES_THE_NETWORK)
    done = run(tmp_path)
    assert done.returncode == 0, done.stdout


def test_clients_are_checked_on_request(tmp_path):
    (tmp_path / "test_it.py").write_text(
        "import pymqi\ndef test_it(mqx_qmgr): pymqi.connect(mqx_qmgr.name, 'NO.SUCH', 'localhost(1414)')\n",
        encoding="utf-8",
    )
    assert run(tmp_path).returncode == 0
    refused = run(tmp_path, PYTEST_ADDOPTS="--check-channel")
    assert (refused.returncode, "MQRC_UNKNOWN_CHANNEL_NAME" in refused.stdout) == (1, True)


def test_the_example_passes(tmp_path):
    example = shutil.copytree(
        ROOT / "examples" / "pymqi-app", tmp_path / "app", ignore=shutil.ignore_patterns("__pycache__", ".pytest_cache")
    )
    done = run(example)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "7 passed" in done.stdout


def test_a_pymqi_with_a_client_of_its_own_is_never_used_by_mistake(tmp_path):
    package, tests = tmp_path / "site" / "pymqi", tmp_path / "tests"
    package.mkdir(parents=True)
    tests.mkdir()
    (package / "__init__.py").write_text("from . import pymqe\n", encoding="utf-8")
    (package / "pymqe.py").write_text("def MQCONN(name):\n    raise SystemExit('a real server')\n", encoding="utf-8")
    (tests / "test_it.py").write_text(
        "import pymqi\ndef test_it(mqx_qmgr): assert pymqi.pymqe.MQCONN(mqx_qmgr.name)[1:] == (0, 0)\n",
        encoding="utf-8",
    )
    site = {"PYTHONPATH": str(package.parent)}
    done = run(tests, **site)
    assert done.returncode == 1
    assert "set mqx_bindings = true" in done.stdout
    (tests / "pytest.ini").write_text("[pytest]\nmqx_bindings = true\n", encoding="utf-8")
    done = run(tests, **site)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", ["pytest_configure", "pytest_addoption", "mqx_qmgr"])
def test_the_plugin_is_declared_where_pytest_looks_for_it(name):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"]["pytest11"] == {"mqx": PLUGIN}
    assert hasattr(import_module(PLUGIN), name)
