"""Request of ``mqx get``."""

from __future__ import annotations

from mqtools.constants.options import MQGMO_ACCEPT_TRUNCATED_MSG, MQGMO_FAIL_IF_QUIESCING, MQGMO_SYNCPOINT
from mqtools.constants.reasons import MQRC_TRUNCATED_MSG_FAILED
from mqtools.errors import MQError
from mqtools.records import OptionRecord

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mqtools.operations.selection import Selection

    from ..browse.group_options import GroupOptions
    from ..shared.messages import Shape


class GetRequest(OptionRecord):
    """Request of ``mqx get``.

    limit: number of messages, None for all.  wait_ms: wait for each message, milliseconds, MQWI_UNLIMITED for ever.
    options: MQGMO_* of each get, without the wait.  selection: None for any message.  max_length: bytes.
    ending: text that ends each message of raw output.  group_options: None for none.
    rate: most messages in a second, None for no limit.  shape: form of the output, None for that of -o.
    lease_s: lease of the confirm id, None for none.
    """

    queue: str
    limit: int | None = 1
    wait_ms: int = 0
    options: int = MQGMO_SYNCPOINT | MQGMO_FAIL_IF_QUIESCING
    selection: Selection | None = None
    max_length: int | None = None
    ending: bytes = b""
    force: bool = False
    dry_run: bool = False
    group_options: GroupOptions | None = None
    rate: float | None = None
    shape: Shape | None = None
    lease_s: float | None = None

    def parameters(self) -> dict[str, Any]:
        """Return the other parameters of each get: a descriptor, where the options need one."""
        return self.group_options.parameters() if self.group_options else {}


def check_length(request: GetRequest, length: int) -> bool:
    """Return whether a message must be truncated. Raise MQError when it is longer than --max-length allows (7)."""
    if request.max_length is None or length <= request.max_length:
        return False
    if request.options & MQGMO_ACCEPT_TRUNCATED_MSG:
        return True
    raise MQError(
        f"the message has {length} bytes, more than --max-length {request.max_length}",
        MQRC_TRUNCATED_MSG_FAILED,
        hint="the message stays on the queue; --accept-truncated truncates it",
    )
