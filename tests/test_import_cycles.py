"""No module imports itself by way of others: at the top, inside functions, or for type checkers only."""

from __future__ import annotations

import ast
from collections.abc import Iterator
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


def imported_by(name: str) -> Iterator[str]:
    """Yield the modules that a module imports anywhere in its text."""
    path = MODULES[name]
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in MODULES)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                whole = f"{module}.{alias.name}"
                if whole in MODULES or module in MODULES:
                    yield whole if whole in MODULES else module


def test_no_module_imports_itself_by_way_of_others() -> None:
    graph = {name: set(imported_by(name)) - {name} for name in MODULES}
    assert sum(map(len, graph.values())) > 1000
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as cycle:
        pytest.fail(" -> ".join(cycle.args[1]))
