"""Gets that wait without a thread: a server watches their descriptors, and looks again when one can be read.

The bell of a connection wakes all of its outstanding gets: ``drain`` it, then look for each of them.
"""

from __future__ import annotations

import time
from contextlib import suppress
from typing import Any

from mqtools.calls.sessions import CallSession
from mqtools.constants.options import MQGMO_PROPERTIES_IN_HANDLE, MQGMO_UNLOCK
from mqtools.constants.reasons import MQRC_HMSG_ERROR, MQRC_OPTIONS_ERROR
from mqtools.errors import MQError
from mqtools.message import MQMD
from mqtools.mqi.get.get import end_without_message, search, stop_waiting
from mqtools.mqi.get.request import Attempt, GetResult
from mqtools.mqi.handle import Handle
from mqtools.store.liveness import Ends


def bell(session: CallSession) -> int | None:
    """Return the descriptor that can be read when a message may have come; None while no get waits.

    The number stays the same, but it is another pipe after the first was removed: watch it by poll or select.
    """
    presence = session.connection.presence
    return None if presence is None else presence.bell


def drain(session: CallSession) -> None:
    """Read the rings of a bell."""
    presence = session.connection.presence
    if presence is not None and presence.bell is not None:
        presence.drain()


class OutstandingGet:
    """An MQGET that never sleeps.

    look_at: instant of the next look by ``time.monotonic``, even if nothing can be read.  descriptors: besides the
    bell; POLLHUP for one of them ends the wait.
    """

    def __init__(
        self, session: CallSession, opened: Handle, gmo: dict[str, Any], md: MQMD, max_length: int | None = None
    ) -> None:
        """Check the options. gmo: values of an MQGMO; its time begins now.  max_length: None without limit.

        md: filled in with the descriptor of the message.
        """
        if gmo["Options"] & MQGMO_PROPERTIES_IN_HANDLE:
            raise MQError("a message handle cannot be shared between clients", MQRC_HMSG_ERROR)
        if gmo["Options"] & MQGMO_UNLOCK:
            raise MQError("an unlock cannot be combined with a wait", MQRC_OPTIONS_ERROR)
        request = opened.request(
            gmo["Options"], md, gmo["MatchOptions"], gmo["WaitInterval"], max_length, gmo["MsgToken"], gmo["Version"]
        )
        self._connection = session.connection
        self._attempt = Attempt(request.replace(in_message=False))
        self._ends: Ends | None = None
        self.look_at = 0.0

    @property
    def descriptors(self) -> list[int]:
        return [] if self._ends is None else self._ends.descriptors

    def look(self) -> GetResult | None:
        """Search once. Return the message, or None while the get waits.

        Raises NoMessageAvailable when its time is out, MQError as ``Handle.get``. After a message or an error it has
        ended.
        """
        is_waiting = False
        try:
            presence = self._connection.presence
            if self._ends is not None and presence is not None:
                presence.renew_bell()
            result = search(self._attempt)
            while result is None and self._attempt.is_recorded and not self._watch():
                result = search(self._attempt)
            is_waiting = result is None and self._attempt.is_recorded
            return result if is_waiting or result is not None else end_without_message(self._attempt)
        finally:
            if not is_waiting:
                self.end()

    def _watch(self) -> bool:
        """Watch for the end of other connections; return False if one has ended, so that a search may find more."""
        assert self._attempt.wait is not None
        self._unwatch()
        sleep_s, others = self._attempt.wait.sleep
        self._ends = Ends(self._connection.db, others).__enter__()
        self.look_at = time.monotonic() + (self._ends.turn_s if sleep_s is None else min(self._ends.turn_s, sleep_s))
        return not self._ends.is_one_gone

    def _unwatch(self) -> None:
        if self._ends is not None:
            self._ends.__exit__()
            self._ends = None

    def end(self) -> None:
        """End the wait without a message. Not needed when the connection ends: that ends its waits."""
        self._unwatch()
        if self._attempt.is_recorded and not self._connection.has_ended:
            with suppress(MQError):  # the next call says why
                stop_waiting(self._attempt)
