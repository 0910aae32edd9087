"""Imports: no cycles, and no import inside a function that delays nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


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


#: The entry of the commands, which a command may run again: it is loaded, and must not be imported by its commands.
RUNS_AGAIN = {("mqtools.commands.shell.command", "mqtools.commands")}


@pytest.mark.slow
def test_an_import_inside_a_function_delays_a_module_that_is_not_loaded_anyway() -> None:
    """It is there for start-up, or for what may not be installed; elsewhere it hides what a module needs."""
    pointless = []
    inside = 0
    for name in MODULES:
        loaded = loaded_with(name)
        functions = [node for node in ast.walk(tree_of(name)) if isinstance(node, ast.FunctionDef)]
        statements = {id(node): node for function in functions for node in ast.walk(function)}
        for node in statements.values():
            for target in targets(name, node):
                inside += 1
                if target in loaded and (name, target) not in RUNS_AGAIN:
                    pointless.append(f"{MODULES[name].relative_to(ROOT)}: {target}")
    assert inside > 400
    assert pointless == []
