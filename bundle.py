"""Write the modules of the everyday commands, compiled, into one file, which ``mqtools/_bundle.py`` imports them from.

Run by ``setup.py`` for a wheel: ``python bundle.py FOLDER``, the folder of the packages. Which modules they are, the
commands are asked. What no command looks at is left out, because loading it takes a third of the time that the rest
does: docstrings, annotations, and what is only for type checkers. And constants stand as values where they are used:
to import them by their names takes a twentieth of the time of a get.
"""

from __future__ import annotations

import ast
import marshal
import os
import subprocess
import sys
from collections.abc import Iterable
from importlib import import_module
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from tempfile import TemporaryDirectory
from types import CodeType
from typing import Any, TypeAlias, TypeVar

#: Kinds of constants that stand as values.
Value: TypeAlias = int | str | bytes

T = TypeVar("T", ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)

PACKAGE = "mqtools"
#: The module that reads the file, which is imported before.
READER = "mqtools._bundle"
CONSTANTS = f"{PACKAGE}.constants"
#: The commands that are to start fast, and lines of them. The queue is one that a queue manager is created with.
EVERYDAY = {
    "put": (("put", "DEV.QUEUE.1", "hello"), ("-m", "QM1", "put", "DEV.QUEUE.1", "hello")),
    "qdepth": (("qdepth",),),
    "browse": (("browse", "DEV.QUEUE.1"),),
    "get": (("get", "DEV.QUEUE.1"),),
}
#: Lines whose modules are in the file, too, to be found there when they are imported.
OTHERS = (
    ("put", "DEV.QUEUE.1", "hello", "--persistent", "-o", "json"),
    ("qdepth", "-o", "json"),
    ("browse", "DEV.QUEUE.1", "-o", "jsonl"),
    ("get", "DEV.QUEUE.1", "-o", "json"),
)
#: Modules whose first rows are to come fast, with all that they import at once. They are not run, because what they
#: import of others is not there where a wheel is built.
BROWSER = ("mqtools.commands.shared.live_browser", "mqtools.tui.app", "mqtools.tui.session")
CREATE = "from mqtools.admin import queue_managers; queue_managers.create('QM1', developer=True)"
RUN = "from mqtools.commands import main; main()"


def write_bundle(root: Path) -> None:
    """Write the file: each module by itself, and those of each command in one piece. root: the folder of the packages.

    One piece is loaded faster: what modules have in common, mostly names, is there once.
    """
    commands, others = everyday_modules(root)
    index: dict[str, tuple[int, int, bool, int]] = {}
    pieces: dict[str, tuple[int, int, list[str]]] = {}
    compiled: dict[str, CodeType] = {}
    imported: dict[str, set[str]] = {}
    known: set[str] = set()
    content = b""
    every_name = [*(name for names in commands.values() for name in names), *others, *needed_by(BROWSER, root)]
    for name in dict.fromkeys(every_name):
        source = source_of(name, root)
        text = source.read_bytes()
        needed = Needed().visit(ast.parse(text))
        if not name.startswith(CONSTANTS):
            known |= put_values(root, needed)
        imported[name] = imports_at_once(needed, name)
        compiled[name] = compile(needed, name, "exec", annotations.compiler_flag, dont_inherit=True, optimize=0)
        code = marshal.dumps(compiled[name])
        index[name] = (len(content), len(code), source.name == "__init__.py", len(text))
        content += code
    for command, every in commands.items():
        still = set().union(*(imported[name] for name in every))
        names = [name for name in every if not name.startswith(CONSTANTS) or name in still]
        code = marshal.dumps([compiled[name] for name in names])
        pieces[command] = (len(content), len(code), names)
        content += code
    head = marshal.dumps((index, pieces, sorted(known)))
    file = root / PACKAGE / f"modules.{sys.implementation.cache_tag}"
    file.write_bytes(MAGIC_NUMBER + len(head).to_bytes(8, "little") + head + content)


class Needed(ast.NodeTransformer):
    """Removes from a module what running it does not need; each line keeps its number."""

    def visit_Module(self, node: ast.Module) -> ast.Module:
        """Remove the docstring."""
        return self._without_docstring(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        """Remove the docstring."""
        return self._without_docstring(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """Remove the docstring and the annotation of what is returned."""
        node.returns = None
        return self._without_docstring(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AsyncFunctionDef:
        """Remove the docstring and the annotation of what is returned."""
        node.returns = None
        return self._without_docstring(node)

    def visit_arg(self, node: ast.arg) -> ast.arg:
        """Remove the annotation of a parameter."""
        node.annotation = None
        return node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.stmt:
        """Remove what is said to the compiler, which is told otherwise."""
        return ast.copy_location(ast.Pass(), node) if node.module == "__future__" else node

    def visit_If(self, node: ast.If) -> ast.stmt:
        """Remove what is only for type checkers."""
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING" and not node.orelse:
            return ast.copy_location(ast.Pass(), node)
        self.generic_visit(node)
        return node

    def _without_docstring(self, node: T) -> T:
        self.generic_visit(node)
        match node.body:
            case [ast.Expr(ast.Constant(str())) as docstring, *rest]:
                node.body = rest or [ast.copy_location(ast.Pass(), docstring)]
        return node


class Values(ast.NodeTransformer):
    """Writes values for the names of constants."""

    def __init__(self, values: dict[str, Value]) -> None:
        self.values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Write the value of a constant."""
        return ast.copy_location(ast.Constant(self.values[node.id]), node) if node.id in self.values else node


def put_values(root: Path, module: ast.Module) -> set[str]:
    """Write the values of constants that a module imports for their names, and import these no more.

    Return the modules of the constants. A name that the module passes on (``import X as X``) is left.
    """
    values: dict[str, Value] = {}
    known = set()
    for node in module.body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"{CONSTANTS}."):
            here = {
                alias.name: value
                for alias in node.names
                if alias.asname is None
                and type(value := constants(root, node.module or "")[alias.name]) in Value.__args__
            }
            node.names = [alias for alias in node.names if alias.name not in here]
            values |= here
            known |= {node.module or ""} if here else set()
    module.body = [node for node in module.body if not (isinstance(node, ast.ImportFrom) and not node.names)]
    Values(values).visit(module)
    return known


def constants(root: Path, module: str) -> dict[str, Any]:
    """Return the names of a module of constants, and their values."""
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))
        sys.dont_write_bytecode = True  # it would be in the wheel
    return vars(import_module(module))


def source_of(name: str, root: Path) -> Path:
    """Return the file of a module."""
    path = root.joinpath(*name.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def needed_by(names: Iterable[str], root: Path) -> list[str]:
    """Return modules of the package, and all modules of it that they import when they are imported."""
    found: dict[str, None] = {}
    left = list(names)
    while left:
        name = left.pop()
        source = source_of(name, root)
        if name not in found and name.startswith(f"{PACKAGE}.") and source.exists():
            found[name] = None
            left += sorted(imports_at_once(Needed().visit(ast.parse(source.read_bytes())), name))
    return list(found)


def imports_at_once(module: ast.Module, name: str) -> set[str]:
    """Return the modules, and the names in modules, that a module imports when it is imported, and their packages."""
    found = {name.rpartition(".")[0]}
    for node in module.body:
        if isinstance(node, ast.ImportFrom):
            above = name.split(".")[: -node.level] if node.level else []
            origin = ".".join([*above, *(node.module or "").split(".")])
            found |= {origin, origin.rpartition(".")[0], *(f"{origin}.{alias.name}" for alias in node.names)}
    return found


def everyday_modules(root: Path) -> tuple[dict[str, list[str]], list[str]]:
    """Return for each everyday command the modules of the package that it imports, each after what it imports itself,
    and those of other lines."""
    with TemporaryDirectory() as home:
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("MQX", "PYTHON"))}
        environment |= {"MQX_HOME": home, "XDG_CONFIG_HOME": home, "PYTHONPATH": str(root)}
        environment["PYTHONDONTWRITEBYTECODE"] = "1"

        def imported(code: str, *line: str) -> list[str]:
            words = [sys.executable, "-S", "-X", "importtime", "-c", code, *line]
            done = subprocess.run(words, env=environment, cwd=home, capture_output=True, text=True, check=False)
            if done.returncode:
                raise SystemExit(f"cannot find the modules of mqx {' '.join(line)}: {done.stderr}")
            names = [text.rpartition("|")[2].strip() for text in done.stderr.splitlines()]
            return [name for name in names if name.startswith(f"{PACKAGE}.") and name != READER]

        imported(CREATE)
        others = [name for line in OTHERS for name in imported(RUN, *line)]
        return {
            command: list(dict.fromkeys(name for line in lines for name in imported(RUN, *line)))
            for command, lines in EVERYDAY.items()
        }, others


if __name__ == "__main__":
    write_bundle(Path(sys.argv[1]))
