"""Signal handling of channel services: SIGTERM and SIGINT end the service after the current batches."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

from mqtools.channel.shutdown import Shutdown
from mqtools.constants.reasons import MQRC_CHANNEL_STOPPED
from mqtools.errors import MQError

from ..shared.command_session import DONE, INTERRUPTED, Terminated

if TYPE_CHECKING:
    from collections.abc import Callable

#: Seconds that the callers of a listener have to finish their batches.
_GRACE_S = 10.0


class _Interrupted(BaseException):
    """Raised by the first signal when no batch is in progress."""


def serve_until_signal(run: Callable[[Shutdown], None]) -> int:
    """Run a channel service; return its exit status: 0, also after SIGTERM, or 130 after SIGINT.

    The first signal ends the service after the current batches. A second one ends it at once with KeyboardInterrupt or
    Terminated.
    """
    shutdown = Shutdown()
    came: list[int] = []

    def end(number: int, _: object) -> None:
        came.append(number)
        if len(came) > 1:
            raise KeyboardInterrupt if number == signal.SIGINT else Terminated
        if not shutdown.request():
            raise _Interrupted

    wanted = [number for number in (signal.SIGTERM, signal.SIGINT) if signal.getsignal(number) != signal.SIG_IGN]
    before = [signal.signal(number, end) for number in wanted]
    try:
        try:
            run(shutdown)
        except _Interrupted:
            pass  # nothing was in hand
        except MQError as error:
            if not (came and error.reason == MQRC_CHANNEL_STOPPED):
                raise
        shutdown.wait(_GRACE_S)
    finally:
        for number, handler in zip(wanted, before, strict=True):
            signal.signal(number, handler)
    return INTERRUPTED if came[:1] == [signal.SIGINT] else DONE
