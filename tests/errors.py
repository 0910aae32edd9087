"""Expected errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mqtools.errors import MQError


def fails(reason: int, words: str | None = None) -> pytest.RaisesExc[MQError]:
    """Expect an MQError with a reason. words: pattern of its text."""
    return pytest.RaisesExc(MQError, match=words, check=lambda error: error.reason == reason)


def reason_of(call: Callable[..., object], *arguments: Any, **named: Any) -> int:
    """Return the reason with which a call fails."""
    with pytest.raises(MQError) as caught:
        call(*arguments, **named)
    return caught.value.reason
