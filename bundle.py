"""Write the modules of the everyday commands, compiled, into one file, which ``mqtools/_bundle.py`` imports them from.

Run by ``setup.py`` for a wheel: ``python bundle.py FOLDER``, the folder of the packages. Which modules they are, the
commands are asked. What no command looks at is left out, because loading it takes a third of the time that the rest
does: docstrings, annotations, and what is only for type checkers.
"""

from __future__ import annotations

import ast
import marshal
import os
import subprocess
import sys
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from tempfile import TemporaryDirectory
from types import CodeType
from typing import TypeVar

T = TypeVar("T", ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)

PACKAGE = "mqtools"
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
    content = b""
    for name in dict.fromkeys([*(name for names in commands.values() for name in names), *others]):
        path = root.joinpath(*name.split("."))
        source = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        text = source.read_bytes()
        needed = Needed().visit(ast.parse(text))
        compiled[name] = compile(needed, name, "exec", annotations.compiler_flag, dont_inherit=True, optimize=0)
        code = marshal.dumps(compiled[name])
        index[name] = (len(content), len(code), path.is_dir(), len(text))
        content += code
    for command, names in commands.items():
        code = marshal.dumps([compiled[name] for name in names])
        pieces[command] = (len(content), len(code), names)
        content += code
    head = marshal.dumps((index, pieces))
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
            return [name for name in names if name.startswith(f"{PACKAGE}.")]

        imported(CREATE)
        others = [name for line in OTHERS for name in imported(RUN, *line)]
        return {
            command: list(dict.fromkeys(name for line in lines for name in imported(RUN, *line)))
            for command, lines in EVERYDAY.items()
        }, others


if __name__ == "__main__":
    write_bundle(Path(sys.argv[1]))
