"""Implementation of ``mqx unload --parquet``."""

from __future__ import annotations

import os
from collections.abc import Sequence

from mqtools.arrow.columns import EXACT, MESSAGE
from mqtools.arrow.parquet import write_file
from mqtools.arrow.queue_reader import read
from mqtools.configuration.locate import find
from mqtools.formats.phrases import counted

from ..shared.command_session import NOTHING_THERE, Session, UsageError
from ..shared.counts import print_totals
from .request import UnloadRequest


def unload_parquet(session: Session, request: UnloadRequest, path: str, mask: Sequence[str]) -> int:
    """Write the messages of a queue to a Parquet file; return 3 when there are none, and then no file is made."""
    replaces = request.force or os.path.lexists(path)
    if replaces and not request.force:
        session.confirm(f"overwrite {path}")
    columns = [*MESSAGE, *EXACT]
    try:
        rows = read(find(session.qmgr), request.queue, columns, request.selection.where, mask=mask, alone=True)
        number = write_file(path, rows.schema, rows, replaces=replaces)
    except ValueError as error:
        raise UsageError(f"--mask: {error}") from error
    print_totals(session, f"unloaded {counted(number)} from {request.queue} to {path}", number, {"unloaded": number})
    return 0 if number else NOTHING_THERE
