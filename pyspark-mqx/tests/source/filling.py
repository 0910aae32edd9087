"""Messages on the queues of a file that is read."""

from __future__ import annotations

from typing import Any


def fill(qm: Any, number: int = 10) -> list[bytes]:
    """Put messages on Q and R; return their data in the order in which they are read."""
    sent = [b"%s %d" % (queue, n) for queue in (b"Q", b"R") for n in range(number)]
    for each in sent:
        qm.put(each, each[:1].decode())
    return sent
