"""Files below a URI, on any file system that Spark's Hadoop knows: by Java, through Spark's gateway.

Names are relative to the URI, with slashes. What matters is ``create``, in one step and only if the name is not there:

- where the URI leads to a local file system, as ``viewfs://`` may: a link to a complete file
- ``hdfs``, ``webhdfs``, ``abfs``: a rename, which these refuse if the new name exists
- ``gs``, and ``s3a`` where it has conditional creation (Hadoop 3.4.2): the file appears, or not, when it is closed

A file system of another kind can do neither (``HadoopFiles.why_not_exact``).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]

from mqtools.constants.reasons import (
    MQRC_FUNCTION_NOT_SUPPORTED,
    MQRC_OBJECT_DAMAGED,
    MQRC_UNEXPECTED_ERROR,
    MQRC_UNKNOWN_OBJECT_NAME,
)
from mqtools.errors import MQError
from pyspark_mqx.jobs.archive_files import in_parallel
from pyspark_mqx.jobs.output_files import fsync

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: How a file's status begins as text.
_STATUS = re.compile(r"path=(.*?); isDirectory=", re.DOTALL)
#: Schemes whose rename refuses a name that exists; those whose file appears when it is closed, if no other has then.
_RENAMES, _CREATES = ("hdfs", "webhdfs", "swebhdfs", "abfs", "abfss"), ("gs",)
#: The capability of a file system that creates conditionally, and option of a creation.
_CONDITIONAL = "fs.option.create.conditional.overwrite"
#: What Java says where a class of a file system is not there.
_NO_SCHEME = ("UnsupportedFileSystemException", "ClassNotFoundException", "NoClassDefFoundError")
#: The package of Maven with a file system, by scheme.
_PACKAGES = {"s3a": "org.apache.hadoop:hadoop-aws", "abfs": "org.apache.hadoop:hadoop-azure"}


class Files(Protocol):
    """Files below a root. Names are relative to it."""

    root: str

    @property
    def why_not_exact(self) -> str:
        """Why a file cannot be created only if it is not there; empty if it can."""

    def path(self, name: str) -> str:
        """Return the whole path of a name."""

    def names(self, folder: str) -> list[str]:
        """Return the names in a folder; none if it is not there."""

    def walk(self, folder: str) -> list[str]:
        """Return the files in and below a folder, by their names below the root; none if it is not there."""

    def read(self, name: str) -> bytes:
        """Return what is in a file. Raises MQError."""

    def create(self, name: str, content: bytes) -> bool:
        """Create a file, complete or not at all; return False if another one has the name."""

    def delete(self, name: str) -> None:
        """Delete a file or a folder with all in it, if it is there."""

    def settle(self, names: Sequence[str]) -> None:
        """Flush files to disk, where the file system leaves that to us."""

    def footers(self, names: Iterable[str]) -> list[tuple[list[str], int]]:
        """Return the columns and the number of rows of Parquet files. Raises MQError."""


class HadoopFiles:
    """Files below a URI. Raises MQError for a scheme that Spark has no file system for."""

    def __init__(self, spark: SparkSession, uri: str) -> None:
        session: Any = spark
        self._jvm = session._jvm
        self._conf = session._jsparkSession.sessionState().newHadoopConf()
        self._path_of = self._jvm.org.apache.hadoop.fs.Path
        try:
            root = self._path_of(uri)
            self._fs: Any = root.getFileSystem(self._conf)
            self.root = str(self._fs.makeQualified(root).toString()).rstrip("/")
        except Py4JJavaError as error:
            raise _translate(uri, error, self._jvm) from error

    def path(self, name: str) -> str:
        return f"{self.root}/{name}" if name else self.root

    def _path(self, name: str) -> Any:
        return self._path_of(self.path(name))

    def exists(self, name: str = "") -> bool:
        """Return whether a name is there."""
        return bool(self._call(self._fs.exists, self._path(name)))

    def names(self, folder: str) -> list[str]:
        return sorted(path.rpartition("/")[2] for path in self._list(self._fs.listStatusIterator, folder))

    def walk(self, folder: str) -> list[str]:
        begin = path_of(self.root)
        paths = map(path_of, self._list(self._fs.listFiles, folder, True))
        return sorted(path.removeprefix(begin).lstrip("/") for path in paths)

    def _list(self, action: Any, folder: str, *given: object) -> list[str]:
        """Return the whole paths that a listing finds: in one call of Java, however many there are.

        Of ``viewfs`` the text of a status has the path behind the mount: there each is asked for its own.
        """
        try:
            found = self._jvm.org.apache.hadoop.util.functional.RemoteIterators.toList(
                action(self._path(folder), *given)
            )
        except Py4JJavaError as error:
            if _class_of(error) == "FileNotFoundException":
                return []
            raise _translate(self.path(folder), error, self._jvm) from error
        text = self._jvm.org.apache.hadoop.util.StringUtils.join("\0", found)
        paths = [path[1] for each in text.split("\0") if (path := _STATUS.search(each)) is not None]
        if all(path.startswith(f"{self.root}/") for path in paths):
            return paths
        return [str(each.getPath().toString()) for each in found]

    def expand(self) -> list[str]:
        """Return the folders that the root names as a pattern, itself if it exists."""
        if self.exists():
            return [self.root]
        found = self._call(self._fs.globStatus, self._path("")) or ()
        return sorted(str(each.getPath().toString()) for each in found if each.isDirectory())

    def read(self, name: str) -> bytes:
        stream = self._call(self._fs.open, self._path(name))
        try:
            return bytes(stream.readAllBytes())
        finally:
            stream.close()

    @cached_property
    def _way(self) -> tuple[str, str]:
        """Return how a file is created only if it is not there, and the local path of the root for a link."""
        self._call(self._fs.mkdirs, self._path(""))
        real = self._call(self._fs.resolvePath, self._path(""))
        scheme = str(real.toUri().getScheme())
        if scheme == "file":
            return "link", str(real.toUri().getPath())
        if scheme in _RENAMES:
            return "rename", ""
        if scheme in _CREATES or self._fs.hasPathCapability(self._path(""), _CONDITIONAL):
            return "create", ""
        return "", ""

    @property
    def why_not_exact(self) -> str:
        if self._way[0]:
            return ""
        scheme = self.root.partition(":")[0]
        older = " before Hadoop 3.4.2, or with fs.s3a.create.conditional.enabled=false" if scheme == "s3a" else ""
        return f"the file system {scheme}{older} cannot create a file in one step, and only if it is not there"

    def create(self, name: str, content: bytes) -> bool:
        way, local = self._way
        if way == "link":
            return link_new(os.path.join(local, name), content)
        draft = name if way == "create" else f"{name}.{os.urandom(8).hex()}.new"
        try:
            self._write(draft, content, is_new=way == "create")
            if draft == name or self._fs.rename(self._path(draft), self._path(name)):
                return True
        except Py4JJavaError as error:
            # The answer may have been lost, and the call repeated: what is there now decides.
            if not self.exists(name):
                raise _translate(self.path(name), error, self._jvm) from error
        if draft != name:
            self.delete(draft)
        return self.read(name) == content

    def _write(self, name: str, content: bytes, *, is_new: bool) -> None:
        builder = self._fs.createFile(self._path(name)).overwrite(not is_new).recursive()
        if is_new and self._fs.hasPathCapability(self._path(name), _CONDITIONAL):
            builder = builder.must(_CONDITIONAL, True)
        stream = builder.build()
        stream.write(bytearray(content))
        stream.close()

    def delete(self, name: str) -> None:
        self._call(self._fs.delete, self._path(name), True)

    def settle(self, names: Sequence[str]) -> None:
        way, local = self._way
        if way != "link":
            return
        folders = {os.path.dirname(name) for name in names}
        while above := {os.path.dirname(name) for name in folders} - folders:
            folders |= above
        for name in (*names, *folders):
            fsync(os.path.join(local, name))

    def footers(self, names: Iterable[str]) -> list[tuple[list[str], int]]:
        return list(in_parallel(self._footer, names))

    def _footer(self, name: str) -> tuple[list[str], int]:
        hadoop = self._jvm.org.apache.parquet.hadoop
        try:
            file = hadoop.util.HadoopInputFile.fromPath(self._path(name), self._conf)
            reader = hadoop.ParquetFileReader.open(file)
            try:
                schema = reader.getFileMetaData().getSchema()
                columns = [str(schema.getFieldName(n)) for n in range(schema.getFieldCount())]
                return columns, int(reader.getRecordCount())
            finally:
                reader.close()
        except Py4JJavaError as error:
            if _class_of(error) != "RuntimeException":  # Parquet's own of a file that is none
                raise _translate(self.path(name), error, self._jvm) from error
            text = f"{self.path(name)}: the Parquet file is incomplete or damaged"
            raise MQError(text, MQRC_OBJECT_DAMAGED) from error

    def _call(self, action: Any, *given: Any) -> Any:
        try:
            return action(*given)
        except Py4JJavaError as error:
            raise _translate(self.root, error, self._jvm) from error


def path_of(uri: str) -> str:
    """Return the path of a URI of Hadoop, in which nothing is escaped."""
    scheme, colon, rest = uri.partition(":")
    if not colon or "/" in scheme:
        return uri
    return f"/{rest[2:].partition('/')[2]}" if rest.startswith("//") else rest


def link_new(path: str, content: bytes) -> bool:
    """Create a local file, complete and on disk, unless the name is there."""
    os.makedirs(os.path.dirname(path), mode=0o777, exist_ok=True)
    draft = os.path.join(os.path.dirname(path), f".{os.urandom(8).hex()}.new")
    try:
        with open(draft, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.link(draft, path)
        fsync(os.path.dirname(path))
    except FileExistsError:
        return False
    finally:
        with suppress(FileNotFoundError):
            os.unlink(draft)
    return True


def _class_of(error: Py4JJavaError) -> str:
    return str(error.java_exception.getClass().getSimpleName())


def _translate(place: str, error: Py4JJavaError, jvm: Any) -> MQError:
    """Return the error to report for one of Java."""
    scheme = place.partition(":")[0]
    words = next(iter(str(error.java_exception.toString()).splitlines()), "")
    if any(name in words for name in _NO_SCHEME):
        package = _PACKAGES.get(scheme.rstrip("s") if scheme == "abfss" else scheme)
        version = jvm.org.apache.hadoop.util.VersionInfo.getVersion()
        hint = f"--conf spark.jars.packages={package}:{version}" if package else f"--conf spark.hadoop.fs.{scheme}.impl"
        text = f"{place}: Spark has no file system for {scheme}"
        return MQError(text, MQRC_FUNCTION_NOT_SUPPORTED, hint=f"{hint} gives it one")
    if _class_of(error) == "FileNotFoundException":
        return MQError(f"{place}: not found", MQRC_UNKNOWN_OBJECT_NAME)
    return MQError(f"{place}: {words.partition(': ')[2] or words}", MQRC_UNEXPECTED_ERROR)
