"""Request of ``mqx unload``."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field

from mqtools.formats.dump.display import Display
from mqtools.operations.selection import Selection

#: Messages in one unit of work of a move unless told otherwise, as dmpmqmsg has it.
BATCH = 200


@dataclass(frozen=True, slots=True)
class UnloadRequest:
    """Request of ``mqx unload``.

    file: a name, perhaps with placeholders, or None for standard output.  batch: messages in a unit of a move, None for
    all in one.  at: instant of the read in milliseconds since 1970, None for the present.
    strip_headers: remove MQDLH and MQXQH.  convert: CCSID and encoding of the data, None for no conversion.
    """

    queue: str
    file: str | None = None
    display: Display = field(default_factory=Display)
    selection: Selection = field(default_factory=Selection)
    _: KW_ONLY
    move: bool = False
    jsonl: bool = False
    limit: int | None = None
    append: bool = False
    force: bool = False
    batch: int | None = BATCH
    dry_run: bool = False
    at: int | None = None
    strip_headers: bool = False
    convert: tuple[int, int] | None = None
