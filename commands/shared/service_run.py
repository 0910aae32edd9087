"""Run of a service that serves channels or clients: it ends in order on a signal."""

from __future__ import annotations

import signal
from collections.abc import Callable

from mqtools.constants.reasons import MQRC_CHANNEL_STOPPED
from mqtools.errors import MQError
from mqtools.operations.shutdown import Shutdown

from .command_session import DONE
from .service_signals import ServiceSignals

#: Seconds that the callers of a listener have to finish their batches or units of work.
_GRACE_S = 10.0
#: Seconds that a service without a batch in hand has to end: it may be connecting, or waiting for a first message.
_IDLE_GRACE_S = 2.0


def run_until_signal(run: Callable[[Shutdown], None], *, at_exit: Callable[[], None] | None = None) -> int:
    """Run a service until it ends or a signal ends it after the current batches; return the exit status.

    at_exit: called before a second signal, or the end of the grace, ends the process at once. With it SIGHUP ends the
    service in order, too, unless it is ignored.
    """
    shutdown = Shutdown()

    def end() -> float | None:
        shutdown.request()
        return None if shutdown.is_busy else _IDLE_GRACE_S

    has_hangup = at_exit is not None and signal.getsignal(signal.SIGHUP) != signal.SIG_IGN
    others: dict[int, Callable[[], None]] = {signal.SIGHUP: shutdown.request} if has_hangup else {}
    with ServiceSignals(end, at_exit=at_exit, others=others) as signals:
        try:
            run(shutdown)
        except MQError as error:
            if not (signals.came and error.reason == MQRC_CHANNEL_STOPPED):
                raise
        shutdown.wait(_GRACE_S)
    return signals.status if signals.came else DONE
