"""The files of an installation and of a wheel, and what a plain line imports."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from importlib.util import find_spec

import pytest

from .project import ROOT, SCRIPT, SETUPTOOLS


def copy_of_the_tree(folder):
    """Copy what a build reads, so that it leaves nothing in the tree."""
    for name in ("mqtools", "commands", "man", "pyspark-mqx"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE", "MANIFEST.in", "VERSION"):
        shutil.copy(ROOT / name, folder)
    return folder


@pytest.fixture(scope="session")
def installed(tmp_path_factory):
    """The packages as an installation has them, without an installation."""
    if find_spec("setuptools") is None:
        pytest.skip("setuptools is not installed here")
    source, target = copy_of_the_tree(tmp_path_factory.mktemp("source")), tmp_path_factory.mktemp("installed")
    build = "import setuptools; setuptools.setup()"
    subprocess.run([sys.executable, "-c", build, "-q", "build", "--build-lib", target], cwd=source, check=True)
    return target


def expected_files():
    """What must be in an installation, relative to its folder of packages."""
    folders = {package: ROOT / package.replace(".", "/") for package in SETUPTOOLS["packages"]}
    folders |= {package: ROOT / folder for package, folder in SETUPTOOLS["package-dir"].items()}
    return {
        f"{package.replace('.', '/')}/{path.name}"
        for package, folder in folders.items()
        for path in folder.iterdir()
        if path.is_file()
    }


def test_an_installation_has_the_files_of_the_tree(installed):
    found = {str(path.relative_to(installed)) for path in installed.rglob("*") if path.is_file()}
    assert found == expected_files()
    assert {
        "mqtools/commands/put/command.py",
        "mqtools/store/schema/schema.sql",
        "mqtools/rules/selector/selector.lark",
    } <= found


@pytest.fixture(scope="session")
def wheels(tmp_path_factory):
    """The folder with a wheel of each distribution."""
    if find_spec("wheel") is None and find_spec("setuptools.command.bdist_wheel") is None:
        pytest.skip("wheel is not installed here, nor a setuptools that has bdist_wheel")
    folder = tmp_path_factory.mktemp("wheel")
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", folder / "wheels"]
    copy_of_the_tree(folder)
    subprocess.run([sys.executable, "-m", "pip", "wheel", *options, ".", "./pyspark-mqx"], cwd=folder, check=True)
    return folder / "wheels"


@pytest.fixture(scope="session")
def wheel(wheels):
    """The wheel of the library and its command."""
    (built,) = wheels.glob("mqtools-*.whl")
    return built


@pytest.mark.slow
def test_spark_finds_the_source_by_the_name_of_a_package_in_a_wheel_of_its_own(wheels):
    (built,) = wheels.glob("pyspark_mqx-*.whl")
    source = ROOT / "pyspark-mqx/src"
    files = [path for path in source.glob("pyspark_mqx/**/*") if path.is_file() and path.suffix != ".pyc"]
    with zipfile.ZipFile(built) as archive:
        found = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert found == {str(path.relative_to(source)) for path in files}


#: Runs a command line where the distribution for Spark is not installed.
ALONE = """
import sys
from importlib import import_module
sys.path = [folder for folder in sys.path if not folder.endswith("pyspark-mqx/src")]
import_module("mqtools.commands").main()
"""


@pytest.mark.parametrize(
    ("line", "status"),
    [("archive --to a", 2), ("prepare", 2), ("--submit-file", 2), ("--help", 0), ("archive --help", 0)],
)
def test_the_pipeline_names_what_to_install(home, line, status):
    words = [sys.executable, "-c", ALONE, "pipeline", *line.split()]
    done = subprocess.run(words, cwd=home, capture_output=True, text=True, check=False)
    assert (done.returncode, "hint: pip install 'mqtools[spark]'" in done.stderr) == (status, bool(status)), done


@pytest.mark.slow
def test_a_wheel_has_the_files_of_the_tree_the_man_pages_and_the_command(wheel):
    with zipfile.ZipFile(wheel) as archive:
        found = set(archive.namelist())
        assert {name for name in found if name.startswith(("mqtools/", "pyspark"))} == expected_files()
        pages = {name.rpartition("/")[2] for name in found if "/share/man/man1/" in name}
        assert pages == {path.name for path in (ROOT / "man").glob("*.1")}
        (entry_points_file,) = (name for name in found if name.endswith("/entry_points.txt"))
        text = archive.read(entry_points_file).decode()
    assert "[console_scripts]\nmqx = mqtools.commands:main\n" in text
    assert "pytest11" in text


@pytest.mark.slow
def test_a_traceback_names_the_places_of_the_installation(wheel, home, tmp_path):
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "unpacked")
    words = [sys.executable, "-m", "mqtools", "--debug", "put", "NOWHERE", "x"]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "unpacked")}
    done = subprocess.run(words, env=environment, cwd=home, capture_output=True, text=True, check=False)
    assert f'File "{tmp_path}/unpacked/mqtools/mqi/resolution.py", line ' in done.stderr
    assert "raise " in done.stderr  # a line of the source


#: Modules that cost a plain line more than its work. A module that is absent here may be imported.
HEAVY = {
    *("click", "rich", "textual", "lark", "sqlite_utils", "pyspark", "xxhash"),
    *("dataclasses", "enum", "re", "typing", "json", "logging", "pathlib", "contextlib", "tomllib", "inspect"),
    *("importlib.metadata", "subprocess", "tempfile", "asyncio"),
}
#: Command to the number of modules of ours that it may import at most: a part of its start each.
MOST_MODULES = {"put": 66, "get": 86, "qdepth": 61, "browse": 91}


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home with a queue manager, a queue and a message."""
    from mqtools.admin import queue_managers
    from mqtools.message import Message
    from mqtools.mqi.connection import connect

    for variable in ("MQX_HOME", "XDG_CONFIG_HOME", "HOME"):
        monkeypatch.setenv(variable, str(tmp_path))
    monkeypatch.delenv("MQX_QMGR", raising=False)
    with connect(queue_managers.create("QM1", developer=True)) as connection:
        connection.put1("DEV.QUEUE.1", Message(b"x"))
    return tmp_path


def imported(installed, line):
    """The modules that a fresh process has imported for a command line, which must succeed."""
    module, _, function = SCRIPT.value.partition(":")
    code = f"import sys; sys.path.insert(0, {str(installed)!r}); sys.argv = {['mqx', *line]!r}\n"
    code += f"from {module} import {function}; {function}()"
    # Without site: what an editable installation imports to be found is not ours.
    done = subprocess.run(
        [sys.executable, "-S", "-E", "-X", "importtime", "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return {text.rpartition("|")[2].strip() for text in done.stderr.splitlines() if text.startswith("import time:")}


@pytest.mark.parametrize(
    "line",
    [
        ["put", "DEV.QUEUE.1", "hello"],
        ["put", "DEV.QUEUE.1", "hello", "--priority", "7", "--persistent", "--print-id"],
        ["get", "DEV.QUEUE.1"],
        ["get", "DEV.QUEUE.1", "--all", "-q"],
        ["qdepth"],
        ["qdepth", "DEV.QUEUE.1", "--count"],
        ["-m", "QM1", "put", "DEV.QUEUE.1", "hello"],
        ["--qmgr", "QM1", "-q", "get", "DEV.QUEUE.1", "--wait", "1s"],
        ["-m", "QM1", "qdepth"],
        ["browse", "DEV.QUEUE.1"],
        ["-m", "QM1", "browse", "DEV.QUEUE.1", "-n", "1"],
    ],
    ids=" ".join,
)
def test_a_plain_line_imports_nothing_heavy(installed, home, line):
    modules = imported(installed, line)
    assert "mqtools.store.database" in modules
    assert modules & HEAVY == set()
    (command,) = MOST_MODULES.keys() & set(line)
    if "--wait" not in line:
        assert sum(name.startswith("mqtools") for name in modules) <= MOST_MODULES[command]


def test_a_queue_manager_named_by_the_environment_costs_nothing_more(installed, home, monkeypatch):
    monkeypatch.setenv("MQX_QMGR", "QM1")
    assert imported(installed, ["put", "DEV.QUEUE.1", "hello"]) & HEAVY == set()
