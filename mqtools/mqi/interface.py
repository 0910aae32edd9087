"""Connections to queue managers and their open queues, as operations and commands use them.

A file and a queue manager elsewhere both fit. The methods for a file document results and errors.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import Any, Protocol, Self

from mqtools.errors import MQError
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import Connection
from mqtools.mqi.get.request import GetResult
from mqtools.mqi.put import PutResult


class OpenQueue(Protocol):
    """An open queue."""

    q_name: str
    options: int
    closed: bool

    @property
    def context(self) -> Any:
        """Return what a put passes on: the context of the last message got, for ``put1``."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...

    def put(self, message: Message, options: int = 0, *, context: Any = None) -> PutResult: ...

    def get(
        self,
        options: int = 0,
        *,
        md: MQMD | None = None,
        match_options: int | None = None,
        wait_ms: int = 0,
        max_length: int | None = None,
        msg_token: bytes = b"",
    ) -> GetResult: ...

    def get_each(
        self,
        number: int,
        options: int = 0,
        *,
        md: MQMD | None = None,
        match_options: int | None = None,
        wait_ms: int = 0,
        max_length: int | None = None,
        most_bytes: int = 1 << 26,
    ) -> tuple[list[GetResult], MQError | None]: ...

    def inquire(self, selectors: Sequence[int]) -> list[int | str | None]: ...

    def set(self, values: dict[int, int | str]) -> None: ...

    def close(self, options: int = 0) -> int: ...

    def resume(self, breaks: int = 0) -> bool:
        """Open the queue again after the connection broke; return whether it could be done, which it never is here.

        breaks: how often it broke before, without any progress.
        """


class QueueManagerConnection(Protocol):
    """A connection to a queue manager.

    q_mgr_id: its QMID.  in_unit_of_work: something was put or got that no commit has made final.
    """

    @property
    def name(self) -> str: ...

    @property
    def q_mgr_id(self) -> str: ...

    @property
    def ccsid(self) -> int: ...

    @property
    def max_uncommitted_msgs(self) -> int: ...

    @property
    def in_unit_of_work(self) -> bool: ...

    @property
    def file(self) -> Connection | None:
        """Return the connection to our file, for what only that offers; None for a queue manager elsewhere."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def open(
        self, q_name: str, options: int, *, q_mgr_name: str = "", dynamic_q_name: str = "AMQ.*", selector: str = ""
    ) -> OpenQueue: ...

    def put1(
        self, q_name: str, message: Message, options: int = 0, *, q_mgr_name: str = "", context: Any = None
    ) -> PutResult:
        """MQPUT1: see ``BaseConnection.put1``.

        context: that is passed on: a descriptor for our file, an open queue for a queue manager elsewhere.
        """

    def put_each(
        self,
        q_name: str,
        messages: Iterable[Message],
        options: int = 0,
        *,
        q_mgr_name: str = "",
        dead_letter: bool = False,
        keep_backout_count: bool = False,
    ) -> tuple[list[PutResult], MQError | None]: ...

    def commit(self) -> None: ...

    def backout(self) -> None: ...

    def disconnect(self) -> None: ...

    def leave(self) -> None: ...
