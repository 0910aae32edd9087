"""Errors of Spark: their conditions, and what their texts say of our errors, damaged files and jars.

Texts are no promise of Spark: ``make test-tables`` tries them on each version that is supported.
"""

from __future__ import annotations

import re

from pyspark.errors import PySparkException

from mqtools.constants.reasons import MQRC_FUNCTION_NOT_SUPPORTED
from mqtools.errors import MQError
from mqtools.operations.archive_files import local_place

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


#: The last line of a traceback of Python in the text of an error, and an error of ours in it.
_PYTHON_ERROR = re.compile(r"^(?:[\w.]+\.)?\w*(?:Error|Damaged|Exception): (.+)$", re.MULTILINE)
_OURS = re.compile(r"(.+) \(MQRC_\w+ (\d+)\)")
#: The first line of an error of Java, which says only what was called.
_CALLED = "An error occurred while calling"
#: The condition of a file that turns out damaged while it is read, and how the text names it: PySpark does not hand on
#: the parameters of this error.
_UNREAD, _UNREAD_FILE = "FAILED_READ_FILE", re.compile(r"\bfile:/\S+(?=\. )")


def last_words(error: Exception) -> str:
    """Return what of an error is worth a line: the last error of Python in its text, else the first line."""
    text = str(error)
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith(_CALLED)]
    found = [type(error).__name__, *lines[:1], *_PYTHON_ERROR.findall(text)]
    return str(found[-1]).removeprefix(": ").strip()


def our_error(error: Exception) -> MQError | None:
    """Return an error of ours that went through Spark as text, None for any other."""
    ours = _OURS.fullmatch(last_words(error))
    return None if ours is None else MQError(ours[1], int(ours[2]))


def unread_file(error: Exception) -> str | None:
    """Return the path of a local file that Spark could not read, None for another error."""
    if not condition_of(error).startswith(_UNREAD):
        return None
    found = _UNREAD_FILE.search(str(error))
    return None if found is None else local_place(found[0])


def jar_error(error: Exception, version: str) -> MQError | None:
    """Return the error to report where a jar does not work with a Spark, None for any other. version: of Spark."""
    text = str(error)
    if not any(name in text for name in _MISMATCH):
        return None
    name, hint = next((found for word, found in _PACKAGES.items() if word in text), ("a package", ""))
    return MQError(
        f"the jar of {name} does not work with Spark {version}", MQRC_FUNCTION_NOT_SUPPORTED, hint=hint or None
    )
