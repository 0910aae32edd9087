"""Import of the library, and of the genuine package if there is one, for the modules of this folder."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import module_from_spec
from types import ModuleType

#: The folder that has mqtools in it; this one may be on the path through a link.
_LIBRARY = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__)))))
#: Packages that mqtools imports on demand: for selectors, EBCDIC, and, where it fits this Python, checksums.
_DEPENDENCIES = ("lark", "ebcdic", "xxhash")
#: Text that identifies the source of a stand-in, as no genuine package has it: the name of this module.
_MARK = __name__


class _Dependencies:
    """Finder for the dependencies of mqtools, next to it or in MQX_PACKAGES; the program's own take precedence.

    Nothing else of those folders becomes importable: it may be for another version of Python.
    """

    @staticmethod
    def find_spec(
        name: str,
        path: Sequence[str] | None = None,  # noqa: ARG004
        target: ModuleType | None = None,  # noqa: ARG004
    ) -> ModuleSpec | None:
        """Return the spec of a dependency, None for any other module."""
        folders = [_LIBRARY, *filter(None, [os.environ.get("MQX_PACKAGES")])]
        return PathFinder.find_spec(name, folders) if name in _DEPENDENCIES else None


def find_library() -> None:
    """Make the library next to this folder importable, unless one is imported already."""
    if "mqtools" in sys.modules:
        return
    spec = PathFinder.find_spec("mqtools", [_LIBRARY])
    if spec is not None:  # else this folder was copied, and mqtools has to be installed
        _load(spec)
        sys.meta_path.append(_Dependencies)


def replace_module(name: str, target: str) -> None:
    """Replace a module of this folder by a module of the library."""
    find_library()
    sys.modules[name] = import_module(target)


def load_genuine(name: str, c_part: str) -> bool:
    """Load the genuine package further on the path, with our module as its C part; return False if there is none."""
    find_library()
    spec = _find_genuine(name)
    if spec is None:
        return False
    sys.modules[f"{name}.{c_part}"] = import_module(f"mqtools.bindings.{c_part}")
    _load(spec)
    return True


def _find_genuine(name: str) -> ModuleSpec | None:
    for entry in sys.path:
        spec = PathFinder.find_spec(name, [entry])
        if spec is not None and spec.loader is not None and not _is_ours(spec):
            return spec
    return None


def _is_ours(spec: ModuleSpec) -> bool:
    """Return whether a package is a stand-in of mqx: this one by any path, or that of another copy."""
    source = getattr(spec.loader, "get_source", None)
    return source is not None and _MARK in (source(spec.name) or "")


def _load(spec: ModuleSpec) -> None:
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    assert spec.loader is not None
    spec.loader.exec_module(module)
