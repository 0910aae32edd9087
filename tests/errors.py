"""Expected errors."""

from __future__ import annotations

import pytest

from mqtools.errors import MQError


def fails(reason: int, words: str | None = None) -> pytest.RaisesExc[MQError]:
    """Expect an MQError with a reason. words: pattern of its text."""
    return pytest.RaisesExc(MQError, match=words, check=lambda error: error.reason == reason)
