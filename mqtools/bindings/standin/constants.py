"""Modules of constants under the names that programs import, and names looked up by number."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib.util import module_from_spec, spec_from_file_location
from types import ModuleType

from mqtools import constants as ours

MODULES = ("CMQC", "CMQCFC", "CMQXC", "CMQZC")
#: Ends of names that mark a range and name no value.
_MARKERS = ("_FIRST", "_LAST", "_LAST_USED")


def load(package: str, name: str) -> ModuleType:
    """Load a module of constants from its file under the name it has in the package."""
    full = f"{package}.{name}"
    if full not in sys.modules:
        spec = spec_from_file_location(full, f"{next(iter(ours.__path__))}/{name.lower()}.py")
        assert spec is not None
        assert spec.loader is not None
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        sys.modules[full] = module
    return sys.modules[full]


class NamesByValue(dict[int, str]):
    """Names of the constants that begin with a prefix, by their value."""

    def __init__(self, module: ModuleType | Mapping[str, object], prefix: str) -> None:
        found = module if isinstance(module, dict) else vars(module)
        super().__init__(
            (value, name)
            for name, value in found.items()
            if name.startswith(prefix) and isinstance(value, int) and not name.endswith(_MARKERS)
        )

    def has_key(self, value: int) -> bool:
        """Return whether a value has a name."""
        return value in self
