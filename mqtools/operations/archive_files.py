"""Archives read without Spark: the Parquet files of Delta tables and of folders, one file after the other.

An archive that an earlier version wrote by a URI has its files under ``_mqx/RUN/data``. They count only if an entry of
its log names them.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from typing import Any
from urllib.parse import unquote

from mqtools.errors import UsageError
from mqtools.formats.descriptor import characters_to_json, md_from_dict
from mqtools.formats.properties import properties_from_json
from mqtools.message import CHARACTER_FIELDS, MQMD, Message

#: Folder in an archive for what is no data, and in it the log of the runs that have landed.
ASIDE = "_mqx"
LANDED = f"{ASIDE}/landed"

#: The folder that identifies a Delta table. The table has files that no longer count.
DELTA_LOG = "_delta_log"

_SUFFIX = ".parquet"
#: How a place begins that is a URI, and how one that is a local path all the same.
_URI, _LOCAL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:/"), "file:/"
#: Beginnings of names in an archive that are not data.
_ASIDE = ("_", ".")
#: Column of an archive of events; an archive of messages lacks it.
EVENT = "event"
_MESSAGE = (*MQMD.__slots__, "properties_json", "data")
_ROWS = 4096


def is_archive(path: str) -> bool:
    """Return whether a path is a folder or a Parquet file."""
    return os.path.isdir(path) or path.endswith(_SUFFIX)


def is_uri(place: str) -> bool:
    """Return whether a place is in an object store or on a file system of Hadoop. URIs of local files are not."""
    return _URI.match(place) is not None and not place.startswith(_LOCAL)


def local_place(place: str) -> str:
    """Return the path of a ``file:`` URI; any other place unchanged."""
    return unquote(f"/{place.removeprefix('file:').lstrip('/')}") if place.startswith(_LOCAL) else place


def parquet_files(path: str) -> list[str]:
    """Return the Parquet files of an archive, sorted; those of unfinished runs are left out.

    Raises UsageError as ``delta_files``.
    """
    return sorted(name for name, _ in walk_archive(path))


def walk_archive(path: str, *, follows_links: bool = False) -> Iterator[tuple[str, bool]]:
    """Yield the Parquet files in and below a folder that count, each with whether a log names it; else the file.

    Raises UsageError as ``delta_files``.
    """
    if not os.path.isdir(path):
        yield path, False
    seen = set()
    for folder, folders, names in os.walk(path, followlinks=follows_links):
        if DELTA_LOG in folders:
            folders.clear()
            yield from ((name, True) for name in delta_files(folder))
        elif (real := os.path.realpath(folder)) in seen:
            folders.clear()
        else:
            seen.add(real)
            folders[:] = sorted(name for name in folders if not is_hidden(name))
            yield from ((os.path.join(folder, name), False) for name in sorted(names) if is_data(name))
            yield from ((name, True) for name in landed_files(folder))


def delta_files(folder: str) -> list[str]:
    """Return the files of a Delta table that count.

    Raises UsageError where deltalake is not installed, for a damaged table, and for one whose files do not show its
    rows and columns.
    """
    if find_spec("deltalake") is None:
        raise UsageError(f"{folder}: reading a Delta table requires deltalake", "pip install 'mqtools[spark]'")
    import deltalake

    try:
        table = deltalake.DeltaTable(folder)
    except deltalake.exceptions.DeltaError as error:
        raise UsageError(f"{folder}: cannot read the Delta table: {error}") from error
    is_mapped = table.metadata().configuration.get("delta.columnMapping.mode", "none") != "none"
    if is_mapped or any(batch.num_rows for batch in table.deletion_vectors()):
        text = f"{folder}: the Delta table has deletion vectors or column mapping"
        raise UsageError(text, "read it with Spark's format delta, and write the rows into another table")
    return list(table.file_uris())


def is_data(name: str) -> bool:
    """Return whether a file with a name is data of an archive."""
    return name.endswith(_SUFFIX) and not name.startswith(_ASIDE)


def is_hidden(name: str) -> bool:
    """Return whether Spark passes over a file or folder with a name."""
    return name.startswith((".", "_")) and not ("=" in name and name.startswith("_"))


def data_prefix(run: str) -> str:
    """Return where the files of a run are, below the folder of an archive that has a log."""
    return f"{ASIDE}/{run}/data"


def files_of(entries: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the files that a log of landed runs names, below the folder of the archive, in the order of the entries.

    A result replaces all before it.
    """
    found: list[str] = []
    for entry in entries:
        if entry.get("replaces"):
            found.clear()
        found += [f"{data_prefix(entry['run'])}/{name}" for name in entry.get("files", ())]
    return found


def landed_files(folder: str) -> list[str]:
    """Return the files of a local folder that its log names; none if it has no log."""
    log = os.path.join(folder, LANDED)
    if not os.path.isdir(log):
        return []
    entries = []
    for name in sorted(os.listdir(log)):
        if name.endswith(".json") and not name.startswith(_ASIDE):
            with open(os.path.join(log, name), encoding="utf-8") as file:
                entries.append(json.load(file))
    return [os.path.join(folder, name) for name in files_of(entries)]


def check_arrow(what: str) -> None:
    """Check that the packages of the extra ``arrow`` are installed. Raises UsageError that says what requires them."""
    if missing := [name for name in ("pyarrow", "adbc_driver_sqlite", "orjson") if find_spec(name) is None]:
        raise UsageError(f"{what} requires {missing[0]}", "pip install 'mqtools[arrow]'")


def data_files(path: str) -> list[str]:
    """Return the files of an archive in the order of their names.

    Raises UsageError where there are none, or pyarrow, which reads them, is not installed.
    """
    check_arrow(f"{path}: reading an archive")
    files = parquet_files(path)
    if not files:
        raise UsageError(f"{path}: not an archive: the folder has no Parquet files")
    return files


def batches(files: Iterable[str], columns: Iterable[str], size: int = _ROWS) -> Iterator[tuple[str, Any]]:
    """Yield each file with batches of its rows; a column that it does not have is absent. size: rows in a batch.

    Raises UsageError.
    """
    from pyarrow import ArrowException, parquet

    for name in files:
        try:
            with parquet.ParquetFile(name) as file:
                there = file.schema_arrow.names
                for batch in file.iter_batches(size, columns=[column for column in columns if column in there]):
                    yield name, batch
        except (ArrowException, OSError) as error:
            raise UsageError(f"{name}: {error}") from error


def rows(path: str, columns: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield the rows of an archive; a column that a file does not have is absent. Raises UsageError."""
    for _, batch in batches(data_files(path), columns):
        yield from batch.to_pylist()


def messages(path: str) -> Iterator[Message]:
    """Yield the messages of an archive. Raises UsageError, MQError."""
    for row in rows(path, (*_MESSAGE, EVENT)):
        if EVENT in row:
            raise UsageError(f"{path}: an archive of events, not of messages: it has {EVENT}")
        if "data" not in row or "properties_json" not in row:
            raise UsageError(f"{path}: the archive has no bodies or no properties")
        yield message_of(row)


def message_of(row: Mapping[str, Any]) -> Message:
    """Return the message of a row of an archive. Raises MQError."""
    fields = {name: _value(name, row[name]) for name in MQMD.__slots__ if row.get(name) is not None}
    text = row.get("properties_json")
    properties = properties_from_json(text) if text else {}
    return Message(bytes(row.get("data") or b""), md_from_dict(fields), properties)


def _value(name: str, value: Any) -> Any:
    """Return the value of a column as in JSON: it has the escape characters of what is no text."""
    return characters_to_json(value) if name in CHARACTER_FIELDS else value
