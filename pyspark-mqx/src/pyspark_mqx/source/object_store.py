"""Archives in object stores, through the stores of ``deltalake``: their tables and files, and a file system for them.

Credentials come from the environment, under the names that ``deltalake`` documents (``AWS_ACCESS_KEY_ID`` and others).
What only Hadoop reaches is read and written by Spark's own Delta (``--writer spark``).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from fnmatch import fnmatchcase
from typing import Any
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.fs as fs
import pyarrow.parquet as pq
from deltalake import DeltaTable
from deltalake.exceptions import CommitFailedError, DeltaError, TableNotFoundError
from deltalake.fs import DeltaStorageHandler

from mqtools.constants.reasons import MQRC_FUNCTION_NOT_SUPPORTED, MQRC_OBJECT_IN_USE, MQRC_UNEXPECTED_ERROR
from mqtools.errors import MQError
from mqtools.operations.archive_files import DELTA_LOG, LANDED, files_of, is_data, is_hidden

#: Beginning of what ``deltalake`` says where a concurrent transaction prevented a commit; other failures persist.
_CONFLICT = "Failed to commit transaction:"
#: Colour in a text for a terminal, and the schemes of stores.
_COLOUR = re.compile(r"\x1b\[\d*m")
_SCHEMES = frozenset(("s3", "s3a", "gs", "az", "azure", "adl", "abfs", "abfss", "file"))


def is_reached(uri: str) -> bool:
    """Return whether ``deltalake`` has a store for a URI."""
    return uri.partition(":")[0] in _SCHEMES


def check_scheme(uri: str) -> None:
    """Check that ``deltalake`` has a store for a URI. Raises MQError."""
    if not is_reached(uri):
        text = f"{uri}: deltalake has no store for {uri.partition(':')[0]}"
        raise MQError(text, MQRC_FUNCTION_NOT_SUPPORTED, hint="--writer spark, with Delta's jar")


def load_table(uri: str) -> DeltaTable | None:
    """Return a Delta table as it is now, None if it does not exist. Raises MQError."""
    with errors_of(uri):
        try:
            return DeltaTable(uri)
        except TableNotFoundError:
            return None


@contextmanager
def errors_of(uri: str) -> Iterator[None]:
    """Raise MQError for what a store, or ``deltalake``, says of a place in the block: MQRC_OBJECT_IN_USE of a conflict
    with another writer.
    """
    try:
        yield
    except (OSError, DeltaError, pa.ArrowException) as error:
        reason = MQRC_OBJECT_IN_USE if is_conflict(error) else MQRC_UNEXPECTED_ERROR
        raise MQError(f"{uri}: {words_of(error)}", reason) from error


def is_conflict(error: Exception) -> bool:
    """Return whether a commit failed because another came first; after any other failure a repetition fails too."""
    return isinstance(error, CommitFailedError) and words_of(error).startswith(_CONFLICT)


def words_of(error: Exception) -> str:
    """Return the text of an error in one line without colours."""
    return " ".join(_COLOUR.sub("", str(error)).split())


def file_system(uri: str) -> Any:
    """Return the file system whose root is a URI or a local folder."""
    return fs.PyFileSystem(DeltaStorageHandler(uri))


def find_archives(uri: str) -> list[str]:
    """Return the archives that a URI names: itself, the Delta tables below it, or those that match it as a pattern."""
    fixed, *pattern = uri.rstrip("/").split("/")
    while pattern and not any(sign in pattern[0] for sign in "*?["):
        fixed = f"{fixed}/{pattern.pop(0)}"
    there = names(fixed)
    if pattern:
        folders = {tuple(name.split("/")[: len(pattern)]) for name in there if name.count("/") >= len(pattern)}
        matching = sorted(folder for folder in folders if all(map(fnmatchcase, folder, pattern)))
        return [found for folder in matching for found in find_archives("/".join((fixed, *folder)))]
    tables = sorted({name[: name.index(DELTA_LOG)].rstrip("/") for name in there if f"/{DELTA_LOG}/" in f"/{name}"})
    return [f"{fixed}/{table}".rstrip("/") for table in tables] or [fixed]


def archive_files(uri: str) -> list[str]:
    """Return the Parquet files of an archive, below its URI: of a Delta table, or of the form of earlier versions."""
    if (table := load_table(uri)) is not None:
        return sorted(map(unquote, table.get_add_actions()["path"].to_pylist()))
    there = names(uri)
    plain = [name for name in there if is_data(name.rpartition("/")[2]) and not any(map(is_hidden, name.split("/")))]
    return sorted({*plain, *files_of(read_log(uri, there))})


def describe(uri: str) -> tuple[set[str], int]:
    """Return the columns of an archive and the number of its rows."""
    store = file_system(uri)
    footers = [pq.ParquetFile(store.open_input_file(name)) for name in archive_files(uri)]
    return {name for file in footers for name in file.schema_arrow.names}, sum(f.metadata.num_rows for f in footers)


def read_log(uri: str, there: list[str]) -> list[dict[str, Any]]:
    """Return the entries of the log of landed runs that earlier versions kept at a URI. there: names of all files."""
    store = file_system(uri)
    found = [name for name in sorted(there) if name.startswith(f"{LANDED}/") and name.endswith(".json")]
    return [json.loads(store.open_input_stream(name).read()) for name in found]


def names(uri: str) -> list[str]:
    """Return the names of all files below a URI."""
    with errors_of(uri):
        found = file_system(uri).get_file_info(fs.FileSelector("", recursive=True, allow_not_found=True))
    return [info.path for info in found if info.is_file]
