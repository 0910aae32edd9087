"""Request of ``mqx load``."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field

from mqtools.constants.options import MQPMO_SET_ALL_CONTEXT
from mqtools.operations.selection import Selection

from ..shared.pace import Pace

#: Messages in one unit unless told otherwise, as dmpmqmsg has it.
BATCH = 200


@dataclass(frozen=True, slots=True)
class LoadRequest:
    """Request of ``mqx load``. file: a name, perhaps with a placeholder for a number; None for standard input.

    batch: messages in one unit, None for all in one.  context: MQPMO_*_CONTEXT.  pace: of the units, None for no delay.
    """

    queue: str
    file: str | None = None
    selection: Selection = field(default_factory=Selection)
    _: KW_ONLY
    jsonl: bool = False
    batch: int | None = BATCH
    strip_headers: bool = False
    context: int = MQPMO_SET_ALL_CONTEXT
    pace: Pace | None = None
    dry_run: bool = False
