"""Request of ``mqx edit``."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

from mqtools.operations.edit import Changes
from mqtools.operations.selection import Selection


@dataclass(frozen=True, slots=True)
class EditRequest:
    """Request of ``mqx edit``. changes: None for an editor.  no_trash: do not keep the replaced messages."""

    queue: str
    selection: Selection
    changes: Changes | None = None
    _: KW_ONLY
    no_trash: bool = False
    dry_run: bool = False
