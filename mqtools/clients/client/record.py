"""Record of an exchange: the segments of a connection as JSON lines, without passwords."""

from __future__ import annotations

import json
import os
import time
from typing import IO

from mqtools.clients.wire.codes import SegmentType
from mqtools.clients.wire.segments import WireSegment

#: Types of segments that are recorded without their bodies: they have a user's password.
_SECRET = (SegmentType.CONAUTH_INFO, SegmentType.USERID_DATA)
#: Bytes of a body that are recorded; the rest is data of messages.
_MOST = 2048


class ExchangeRecord:
    """File that the segments of a connection are written to: one JSON object on a line for each."""

    def __init__(self, path: str) -> None:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        self._file: IO[str] = os.fdopen(descriptor, "w", encoding="utf-8")

    def note(self, segment: WireSegment, *, is_sent: bool) -> None:
        """Write one segment."""
        body = b"" if segment.kind in _SECRET else segment.body[:_MOST]
        line = {
            "at": round(time.time(), 6),
            "direction": "sent" if is_sent else "received",
            "type": segment.name,
            "eyecatcher": segment.eyecatcher.decode("ascii", "replace"),
            "flags": int(segment.flags),
            "conversation": segment.conversation,
            "request": segment.request,
            "order": "big" if segment.order == ">" else "little",
            "encoding": segment.encoding,
            "ccsid": segment.ccsid,
            "length": len(segment.body),
            "body": body.hex(),
        }
        self._file.write(json.dumps(line) + "\n")
        self._file.flush()

    def close(self) -> None:
        """Close the file."""
        self._file.close()
