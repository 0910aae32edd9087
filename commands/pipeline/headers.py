"""Header lines of CSV files for ``mqx pipeline load``: unknown columns, found before Spark starts."""

from __future__ import annotations

import csv
import gzip
import os
import re
from collections.abc import Iterator

from pyspark_mqx.source.rows import ABOUT_ROW, KNOWN

from mqtools.arrow.columns import known_columns
from mqtools.formats.mistakes import Mistake
from mqtools.formats.phrases import did_you_mean, nearest

from ..shared.command_session import UsageError

_ENDINGS = (".csv", ".csv.gz")
#: A value of a line of CSV, with its quotes.
_VALUE = re.compile(r'(?:^|,)("(?:[^"]|"")*"|[^,]*)')


def unknown_columns(paths: tuple[str, ...]) -> list[Mistake]:
    """Return a mistake for each unknown column. paths: files, and folders of files.

    Raise UsageError for a file whose header differs from that of the first one.
    """
    known = {*KNOWN, *ABOUT_ROW, *known_columns(journal=True)}
    found = []
    first: list[str] = []
    other = ""
    for file in _files(paths):
        header = [*_header(file)]
        names = [name for _, name in header]
        if first and names and names != first:
            other = other or file
        first = first or names
        for column, name in header:
            if name not in known:
                likely = did_you_mean(nearest(name.lower(), KNOWN))
                found.append(Mistake(file, 1, column, f"{name}: unknown column", likely))
    if other and not found:
        raise UsageError(f"{other}: its header differs from that of the first file", "load it with a separate job")
    return found


def _files(paths: tuple[str, ...]) -> Iterator[str]:
    for path in paths:
        if not os.path.isdir(path):
            yield path
            continue
        for folder, _, names in sorted(os.walk(path)):
            yield from (os.path.join(folder, name) for name in sorted(names) if name.endswith(_ENDINGS))


def _header(path: str) -> Iterator[tuple[int, str]]:
    """Yield the column numbers, from 1, and names of a header line. Raise OSError."""
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8-sig", errors="replace", newline="") as file:
        line = file.readline().rstrip("\r\n")
    for found in _VALUE.finditer(line) if line else ():
        (value,) = next(csv.reader([found[1]]), None) or ("",)
        yield found.start(1) + 1, value
