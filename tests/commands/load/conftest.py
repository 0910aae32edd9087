"""Files to load."""

from __future__ import annotations

from collections.abc import Callable

import pytest


@pytest.fixture
def file(tmp_path) -> Callable[[bytes], str]:
    """Write a file and give its path."""

    def write(content: bytes, name: str = "f") -> str:
        path = tmp_path / name
        path.write_bytes(content)
        return str(path)

    return write
