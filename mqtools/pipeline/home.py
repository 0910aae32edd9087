"""Spark's home on this machine, with its Python modules as they are installed in place of archives of them.

Spark runs its Python code in processes of its own, of which a query takes about five and each start of a stream one
more. The first thing each does is to import Spark's modules. Out of an archive they are compiled anew each time, which
takes longer than all else that it does.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_PREFIX = "mqx-spark-"


@contextmanager
def linked() -> Iterator[None]:
    """Have the Spark that is started meanwhile live in such a home, unless the environment names another one."""
    if "SPARK_HOME" in os.environ:
        yield
        return
    folder = tempfile.mkdtemp(prefix=_PREFIX)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    if link(folder):
        os.environ["SPARK_HOME"] = folder
    try:
        yield
    finally:
        os.environ.pop("SPARK_HOME", None)


def link(folder: str) -> bool:
    """Link the installed Spark into an empty folder; False where it is laid out as we do not know."""
    home = _folder_of("pyspark")
    archives = os.path.join(home, "python", "lib")
    if not (os.path.isdir(archives) and os.path.isdir(os.path.join(home, "jars"))):
        return False
    for name in os.listdir(home):
        if name != "python":
            os.symlink(os.path.join(home, name), os.path.join(folder, name))
    for archive in os.listdir(archives):
        module = archive.removesuffix(".zip").partition("-")[0]
        place = os.path.join(folder, "python", "lib", archive)
        os.makedirs(place)
        if installed := _folder_of(module):
            os.symlink(installed, os.path.join(place, module))
    return True


def _folder_of(module: str) -> str:
    """Give the folder of a package, empty where it is none or not installed."""
    spec = find_spec(module)
    return next(iter(spec.submodule_search_locations or ()), "") if spec is not None else ""
