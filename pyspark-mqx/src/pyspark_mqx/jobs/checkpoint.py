"""Checkpoint folder of a stream: Spark's offsets and commits, and our own metadata.

``_mqx.json`` has the identifier of the stream, which targets recognise its batches by, and its target; ``_mqx.lock``
is locked while the stream runs; ``_mqx.planned`` has the end of the batch in hand; ``_mqx.lost`` has records of lost
events.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Self

from mqtools.constants.reasons import MQRC_OBJECT_IN_USE
from mqtools.errors import MQError, UsageError
from pyspark_mqx.jobs import file_locks
from pyspark_mqx.jobs.durable_files import read_json, write_json

if TYPE_CHECKING:
    from pyspark_mqx.source.offsets import Offset


class Checkpoint:
    """Checkpoint folder, used by one process at a time.

    target: description of what the stream writes to, the same on each run.
    """

    def __init__(self, folder: str, target: str) -> None:
        self.folder = os.path.abspath(folder)
        self.target = target
        self.identifier = ""
        self._lock = -1

    @property
    def lost(self) -> str:
        """Return the folder of notes about lost events."""
        return os.path.join(self.folder, "_mqx.lost")

    def __enter__(self) -> Self:
        """Lock the folder, which is created if necessary. Raises MQError: in use; UsageError."""
        os.makedirs(self.folder, mode=0o700, exist_ok=True)
        lock = file_locks.take(os.path.join(self.folder, "_mqx.lock"), is_shared=False, waits=False, mode=0o600)
        if lock is None:
            raise MQError(f"{self.folder}: another stream uses this checkpoint", MQRC_OBJECT_IN_USE)
        self._lock = lock
        try:
            path = os.path.join(self.folder, "_mqx.json")
            about = read_json(path)
            if about is None:
                about = {"id": os.urandom(16).hex(), "target": self.target}
                write_json(path, about, 0o600)
            if about["target"] != self.target:
                # The other target would miss the events already read.
                text = f"{self.folder}: this checkpoint is of a stream to {about['target']}, not to {self.target}"
                raise UsageError(text, "use a separate checkpoint folder for each stream")
        except BaseException:
            os.close(self._lock)
            raise
        self.identifier = str(about["id"])
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._lock)

    @property
    def planned(self) -> str:
        """Return the path of the file with the end of the batch that was planned last, which the source writes."""
        return os.path.join(self.folder, "_mqx.planned")

    def end(self) -> Offset:
        """Return the end of the batch that was planned last: Spark plans one when the one before is written."""
        with open(self.planned, encoding="utf-8") as file:
            offset: Offset = json.load(file)
        return offset
