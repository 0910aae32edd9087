"""MQMDE in the data of a report, in Spark: the position of its original where queue managers have no segments."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from mqtools.constants.message import (
    MQENC_INTEGER_MASK,
    MQENC_INTEGER_NORMAL,
    MQENC_INTEGER_REVERSED,
    MQFMT_MD_EXTENSION,
)
from mqtools.constants.structures import MQGI_NONE, MQMDE_LENGTH_2, MQMDE_VERSION_2
from mqtools.headers.mqmde import EXTENSION, LAYOUT

#: Columns of a message that are used besides its descriptor.
NEEDED = ("encoding", "data")

#: The identifier of the structure in ASCII and in EBCDIC, in which its letters are the same on all code pages.
_STRUC_IDS = ("MDE ".encode("ascii").hex().upper(), "MDE ".encode("cp500").hex().upper())
_FIELDS = {field.name: field for field in LAYOUT.fields}


def is_extended() -> Column:
    """Return a condition: the format says that the data begins with an MQMDE."""
    return F.col("format").eqNullSafe(MQFMT_MD_EXTENSION)


def with_extension(messages: DataFrame) -> DataFrame:
    """Return messages with the descriptor fields of the MQMDE in their data; data_length is that of the rest.

    A message is unchanged if its data is no MQMDE, is truncated, or is missing.  Source: RSEG-30, RSEG-31.
    """
    order = F.col("encoding").bitwiseAND(MQENC_INTEGER_MASK)
    is_reversed = order == MQENC_INTEGER_REVERSED
    is_valid = (
        order.isin(MQENC_INTEGER_NORMAL, MQENC_INTEGER_REVERSED)
        & _bytes("struc_id").isin(*_STRUC_IDS)
        & (_number("version", is_reversed) == MQMDE_VERSION_2)
        & (_number("struc_length", is_reversed) == MQMDE_LENGTH_2)
        & (F.length("data") >= MQMDE_LENGTH_2)
        & (F.col("group_id") == MQGI_NONE.hex())
    )
    fields = [
        (_bytes(name) if isinstance(_FIELDS[name].initial, bytes) else _number(name, is_reversed)).alias(name)
        for name in EXTENSION
    ]
    length = (F.col("data_length") - MQMDE_LENGTH_2).alias("data_length")
    found = messages.withColumn("extension", F.when(is_valid, F.struct(*fields, length)))
    names = [*EXTENSION, "data_length"]
    return found.withColumns({name: F.coalesce(f"extension.{name}", name) for name in names}).drop("extension")


def _bytes(name: str) -> Column:
    """Return the bytes of a field as hex."""
    field = _FIELDS[name]
    return F.hex(F.substring("data", field.offset + 1, field.length))


def _number(name: str, is_reversed: Column) -> Column:
    """Return a field that is a signed number of four bytes."""
    digits = _bytes(name)
    turned = F.concat(*(F.substring(digits, at, 2) for at in (7, 5, 3, 1)))
    unsigned = F.conv(F.when(is_reversed, turned).otherwise(digits), 16, 10).cast("bigint")
    return F.when(unsigned >= 1 << 31, unsigned - (1 << 32)).otherwise(unsigned).cast("int")
