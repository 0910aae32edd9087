"""The live browser of a queue manager elsewhere: over a mirror that a thread fills."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from mqtools.constants.reasons import MQRC_UNKNOWN_OBJECT_NAME
from mqtools.errors import MQError
from mqtools.operations.browsed_queue import base_of
from mqtools.tui.background.mirror_thread import MirrorThread

from . import elsewhere
from .command_session import Session
from .live_browser import BrowsedPlace
from .mirrored import temporary_mirror


@contextmanager
def open_mirror(session: Session, name: str, q_name: str) -> Iterator[BrowsedPlace]:
    """Yield a mirror of a queue manager, and the local queue that a name leads to; empty for no name.

    Raises MQError: MQRC_UNKNOWN_OBJECT_NAME for an unknown queue; as a connection does.
    """
    session = session.replace(quiet=True)  # its notes would be drawn over
    there = session.connect_elsewhere(name, changes=False)
    session.password = there.options.password  # no prompt comes while the browser has the terminal
    connect = partial(session.connect_elsewhere, name, changes=True)
    with temporary_mirror(there) as mirror:
        is_read_write = elsewhere.may_change(elsewhere.find(name), read_write=session.read_write)
        found = mirror.q_name = base_of(there, q_name) if q_name else ""
        thread = MirrorThread(mirror, name, connect if is_read_write else None)
        if found and all(row["name"] != found for row in thread.rows):
            raise MQError(f"queue {q_name} does not exist", MQRC_UNKNOWN_OBJECT_NAME, q_name=q_name)
        try:
            yield BrowsedPlace(mirror.here.path, found, thread)
        finally:
            if thread.stop():
                there.disconnect()
