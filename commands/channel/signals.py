"""Signal handling of channel services: SIGTERM and SIGINT end the service after the current batches."""

from __future__ import annotations

from collections.abc import Callable

from mqtools.channel.shutdown import Shutdown
from mqtools.constants.reasons import MQRC_CHANNEL_STOPPED
from mqtools.errors import MQError

from ..shared.command_session import DONE
from ..shared.service_signals import ServiceSignals

#: Seconds that the callers of a listener have to finish their batches.
_GRACE_S = 10.0
#: Seconds that a service without a batch in hand has to end: it may be connecting, or waiting for a first message.
_IDLE_GRACE_S = 2.0


def serve_until_signal(run: Callable[[Shutdown], None]) -> int:
    """Run a channel service until it ends or a signal ends it after the current batches; return the exit status."""
    shutdown = Shutdown()

    def end() -> float | None:
        shutdown.request()
        return None if shutdown.is_busy else _IDLE_GRACE_S

    with ServiceSignals(end) as signals:
        try:
            run(shutdown)
        except MQError as error:
            if not (signals.came and error.reason == MQRC_CHANNEL_STOPPED):
                raise
        shutdown.wait(_GRACE_S)
    return signals.status if signals.came else DONE
