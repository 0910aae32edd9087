"""A table of Iceberg in a catalog. A transaction is written, audited and published (WAP), each step once.

1. The rows are staged: a snapshot with the property ``wap.id`` that is in the table and not in its history, so that no
   reader sees it. A killed run leaves at most such a snapshot; what is staged twice is published once.
2. The snapshot is cherry-picked into the history. Iceberg refuses a ``wap.id`` that the history has, and looks again
   whenever another commit comes first: so of any number of processes that publish it, one does.

A snapshot may leave the history when the table's owner expires it. Then nobody can tell any more whether an older run
is in the table, and it is not finished.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]
from pyspark.sql import DataFrame, SparkSession

from mqtools.constants.reasons import MQRC_OBJECT_CHANGED, MQRC_UNEXPECTED_ERROR
from mqtools.errors import MQError
from pyspark_mqx.jobs.archive_files import PARTITIONS
from pyspark_mqx.jobs.table_names import ICEBERG
from pyspark_mqx.jobs.tables import AppendIdentity, aligned, unsupported

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

#: Property of a table that lets writes be staged, setting that stages those of a session, properties of snapshots.
_MAY_STAGE, _STAGE, _STAGED, _PUBLISHED = "write.wap.enabled", "spark.wap.id", "wap.id", "published-wap-id"
#: Property of a snapshot of ours, which counts too where a write could not be staged.
RUN = "mqx-run"
#: How the settings of a catalog begin; the catalog that a name without one is in.
_CATALOG, _DEFAULT = "spark.sql.catalog.", "spark_catalog"
#: What Spark says of a table, or of what it is in, that does not exist; and of a catalog whose class is missing.
_NO_TABLE = ("TABLE_OR_VIEW_NOT_FOUND", "SCHEMA_NOT_FOUND", "NoSuchTableException", "NoSuchNamespaceException")
_NO_CLASS = ("catalog plugin class", "ClassNotFoundException", "CATALOG_NOT_FOUND")


def settings(catalog: str, version: str) -> str:
    """Return the settings that bring Iceberg, and a catalog of it. version: of Spark."""
    runtime = f"iceberg-spark-runtime-{version.rpartition('.')[0]}_2.13"
    return (
        f"--conf spark.jars.packages=org.apache.iceberg:{runtime}:VERSION"
        f" --conf {_CATALOG}{catalog}=org.apache.iceberg.spark.SparkCatalog, with the settings of that catalog,"
    )


class IcebergTable:
    """A table of Iceberg. name: ``CATALOG.NAMESPACE.TABLE``.  As ``tables.Table``."""

    def __init__(self, spark: SparkSession, name: str) -> None:
        self._spark = spark
        self._name = name
        self._sql = ".".join(f"`{part}`" for part in name.split("."))

    def check(self) -> None:
        catalog = self._name.partition(".")[0]
        if all(self._spark.conf.get(f"{_CATALOG}{each}", None) is None for each in (catalog, _DEFAULT)):
            raise unsupported(self._name, ICEBERG, settings(catalog, self._spark.version))
        try:
            self.exists()
        except Exception as error:
            if any(word in str(error) for word in _NO_CLASS):
                raise unsupported(self._name, ICEBERG, settings(catalog, self._spark.version)) from error
            raise

    def exists(self) -> bool:
        try:
            self._spark.sql(f"DESCRIBE TABLE {self._sql}")
        except Exception as error:
            if any(word in str(error) for word in _NO_TABLE):
                return False
            raise
        return True

    def frame(self) -> DataFrame:
        return self._spark.table(self._sql)

    def append(self, frame: DataFrame, transaction: AppendIdentity, since_s: float | None = None) -> None:
        identifier = f"{transaction.name} {transaction.number}"
        if not self.exists():
            self._create(aligned(frame, None).schema)
        if since_s is None or not self._is_in(identifier, since_s):
            staged = None if since_s is None else self._staged(identifier)
            if staged is None:
                self._stage(frame, identifier)
                staged = self._staged(identifier)
            self._publish(staged, identifier)
        self._spark.catalog.refreshTable(self._sql)

    def _create(self, schema: StructType) -> None:
        partitions, properties = ", ".join(PARTITIONS), f"TBLPROPERTIES ('{_MAY_STAGE}' = 'true')"
        how = f"USING iceberg PARTITIONED BY ({partitions}) {properties}"
        self._spark.sql(f"CREATE TABLE IF NOT EXISTS {self._sql} ({_ddl(schema)}) {how}")

    def _stage(self, frame: DataFrame, identifier: str) -> None:
        """Write the rows into a snapshot that is not in the history."""
        if self._java.properties().get(_MAY_STAGE) != "true":
            self._spark.sql(f"ALTER TABLE {self._sql} SET TBLPROPERTIES ('{_MAY_STAGE}' = 'true')")
        self._add_columns(aligned(frame, None).schema)
        rows = aligned(frame, self.frame().schema)
        self._spark.conf.set(_STAGE, identifier)
        try:
            rows.writeTo(self._sql).option(f"snapshot-property.{RUN}", identifier).append()
        finally:
            self._spark.conf.unset(_STAGE)

    def _add_columns(self, schema: StructType) -> None:
        there = self.frame().columns
        new = type(schema)([field for field in schema if field.name not in there])
        if not new.fields:
            return
        try:
            self._spark.sql(f"ALTER TABLE {self._sql} ADD COLUMNS ({_ddl(new)})")
        except Exception:
            self._spark.catalog.refreshTable(self._sql)
            if not set(new.names) <= set(self.frame().columns):  # another run has not just added them
                raise

    def _publish(self, staged: int | None, identifier: str) -> None:
        """Take a staged snapshot into the history, unless the history has its transaction."""
        if staged is None:
            if self._has(identifier):  # the property was taken away from the table, and the write was not staged
                return
            raise MQError(f"{self._name}: what was written is not in the table: {identifier}", MQRC_UNEXPECTED_ERROR)
        try:
            self._java.manageSnapshots().cherrypick(staged).commit()
        except Py4JJavaError as error:
            if error.java_exception.getClass().getSimpleName() != "DuplicateWAPCommitException":
                raise

    @property
    def _java(self) -> Any:
        """Return the table of Iceberg's own interface, as it is now."""
        spark: Any = self._spark
        table = spark._jvm.org.apache.iceberg.spark.Spark3Util.loadIcebergTable(spark._jsparkSession, self._sql)
        table.refresh()
        return table

    def _staged(self, identifier: str) -> int | None:
        """Return the number of a snapshot of a transaction that is not in the history, None if there is none."""
        table, spark = self._java, cast("Any", self._spark)
        is_in_history = spark._jvm.org.apache.iceberg.util.SnapshotUtil.isAncestorOf
        is_empty = table.currentSnapshot() is None
        for each in reversed(table.snapshots()):
            if each.summary().get(_STAGED) != identifier:
                continue
            if is_empty or not is_in_history(table, each.snapshotId()):
                return int(each.snapshotId())
        return None

    def _has(self, identifier: str) -> bool:
        """Return whether the history has a transaction."""
        summaries = (each.summary() for each in _ancestors(self._spark, self._java))
        return any(identifier in map(summary.get, (_STAGED, _PUBLISHED, RUN)) for summary in summaries)

    def _is_in(self, identifier: str, since_s: float) -> bool:
        """Return whether the history has a transaction. Raises MQError if what it had since a time has expired."""
        if self._has(identifier):
            return True
        *_, oldest = None, *_ancestors(self._spark, self._java)
        if oldest is not None and oldest.parentId() is not None and oldest.timestampMillis() > since_s * 1000:
            raise MQError(
                f"{self._name}: its snapshots since a run was killed have expired: nobody can tell whether it has"
                f" {identifier}",
                MQRC_OBJECT_CHANGED,
            )
        return False


def _ancestors(spark: Any, table: Any) -> Iterator[Any]:
    """Yield the snapshots of the history of a table, the newest first."""
    found = spark._jvm.org.apache.iceberg.util.SnapshotUtil.currentAncestors(table).iterator()
    while found.hasNext():
        yield found.next()


def _ddl(schema: StructType) -> str:
    return ", ".join(f"`{field.name}` {field.dataType.simpleString()}" for field in schema)
