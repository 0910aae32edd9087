"""Tables of Delta and Iceberg: append a frame once, by the name of a transaction, and read the rows that count.

Spark has neither format by itself. Each is looked for before a run begins, and what brings it is said.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from mqtools.constants.reasons import MQRC_FUNCTION_NOT_SUPPORTED
from mqtools.errors import MQError
from pyspark_mqx.jobs.archive_files import PARTITIONS

if TYPE_CHECKING:
    from pyspark.sql.types import DataType, StructType

#: Type of the column ``put_day`` in a table that is created; the folders of an archive are text.
_DAY, _DAY_TYPE = PARTITIONS[-1], "date"


class AppendIdentity(NamedTuple):
    """Identity of what is appended. name: of a run or a stream.  number: grows with each append of that name."""

    name: str
    number: int


class Table(Protocol):
    """A table of one format."""

    def check(self) -> None:
        """Check that Spark has the format. Raises MQError: MQRC_FUNCTION_NOT_SUPPORTED."""

    def exists(self) -> bool:
        """Return whether the table has been created."""

    def frame(self) -> DataFrame:
        """Return the rows that count."""

    def append(self, frame: DataFrame, transaction: AppendIdentity, since_s: float | None = None) -> None:
        """Append rows unless the table has this transaction; create the table if necessary, and add missing columns.

        When this returns, the table has the rows, once, whatever other processes do with the same transaction at the
        same time. since_s: when a killed run that is finished now had its files complete; None for a new run.
        """


def unsupported(table: str, form: str, settings: str) -> MQError:
    """Return the error for a format that Spark does not have. settings: that bring it."""
    text = f"{table}: Spark does not have the format {form}"
    return MQError(text, MQRC_FUNCTION_NOT_SUPPORTED, hint=f"{settings} gives it to Spark")


def aligned(frame: DataFrame, schema: StructType | None) -> DataFrame:
    """Return rows with the types of a table, and null for the columns that only the table has.

    schema: of the table, None before it exists. Columns that only the rows have come last.
    """
    if schema is None:
        return frame.withColumn(_DAY, F.col(_DAY).cast(_DAY_TYPE))
    own = [F.col(name) for name in frame.columns if name not in schema.names]
    return frame.select(*(_typed(frame, field.name, field.dataType) for field in schema), *own)


def _typed(frame: DataFrame, name: str, kind: DataType) -> Column:
    value = F.col(name) if name in frame.columns else F.lit(None)
    same = name in frame.columns and frame.schema[name].dataType == kind
    return value if same else value.cast(kind).alias(name)
