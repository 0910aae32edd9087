"""Key that sorts: the queues in their pane, the messages by a column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mqtools.operations.views.sorted_pages import SortedPages
from mqtools.tui.background.message_sort import order_by, sort_pages
from mqtools.tui.controllers.controller import Controller
from mqtools.tui.controllers.work import WorkController
from mqtools.tui.dialogs.search import SearchDialog, SearchItem
from mqtools.tui.display import columns

#: Value of the entry for the order of delivery.
_DELIVERY = "-"


@dataclass(eq=False)
class SortController(Controller):
    """Sorts what the pane with the focus lists."""

    work: WorkController

    def choose(self) -> None:
        """Sort the queues by the next order; in the messages ask for a column, the present one to reverse it."""
        browser, order = self.browser, self.browser.message_list.order
        if browser.pane == "queues" or not browser.messages.q_name:
            browser.queues.sort()
            return
        clicked, browser.messages.clicked = browser.messages.clicked, ""
        if clicked:
            self.sort_by(clicked)
            return
        row = browser.current
        ids = dict.fromkeys([*columns.BY_ID, *browser.messages.columns, *(row.values if row is not None else ())])
        ids.pop(columns.DIFFERENCE, None)
        notes = {} if order is None else {order.column: "▼" if order.descending else "▲"}
        entries = [SearchItem(_DELIVERY, "the order of delivery", "●" if order is None else "")]
        entries += [SearchItem(id, columns.column_of(id).words, notes.get(id, "")) for id in ids]
        title = f"Sort {browser.messages.q_name} by (the same column again: in reverse)"
        browser.show(SearchDialog(title, entries, first=_DELIVERY if order is None else order.column), self.sort_by)

    def sort_by(self, column: str) -> None:
        """Sort by a column; again by the same one in reverse."""
        message_list, order = self.browser.message_list, self.browser.message_list.order
        if column == _DELIVERY:
            message_list.deliver_order()
            return
        source, search = message_list.unsorted
        if source is None:
            return
        wanted = order_by(column, descending=order is not None and order.column == column and not order.descending)
        found: list[SortedPages] = []

        def done(_: Any) -> None:
            if found and not job.cancelled.is_set() and message_list.unsorted[0] is source:
                message_list.show_sorted(found[0])

        job = self.work.read_job(
            f"Sort {self.browser.messages.q_name} by {columns.column_of(column).words}",
            "read",
            lambda db: sort_pages(db, source, search, wanted, found.append),
            self.browser.messages.total,
            done,
        )
