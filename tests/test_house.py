"""The house itself: what is registered, documented, packaged, imported, and how long things may be."""

from __future__ import annotations

import ast
import importlib
import inspect
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path

import click
import pytest

from mqtools.constants import names, reasons

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SETUPTOOLS = PROJECT["tool"]["setuptools"]

(SCRIPT,) = entry_points(group="console_scripts", name="mqx")
PACKAGE = SCRIPT.load().__module__
SUBCOMMANDS = importlib.import_module(f"{PACKAGE}._subcommands").SUBCOMMANDS
GROUP = importlib.import_module(f"{PACKAGE}._cli").mqx


def commands():
    """Every command with its words: ``("qmgr", "create")``."""
    context = click.Context(GROUP, info_name="mqx")
    for name in SUBCOMMANDS:
        command = GROUP.get_command(context, name)
        yield (name,), command
        if isinstance(command, click.Group):
            for inner in command.list_commands(context):
                yield (name, inner), command.get_command(context, inner)


def python_files(*folders):
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def project_files():
    """The files of the project: what git knows, and what it would take in."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    if listed.returncode:
        pytest.skip("there is no git work tree here")
    files = [ROOT / os.fsdecode(name) for name in listed.stdout.split(b"\0") if name]
    return [path for path in files if path.is_file()]


# -- commands -----------------------------------------------------------------------------------------------


def test_every_command_of_the_tree_is_registered_and_the_other_way_round():
    folder = ROOT / "commands"
    modules = {path.stem for path in folder.glob("*.py") if not path.stem.startswith("_")}
    packages = {f"{path.parent.name}.command" for path in folder.glob("*/command.py")}
    assert modules | packages == {module for module, _ in SUBCOMMANDS.values()}


def test_a_command_is_called_like_its_module():
    assert {name.replace("-", "_"): name for name in SUBCOMMANDS} == {
        module.removesuffix(".command"): name for name, (module, _) in SUBCOMMANDS.items()
    }


@pytest.mark.parametrize("name", SUBCOMMANDS)
def test_every_command_has_a_man_page_and_a_test_file(name):
    assert (ROOT / "man" / f"mqx-{name}.1").is_file()
    assert any((ROOT / "tests" / "commands").rglob(f"test_{name.replace('-', '_')}.py"))


@pytest.mark.parametrize(("words", "command"), [pytest.param(*one, id=" ".join(one[0])) for one in commands()])
def test_every_command_has_help_that_shows_examples_of_itself(words, command):
    assert command.help, "there is no help"
    blocks = re.findall(r"^\x08\n((?:.+\n?)+)", inspect.cleandoc(command.help), re.M)
    examples = [line for block in blocks for line in block.splitlines()]
    assert 1 <= len(examples) <= 6
    assert len(words) > 1 or len(examples) > 1
    assert f"mqx {' '.join(words)}" in examples[0]
    assert all("mqx " in example for example in examples), examples


@pytest.mark.parametrize(("words", "command"), [pytest.param(*one, id=" ".join(one[0])) for one in commands()])
def test_every_option_says_what_it_is_for(words, command):
    options = [parameter for parameter in command.params if isinstance(parameter, click.Option)]
    assert [option.name for option in options if not option.help and not option.hidden] == []


def test_only_commands_that_ask_for_confirmation_list_yes():
    listed = {
        " ".join(words)
        for words, command in commands()
        for each in command.params
        if each.name == "yes" and not each.hidden
    }
    assert listed == {"delete", "qmgr delete", "trash empty", "unload"}


@pytest.mark.parametrize(("words", "command"), [pytest.param(*one, id=" ".join(one[0])) for one in commands()])
def test_help_in_lists_is_a_short_phrase_without_a_full_stop(words, command):
    summary = SUBCOMMANDS[words[0]][1] if len(words) == 1 else command.short_help or ""
    assert 0 < len(summary) <= 60
    assert not summary.endswith(".")
    own = [parameter for parameter in command.params if isinstance(parameter, click.Option) and parameter.help]
    assert [option.name for option in own if option.help.endswith(".") and "." not in option.help[:-1]] == []


TRACE = ("trace",)


def test_an_option_of_several_commands_means_the_same_everywhere():
    """Except for trace, which takes several queue managers, and for which --where is another way to name messages.

    The formats of -o differ, and are listed behind its meaning.
    """
    shared = {}
    for words, command in commands():
        for parameter in command.params:
            if words == TRACE and parameter.name in ("qmgr", "where"):
                continue
            if parameter.name in ("qmgr", "output", "quiet", "verbose", "debug", "color", "yes", "where", "msg_ids"):
                meaning = parameter.help.partition(":")[0] if parameter.name == "output" else parameter.help
                shared.setdefault(parameter.name, {}).setdefault(meaning, []).append(words)
    assert {name: list(helps) for name, helps in shared.items() if len(helps) > 1} == {}


# -- packages and imports -----------------------------------------------------------------------------------


def test_the_packages_of_the_project_file_are_those_of_the_tree():
    below = [path.parent.relative_to(ROOT) for path in (ROOT / "mqtools").rglob("__init__.py")]
    inside = [path.parent.relative_to(ROOT) for path in (ROOT / "commands").rglob("__init__.py")]
    tree = {".".join(path.parts) for path in below} | {"pyspark_mqx"}
    tree |= {".".join(("mqtools", *path.parts)) for path in inside}
    assert sorted(SETUPTOOLS["packages"]) == sorted(tree)


def test_every_data_file_in_a_package_is_declared():
    declared = {
        path.relative_to(ROOT)
        for package, patterns in SETUPTOOLS["package-data"].items()
        for pattern in patterns
        for path in (ROOT / package.replace(".", "/")).glob(pattern)
    }
    found = [path.relative_to(ROOT) for path in (ROOT / "mqtools").rglob("*") if path.is_file()]
    # While another test compiles a module, what is compiled has a name of its own.
    assert declared == {path for path in found if path.suffix != ".py" and path.parent.name != "__pycache__"}


def test_the_import_contracts_hold():
    linter = Path(sys.executable).with_name("lint-imports")
    if not linter.exists():
        pytest.skip("import-linter is not installed here")
    done = subprocess.run([linter, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_nobody_imports_the_commands_by_name():
    named = re.compile(r"^\s*(from|import)\s+(mqtools\.)?commands\b", re.M)
    files = python_files("mqtools", "tests", "man", "benchmarks", "examples", "commands")
    assert [path for path in files if named.search(path.read_text(encoding="utf-8"))] == []


def test_commands_and_the_browser_leave_the_database_to_the_library():
    """They pass on connections, transactions and views; the library reads what is behind."""
    touching = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in python_files("commands", "mqtools/tui")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr == "db"
    ]
    assert touching == []


# -- what is built ------------------------------------------------------------------------------------------


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


# -- texts --------------------------------------------------------------------------------------------------

#: Places of one machine that the project must not speak of, written so that this file does not.
PLACES = re.compile(rb"(?<![\w.])/wo" + rb"rk\b|\bsha" + rb"red/")


def test_no_file_speaks_of_the_machine_it_was_written_on():
    assert [path for path in project_files() if PLACES.search(path.read_bytes())] == []


#: What looks like a constant and is none, but the beginning of several, and what only the bindings have, for whom byte
#: strings are lists too: name to the files that speak of it.
NOT_CONSTANTS = {
    "MQOO_INPUT": {"connection_reasons.py"},
    "MQGMO_STRUC_ID_ARRAY": {"cmqc.py"},
    "MQPMO_STRUC_ID_ARRAY": {"cmqc.py"},
}
NAME = re.compile(r"\b(MQRC|MQFB|MQRO|MQMT|MQPER|MQMF|MQOO|MQGMO|MQPMO|MQCC)_[A-Z0-9_]*[A-Z0-9]\b(?![*_…])")


def test_every_reason_has_a_name_and_every_name_a_number():
    family = {name: value for name, value in vars(reasons).items() if name.startswith("MQRC_")}
    assert len(family) > 400
    for name, value in family.items():
        assert names.value_of("MQRC", name) == value
        assert names.value_of("MQRC", name.removeprefix("MQRC_").lower()) == value
        chosen = names.name_of("MQRC", value)
        assert chosen is None or family[chosen] == value
    unnamed = {name for name, value in family.items() if names.name_of("MQRC", value) is None}
    assert all(name.endswith(("_FIRST", "_LAST")) for name in unnamed)


def test_every_constant_that_is_spoken_of_exists():
    unknown = {}
    for path in [*python_files("mqtools", "commands"), ROOT / "README.md"]:
        for found in NAME.finditer(path.read_text(encoding="utf-8")):
            if found[0] not in names.family(found[1]):
                unknown.setdefault(found[0], set()).add(path.name)
    assert unknown == NOT_CONSTANTS


# -- lengths ------------------------------------------------------------------------------------------------

MOST_LINES = 400
MOST_LINES_OF_A_FUNCTION = 60


def test_files_are_short_except_tables_of_constants():
    long = {}
    for path in python_files("mqtools", "commands", "man"):
        name = path.relative_to(ROOT).as_posix()
        lines = len(path.read_text(encoding="utf-8").splitlines())
        if lines > MOST_LINES and not name.startswith("mqtools/constants/"):
            long[name] = lines
    assert long == {}


def only_sets_fields(function):
    """Return whether a function is the written out ``__init__`` of a record: a table of its fields."""
    body = [node for node in function.body if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))]
    return function.name == "__init__" and all(isinstance(node, ast.Assign | ast.AnnAssign) for node in body)


@pytest.mark.slow
def test_functions_are_short():
    long = {}
    for path in python_files("mqtools", "commands", "man"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not only_sets_fields(node):
                lines = (node.end_lineno or 0) - node.lineno + 1
                if lines > MOST_LINES_OF_A_FUNCTION:
                    long[f"{path.relative_to(ROOT)}:{node.name}"] = lines
    assert long == {}
