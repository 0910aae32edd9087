"""What is built: the files of an installation, a wheel with its bundle, and what a plain line imports."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from importlib.util import find_spec

import pytest

from .project import PACKAGE, ROOT, SCRIPT, SETUPTOOLS


def copy_of_the_tree(folder):
    """Copy what a build reads, so that it leaves nothing in the tree."""
    for name in ("bin", "mqtools", "commands", "man", "pyspark_mqx"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "setup.py", "bundle.py", "README.md", "LICENSE", "MANIFEST.in"):
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
def wheel(tmp_path_factory):
    """A wheel of the tree."""
    if find_spec("wheel") is None and find_spec("setuptools.command.bdist_wheel") is None:
        pytest.skip("wheel is not installed here, nor a setuptools that has bdist_wheel")
    folder = tmp_path_factory.mktemp("wheel")
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", folder / "wheels"]
    subprocess.run([sys.executable, "-m", "pip", "wheel", *options, copy_of_the_tree(folder)], cwd=folder, check=True)
    (built,) = (folder / "wheels").glob("mqtools-*.whl")
    return built


#: The file of a wheel that has the modules of the everyday commands, compiled.
BUNDLE = f"mqtools/modules.{sys.implementation.cache_tag}"


@pytest.mark.slow
def test_a_wheel_has_the_files_of_the_tree_and_the_man_pages(wheel):
    with zipfile.ZipFile(wheel) as archive:
        found = set(archive.namelist())
        assert {name for name in found if name.startswith(("mqtools/", "pyspark_mqx/"))} == expected_files() | {BUNDLE}
        pages = {name.rpartition("/")[2] for name in found if "/share/man/man1/" in name}
        assert pages == {path.name for path in (ROOT / "man").glob("*.1")}
        (script,) = (name for name in found if ".data/scripts/" in name)
        (entry_points_file,) = (name for name in found if name.endswith("/entry_points.txt"))
        text = archive.read(entry_points_file).decode()
        # An entry point of the name would have pip write a file over it that imports more than a put needs.
        assert script.endswith("/mqx")
        assert archive.read(script).startswith(b"#!python\n")
    assert ("pytest11" in text, "console_scripts" in text) == (True, False)


@pytest.mark.slow
def test_a_wheel_imports_from_its_bundle_what_was_not_changed_since(wheel, home, tmp_path):
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "unpacked")
    changed = tmp_path / "unpacked/mqtools/mqi/put.py"
    changed.write_text(changed.read_text() + "# changed\n")
    done, loaders = run_and_list(tmp_path / "unpacked", ["put", "DEV.QUEUE.1", "hello"])
    assert done.returncode == 0
    assert loaders.pop("mqtools.mqi.put") == "SourceFileLoader"
    assert loaders.pop("mqtools") == loaders.pop("mqtools.commands") == "SourceFileLoader"  # what finds the bundle
    assert loaders.pop("mqtools._bundle") == "SourceFileLoader"
    assert set(loaders.values()) == {"_Loader"}


@pytest.mark.slow
def test_a_bundle_with_values_of_constants_that_were_changed_since_is_left_alone(wheel, home, tmp_path):
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "unpacked")
    changed = tmp_path / "unpacked/mqtools/constants/reasons.py"
    changed.write_text(changed.read_text() + "# changed\n")
    done, loaders = run_and_list(tmp_path / "unpacked", ["put", "DEV.QUEUE.1", "hello"])
    assert (done.returncode, set(loaders.values())) == (0, {"SourceFileLoader"})


@pytest.mark.slow
def test_the_script_of_a_wheel_has_the_bundle_before_the_command(wheel, home, tmp_path):
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "unpacked")
        (script,) = (name for name in archive.namelist() if ".data/scripts/" in name)
    code = f"""if True:
        import os, runpy, sys
        end = os._exit
        def report(status):
            print(type(sys.modules[{PACKAGE!r}].__loader__).__name__, status)
            sys.stdout.flush()
            end(status)
        os._exit = report
        sys.argv = ["mqx", "put", "DEV.QUEUE.1", "hello"]
        runpy.run_path({str(tmp_path / "unpacked" / script)!r}, run_name="__main__")
    """
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "unpacked")}
    words = [sys.executable, "-S", "-c", code]
    done = subprocess.run(words, env=environment, cwd=home, capture_output=True, check=False)
    assert (done.stdout, done.stderr) == (b"_Loader 0\n", b"")


@pytest.mark.slow
def test_a_wheel_has_in_its_bundle_what_the_first_rows_of_the_browser_need(wheel, tmp_path):
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "unpacked")
    code = f"""if True:
        import importlib, sys
        sys.path.insert(0, {str(tmp_path / "unpacked")!r})
        importlib.import_module("mqtools._bundle").install(["tui"])
        for name in ("mqtools.tui.app", "mqtools.tui.session"):
            importlib.import_module(name)
        for name, module in sorted(sys.modules.items()):
            if name.startswith("mqtools.") and type(module.__loader__).__name__ != "_Loader":
                print(name)
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["mqtools._bundle"]


@pytest.mark.slow
def test_a_bundle_of_another_python_is_left_alone(wheel, home, tmp_path):
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "unpacked")
    bundle = tmp_path / "unpacked" / BUNDLE
    bundle.write_bytes(b"\0\0\0\0" + bundle.read_bytes()[4:])
    done, loaders = run_and_list(tmp_path / "unpacked", ["put", "DEV.QUEUE.1", "hello"])
    assert (done.returncode, set(loaders.values())) == (0, {"SourceFileLoader"})


@pytest.mark.slow
@pytest.mark.parametrize("line", [["put", "DEV.QUEUE.1", "x"], ["browse", "DEV.QUEUE.1"], ["qdepth"]], ids=" ".join)
def test_a_module_from_the_bundle_is_as_an_import_makes_it(wheel, home, tmp_path, line):
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "bundled")
        archive.extractall(tmp_path / "not")
    (tmp_path / "not" / BUNDLE).unlink()
    outcomes = [run_and_list(tmp_path / folder, line, AS_IMPORTED) for folder in ("bundled", "not")]
    assert [done.returncode for done, _ in outcomes] == [0, 0]
    (_, bundled), (_, as_usual) = outcomes
    imported_as_usual = {
        name: what for name, what in as_usual.items() if not name.startswith("mqtools.constants") or name in bundled
    }  # a constant stands as its value where it is used
    assert len(imported_as_usual) > 50
    assert imported_as_usual.items() <= bundled.items()  # which has what other lines of the command import, too


@pytest.mark.slow
def test_a_traceback_names_the_places_of_the_installation(wheel, home, tmp_path):
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "unpacked")
    words = [sys.executable, "-m", "mqtools", "--debug", "put", "NOWHERE", "x"]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "unpacked")}
    done = subprocess.run(words, env=environment, cwd=home, capture_output=True, text=True, check=False)
    assert f'File "{tmp_path}/unpacked/mqtools/mqi/resolution.py", line ' in done.stderr
    assert "raise " in done.stderr  # a line of the source


#: What is listed of a module: the class of its loader, or all that the import system says of it.
LOADER = "type(module.__loader__).__name__"
AS_IMPORTED = """repr((
    module.__name__, module.__package__, module.__file__[len(root):], module.__spec__.name, module.__spec__.parent,
    [path[len(root):] for path in getattr(module, "__path__", [])],
    "." not in name or vars(sys.modules[name.rpartition(".")[0]])[name.rpartition(".")[2]] is module,
)).replace(" ", "")"""


def run_and_list(root, line, what=LOADER):
    """Run a command line; return how that ended, and for each module of ours what is asked of it."""
    code = f"""if True:
        import importlib, os, sys
        end, root = os._exit, {str(root)!r}
        def report(status):
            for name, module in sorted(sys.modules.items()):
                if name.split(".")[0] == "mqtools":
                    print(name, {what}, file=sys.stderr)
            end(status)
        os._exit = report
        sys.path.insert(0, root)
        importlib.import_module({PACKAGE!r}).main({line!r})
    """
    done = subprocess.run([sys.executable, "-S", "-E", "-c", code], capture_output=True, text=True, check=False)
    return done, dict(each.split() for each in done.stderr.splitlines())


#: Modules that cost a plain line more than its work. A module that is absent here may be imported.
HEAVY = {
    *("click", "rich", "textual", "lark", "sqlite_utils", "pyspark", "xxhash"),
    *("dataclasses", "enum", "re", "typing", "json", "logging", "pathlib", "contextlib", "tomllib", "inspect"),
    *("importlib.metadata", "subprocess", "tempfile", "asyncio"),
}
#: What put, get and qdepth do without, too; browse shows times.
NOT_NEEDED = {"functools", "collections", "operator", "types", "datetime", "sqlite3", "importlib", "warnings", "mmap"}
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
    if command != "browse":
        assert modules & NOT_NEEDED == set()
    if "--wait" not in line:
        assert sum(name.startswith("mqtools") for name in modules) <= MOST_MODULES[command]


def test_the_help_of_mqx_itself_imports_nothing_heavy(installed, home):
    assert imported(installed, ["--help"]) & HEAVY == set()


def test_a_queue_manager_named_by_the_environment_costs_nothing_more(installed, home, monkeypatch):
    monkeypatch.setenv("MQX_QMGR", "QM1")
    assert imported(installed, ["put", "DEV.QUEUE.1", "hello"]) & HEAVY == set()
