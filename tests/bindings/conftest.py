"""A queue manager, and the modules as a program finds them."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

from mqtools.bindings import programs

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
    import importlib

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
