"""Reading of one message for the detail pane, with who holds it, and the reports and replies about it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from mqtools.constants.states import UNLOCKED
from mqtools.constants.structures import MQDLH_LENGTH_1
from mqtools.formats.terminal import visible
from mqtools.lifecycle import held_messages
from mqtools.mqi.get.search import remaining_expiry
from mqtools.mqi.identity import now_ms
from mqtools.operations.stored_messages import load_data, load_message
from mqtools.operations.views.message_view import Database, StoredMessage, related_messages
from mqtools.tui.background import tree_process
from mqtools.tui.display.detail import Body, make_detail
from mqtools.tui.display.paged_lines import PagedLines
from mqtools.tui.display.row import Row, make_row
from mqtools.tui.display.tabs import HEADERS, JSON, LONGEST_TREE, OF_DATA, STEP, XML, Detail


class TreeLayout(NamedTuple):
    """Layout of a long body so far. part: of the text that was read.  whole: the result."""

    part: float
    whole: Detail | None = None


def read_detail(
    db: Database,
    seq: int,
    tab: int | None,
    *,
    width: int,
    limit: int = STEP,
    before: Detail | None = None,
    at: int | None = None,
) -> Detail | None:
    """Read a message and lay out a tab of it; return None when it is gone.

    tab, width: as for ``make_detail``.  limit: bytes of data.  before: the current tab, which is reused if it would be
    the same.  at: the instant that is listed, milliseconds since 1970; None for the present.
    """
    with db.reading():
        stored = load_message(db, seq)
        if stored is None:
            return None
        data = load_data(db, seq, LONGEST_TREE if tab in (JSON, XML) else limit)
        if len(data) < min(limit, stored.data_length):
            return None
        owner = "" if stored.state == UNLOCKED else visible(held_messages.describe_hold(db, stored))
    md = stored.md
    made_of = (tab, width, md.format, md.encoding, md.coded_char_set_id, stored.data_length, data)
    if before is not None and before.tab in OF_DATA and (before.seq, before.made_of) == (seq, made_of):
        return before._replace(owner=owner, msg_id=md.msg_id.hex().upper())
    md.expiry = remaining_expiry(stored, now_ms() if at is None else at)
    related = _related(db, stored) if tab == HEADERS else []
    return make_detail(stored, data, tab, width, owner=owner, made_of=made_of, related=related)


def read_whole_tree(db: Database, seq: int, tab: int, before: Detail) -> Iterator[TreeLayout]:
    """Lay out all of a message as JSON or XML; yield how far that is, and at last the tab.

    before: the tab with the beginning.
    """
    with db.reading():
        stored = load_message(db, seq)
        if stored is None:
            return
        data = load_data(db, seq)
    lines = PagedLines()
    folds: dict[int, int] = {}
    for part in tree_process.lay_out(Body(stored, data).text, tab, lines, folds):
        yield TreeLayout(part)
    yield TreeLayout(1, before._replace(lines=lines, folds=folds, shown=len(data), length=len(data)))


def _related(db: Database, stored: StoredMessage) -> list[tuple[str, Row]]:
    found = related_messages(db, stored)
    return [(q_name, make_row(other, load_data(db, other.seq, MQDLH_LENGTH_1))) for q_name, other in found]
