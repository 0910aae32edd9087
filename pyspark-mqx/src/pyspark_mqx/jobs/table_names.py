"""Names of tables of Delta and Iceberg: where an archive is a table, and not a folder of Parquet files."""

from __future__ import annotations

from dataclasses import dataclass

#: Formats of tables that an archive can be.
DELTA, ICEBERG = "delta", "iceberg"
#: How a source begins that is a table of Iceberg: it has a name in a catalog, and no folder.
ICEBERG_PREFIX = f"{ICEBERG}:"


@dataclass(slots=True, frozen=True)
class TableName:
    """A table. form: ``DELTA`` or ``ICEBERG``.  name: a folder or URI; the name in a catalog."""

    form: str
    name: str

    def __str__(self) -> str:
        return f"{self.form} table {self.name}"


@dataclass(slots=True, frozen=True)
class TablePlace:
    """A table as the output of runs. staging: local folder for their files and records until the table has them."""

    table: TableName
    staging: str


def iceberg_table(word: str) -> TableName | None:
    """Return the table that a source names with its prefix, None for one of another kind."""
    return TableName(ICEBERG, word.removeprefix(ICEBERG_PREFIX)) if word.startswith(ICEBERG_PREFIX) else None
