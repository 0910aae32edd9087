"""What the modules of this folder have in common: they find the library, and the genuine package where there is one."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec

_HERE = os.path.dirname(os.path.abspath(__file__))
#: The folder that has mqtools in it.
_LIBRARY = os.path.dirname(os.path.dirname(os.path.dirname(_HERE)))


def find_library() -> None:
    """Make the library importable for an interpreter that it is not installed for."""
    if find_spec("mqtools") is None:
        sys.path.append(_LIBRARY)


def become(name: str, target: str) -> None:
    """Put a module of the library in the place of one of this folder."""
    find_library()
    sys.modules[name] = import_module(target)


def load_genuine(name: str, c_part: str) -> bool:
    """Load the genuine package that is further on the path, with our module for its C part; False without one."""
    find_library()
    elsewhere = [entry for entry in sys.path if os.path.abspath(entry or ".") != _HERE]
    spec = PathFinder.find_spec(name, elsewhere)
    if spec is None or spec.loader is None:
        return False
    sys.modules[f"{name}.{c_part}"] = import_module(f"mqtools.bindings.{c_part}")
    module = module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return True
