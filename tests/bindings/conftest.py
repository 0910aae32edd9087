"""A queue manager, and the modules as a program finds them."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

import pytest

from mqtools.bindings import programs, pymqe

from ..copied import developers


def made(structure, **values):
    """Return the bytes of a structure with its initial values, but for these."""
    return structure.pack({**structure.initial(), **values})


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own with the queue manager QM1, which is the default."""
    for name in ("HOME", "MQX_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.delenv("MQX_QMGR", raising=False)
    developers("QM1")
    return tmp_path


@pytest.fixture
def pymqi(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The stand-in, imported as programs do."""
    for name in [name for name in sys.modules if name.split(".")[0] in ("pymqi", "_mqx_bindings")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(programs.FOLDER)
    return importlib.import_module("pymqi")


@pytest.fixture
def qmgr(pymqi):
    """A connection."""
    connection = pymqi.connect("QM1")
    yield connection
    if connection.is_connected:
        connection.disconnect()


@pytest.fixture
def h():
    """A connection, by its handle."""
    handle, comp_code, reason = pymqe.MQCONN("QM1")
    assert (comp_code, reason) == (0, 0)
    yield handle
    pymqe.MQDISC(handle)


@pytest.fixture
def publish(pymqi, qmgr):
    """Publish on a topic string."""

    def put(topic, body=b"news", options=0, **md):
        pymqi.Topic(qmgr, topic_string=topic).pub(body, pymqi.MD(**md), pymqi.PMO(Options=options))

    return put


@pytest.fixture
def subscribe(pymqi, qmgr):
    """Subscribe to a topic string."""

    def make(topic=None, options=None, name=None, connection=None, queue=None):
        sub = pymqi.Subscription(connection or qmgr)
        sub.sub(topic_string=topic, sub_opts=options, sub_name=name, sub_queue=queue)
        return sub

    return make


@pytest.fixture
def fails(pymqi):
    """Check that a call fails with a completion code and reason; return the error."""

    def check(reason, call, *arguments, comp=2, **named):
        with pytest.raises(pymqi.MQMIError) as caught:
            call(*arguments, **named)
        assert (caught.value.comp, caught.value.reason) == (comp, reason)
        return caught.value

    return check


@pytest.fixture
def pcf(pymqi, qmgr):
    """What sends commands and waits for their answers."""
    return pymqi.PCFExecute(qmgr, response_wait_interval=60_000)
