"""All queue managers of the home folder at a glance: counters of each, read again when its file has changed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, suppress
from threading import Event

from mqtools.configuration import locate, remotes
from mqtools.errors import MQError
from mqtools.operations.views.message_view import open_database
from mqtools.operations.views.queue_manager_glance import QueueManagerGlance, read_glance
from mqtools.tui.background.reader import value_or_error

#: State of a queue manager elsewhere, which is not asked.
ELSEWHERE = "elsewhere"
#: Interval of the checks whether a file has changed (seconds).
_LOOK_S = 1.0


def read_glances(stopped: Event) -> Iterator[object]:
    """Yield the lines of all queue managers, and again each time one has changed; or the error.

    stopped: set to end it.
    """
    elsewhere = value_or_error(remotes.read)
    known: dict[str, tuple[object, QueueManagerGlance]] = {}
    shown: object = None
    while not stopped.is_set():
        names = value_or_error(locate.list_names)
        if isinstance(names, Exception):
            yield names
            return
        known = {name: known[name] for name in names if name in known}
        for name in names:
            signature = _signature(locate.path_of(name))
            if name not in known or known[name][0] != signature:
                known[name] = signature, _glance(name)
            if stopped.is_set():
                return
        lines = [known[name][1] for name in names]
        if not isinstance(elsewhere, Exception):  # mqx remote list names its mistakes
            lines += [QueueManagerGlance(name, ELSEWHERE) for name in sorted(elsewhere)]
        if lines != shown:
            shown = lines
            yield lines
        stopped.wait(_LOOK_S)


def _signature(path: str) -> tuple[object, ...]:
    """Return what changes with a file and its log."""
    found: list[object] = []
    for each in (path, f"{path}-wal"):
        with suppress(OSError):
            status = os.stat(each)
            found.append((each, status.st_ino, status.st_size, status.st_mtime_ns))
    return tuple(found)


def _glance(name: str) -> QueueManagerGlance:
    try:
        with closing(open_database(locate.path_of(name), read_only=True)) as db:
            return read_glance(db, name)
    except (MQError, OSError, ValueError) as error:
        return QueueManagerGlance(name, problem=str(error))
