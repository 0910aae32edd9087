"""Atomic output: files are written aside, listed in a manifest, then renamed into place, all or none.

A run has a folder of its own, ``_mqx/RUN`` in the target, which Spark does not see as data. Its steps:

1. ``claim.json``: the messages that the run is about to lock, written before it locks them.
2. ``data``: the files, as Spark writes them.
3. ``manifest.json``: every file is complete and on disk; from here on the run is finished, by itself or by the next.
4. Each file is renamed into place; then the locked messages may be removed from their queue.
5. The folder is deleted.

A run that was killed before step 3 has written nothing; the next run into the target unlocks what it had locked.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mqtools.constants.reasons import MQRC_OBJECT_IN_USE, MQRC_UNEXPECTED_ERROR
from mqtools.errors import MQError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Self

#: Folder in a target for runs and records, which are not data.
ASIDE = "_mqx"
_CLAIM, _DATA, _MANIFEST = "claim.json", "data", "manifest.json"
#: The record of the files of the last result.
_RESULT = "result"


class Target:
    """Output folder, locked by one run at a time for as long as the process lives.

    waits: for another run to end; otherwise another run is an error.
    """

    def __init__(self, folder: str, *, waits: bool = False) -> None:
        self.folder = os.path.abspath(folder)
        self.aside = os.path.join(self.folder, ASIDE)
        self._waits = waits
        self._lock = -1

    def __enter__(self) -> Self:
        os.makedirs(self.aside, mode=0o700, exist_ok=True)
        self._lock = os.open(os.path.join(self.aside, "lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | (0 if self._waits else fcntl.LOCK_NB))
        except BaseException as error:
            os.close(self._lock)
            if isinstance(error, BlockingIOError):
                raise MQError(f"{self.folder}: another run is writing to it", MQRC_OBJECT_IN_USE) from error
            raise
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._lock)

    def begin(self, claim: dict[str, Any]) -> Run:
        """Begin a run, and record what it is about to lock."""
        run = Run(self.folder, os.path.join(self.aside, os.urandom(8).hex()))
        os.mkdir(run.path, 0o700)
        _write_json(os.path.join(run.path, _CLAIM), claim)
        _fsync(self.aside)
        return run

    def write_run(
        self, write: Callable[[str], object], notes: dict[str, dict[str, Any]] | None = None, *, replaces: bool = False
    ) -> int:
        """Write files in a run that locks nothing, and publish them; return the number of rows.

        write: called with the folder to write into, which does not exist yet.  notes, replaces: as for ``Run.seal``.
        The files of a failed run are deleted.
        """
        run = self.begin({})
        try:
            write(run.data)
            rows = run.seal(notes, replaces=replaces)
        except BaseException:
            if run.manifest is None:
                run.discard()
            raise
        run.publish()
        run.end()
        return rows

    def killed_runs(self) -> Iterator[Run]:
        """Yield the runs that were killed, in no particular order."""
        for name in sorted(os.listdir(self.aside)):
            path = os.path.join(self.aside, name)
            if os.path.isdir(path):
                yield Run(self.folder, path)

    def note(self, name: str) -> dict[str, Any]:
        """Return a record kept beside the files; empty if there is none."""
        return _read_json(os.path.join(self.aside, f"{name}.json")) or {}


@dataclass(slots=True, frozen=True)
class Run:
    """One run into a folder. path: of its own folder."""

    folder: str
    path: str

    @property
    def data(self) -> str:
        """Return the folder that the files are written to; it does not exist yet."""
        return os.path.join(self.path, _DATA)

    @property
    def claim(self) -> dict[str, Any]:
        """Return what the run recorded when it began; empty if it was killed before that."""
        return _read_json(os.path.join(self.path, _CLAIM)) or {}

    @property
    def manifest(self) -> dict[str, Any] | None:
        """Return the list of the files, None as long as they are not complete."""
        return _read_json(os.path.join(self.path, _MANIFEST))

    def seal(
        self, notes: dict[str, dict[str, Any]] | None = None, *, replaces: bool = False, expected: int | None = None
    ) -> int:
        """Flush the files to disk and write the manifest; return the number of rows.

        notes: records to publish with the files.  replaces: the files of the previous result are deleted.
        expected: number of rows. Raises MQError if it differs: no manifest is written then.
        """
        files: list[str] = []
        rows = 0
        for folder, _, names in os.walk(self.data, topdown=False):
            os.chmod(folder, 0o700)
            for name in names:
                if name.endswith(".parquet"):
                    path = os.path.join(folder, name)
                    rows += _sync(path)
                    files.append(os.path.relpath(path, self.data))
            _fsync(folder)
        if expected is not None and rows != expected:
            raise MQError(
                f"{rows} messages were written, not {expected}: none is removed from its queue", MQRC_UNEXPECTED_ERROR
            )
        notes = {**(notes or {}), **({_RESULT: {"files": files}} if replaces else {})}
        _write_json(os.path.join(self.path, _MANIFEST), {"files": files, "rows": rows, "notes": notes})
        return rows

    def publish(self) -> int:
        """Rename the files into place, those that are not there yet; return the number of rows in all of them."""
        manifest = self.manifest or {}
        folders = set()
        for name in manifest.get("files", ()):
            final = os.path.join(self.folder, name)
            staged = os.path.join(self.data, name)
            os.makedirs(os.path.dirname(final), mode=0o700, exist_ok=True)
            if os.path.exists(staged):
                os.rename(staged, final)
            while (final := os.path.dirname(final)) not in folders and final != self.folder:
                folders.add(final)
        for folder in (*folders, self.folder):
            _fsync(folder)
        notes = manifest.get("notes", {})
        if _RESULT in notes:
            self._replace(notes[_RESULT]["files"])
        for name, note in notes.items():
            _write_json(os.path.join(self.folder, ASIDE, f"{name}.json"), note)
        return int(manifest.get("rows", 0))

    def _replace(self, files: list[str]) -> None:
        """Delete the files of the previous result."""
        for path in set(result_files(self.folder)) - {os.path.join(self.folder, name) for name in files}:
            with suppress(FileNotFoundError):
                os.unlink(path)

    def end(self) -> None:
        """Delete the folder of the run."""
        shutil.rmtree(self.path)

    def discard(self) -> None:
        """Delete the folder of a failed run; if Spark still writes to it, the next run deletes it."""
        with suppress(OSError):
            self.end()


def replace_result(folder: str, write: Callable[[str], object]) -> int:
    """Write a result into a folder in place of the previous one; return the number of rows.

    write: called with the folder to write into, which does not exist yet.
    Raises MQError: MQRC_OBJECT_IN_USE.
    """
    with Target(folder) as target:
        for killed in target.killed_runs():
            if killed.manifest is not None:
                killed.publish()
            killed.end()
        return target.write_run(write, replaces=True)


def result_files(folder: str) -> list[str]:
    """Return the paths of the files of the last result in a folder."""
    note = _read_json(os.path.join(folder, ASIDE, f"{_RESULT}.json")) or {"files": []}
    return [os.path.join(folder, name) for name in note["files"]]


def _sync(path: str) -> int:
    """Flush a file to disk and return the number of its rows."""
    import pyarrow.parquet as pq

    os.chmod(path, 0o600)
    _fsync(path)
    return int(pq.read_metadata(path).num_rows)


def _fsync(path: str) -> None:
    number = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def _write_json(path: str, content: dict[str, Any]) -> None:
    made = f"{path}.new"
    with open(os.open(made, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600), "w") as file:
        json.dump(content, file)
        file.flush()
        os.fsync(file.fileno())
    os.rename(made, path)
    _fsync(os.path.dirname(path))


def _read_json(path: str) -> dict[str, Any] | None:
    try:
        with open(path, encoding="utf-8") as file:
            found: dict[str, Any] = json.load(file)
    except FileNotFoundError:
        return None
    return found
