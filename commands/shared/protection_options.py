"""Options that protect queue managers against changes, for the whole process and the programs that it starts."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from mqtools.configuration.protection import YES_PROTECTED
from mqtools.configuration.read_only import READ_ONLY

#: Option to its environment variable.
PROTECTION = {"read_only": READ_ONLY, "yes_protected": YES_PROTECTED}


@contextmanager
def kept_protection() -> Iterator[None]:
    """Restore at the end what --read-only and --yes-protected have set for this process."""
    before = {variable: os.environ.get(variable) for variable in PROTECTION.values()}
    try:
        yield
    finally:
        for variable, value in before.items():
            if value is None:
                os.environ.pop(variable, None)
            else:
                os.environ[variable] = value
