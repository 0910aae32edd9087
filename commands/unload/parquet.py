"""Implementation of ``mqx unload --parquet``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import chain

from mqtools.arrow.columns import EXACT, MESSAGE
from mqtools.arrow.parquet import write_file
from mqtools.arrow.queue_reader import read
from mqtools.configuration.locate import find
from mqtools.formats.phrases import counted

from ..shared.command_session import NOTHING_THERE, Session, UsageError
from ..shared.counts import print_totals
from .output import confirm_overwrite
from .request import UnloadRequest


def unload_parquet(session: Session, request: UnloadRequest, path: str, mask: Sequence[str]) -> int:
    """Write the messages of a queue to a Parquet file; return 3 when there are none, and then no file is made."""
    columns = [*MESSAGE, *EXACT]
    try:
        rows = read(find(session.qmgr), request.queue, columns, request.selection.where, mask=mask, alone=True)
    except ValueError as error:
        raise UsageError(f"--mask: {error}") from error
    number = 0
    if (first := next(iter(rows), None)) is not None:
        replaces = request.force or os.path.lexists(path)
        if replaces and not request.force:
            confirm_overwrite(session, path)
        number = write_file(path, rows.schema, chain((first,), rows), replaces=replaces)
    where = f" to {path}" if number else ""
    print_totals(session, f"unloaded {counted(number)} from {request.queue}{where}", number, {"unloaded": number})
    return 0 if number else NOTHING_THERE
