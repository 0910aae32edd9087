"""Log of the runs that have landed below a URI: numbered entries, each created only if it is not there, never changed.

Who adds an entry has read all before it, since its name is the next number and only one can get it; who loses reads the
other's, checks again, and takes the next. So the entries have one order, and what one says is decided when it is there.
An entry with ``files`` lands a run; one without them undoes it, so that it can never land.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from mqtools.operations.archive_files import LANDED
from pyspark_mqx.jobs.archive_files import in_parallel

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark_mqx.jobs.hadoop_files import Files

    Entry = dict[str, Any]

_NAME = re.compile(r"\d{12}\.json")


class LandingLog:
    """The log below a root. entries: those read so far, in order."""

    def __init__(self, files: Files) -> None:
        self.entries: list[Entry] = []
        self._files = files

    def refresh(self) -> None:
        """Read what others have added."""
        names = sorted(filter(_NAME.fullmatch, self._files.names(LANDED)))
        new = names[len(self.entries) :]
        self.entries += in_parallel(lambda name: json.loads(self._files.read(f"{LANDED}/{name}")), new)

    def decided(self, run: str) -> Entry | None:
        """Return the entry about a run, None as long as there is none."""
        return next((entry for entry in reversed(self.entries) if entry["run"] == run), None)

    def settle(self, entry: Entry, check: Callable[[], None] | None = None) -> Entry:
        """Add an entry about its run, unless there is one; return that which is there then.

        check: called before each attempt, when all other entries have been read; an error of it ends the attempts.
        """
        content = json.dumps(entry).encode()
        while True:
            self.refresh()
            if (there := self.decided(entry["run"])) is not None:
                return there
            if check is not None:
                check()
            if self._files.create(f"{LANDED}/{len(self.entries) + 1:012d}.json", content):
                self.entries.append(entry)
                return entry
