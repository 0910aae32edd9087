"""Request of ``mqx browse``."""

from __future__ import annotations

from mqtools.operations.selection import EVERYTHING, Selection
from mqtools.records import OptionRecord

from ..shared.messages import Shape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .group_options import GroupOptions


class BrowseRequest(OptionRecord):
    """Request of ``mqx browse``.

    limit: number of messages, None for all.  all_states: include locked and uncommitted messages.  mark: mark what is
    printed for the co-operating readers of the queue.  unmarked: print only unmarked messages.  shape: columns, order
    and template of the output.  group_options: for logical order or whole messages, None for neither.  at: the instant,
    in milliseconds since 1970, to show the queue at; None for the present.  follow: print what arrives, too; then limit
    is the number of messages, the last on the queue, to print first.
    """

    queue: str
    limit: int | None = None
    selection: Selection = EVERYTHING
    all_states: bool = False
    separator: bytes = b"\n"
    force: bool = False
    mark: bool = False
    unmarked: bool = False
    shape: Shape | None = None
    group_options: GroupOptions | None = None
    at: int | None = None
    follow: bool = False
