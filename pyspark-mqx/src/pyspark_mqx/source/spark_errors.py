"""Errors of Spark: their conditions, and jars that were made for another Spark than the one that loads them."""

from __future__ import annotations

import re

from pyspark.errors import PySparkException

from mqtools.constants.reasons import MQRC_FUNCTION_NOT_SUPPORTED
from mqtools.errors import MQError

_CONDITION = re.compile(r"\[([A-Z][A-Z_0-9]+)(?:\.[A-Z_0-9]+)?\]")
#: Java's errors for a class or method that differs from what a jar expects.
_MISMATCH = ("NoSuchMethodError", "NoClassDefFoundError", "AbstractMethodError", "IncompatibleClassChangeError")
#: Part of a name in Java to the format, and the package for the newest Spark that it works with.
_PACKAGES = {
    "delta": ("Delta", "io.delta:delta-spark_4.2_2.13:4.4.0 works with pyspark 4.2"),
    "iceberg": ("Iceberg", "org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.12.0 works with pyspark 4.1"),
}


def condition_of(error: Exception) -> str:
    """Return the condition of an error of Spark, such as ``DATA_SOURCE_NOT_FOUND``; empty without one.

    Spark translates some errors of Java only. The others begin with their condition in brackets.
    """
    found = _CONDITION.search(str(error))
    return (error.getCondition() if isinstance(error, PySparkException) else None) or (found[1] if found else "")


def jar_error(error: Exception, version: str) -> MQError | None:
    """Return the error to report where a jar does not work with a Spark, None for any other. version: of Spark."""
    text = str(error)
    if not any(name in text for name in _MISMATCH):
        return None
    name, hint = next((found for word, found in _PACKAGES.items() if word in text), ("a package", ""))
    return MQError(
        f"the jar of {name} does not work with Spark {version}", MQRC_FUNCTION_NOT_SUPPORTED, hint=hint or None
    )
