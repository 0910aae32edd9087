"""Copies of large files, so that several tasks read one state of a file side by side.

SQLite shows a state to one connection only: no other can be told to begin where it stands. Of the ways round that:

- Tasks that begin at different times see one state only if no program writes meanwhile.
- A process could hold a state for the others, while they read the file and its log of that time. But then the log could
  not be moved into the file as long as a reader may still ask: a frame may be used again at any time before its
  application ends. And it would read files of SQLite past SQLite.
- A copy holds the file in use for about a second for each gigabyte, and nothing afterwards.

A copy pays where reading costs more than copying, so where messages are short or processors many: ``number_of_ranges``.
It is in the folder of Spark's application, which deletes it when it ends.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass

from mqtools.errors import StorageError
from mqtools.store.database import Database
from mqtools.store.maintenance import copies, space

#: Nanoseconds of processor: to read a message, and to copy a byte (1.3), write it to the disk and remove it.
_MESSAGE_NS, _BYTE_NS = 3_000, 2
#: Messages of a range at least: half a second of work, where a task may first have to start a process.
_LEAST = 200_000
#: A copy is at most this part of the memory: a larger one is written no faster than the disk is.
_PART_OF_MEMORY = 8
#: Copies of one file in one application at most, each of another state; later reads are by one task each.
MOST = 4
#: The room on the disk that must be left, in sizes of the copy.
_ROOM = 2

#: The environment of what Spark starts names its folders; a session of ours adds how many tasks it runs here.
_FOLDERS, PROCESSORS = "SPARK_LOCAL_DIRS", "MQX_SPARK_PROCESSORS"
#: The master of a Spark whose tasks all run on this machine, among the arguments of its Java; how many processors.
_MASTER = re.compile(r"(?:spark\.master=)?local(?:\[(\d+|\*)(?:,\s*\d+)?\])?")


@dataclass(slots=True, frozen=True)
class Place:
    """Where copies may lie, and who reads them. folders: of the application.  processors: of its tasks on this machine,
    1 for a Spark whose tasks run elsewhere, or may do so.
    """

    folders: tuple[str, ...] = ()
    processors: int = 1

    @classmethod
    def of_planner(cls, environ: Mapping[str, str] = os.environ) -> Place:
        """Return the place as the process sees it that Spark starts to plan a read."""
        folders = tuple(filter(None, environ.get(_FOLDERS, "").split(",")))
        return cls(folders, int(environ.get(PROCESSORS, "1")) if folders else 1)


def processors_of(master: str) -> int:
    """Return how many tasks a Spark runs at a time on this machine, by its master; 1 for one of several machines."""
    found = _MASTER.fullmatch(master)
    if found is None:
        return 1
    return (os.cpu_count() or 1) if found[1] == "*" else int(found[1] or 1)


def number_of_ranges(messages: int, size: int, place: Place) -> int:
    """Return in how many ranges to read messages of a file: 1 where a copy would cost as much as it saves.

    size: of the file in bytes; the whole file is copied.
    """
    number = min(place.processors, messages // _LEAST)
    if number < 2 or size * _PART_OF_MEMORY > os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"):
        return 1
    saved = messages * _MESSAGE_NS * (number - 1) / number
    return number if saved > size * _BYTE_NS else 1


def share(db: Database, place: Place) -> str | None:
    """Return the path of an existing or new copy of a file, as the caller's transaction sees it.

    db: in a block of queries that has read something.
    None where there is no place, no room, or there are ``MOST`` copies of the file.
    """
    size = space.space(db).file
    rooms = {each: _room(each) for each in place.folders}
    folder = max(rooms, key=rooms.__getitem__, default="")
    if not folder:
        return None
    file, state = copies.state_name(db)
    path = os.path.join(folder, f"mqx-{file}-{state}.db")
    if os.path.exists(path):
        return path
    same = [name for name in os.listdir(folder) if name.startswith(f"mqx-{file}-") and name.endswith(".db")]
    if len(same) >= MOST or rooms[folder] < _ROOM * size:
        return None
    draft = f"{path}.{os.getpid()}"
    try:
        copies.copy_database(db, draft)
        os.rename(draft, path)
    except (StorageError, OSError):
        return None  # a full or damaged disk: one task reads the file, and says what there is to say
    return path


def _room(folder: str) -> int:
    """Return the bytes that are free in a folder, -1 if there is no such folder."""
    try:
        found = os.statvfs(folder)
    except OSError:
        return -1
    return found.f_bavail * found.f_frsize
