"""Atomic output: files are written under temporary names, listed in a manifest, then renamed into place, all or none.

Runs of many processes and machines write into one archive at the same time: each holds the lock of its own run, and
those that write events the locks of the queue managers these are of. A result is written by one run at a time.

A run has its own folder, ``_mqx/RUN`` in the target, which Spark does not see as data. Its steps:

1. ``claim.json``: the messages that the run is about to lock, written before it locks them.
2. ``data``: the files, as Spark writes them.
3. ``manifest.json``: every file is complete and on disk; from here on the run is finished, by itself or by the next.
4. Each file is renamed into place; then the locked messages may be removed from their queue.
5. The folder is deleted.

A run that was killed before step 3 has written nothing; the next run into the target unlocks what it had locked. Only
the machine that a run was killed on, or one that has its queue manager, finishes it (``Run.is_foreign``). A run that
locks events first finishes every killed run of these events, then reads how far they are written.
"""

from __future__ import annotations

import os
import shutil
import socket
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Self
from urllib.parse import unquote

import pyarrow.parquet as pq

from mqtools.constants.reasons import MQRC_OBJECT_IN_USE, MQRC_UNEXPECTED_ERROR
from mqtools.errors import MQError
from mqtools.formats.files import flush_path
from mqtools.operations.archive_files import ASIDE, LANDED, landed_files
from pyspark_mqx.jobs import file_locks
from pyspark_mqx.jobs.archive_files import in_parallel
from pyspark_mqx.jobs.durable_files import (
    folder_mode,
    make_folder,
    make_folders,
    read_json,
    set_mode,
    write_json,
)
from pyspark_mqx.jobs.run_home import (
    HOST,
    LONG_AGO_S,
    Finder,
    home_of,
    nowhere,
)

_CLAIM, _DATA, _MANIFEST = "claim.json", "data", "manifest.json"
#: The record of the files of the last result, and that of the table whose staging folder this is.
_RESULT, TABLE = "result", "table"
#: In a claim: the names whose locks the run held.
_HOLDS = "holds"
#: Permissions of files: of their owner only.
PRIVATE = 0o600


class FolderTarget:
    """Output folder of a run.

    waits: for other runs to end; otherwise another run is an error.  is_shared: runs may write at the same time; else
    one at a time.  mode: permissions of new files; folders may be searched too by who may read.
    """

    def __init__(self, folder: str, *, waits: bool = False, is_shared: bool = False, mode: int = PRIVATE) -> None:
        self.folder = os.path.abspath(folder)
        self.aside = os.path.join(self.folder, ASIDE)
        self.mode = mode
        self._waits = waits
        self._is_shared = is_shared
        self._lock = -1
        self._held: set[str] = set()

    def __enter__(self) -> Self:
        self._check_kind()
        make_folders(self.aside, self.mode)
        self._lock = self._take("lock", is_shared=self._is_shared, what="another run is writing to it")
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._lock)

    def _check_kind(self) -> None:
        """Check that runs of this kind write into the folder. Raises MQError."""
        if os.path.isdir(os.path.join(self.folder, LANDED)):
            raise MQError(
                f"{self.folder}: it was written by a URI, and has a log that a path does not continue",
                MQRC_OBJECT_IN_USE,
                hint="use the same URI, or another folder",
            )
        if about := self.note(TABLE):
            text = f"{self.folder}: this is the staging folder of the Delta table {about['table']}"
            raise MQError(text, MQRC_OBJECT_IN_USE, hint="--format delta, or another folder")

    @contextmanager
    def hold(self, names: Iterable[str]) -> Iterator[None]:
        """Hold the locks of names in the block. Raises MQError: MQRC_OBJECT_IN_USE."""
        with ExitStack() as taken:
            for name in sorted(set(names) - self._held):
                what = f"another run is writing messages or events of {unquote(name.partition('-')[2])}"
                taken.callback(os.close, self._take(f"{name}.lock", is_shared=False, what=what))
                taken.callback(self._held.remove, name)
                self._held.add(name)
            yield

    def _take(self, name: str, *, is_shared: bool, what: str) -> int:
        path = os.path.join(self.aside, name)
        number = file_locks.take(path, is_shared=is_shared, waits=self._waits, mode=self.mode)
        if number is None:
            raise MQError(f"{self.folder}: {what}", MQRC_OBJECT_IN_USE)
        return number

    def begin(self, claim: dict[str, Any], holds: Iterable[str] = ()) -> OutputRun:
        """Begin a run, and record what it is about to lock. holds: names whose locks this target holds."""
        path = os.path.join(self.aside, os.urandom(8).hex())
        lock = file_locks.take_alone(f"{path}.lock", mode=self.mode)
        run = self._run(path, lock)
        make_folder(path, self.mode)
        claim = {**claim, HOST: socket.gethostname(), **({_HOLDS: sorted(holds)} if holds else {})}
        write_json(os.path.join(path, _CLAIM), claim, self.mode)
        flush_path(self.aside)
        return run

    def _run(self, path: str, lock: int) -> OutputRun:
        return OutputRun(self.folder, path, self.mode, lock)

    def write_run(
        self,
        write: Callable[[str], object],
        notes: dict[str, dict[str, Any]] | None = None,
        *,
        replaces: bool = False,
        holds: Iterable[str] = (),
    ) -> int:
        """Write files in a run that locks nothing, and publish them; return the number of rows.

        write: called with the folder to write into, which does not exist yet.  notes, replaces: as for
        ``OutputRun.seal``.  holds: as for ``begin``.  The files of a failed run are deleted.
        """
        run = self.begin({}, holds)
        try:
            write(run.data)
            rows = run.seal(notes, replaces=replaces)
        except BaseException:
            run.undo()
            run.discard()
            raise
        try:
            run.publish()
            run.end()
        finally:
            run.unlock()  # a run that could not be published is finished by the next, of this process too
        return rows

    def killed_runs(self, find: Finder = nowhere) -> Iterator[OutputRun]:
        """Yield the runs that were killed and can be finished here, each locked, in no particular order.

        A run that held the locks of this target is dead, also on another machine. If another process finishes it, this
        waits for that. find: as for ``home_of``.
        """
        for name in sorted(os.listdir(self.aside)):
            path = os.path.join(self.aside, name)
            if not os.path.isdir(path):
                continue
            run = self._run(path, -1)
            is_ours = not self._held.isdisjoint(run.claim.get(_HOLDS, ()))
            lock = file_locks.take(f"{path}.lock", is_shared=False, waits=is_ours, mode=self.mode)
            if lock is None:
                continue  # it is running
            run.lock = lock
            try:
                if os.path.isdir(path):
                    run.home = home_of(run.claim, find)
                    if is_ours or not run.is_foreign:
                        yield run
            finally:
                run.unlock()

    def note(self, name: str) -> dict[str, Any]:
        """Return a record kept with the files; empty if there is none."""
        return read_json(os.path.join(self.aside, f"{name}.json")) or {}

    def number(self, name: str) -> int:  # noqa: ARG002 - a table has transactions with these names
        """Return the number of a record that the output itself knows, -1 if it knows none."""
        return -1

    def notes(self, prefix: str) -> dict[str, dict[str, Any]]:
        """Return the records whose names begin with a prefix, by the rest of their names."""
        ending = ".json"
        names = [name for name in sorted(os.listdir(self.aside)) if name.startswith(prefix) and name.endswith(ending)]
        return {name[len(prefix) : -len(ending)]: self.note(name.removesuffix(ending)) for name in names}


@dataclass(slots=True)
class OutputRun:
    """One run into a folder. path: of its own folder.  mode: as of the target.  lock: file of its lock, open.

    home: of a killed run, as ``home_of``.
    """

    folder: str
    path: str
    mode: int = PRIVATE
    lock: int = -1
    home: str | None = None

    @property
    def data(self) -> str:
        """Return the folder that the files are written to; it does not exist yet."""
        return os.path.join(self.path, _DATA)

    @property
    def claim(self) -> dict[str, Any]:
        """Return what the run recorded when it began; empty if it was killed before that."""
        return read_json(os.path.join(self.path, _CLAIM)) or {}

    @property
    def is_foreign(self) -> bool:
        """Return whether a killed run is left to another machine, where it ran and its queue manager is.

        One that locked no messages is left for two days: its machine may be one that comes back under another name.
        """
        claim = self.claim
        if claim.get(HOST, socket.gethostname()) == socket.gethostname():
            return False
        if "path" in claim:
            return self.home is None
        with suppress(FileNotFoundError):
            return time.time() - os.stat(self.path).st_mtime < LONG_AGO_S
        return False

    @property
    def manifest(self) -> dict[str, Any] | None:
        """Return the list of the files, None as long as they are not complete."""
        return read_json(self.manifest_path)

    @property
    def manifest_path(self) -> str:
        """Return the path of the manifest."""
        return os.path.join(self.path, _MANIFEST)

    def seal(
        self,
        notes: dict[str, dict[str, Any]] | None = None,
        *,
        replaces: bool = False,
        expected: int | None = None,
    ) -> int:
        """Flush the files to disk and write the manifest; return the number of rows.

        notes: records to publish with the files.  replaces: the files of the previous result are deleted.
        expected: number of rows; raises MQError if it differs, and the files count for nothing.
        """
        files: list[str] = []
        folders: list[str] = []
        for folder, _, names in os.walk(self.data, topdown=False):
            set_mode(folder, folder_mode(self.mode))
            files += [os.path.join(folder, name) for name in names if name.endswith(".parquet")]
            folders.append(folder)
        in_parallel(flush_path, folders)
        rows = sum(in_parallel(self._sync, files))
        if expected is not None and rows != expected:
            text = f"{rows} messages were written, not {expected}: none is removed from its queue"
            raise MQError(text, MQRC_UNEXPECTED_ERROR)
        names = [os.path.relpath(path, self.data) for path in files]
        notes = {**(notes or {}), **({_RESULT: {"files": names}} if replaces else {})}
        manifest = {"files": names, "rows": rows, "notes": notes}
        write_json(self.manifest_path, manifest, self.mode)
        return rows

    def _sync(self, path: str) -> int:
        """Flush a file to disk and return the number of its rows."""
        set_mode(path, self.mode)
        flush_path(path)
        return int(pq.read_metadata(path).num_rows)

    def undo(self) -> None:
        """Undo a run that failed before it was published.

        Without its manifest no later run publishes it, even if its folder cannot be deleted.
        """
        with suppress(FileNotFoundError):
            os.unlink(self.manifest_path)
            flush_path(self.path)

    def publish(self) -> int:
        """Put the files into place, those that are not there yet; return the number of rows in all of them."""
        manifest = self.manifest or {}
        self.place(manifest)
        notes = manifest.get("notes", {})
        if _RESULT in notes:
            self._replace(notes[_RESULT]["files"])
        for name, note in notes.items():
            write_json(os.path.join(self.folder, ASIDE, f"{name}.json"), note, self.mode)
        return int(manifest.get("rows", 0))

    def place(self, manifest: dict[str, Any]) -> None:
        """Rename the files of a manifest into place."""
        folders = set()
        for name in manifest.get("files", ()):
            final = os.path.join(self.folder, name)
            staged = os.path.join(self.data, name)
            if (folder := os.path.dirname(final)) not in folders:
                make_folders(folder, self.mode)
            if os.path.exists(staged):
                os.rename(staged, final)
            while folder not in folders and folder != self.folder:
                folders.add(folder)
                folder = os.path.dirname(folder)
        in_parallel(flush_path, (*folders, self.folder))

    def _replace(self, files: list[str]) -> None:
        """Delete the files of the previous result."""
        for path in set(result_files(self.folder)) - {os.path.join(self.folder, name) for name in files}:
            with suppress(FileNotFoundError):
                os.unlink(path)

    def end(self) -> None:
        """Delete the folder of the run."""
        shutil.rmtree(self.path)
        self.unlock()

    def unlock(self) -> None:
        """Release the lock of the run; of one that has ended, delete it."""
        if self.lock < 0:
            return
        if not os.path.isdir(self.path):
            with suppress(FileNotFoundError):
                os.unlink(f"{self.path}.lock")
        os.close(self.lock)
        self.lock = -1

    def discard(self) -> None:
        """Delete the folder of a failed run; if Spark still writes to it, the next run deletes it."""
        with suppress(OSError):
            self.end()
        self.unlock()


def replace_result(folder: str, write: Callable[[str], object], *, mode: int = PRIVATE) -> int:
    """Write a result into a folder in place of the previous one; return the number of rows.

    write: called with the folder to write into, which does not exist yet.  mode: as of ``FolderTarget``.
    Raises MQError: MQRC_OBJECT_IN_USE.
    """
    with FolderTarget(folder, mode=mode) as target:
        for killed in target.killed_runs():
            if killed.manifest is not None:
                killed.publish()
            killed.end()
        return target.write_run(write, replaces=True)


def result_files(folder: str) -> list[str]:
    """Return the paths of the files of the last result in a folder."""
    note = read_json(os.path.join(folder, ASIDE, f"{_RESULT}.json")) or {"files": []}
    return [*(os.path.join(folder, name) for name in note["files"]), *landed_files(folder)]
