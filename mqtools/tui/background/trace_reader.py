"""Trace of a message, read in its own thread from the journals of all queue managers of the home folder.

They are read again when a file has changed, so that what happens to the message is seen when it happens.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from threading import Event
from typing import Any

from mqtools.configuration import locate
from mqtools.errors import MQError
from mqtools.operations.trace.journals import JournalSource
from mqtools.operations.trace.rows import rows_of
from mqtools.operations.trace.story import find_story
from mqtools.tui.background.reader import value_or_error

#: Interval of the checks whether a file has changed (seconds).
_LOOK_S = 0.25


def read_trace(stopped: Event, *, path: str, msg_id: bytes, check: Callable[[], None]) -> Iterator[Any]:
    """Yield the rows of the trace of a message, and again each time they have changed; an error is the last value.

    stopped: set to end it.  path: of the queue manager that is browsed, which comes first.  check: raises MQError if
    the path now leads to another file.
    """
    if (error := value_or_error(check)) is not None:
        yield error
        return
    rows: list[dict[str, object]] | None = None
    versions: object = None
    with ExitStack() as stack:
        sources = list(_sources(path, stack))
        while not stopped.is_set():
            found = value_or_error(lambda: [source.version() for source in sources])
            if found != versions:
                versions = found
                value = value_or_error(lambda: rows_of(find_story(sources, {msg_id})))
                if value != rows:
                    yield value
                if isinstance(value, Exception):
                    return
                rows = value
            stopped.wait(_LOOK_S)


def _sources(path: str, stack: ExitStack) -> Iterator[JournalSource]:
    """Open the journals; a file that cannot be read is left out."""
    paths = [path, *map(locate.path_of, locate.list_names())]
    for each in dict.fromkeys(map(os.path.realpath, paths)):
        try:
            source = JournalSource(each)
        except MQError:
            continue
        stack.callback(source.close)
        yield source
