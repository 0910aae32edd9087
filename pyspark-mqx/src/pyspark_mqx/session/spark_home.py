"""Home of Spark on this machine, with its Python modules as folders instead of zip archives.

Spark runs Python code in separate processes, about five for a query and one for each start of a stream. Each first
imports Spark's modules. From a zip archive they are compiled again each time, which takes longer than all their other
work.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from importlib.metadata import version
from importlib.util import find_spec


def choose() -> str:
    """Return the home to use, empty if the environment names another one or none can be created."""
    return "" if "SPARK_HOME" in os.environ else find()


@contextmanager
def use_home(home: str) -> Iterator[None]:
    """Set SPARK_HOME in the block, unless the home is empty."""
    if not home:
        yield
        return
    os.environ["SPARK_HOME"] = home
    try:
        yield
    finally:
        del os.environ["SPARK_HOME"]


def find() -> str:
    """Return the home of the installed Spark, created once in the user's cache; empty if that fails."""
    installed = _folder_of("pyspark")
    cache = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "mqx")
    digest = sha256(f"{installed} {version('pyspark')} {version('py4j')}".encode()).hexdigest()[:16]
    home = os.path.join(cache, f"spark-{digest}")
    if os.path.isdir(home):
        return home
    try:
        os.makedirs(cache, mode=0o700, exist_ok=True)
        made = tempfile.mkdtemp(prefix="spark-new-", dir=cache)
    except OSError:
        return ""
    try:
        if link(made):
            with suppress(OSError):  # another process may have been first
                os.rename(made, home)
            _clear(cache)
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return home if os.path.isdir(home) else ""


def _clear(cache: str) -> None:
    """Delete the homes of uninstalled Spark versions."""
    for entry in os.scandir(cache):
        jars = os.path.join(entry.path, "jars")
        if os.path.islink(jars) and not os.path.exists(jars):
            shutil.rmtree(entry.path, ignore_errors=True)


def link(folder: str) -> bool:
    """Link the installed Spark into an empty folder; return False for an unknown layout."""
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
    """Return the folder of a package; empty if it is not installed, or not a package."""
    spec = find_spec(module)
    return next(iter(spec.submodule_search_locations or ()), "") if spec is not None else ""
