"""Execution of a program with the bindings on its path."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from errno import ENOENT
from importlib.util import find_spec

#: Variable that has the channel, place and user of each client connection checked.
CHECK_CHANNEL = "MQX_CHECK_CHANNEL"
#: Variable with the remote or address that programs reach. ``mq:`` is the queue manager that a program itself names by
#: channel and address, or else that of MQSERVER and the table of channels.
REMOTE = "MQX_REMOTE"
#: The folder for PYTHONPATH.
FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "path")


def environment(
    base: Mapping[str, str], q_mgr: str | None = None, *, checks_channel: bool = False, remote: str = ""
) -> dict[str, str]:
    """Return the environment of a program: the folder first on its path, and the default queue manager.

    checks_channel: as a queue manager does.  remote: a remote or an address;
    empty for a queue manager here.  MQX_PACKAGES is the folder of the packages that mqtools needs, which the
    program's Python may be without.
    """
    rest = base.get("PYTHONPATH", "")
    changed = {**base, "PYTHONPATH": f"{FOLDER}{os.pathsep}{rest}" if rest else FOLDER}
    needed = find_spec("lark")
    if needed is not None and needed.origin is not None:
        changed["MQX_PACKAGES"] = os.path.dirname(os.path.dirname(needed.origin))
    if checks_channel:
        changed[CHECK_CHANNEL] = "1"
    if remote:
        changed[REMOTE] = remote
    if q_mgr is not None:
        changed["MQX_QMGR"] = os.path.abspath(q_mgr) if "/" in q_mgr else q_mgr
    return changed


def interpreter(name: str | None = None) -> str:
    """Return the path of the Python that programs run with.

    name: a path, the folder of a virtual environment, or a command on $PATH; None for the one that ``python`` is in
    this environment: that of $VIRTUAL_ENV, else ``python`` or ``python3`` on $PATH, else this one.
    Raises FileNotFoundError for a name without a Python.
    """
    if name is not None:
        found = shutil.which(name) or shutil.which(_python_of(name))
        if found is None:
            raise FileNotFoundError(ENOENT, "there is no such Python", name)
        return os.path.abspath(found)
    active = os.environ.get("VIRTUAL_ENV")
    candidates = (*((_python_of(active),) if active else ()), "python", "python3")
    return os.path.abspath(next(filter(None, map(shutil.which, candidates)), sys.executable))


def _python_of(virtual_environment: str) -> str:
    return os.path.join(virtual_environment, "bin", "python")


def command_line(program: str, arguments: Sequence[str], python: str | None = None) -> list[str]:
    """Return what to execute: a Python file or folder by an interpreter, another file as it is.

    A file that can be executed and whose name does not end in ``.py`` chooses its interpreter itself, by its first
    line, unless ``python`` is given and that line names Python. A name without a file is searched for next to the
    interpreter, then on $PATH (``pytest``, ``python``).
    Raises FileNotFoundError.
    """
    chosen = interpreter(python)
    if os.path.isfile(program):
        runs_itself = os.access(program, os.X_OK) and not program.endswith(".py")
        if runs_itself and not (python is not None and _is_python(program)):
            return [os.path.abspath(program), *arguments]
        return [chosen, program, *arguments]
    if os.path.isfile(os.path.join(program, "__main__.py")):
        return [chosen, program, *arguments]
    found = None if os.sep in program else shutil.which(program, path=os.path.dirname(chosen)) or shutil.which(program)
    if found is None:
        raise FileNotFoundError(ENOENT, "there is no such program", program)
    return [found, *arguments]


def _is_python(path: str) -> bool:
    with open(path, "rb") as file:
        first = file.readline(200)
    return first.startswith(b"#!") and b"python" in first


def run(
    program: str,
    arguments: Sequence[str],
    q_mgr: str | None = None,
    python: str | None = None,
    *,
    checks_channel: bool = False,
    remote: str = "",
) -> None:
    """Execute the program in place of this process. python: as for ``interpreter``. Raises OSError."""
    line = command_line(program, arguments, python)
    sys.stdout.flush()
    sys.stderr.flush()
    os.execve(line[0], line, environment(os.environ, q_mgr, checks_channel=checks_channel, remote=remote))
