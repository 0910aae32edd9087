"""A queue manager QM1 that is served, and reached as ELSEWHERE and, read-only, as ELSEWHERE.RO."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ..conftest import Done
from ..elsewhere import served, write_remotes


@pytest.fixture
def port(qm: str, environment: dict[str, str]) -> Iterator[int]:
    """The port that the queue manager is served at."""
    with served(qm) as port:
        write_remotes(Path(environment["MQX_HOME"]), port)
        yield port


@pytest.fixture
def there(mqx: Callable[..., Done], port: int) -> Callable[..., Done]:
    """Run a command line on the remote that may be changed, without questions."""
    return lambda command, *words, **given: mqx(command, "-m", "ELSEWHERE", "--yes", *words, **given)
