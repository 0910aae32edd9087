"""Fixtures and hooks for both distributions; tests of one xdist group share a worker, so that Spark starts once.

What hypothesis tries is the same in each run, so that a run tells of a change; ``make fuzz`` tries other things.
None of its tests fails because the machine is busy.

Where the whole run was begun in the background of a script, it ignores the signals that a terminal sends, and so would
every program that a test starts and interrupts.
"""

from __future__ import annotations

import gc
import importlib
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

for _signal, _handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(_signal) == signal.SIG_IGN:
        signal.signal(_signal, _handler)

#: A folder in memory, and the bytes that the tests want there. On a disk, half their time is waiting for it: each unit
#: of work is flushed. What is flushed when is the subject of tests/crash, which counts the calls.
_IN_MEMORY, _ROOM = "/dev/shm", 2 << 30


def _use_memory() -> None:
    """Have the files of the tests and of what they start in memory where there is room, unless TMPDIR names a place."""
    try:
        may_run = not os.statvfs(_IN_MEMORY).f_flag & os.ST_NOEXEC
        if may_run and os.access(_IN_MEMORY, os.W_OK) and shutil.disk_usage(_IN_MEMORY).free > _ROOM:
            os.environ.setdefault("TMPDIR", _IN_MEMORY)
            tempfile.tempdir = None
    except OSError:
        return  # no such folder here


_use_memory()

settings.register_profile("fuzz", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
settings.register_profile("same", settings.get_profile("fuzz"), derandomize=True)
settings.register_profile("few", settings.get_profile("same"), max_examples=25)  # make quick
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """``pytest -n 2`` keeps the groups together without being told, and the order on its command line hides no fixture.

    Where files of a folder are named, then one above it, then the folder again, pytest 9.1 finds no fixture of that
    folder's conftest the second time, not even one for all tests, such as a home of its own (pytest's issue 14635).
    """
    config.args.sort()
    if hasattr(config, "workerinput"):  # a worker has read the command line itself
        config.option.loadgroup = True
    elif getattr(config.option, "numprocesses", None) and config.option.dist in ("no", "load"):
        config.option.dist = "loadgroup"


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Name a test without the group that xdist puts behind it: ``--last-failed`` would not know it in one process."""
    at = report.nodeid.rfind("@")
    if at > report.nodeid.rfind("]") and "PYTEST_XDIST_WORKER" not in os.environ:
        report.nodeid = report.nodeid[:at]


#: Fixtures that start programs or terminals, and those that run a command or the browser, which takes a while each.
_PROGRAMS, _RUNS = {"mqx_path", "start", "serve", "shared"}, {"mqx", "browse"}
#: Files of which ``make quick`` runs the latter all the same: some of each kind.
_SAMPLE = {"test_put.py", "test_browse.py", "test_move.py", "test_dlq_handle.py", "test_goto.py", "test_panes.py"}


def _left_out(item: pytest.Item) -> Iterator[str]:
    """Yield the markers of a test that ``make quick`` leaves out."""
    fixtures = set(getattr(item, "fixturenames", ()))
    group = item.get_closest_marker("xdist_group")
    is_of_spark = not {"pipeline", "pyspark-mqx"}.isdisjoint(item.path.parts) or "spark" in fixtures
    if is_of_spark or (group is not None and "spark" in group.args):
        yield "spark"
    if "crash" in item.path.parts or "crash" in item.path.name or "kill" in item.name:
        yield "crash"
    if fixtures & _PROGRAMS or (fixtures & _RUNS and item.path.name not in _SAMPLE):
        yield "slow"


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Keep the many objects of the collection from the garbage collector: a test that calls it takes half a second."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_itemcollected(item: pytest.Item) -> None:
    """Have one worker run all tests of the one Spark."""
    if "spark" in getattr(item, "fixturenames", ()):
        item.add_marker(pytest.mark.xdist_group("spark"))


#: All tests that were collected, also those that a run leaves out.
_COLLECTED = pytest.StashKey[list[pytest.Item]]()


@pytest.fixture(scope="session")
def collected(request: pytest.FixtureRequest) -> list[pytest.Item]:
    """Return all tests that were collected."""
    return request.config.stash[_COLLECTED]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what ``make quick`` leaves out, and begin with the tests of a group, which only one worker runs."""
    config.stash[_COLLECTED] = [*items]
    for item in items:
        for marker in _left_out(item):
            item.add_marker(marker)
    items.sort(key=lambda item: item.get_closest_marker("xdist_group") is None)


#: Settings of the one Spark: it starts quickly, and a few rows are done before code for them would be compiled.
_SPARK = {
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.shuffle.compress": "false",
    "spark.driver.memory": "1g",
}
_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """The one Spark of all tests: small, on one core, with our settings; it has read a queue and written Parquet once.

    The first query starts the processes that all others use, and takes as long as Spark itself does to start. Both take
    half as long where ``mqx pipeline prepare`` has kept Spark's classes.
    """
    pytest.importorskip("pyspark")
    if "PYTEST_XDIST_WORKER" in os.environ:
        try:
            (tmp_path_factory.getbasetemp().parent / "spark-is-here").touch(exist_ok=False)
        except FileExistsError:
            pytest.fail("another worker has a Spark: pytest-xdist does not keep the group together")
    from pyspark_mqx.session import session, spark_home

    from mqtools.admin import queue_managers
    from mqtools.errors import UsageError

    try:
        session.check()
    except UsageError as missing:
        pytest.skip(str(missing))
    folder = str(tmp_path_factory.mktemp("spark"))
    folders = {"spark.sql.warehouse.dir": folder, "spark.local.dir": folder}
    options = f"{session.java_options({}, spark_home.choose())} {_JAVA}"
    started = session.start("local[1]", {**_SPARK, **folders, "spark.driver.extraJavaOptions": options})
    qmgr = queue_managers.create(f"{folder}/FIRST.db", developer=True)
    queue = started.read.format("mqx").options(qmgr=qmgr, queue="DEV.QUEUE.1").load()
    queue.where("priority = 1").write.parquet(f"{folder}/first")
    yield started
    started.stop()


@pytest.fixture(scope="session")
def man_script() -> Iterator[Callable[[str], ModuleType]]:
    """Import a script of the folder ``man`` by name."""
    folder = str(Path(__file__).resolve().parent / "man")
    sys.path.insert(0, folder)
    yield importlib.import_module
    sys.path.remove(folder)
