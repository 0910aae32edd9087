"""Keys for all queue managers at a glance, and for the tabs of those that are open."""

from __future__ import annotations

from functools import partial

from mqtools.tui.background.glance import GlanceReader
from mqtools.tui.controllers.controller import Controller
from mqtools.tui.dialogs.glance import GlanceDialog


class QueueManagers(Controller):
    """Opens queue managers, goes from one to another, and closes them."""

    def show_all(self) -> None:
        """Show all queue managers; the chosen one gets a tab."""
        session, tabs = self.browser.session, self.browser.tabs
        opened = [
            tab.session.q_mgr_name if tab.session.elsewhere is None else tab.session.place for tab in tabs.tabs.values()
        ]
        dialog = GlanceDialog(partial(GlanceReader, session.deliver), session.q_mgr_name, opened)
        self.browser.show(dialog, tabs.open_tab)

    def close(self) -> None:
        """Close the queue manager in front; ask first while jobs are running."""
        browser, jobs = self.browser, self.browser.jobs.going_on
        if jobs and len(browser.tabs.tabs) > 1:
            question = "\n".join([*(job.line() for job in jobs[:5]), "", "Stop it and close the queue manager?"])
            browser.confirm(question, "Close", browser.tabs.close_tab)
        else:
            browser.tabs.close_tab()
