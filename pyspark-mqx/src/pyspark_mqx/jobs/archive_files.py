"""Files of archives: found below any folder, in any layout of partition folders.

An archive has the folders ``qmgr=NAME/queue=NAME/put_day=DAY``. One of an earlier version has
``queue=NAME/put_day=DAY``, and the name of the queue manager in each row. One folder may have both, and archives may
lie in folders below it. The files of one that was written by a URI are those that its log names.
"""

from __future__ import annotations

import glob
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn, TypeVar

from mqtools.constants.reasons import MQRC_FUNCTION_NOT_SUPPORTED
from mqtools.errors import MQError
from mqtools.operations.archive_files import ASIDE, DELTA_LOG, is_data, is_uri, landed_files
from pyspark_mqx.jobs.table_names import DELTA, TableName

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    T = TypeVar("T")
    R = TypeVar("R")

#: Columns that are folders of an archive.
PARTITIONS = ("qmgr", "queue", "put_day")

#: Footers that are read at the same time.
_READERS = 16


@dataclass(slots=True, frozen=True)
class ArchiveFile:
    """A Parquet file. layout: columns of its partition folders, the outermost first.  base: root of its file system."""

    path: str
    layout: tuple[str, ...]
    base: str = "/"


def expand(word: str) -> list[str]:
    """Return the folders that a word names: itself if it exists, else those that match it as a pattern."""
    if os.path.lexists(word):
        return [word]
    return sorted(path for path in glob.glob(word) if os.path.isdir(path))


@dataclass(slots=True, frozen=True)
class FoundFiles:
    """Files of archives, each once. roots: folders that have all of them and nothing else; empty if there are none.

    tables: archives that are tables.
    """

    files: tuple[ArchiveFile, ...]
    roots: tuple[str, ...]
    tables: tuple[TableName, ...] = ()

    def joined(self, files: Iterable[ArchiveFile] = (), tables: Iterable[TableName] = ()) -> FoundFiles:
        """Return these and others."""
        more, every = tuple(files), dict.fromkeys((*self.tables, *tables))
        return FoundFiles((*self.files, *more), () if more else self.roots, tuple(every))


def find_files(folders: Sequence[str]) -> FoundFiles:
    """Return the Parquet files in and below folders, and the tables of Delta, each once, however often it is named."""
    found: dict[str, ArchiveFile] = {}
    tables: list[str] = []
    number = 0
    for folder in folders:
        for path in parquet_files(folder, tables):
            whole = os.path.abspath(path)
            number += 1
            found.setdefault(os.path.realpath(whole), ArchiveFile(whole, layout_of(os.path.dirname(whole))))
    is_plain = number == len(found) and len({file.layout for file in found.values()}) == 1
    is_plain &= not any(f"/{ASIDE}/" in file.path for file in found.values())
    is_plain &= not tables
    roots = tuple(map(os.path.abspath, folders)) if is_plain else ()
    names = dict.fromkeys(TableName(DELTA, os.path.realpath(table)) for table in tables)
    return FoundFiles(tuple(found.values()), roots, tuple(names))


def parquet_files(path: str, tables: list[str] | None = None) -> Iterator[str]:
    """Return the Parquet files of a folder that Spark would read; for a file itself. Links are followed.

    tables: gets the folders of tables of Delta, whose files are left out. Without it raises MQError for such a folder.
    """
    if not os.path.isdir(path):
        yield path
        return
    seen = set()
    for folder, folders, names in os.walk(path, followlinks=True):
        real = os.path.realpath(folder)
        if DELTA_LOG in folders:
            if tables is None:
                refuse_table(folder)
            tables.append(folder)
            folders.clear()
            continue
        folders[:] = [] if real in seen else sorted(name for name in folders if not is_hidden(name))
        if real not in seen:
            yield from (os.path.join(folder, name) for name in sorted(names) if is_data(name))
            yield from landed_files(folder)
        seen.add(real)


def refuse_table(folder: str) -> NoReturn:
    """Refuse a table of Delta. Raises MQError: MQRC_FUNCTION_NOT_SUPPORTED."""
    raise MQError(
        f"{folder}: a table of Delta, which has files that do not count any more",
        MQRC_FUNCTION_NOT_SUPPORTED,
        hint="archive it as Parquet first: in a program, pyspark_mqx.read_archive(spark, FOLDER) is its frame",
    )


def spark_path(path: str) -> str:
    """Return a path, or a URI, escaped so that Spark does not read it as a pattern."""
    whole = path if is_uri(path) else os.path.abspath(path)
    return "".join(f"\\{sign}" if sign in "\\{}[]*?" else sign for sign in whole)


def is_hidden(name: str) -> bool:
    """Return whether Spark passes over a file or folder with a name."""
    return name.startswith((".", "_")) and not ("=" in name and name.startswith("_"))


def layout_of(folder: str) -> tuple[str, ...]:
    """Return the columns of the partition folders at the end of a path, the outermost first."""
    names: list[str] = []
    for part in reversed(folder.split("/")):
        name, equals, _ = part.partition("=")
        if not equals or not name:
            break
        names.append(name)
    return tuple(reversed(names))


def by_layout(files: Iterable[ArchiveFile]) -> dict[tuple[str, tuple[str, ...]], list[str]]:
    """Return the paths of files by file system and layout: Spark reads those of one layout together."""
    found: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for file in files:
        found.setdefault((file.base, file.layout), []).append(file.path)
    return found


def in_parallel(action: Callable[[T], R], values: Iterable[T]) -> Iterator[R]:
    """Yield the results of an action that waits for the disk, in the order of the values."""
    with ThreadPoolExecutor(_READERS) as pool:
        yield from pool.map(action, values)
