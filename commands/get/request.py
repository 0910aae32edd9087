"""Request of ``mqx get``."""

from __future__ import annotations

from mqtools.constants.options import MQGMO_ACCEPT_TRUNCATED_MSG, MQGMO_FAIL_IF_QUIESCING, MQGMO_SYNCPOINT
from mqtools.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mqtools.operations.selection import Selection

    from ..browse.group_options import GroupOptions


class GetRequest(Record):
    """Request of ``mqx get``.

    limit: number of messages, None for all.  wait_s: time to wait for each message; follow: without limit.
    selection: None for any message.  max_length: bytes; accept_truncated: truncate longer messages.
    separator: text that ends each of several messages of raw output.  group_options: None for none.
    rate: most messages in a second, None for no limit.
    """

    __slots__ = (
        "queue",
        "limit",
        "wait_s",
        "follow",
        "selection",
        "max_length",
        "accept_truncated",
        "separator",
        "force",
        "dry_run",
        "group_options",
        "rate",
    )

    def __init__(
        self,
        queue: str,
        *,
        limit: int | None = 1,
        wait_s: float = 0,
        follow: bool = False,
        selection: Selection | None = None,
        max_length: int | None = None,
        accept_truncated: bool = False,
        separator: bytes = b"\n",
        force: bool = False,
        dry_run: bool = False,
        group_options: GroupOptions | None = None,
        rate: float | None = None,
    ) -> None:
        self.queue = queue
        self.limit = limit
        self.wait_s = wait_s
        self.follow = follow
        self.selection = selection
        self.max_length = max_length
        self.accept_truncated = accept_truncated
        self.separator = separator
        self.force = force
        self.dry_run = dry_run
        self.group_options = group_options
        self.rate = rate

    @property
    def waits(self) -> bool:
        """Whether to wait for messages that have not arrived."""
        return self.follow or self.wait_s > 0

    @property
    def ending(self) -> bytes:
        """Text that ends each message of raw output: none where only one can come."""
        return b"" if self.limit == 1 else self.separator

    @property
    def gets_next(self) -> bool:
        """Whether each message is the next one of the queue or the group, and none is searched for."""
        is_any = self.selection is None or self.selection.is_everything
        return is_any or (self.group_options is not None and self.group_options.is_in_order)

    @property
    def options(self) -> int:
        """MQGMO options of each get, without the wait."""
        options = MQGMO_SYNCPOINT | MQGMO_FAIL_IF_QUIESCING | (self.group_options.options if self.group_options else 0)
        return options | MQGMO_ACCEPT_TRUNCATED_MSG if self.accept_truncated else options

    def parameters(self) -> dict[str, Any]:
        """Return the other parameters of each get: a descriptor, where the options need one."""
        return self.group_options.parameters() if self.group_options else {}
