"""Where a killed run belongs: to the machine that it ran on, and to the queue manager whose messages it has locked."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from mqtools.errors import MQError
from pyspark_mqx.source.offsets import identifier_of

#: Finder of queue managers: from a QMID to a path.
Finder = Callable[[str], "str | None"]

#: In a claim: the machine of the run.
HOST = "host"
#: Age in seconds (two days) of a killed run of another machine that is deleted.
LONG_AGO_S = 172_800


def nowhere(_: str) -> None:
    """Find no queue manager."""


def home_of(claim: Mapping[str, Any], find: Finder) -> str | None:
    """Return the path of the queue manager whose messages a killed run has locked; None if it is nowhere here.

    find: returns the path of a QMID among the queue managers of the job, for one that has moved.
    """
    path, identifier = claim.get("path"), claim.get("qmid")
    if path is None or identifier is None:
        return path
    return str(path) if _has(path, identifier) else find(identifier)


def _has(path: str, identifier: str) -> bool:
    """Return whether the file of a queue manager is at a path; one that cannot be read is none."""
    try:
        return os.path.isfile(path) and identifier_of(path) == identifier
    except MQError:
        return False
