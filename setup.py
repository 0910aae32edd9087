"""Build a wheel whose command starts fast: what pyproject.toml cannot say.

pip writes a file of its own for an entry point, and before version 25 that file imports ``re``, which takes a fifth of
the time of a put. So a wheel carries ``bin/mqx`` and no console entry points. An editable install has the entry point.

And it carries the modules of the everyday commands once more, compiled, in one file (``mqtools/_bundle.py``). Which
they are, these commands are asked.
"""

from __future__ import annotations

import marshal
import os
import subprocess
import sys
from configparser import ConfigParser
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from tempfile import TemporaryDirectory

from setuptools import setup

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # before setuptools 70.1
    from wheel.bdist_wheel import bdist_wheel

SCRIPTS = ["bin/mqx"]
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


class BuildWheel(bdist_wheel):
    """Builds a wheel with the scripts of the project in the place of its console entry points, and the bundle."""

    has_scripts = False

    def run(self) -> None:
        """Build the wheel. An editable one is built by another command, which does not come here."""
        self.distribution.scripts = SCRIPTS
        self.has_scripts = True
        super().run()

    def write_wheelfile(self, wheelfile_base: str, *arguments: object, **named: object) -> None:
        """Write the last file of the metadata, which is complete then, as the packages are."""
        super().write_wheelfile(wheelfile_base, *arguments, **named)
        if self.has_scripts:
            remove_console_scripts(Path(wheelfile_base, "entry_points.txt"))
            write_bundle(Path(wheelfile_base).parent.absolute())


def remove_console_scripts(path: Path) -> None:
    """Remove the entry points that an installer would make scripts of, and write over ours."""
    entry_points = ConfigParser(delimiters=("=",), interpolation=None)
    entry_points.optionxform = str  # type: ignore[assignment, method-assign]
    entry_points.read(path, encoding="utf-8")
    entry_points.remove_section("console_scripts")
    with path.open("w", encoding="utf-8") as file:
        entry_points.write(file)


def write_bundle(root: Path) -> None:
    """Write the modules of the everyday commands into one file. root: the folder of the packages."""
    commands, others = everyday_modules(root)
    index: dict[str, tuple[int, int, bool, int]] = {}
    code = b""
    for name in dict.fromkeys([*(name for names in commands.values() for name in names), *others]):
        path = root.joinpath(*name.split("."))
        source = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        text = source.read_bytes()
        compiled = marshal.dumps(compile(text, name, "exec", dont_inherit=True, optimize=0))
        index[name] = (len(code), len(compiled), path.is_dir(), len(text))
        code += compiled
    head = marshal.dumps((index, commands))
    file = root / PACKAGE / f"modules.{sys.implementation.cache_tag}"
    file.write_bytes(MAGIC_NUMBER + len(head).to_bytes(8, "little") + head + code)


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


setup(cmdclass={"bdist_wheel": BuildWheel})
