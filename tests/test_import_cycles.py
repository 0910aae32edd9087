"""Imports: no cycles, and no import inside a function that delays nothing."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from .copied import developers

ROOT = Path(__file__).resolve().parent.parent
QUEUE = "DEV.QUEUE.1"


def modules() -> dict[str, Path]:
    """Return every module of the library and of the commands by its name."""
    found = {}
    for folder, package in (("mqtools", "mqtools"), ("commands", "mqtools.commands")):
        for path in (ROOT / folder).rglob("*.py"):
            parts = path.relative_to(ROOT / folder).with_suffix("").parts
            found[".".join([package, *(part for part in parts if part != "__init__")])] = path
    return found


MODULES = modules()


@cache
def tree_of(name: str) -> ast.Module:
    return ast.parse(MODULES[name].read_text(encoding="utf-8"))


def targets(name: str, node: ast.AST) -> Iterator[str]:
    """Yield the modules of the project that a statement imports; nothing for other statements."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names if alias.name in MODULES)
    elif isinstance(node, ast.ImportFrom):
        package = name.split(".") if MODULES[name].name == "__init__.py" else name.split(".")[:-1]
        above = package[: len(package) - node.level + 1] if node.level else []
        module = ".".join([*above, *([node.module] if node.module else [])])
        for alias in node.names:
            whole = f"{module}.{alias.name}"
            if whole in MODULES or module in MODULES:
                yield whole if whole in MODULES else module


def imported_by(name: str) -> Iterator[str]:
    """Yield the modules that a module imports anywhere in its text."""
    for node in ast.walk(tree_of(name)):
        yield from targets(name, node)


@pytest.mark.slow
def test_no_module_imports_itself_by_way_of_others() -> None:
    graph = {name: set(imported_by(name)) - {name} for name in MODULES}
    assert sum(map(len, graph.values())) > 1000
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as cycle:
        pytest.fail(" -> ".join(cycle.args[1]))


def is_for_type_checkers(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


@cache
def imported_at_once(name: str) -> frozenset[str]:
    """Return the modules that the load of a module begins to load: its packages, and what its top imports."""
    parts = name.split(".")
    packages = {".".join(parts[:number]) for number in range(1, len(parts))} & MODULES.keys()
    top = (node for node in tree_of(name).body if not is_for_type_checkers(node))
    return frozenset(packages.union(*(targets(name, node) for node in top)))


def loaded_with(name: str) -> set[str]:
    """Return all modules that the load of a module loads, itself included."""
    found, todo = {name}, [name]
    while todo:
        new = imported_at_once(todo.pop()) - found
        found |= new
        todo += new
    return found


#: Lines that are to start fast, in an order in which each succeeds, and two more that share modules with them.
LINES = (
    ["put", QUEUE, "hello"],
    ["-m", "QM1", "put", QUEUE, "hello", "--persistent"],
    ["browse", QUEUE],
    ["put", QUEUE, "hello", "--property", "a=1"],
    ["browse", QUEUE, "-o", "json"],
    ["get", QUEUE],
    ["get", QUEUE, "--wait", "1s"],
    ["get", QUEUE, "-o", "json"],
    ["library", QUEUE],
    ["tui"],
    ["qdepth"],
    ["qdepth", QUEUE, "--count"],
    ["--help"],
    ["browse", "--help"],
    ["config", "--help"],
)
#: Run a line and write the names of all modules that were loaded; of the browser, before it runs; of
#: a program that uses the library, after a put and a get.
RUN = """
import os, sys
root, libraries, file = sys.argv[1:4]
del sys.argv[1:4]
sys.path += [root, libraries]  # nothing but what is needed is loaded: without site
import mqtools
mqtools.__path__.append(root)

def report(status):
    with open(file, "w") as names:
        names.write(chr(10).join(sys.modules))
    end(status)

end, os._exit = os._exit, report
if sys.argv[1] == "tui":  # what its first rows need comes in a thread, at no certain time
    import mqtools.tui.app, mqtools.tui.session, mqtools.commands.shared.live_browser
    report(0)
if sys.argv[1] == "library":
    with mqtools.connect("QM1") as qmgr:
        queue = qmgr.queue(sys.argv[2])
        queue.put("hello")
        queue.get()
    report(0)
__import__("mqtools.commands").commands.main()
"""


@pytest.fixture(scope="module")
def loaded_by_lines(tmp_path_factory: pytest.TempPathFactory) -> list[set[str]]:
    """Return the modules, all of them, that each of the lines loads."""
    home = tmp_path_factory.mktemp("home")
    developers(str(home / "QM1.db"))
    own = {name: value for name, value in os.environ.items() if not name.startswith(("MQX", "PYTHON"))}
    own |= {"MQX_HOME": str(home), "XDG_CONFIG_HOME": str(home)}
    libraries, names, found = sysconfig.get_path("purelib"), home / "names", []
    for line in LINES:
        words = [sys.executable, "-S", "-c", RUN, str(ROOT), libraries, str(names), *line]
        subprocess.run(words, env=own, cwd=home, check=True, capture_output=True, stdin=subprocess.DEVNULL)
        found.append(set(names.read_text().split()))
    return found


#: What is slow to import or may not be installed: these, and all that is not of Python.
SLOW = {
    *("asyncio", "concurrent", "difflib", "email", "grp", "hashlib", "http", "importlib", "logging", "multiprocessing"),
    *("pwd", "random", "readline", "socket", "sqlite3", "ssl", "subprocess", "tempfile", "textwrap", "tomllib"),
    *("unittest", "urllib", "xml", "zoneinfo"),
}
#: Modules of ours that together take long enough to be worth a delay: half a millisecond.
WORTH = 3

#: Imports in functions that are there for their order: after the modules of one file are installed, or because
#: the entry of the commands imports its commands.
ORDERED = {
    ("mqtools.commands", "mqtools.commands.shared.command_session"),
    ("mqtools.commands", "mqtools.commands._plain"),
}


def outside(name: str, node: ast.AST) -> Iterator[str]:
    """Yield the modules that are not of the project that a statement imports."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names if alias.name not in MODULES)
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level and not any(targets(name, node)):
        yield node.module


def is_slow(name: str) -> bool:
    package = name.partition(".")[0]
    return package in SLOW or package not in sys.stdlib_module_names


def slow_with(names: set[str]) -> set[str]:
    """Return the slow modules that modules of ours import at once."""
    tops = ((name, node) for name in names for node in tree_of(name).body if not is_for_type_checkers(node))
    return {found for name, node in tops for found in outside(name, node) if is_slow(found)}


def imports_in_functions(name: str) -> Iterator[str]:
    """Yield the modules, of ours and others, that functions of a module import."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    bodies = [node for node in ast.walk(tree_of(name)) if isinstance(node, functions)]
    for node in {id(node): node for body in bodies for node in ast.walk(body)}.values():
        yield from targets(name, node)
        yield from outside(name, node)


def delays(name: str, target: str, lines: list[set[str]]) -> bool:
    """Return whether an import in a function of a module saves time.

    It does where a line that is to start fast needs the module and not the target; in a module that no such line needs
    it does where the target is slow to load, or loads several modules.
    """
    needing = [loaded for loaded in lines if name in loaded]
    if any(target not in loaded for loaded in needing):
        return True
    if target not in MODULES:
        return is_slow(target)
    new = loaded_with(target) - loaded_with(name)
    return bool(slow_with(new) - slow_with(loaded_with(name))) or (len(new) >= WORTH and not needing)


@pytest.mark.slow
def test_an_import_inside_a_function_delays_something(loaded_by_lines: list[set[str]]) -> None:
    """It is there for start-up, or for what may not be installed; elsewhere it hides what a module needs."""
    found = {(name, target) for name in MODULES for target in imports_in_functions(name)}
    assert {pair for pair in found if not delays(*pair, loaded_by_lines)} - ORDERED == set()
    assert found >= ORDERED


@pytest.mark.slow
def test_imports_that_delay_something_are_told_from_others(loaded_by_lines: list[set[str]]) -> None:
    plain = "mqtools.commands._plain"
    assert delays(plain, "mqtools.commands.get.get", loaded_by_lines)  # a put does without
    assert not delays(plain, "mqtools.commands.shared.command_session", loaded_by_lines)
    assert delays("mqtools.commands.pipeline.job", "pyspark", loaded_by_lines)
    assert not delays("mqtools.commands.diff", "json", loaded_by_lines)
    assert delays("mqtools.commands.diff", "mqtools.admin.mqsc.run", loaded_by_lines)
    assert not delays("mqtools.commands.diff", "mqtools.constants.lists", loaded_by_lines)
