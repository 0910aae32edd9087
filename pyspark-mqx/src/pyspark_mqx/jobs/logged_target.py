"""Output below a URI: files are written under a prefix of their run, and count from the run's entry in the log on.

Nothing is locked or renamed there. The steps of a run:

1. ``_mqx/open/RUN.json``: when and where it began, and which messages it is about to lock.
2. ``_mqx/RUN/data``: the files, as Spark writes them.
3. An entry of the log (``landing_log``) with the names of the files: it has landed. Only now anybody reads them.
4. The locked messages are removed from their queue.
5. ``_mqx/open/RUN.json`` is deleted.

A run that was killed is decided by whoever comes first, with an entry that undoes it, unless it has landed. So a late
step 3, of a process that was thought dead, is refused, and it is known for ever which of both has happened.
"""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Any, Self

from mqtools.constants.reasons import MQRC_FUNCTION_NOT_SUPPORTED, MQRC_OBJECT_IN_USE
from mqtools.errors import MQError
from mqtools.operations.archive_files import ASIDE, data_prefix, is_data
from pyspark_mqx.jobs import file_locks
from pyspark_mqx.jobs.landing_log import LandingLog
from pyspark_mqx.jobs.output_files import check_rows
from pyspark_mqx.jobs.run_home import HOST, LONG_AGO_S, Finder, home_of, is_left_to_another, nowhere
from pyspark_mqx.jobs.run_target import RunTarget

if TYPE_CHECKING:
    from pyspark_mqx.jobs.hadoop_files import Files

_OPEN, _BEGUN = f"{ASIDE}/open", "begun_s"


class LoggedTarget(RunTarget):
    """Output below a URI, for any number of runs at the same time. Raises MQError where exactly once cannot be kept.

    log: of the same root, with the entries that are known already.
    """

    def __init__(self, files: Files, log: LandingLog | None = None) -> None:
        self.files = files
        self.folder = files.root
        self.log = log or LandingLog(files)

    def __enter__(self) -> Self:
        if why := self.files.why_not_exact:
            text = f"{self.folder}: nothing can be written exactly once: {why}"
            hint = "archive into a local or mounted folder, and copy that"
            raise MQError(text, MQRC_FUNCTION_NOT_SUPPORTED, hint=hint)
        self.log.refresh()
        return self

    def __exit__(self, *_: object) -> None: ...

    @contextmanager
    def hold(self, names: Iterable[str]) -> Iterator[None]:  # noqa: ARG002 - a folder locks these names
        """Hold nothing: what locks keep from happening is found when a run lands."""
        yield

    def begin(self, claim: dict[str, Any], holds: Iterable[str] = ()) -> LoggedRun:  # noqa: ARG002 - as ``hold``
        """Begin a run, and record what it is about to lock."""
        run = LoggedRun(self, os.urandom(8).hex(), claim)
        run.lock()
        begun = {**claim, HOST: socket.gethostname(), _BEGUN: int(time.time())}
        self.files.create(f"{_OPEN}/{run.name}.json", json.dumps(begun).encode())
        return run

    def forget_replaced(self) -> None:
        """Delete the files of earlier results."""
        last = max(n for n, entry in enumerate(self.log.entries) if entry.get("replaces"))
        there = set(self.files.names(ASIDE))
        for entry in self.log.entries[:last]:
            if entry["run"] in there:
                self.files.delete(f"{ASIDE}/{entry['run']}")

    def killed_runs(self, find: Finder = nowhere) -> Iterator[LoggedRun]:
        """Yield the runs that were killed and can be finished here, each decided: landed, or undone for ever.

        find: as for ``home_of``.
        """
        for name in sorted(self.files.names(_OPEN)):
            run_name, ending = os.path.splitext(name)
            if ending != ".json" or name.startswith("."):
                continue
            try:
                claim = json.loads(self.files.read(f"{_OPEN}/{name}"))
            except MQError:  # it has ended meanwhile
                if name in self.files.names(_OPEN):
                    raise
                continue
            run = LoggedRun(self, run_name, claim)
            run.home = home_of(claim, find)
            with ExitStack() as locked:
                if run.is_killed() and run.lock(waits=False):
                    locked.callback(run.unlock)
                    run.decide()
                    yield run

    def note(self, name: str) -> dict[str, Any]:
        """Return a record, the last that landed; empty if there is none."""
        return self.notes(name).get("", {})

    def notes(self, prefix: str) -> dict[str, dict[str, Any]]:
        """Return the records whose names begin with a prefix, by the rest of their names.

        One that a local run of an earlier time left in a folder that was copied here counts until a run replaces it.
        """
        ending = ".json"
        found = {
            name.removesuffix(ending).removeprefix(prefix): json.loads(self.files.read(f"{ASIDE}/{name}"))
            for name in self.files.names(ASIDE)
            if name.startswith(prefix) and name.endswith(ending)
        }
        for entry in self.log.entries:
            notes = entry.get("notes", {})
            found |= {name.removeprefix(prefix): note for name, note in notes.items() if name.startswith(prefix)}
        return found


class LoggedRun:
    """One run below a URI. claim: what it recorded when it began.  home: as of ``output_files.Run``."""

    def __init__(self, target: LoggedTarget, name: str, claim: dict[str, Any]) -> None:
        self.name = name
        self.claim = claim
        self.path = target.files.path(f"{_OPEN}/{name}.json")
        self.data = target.files.path(data_prefix(name))
        self._target = target
        self._files = target.files
        self._decided: dict[str, Any] | None = None
        self._is_sealing = False
        self.home: str | None = claim.get("path")
        self._lock = -1

    @property
    def manifest(self) -> dict[str, Any] | None:
        """Return the entry by which the run has landed, None if it has not."""
        return self._decided if self._decided is not None and "files" in self._decided else None

    def is_killed(self) -> bool:
        """Return whether the run may be a killed one that is ours to finish; one without messages after two days."""
        if "path" in self.claim:
            return not is_left_to_another(self.claim, self.home)
        return time.time() - float(self.claim[_BEGUN]) >= LONG_AGO_S

    def lock(self, *, waits: bool = True) -> bool:
        """Lock the run beside the queue manager whose messages it has: it lives as long as this process.

        Return False if another process has it. A run without messages has no lock.
        """
        if self.home is None:
            return True
        os.makedirs(os.path.dirname(self._lock_path), mode=0o700, exist_ok=True)
        number = file_locks.take(self._lock_path, is_shared=False, waits=waits, mode=0o600)
        self._lock = -1 if number is None else number
        return number is not None

    @property
    def _lock_path(self) -> str:
        return os.path.join(f"{self.home}-run", f"archive-{self.name}.lock")

    def decide(self) -> None:
        """Decide a killed run: undo it, unless it has landed."""
        self._decided = self._target.log.settle({"run": self.name})

    def seal(
        self,
        notes: dict[str, dict[str, Any]] | None = None,
        *,
        replaces: bool = False,
        expected: int | None = None,
        check: Callable[[], None] | None = None,
    ) -> int:
        """Land the run. As ``run_target.AnyRun.seal``; also raises MQError if another process has undone the run."""
        prefix = data_prefix(self.name)
        files = [name for name in self._files.walk(prefix) if is_data(os.path.basename(name))]
        self._files.settle(files)
        footers = self._files.footers(files)
        rows = sum(number for _, number in footers)
        check_rows(rows, expected)
        entry = {
            "run": self.name,
            "files": [name.removeprefix(f"{prefix}/") for name in files],
            "rows": rows,
            "columns": sorted({name for names, _ in footers for name in names}),
            "notes": notes or {},
            **({"replaces": True} if replaces else {}),
        }
        self._is_sealing = True
        self._decided = self._target.log.settle(entry, check)
        if self.manifest is None:
            text = f"{self._target.folder}: another process took this run for a killed one, and undid it"
            raise MQError(text, MQRC_OBJECT_IN_USE)
        return rows

    def undo(self) -> bool:
        """Undo a run that failed, for ever; return False if it has landed."""
        if self._is_sealing:
            self.decide()
        return self.manifest is None

    def publish(self) -> int:
        """Return the number of rows: what has landed is there."""
        return int((self.manifest or {}).get("rows", 0))

    def end(self) -> None:
        """Delete the record of the run; of one that has not landed, the files too."""
        if self.manifest is None:
            self._files.delete(f"{ASIDE}/{self.name}")
        self.unlock(is_over=True)
        self._files.delete(f"{_OPEN}/{self.name}.json")

    def discard(self) -> None:
        """Delete a failed run; what Spark still writes stays, and counts for nothing."""
        self.end()

    def unlock(self, *, is_over: bool = False) -> None:
        """Release the lock of the run, and delete it if the run is over."""
        if self._lock < 0:
            return
        if is_over:
            with suppress(FileNotFoundError):
                os.unlink(self._lock_path)
        os.close(self._lock)
        self._lock = -1
