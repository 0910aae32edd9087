"""Files of archives: found below any folder, in any layout of partition folders.

An archive has the folders ``qmgr=NAME/queue=NAME/put_day=DAY``. Other Parquet files may be in other folders, with these
columns in their rows. One folder may have both, and archives in folders below it. The files of a Delta table are those
that its log names. So are those of an archive that an earlier version wrote by a URI.
"""

from __future__ import annotations

import glob
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, TypeVar

from mqtools.operations.archive_files import is_uri, walk_archive

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    T = TypeVar("T")
    R = TypeVar("R")

#: Columns that are folders of an archive.
PARTITIONS = ("qmgr", "queue", "put_day")

#: Footers that are read at the same time.
_READERS = 16


@dataclass(slots=True, frozen=True)
class ArchiveFile:
    """A Parquet file. layout: columns of its partition folders, the outermost first."""

    path: str
    layout: tuple[str, ...]


def expand(word: str) -> list[str]:
    """Return the folders that a word names: itself if it exists, else those that match it as a pattern."""
    if os.path.lexists(word):
        return [word]
    return sorted(path for path in glob.glob(word) if os.path.isdir(path))


@dataclass(slots=True, frozen=True)
class FoundFiles:
    """Files of archives, each once. roots: folders that have all of them and nothing else; empty if there are none.

    uris: archives that are not local.
    """

    files: tuple[ArchiveFile, ...]
    roots: tuple[str, ...]
    uris: tuple[str, ...] = ()


def find_files(folders: Sequence[str]) -> FoundFiles:
    """Return the Parquet files in and below folders, each once, however often it is named. Raises UsageError."""
    found: dict[str, ArchiveFile] = {}
    number, has_log = 0, False
    for folder in folders:
        for path, is_named in walk_archive(folder, follows_links=True):
            whole = os.path.abspath(path)
            number += 1
            has_log |= is_named
            found.setdefault(os.path.realpath(whole), ArchiveFile(whole, layout_of(os.path.dirname(whole))))
    is_plain = number == len(found) and not has_log and len({file.layout for file in found.values()}) == 1
    return FoundFiles(tuple(found.values()), tuple(map(os.path.abspath, folders)) if is_plain else ())


def spark_path(path: str) -> str:
    """Return a path, or a URI, escaped so that Spark does not read it as a pattern."""
    whole = path if is_uri(path) else os.path.abspath(path)
    return "".join(f"\\{sign}" if sign in "\\{}[]*?" else sign for sign in whole)


def layout_of(folder: str) -> tuple[str, ...]:
    """Return the columns of the partition folders at the end of a path, the outermost first."""
    innermost = takewhile(lambda part: part.find("=") > 0, reversed(folder.split("/")))
    return tuple(part.partition("=")[0] for part in innermost)[::-1]


def by_layout(files: Iterable[ArchiveFile]) -> dict[tuple[str, ...], list[str]]:
    """Return the paths of files by layout: Spark reads those of one layout together."""
    found: dict[tuple[str, ...], list[str]] = {}
    for file in files:
        found.setdefault(file.layout, []).append(file.path)
    return found


def in_parallel(action: Callable[[T], R], values: Iterable[T]) -> list[R]:
    """Return the results of an action that waits for the disk, in the order of the values."""
    with ThreadPoolExecutor(_READERS) as pool:
        return list(pool.map(action, values))
