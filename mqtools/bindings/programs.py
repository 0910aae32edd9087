"""Running a program with the bindings on its path."""

from __future__ import annotations

import os
import shutil
import sys
from errno import ENOENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

#: The folder that goes on PYTHONPATH.
FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "path")


def environment(base: Mapping[str, str], q_mgr: str | None = None) -> dict[str, str]:
    """Give the environment of a program: the folder first on its path, and the default queue manager."""
    rest = base.get("PYTHONPATH", "")
    changed = {**base, "PYTHONPATH": f"{FOLDER}{os.pathsep}{rest}" if rest else FOLDER}
    if q_mgr is not None:
        changed["MQX_QMGR"] = os.path.abspath(q_mgr) if "/" in q_mgr else q_mgr
    return changed


def command_line(program: str, arguments: Sequence[str]) -> list[str]:
    """Give what to execute: a Python program by this interpreter, another one as it is.

    A file counts as a Python program unless it can be executed and its first line names another interpreter. What is
    no file is looked for on $PATH (``pytest``, ``python``).
    Raises FileNotFoundError.
    """
    if os.path.isfile(program):
        if os.access(program, os.X_OK) and not program.endswith(".py") and not _is_python(program):
            return [os.path.abspath(program), *arguments]
        return [sys.executable, program, *arguments]
    if os.path.isfile(os.path.join(program, "__main__.py")):
        return [sys.executable, program, *arguments]
    beside = os.path.join(os.path.dirname(sys.executable), program)
    found = None if os.sep in program else beside if os.access(beside, os.X_OK) else shutil.which(program)
    if found is None:
        raise FileNotFoundError(ENOENT, "there is no such program", program)
    return [found, *arguments]


def _is_python(path: str) -> bool:
    with open(path, "rb") as file:
        first = file.readline(200)
    return first.startswith(b"#!") and b"python" in first


def run(program: str, arguments: Sequence[str], q_mgr: str | None = None) -> None:
    """Become the program, whose status is the process's. Raises OSError."""
    line = command_line(program, arguments)
    sys.stdout.flush()
    sys.stderr.flush()
    os.execve(line[0], line, environment(os.environ, q_mgr))
