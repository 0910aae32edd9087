"""The live browser of a queue manager elsewhere: over a mirror that a thread fills."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from mqtools.constants.reasons import MQRC_UNKNOWN_OBJECT_NAME
from mqtools.errors import MQError
from mqtools.operations.browsed_queue import base_of
from mqtools.tui.background.mirror_thread import MirrorThread

from .command_session import Session
from .live_browser import BrowsedPlace
from .mirrored import temporary_mirror


@contextmanager
def open_mirror(session: Session, name: str, q_name: str) -> Iterator[BrowsedPlace]:
    """Yield a mirror of a queue manager, and the local queue that a name leads to; empty for no name.

    Raises MQError: MQRC_UNKNOWN_OBJECT_NAME for an unknown queue; as a connection does.
    """
    there = session.replace(quiet=True).connect_elsewhere(name, changes=False)  # its notes would be drawn over
    with temporary_mirror(there) as mirror:
        thread = MirrorThread(mirror, name)
        found = base_of(there, q_name) if q_name else ""
        if found and all(row["name"] != found for row in thread.rows):
            raise MQError(f"queue {q_name} does not exist", MQRC_UNKNOWN_OBJECT_NAME, q_name=q_name)
        try:
            yield BrowsedPlace(mirror.here.path, found, thread)
        finally:
            if thread.stop():
                there.disconnect()
