"""A queue manager that has signals, and what tests do with them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from mqtools.admin import queue_managers
from mqtools.constants.options import MQGMO_NO_SYNCPOINT, MQGMO_SET_SIGNAL, MQPMO_NO_SYNCPOINT
from mqtools.constants.reasons import MQRC_SIGNAL_REQUEST_ACCEPTED
from mqtools.errors import MQError
from mqtools.mqi.handle import Handle

from ...copied import copy_of
from ..children import PATIENCE_S
from ..conftest import QM

SIGNAL = MQGMO_SET_SIGNAL | MQGMO_NO_SYNCPOINT


class Posted:
    """What a signal was posted with; ``next`` waits for it."""

    def __init__(self) -> None:
        self.codes: list[int] = []
        self.thread: threading.Thread | None = None
        self._come = threading.Semaphore(0)

    def __call__(self, code: int) -> None:
        self.codes.append(code)
        self.thread = threading.current_thread()
        self._come.release()

    def next(self) -> int:
        assert self._come.acquire(timeout=PATIENCE_S), "the signal was not posted"
        return self.codes[-1]

    def nothing(self, moment_s: float = 0.1) -> None:
        """Fail if it is posted, given a moment to be so."""
        assert not self._come.acquire(timeout=moment_s), f"posted with {self.codes}"


def _create(path: str) -> None:
    made = QM(queue_managers.create(path, profile="zos"))
    for name in ("Q", "R"):
        made.define(name)
    made.main.disconnect()


def queue_manager(tmp_path: Path) -> Iterator[QM]:
    """A queue manager of the profile that has signals, with the local queues Q and R."""
    made = QM(copy_of(_create, str(tmp_path / "QM1.db")))
    yield made
    for connection in made.connections:
        with suppress(MQError):  # a test may have ended the queue manager
            connection.disconnect()


def put(qm: QM, data: bytes, q_name: str = "Q", **fields: Any) -> None:
    qm.put(data, q_name, MQPMO_NO_SYNCPOINT, **fields)


def set_signal(handle: Handle, options: int = SIGNAL, **more: Any) -> Posted:
    """Set a signal on a queue without a suitable message."""
    posted = Posted()
    assert handle.get(options, signal=posted, **more).reason == MQRC_SIGNAL_REQUEST_ACCEPTED
    return posted


def take(handle: Handle, options: int = MQGMO_NO_SYNCPOINT, **more: Any) -> bytes:
    return handle.get(options, **more).message.data
