"""A library that is preloaded into processes: it fails their calls, or records what they write and flush."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from mqtools.admin import queue_managers
from mqtools.mqi.connection import connect
from mqtools.mqi.objects.definitions import define_queue

from ..commands.fork_server import ForkServer


@pytest.fixture(scope="session")
def faults(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Path of the library, see faults.c."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("there is no C compiler here, which the library that fails calls needs")
    library = tmp_path_factory.mktemp("faults") / "faults.so"
    source = Path(__file__).with_name("faults.c")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", str(library), str(source), "-ldl"], check=True)
    return str(library)


@pytest.fixture(scope="session")
def fault_server(faults: str) -> Iterator[ForkServer]:
    """Command lines with the library loaded; their environment says what fails."""
    server = ForkServer(LD_PRELOAD=faults)
    yield server
    server.close()


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A queue manager with the queues Q and R, to be copied."""
    path = queue_managers.create(str(tmp_path_factory.mktemp("made") / "QM1.db"))
    with connect(path) as connection, connection.work() as work:
        for name in ("Q", "R"):
            define_queue(work, "QLOCAL", name, {"max_q_depth": 100_000})
    return path


@pytest.fixture
def path(made: str, tmp_path: Path) -> str:
    """A queue manager with the queues Q and R."""
    path = shutil.copyfile(made, str(tmp_path / "QM1.db"))
    os.chmod(path, 0o600)
    return path


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """An environment in which nothing of the user's is seen or touched."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MQX_", "XDG_"))}
    return {**kept, "HOME": str(tmp_path), "MQX_HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}


@pytest.fixture(scope="session")
def every_case() -> bool:
    """Whether to try every case (``make soak``), and not a part of them."""
    return "MQX_SOAK_SEED" in os.environ


@pytest.fixture(scope="session")
def first_seed() -> int:
    """The seed of what is tried at random: the same in each run, another in each round of ``make soak``."""
    return int(os.environ.get("MQX_SOAK_SEED", "0"))
