"""The two ends of a channel, and an object to send."""

from __future__ import annotations

from pathlib import Path

import pytest

from .ends import OBJECT, Ends


@pytest.fixture
def ends(tmp_path: Path) -> Ends:
    """Both ends, with the file film.bin at the sender."""
    made = Ends(tmp_path)
    (made.source / "film.bin").write_bytes(OBJECT)
    return made
