"""Keys that prompt: filter, go to, columns, queue managers, logs, themes, and the help."""

from __future__ import annotations

from functools import partial

from mqtools.admin import error_log
from mqtools.admin.error_log import ErrorEntry
from mqtools.errors import MQError
from mqtools.mqi.identity import now_ms
from mqtools.operations.views.message_view import Database
from mqtools.tui import themes
from mqtools.tui.background.glance import read_glances
from mqtools.tui.background.goto import Position, parse_instant, parse_position
from mqtools.tui.background.jobs import Jobs
from mqtools.tui.background.reader import read_repeatedly
from mqtools.tui.controllers.controller import BrowserScreen, Controller, check_at_once
from mqtools.tui.controllers.live_filter import EVERYTHING, LiveFilter
from mqtools.tui.controllers.movement import no_hit
from mqtools.tui.dialogs.errors import ErrorLogDialog
from mqtools.tui.dialogs.glance import GlanceDialog
from mqtools.tui.dialogs.help import HelpDialog
from mqtools.tui.dialogs.jobs import JobsDialog
from mqtools.tui.dialogs.prompt_line import PromptLine
from mqtools.tui.dialogs.search import SearchDialog, SearchItem
from mqtools.tui.dialogs.standard import InputDialog, MultiChoiceDialog
from mqtools.tui.display import columns
from mqtools.tui.display.synonyms import SYNONYMS
from mqtools.tui.display.tabs import HEX, find_line
from mqtools.tui.display.times import LOCAL_TIME
from mqtools.tui.help import help_entries
from mqtools.tui.state import COLUMNS

#: Latest entries of the error log that are shown.
_MOST_ERRORS = 1000
#: What entries of the session's log have instead of a number; its end is the severity.
_DONE, _FAILED = "here I", "here E"


class Prompts(Controller):
    """Keys that ask for a line of text or a choice, and change what is listed."""

    def __init__(self, browser: BrowserScreen) -> None:
        super().__init__(browser)
        self._gone_to = ""
        self._filters: list[str] = []
        self._found: list[str] = []
        self._names: list[str] = []

    # -- filter

    def filter(self) -> None:
        """Ask for a filter and apply it: for names in the queues pane, for a text to find in the detail pane."""
        browser = self.browser
        if browser.pane == "detail":
            line = PromptLine("Find", self._found, value=browser.detail.lines.needle)
            browser.show(line, check=check_at_once(self._find))
        elif browser.pane == "queues":
            queues = browser.queues
            browser.show(PromptLine("Queues with", self._names, value=queues.wanted, changed=queues.select))
        elif not browser.messages.q_name:
            browser.say("open a queue first")
        else:
            live = LiveFilter(browser)
            title = f"Filter {browser.messages.q_name}:"
            line = PromptLine(
                title,
                self._filters,
                value=live.first_words,
                empty=EVERYTHING,
                changed=live.typed,
                hint="text, selector, hex BYTES",
            )
            browser.show(line, live.ended, check_at_once(live.check))

    def _find(self, words: str) -> None:
        lines = self.browser.detail.lines
        before, lines.needle = lines.needle, words
        if not lines.go_to_hit(1):
            lines.needle = before
            raise ValueError(no_hit(self.browser.detail))

    # -- positions and columns

    def go_to(self) -> None:
        """Ask for a position in the list, or in the message, and go there."""
        q_name, detail = self.browser.messages.q_name, self.browser.detail.detail
        if self.browser.pane == "detail" and detail is not None:
            what = "a byte" if detail.tab == HEX else "a line"
            dialog = InputDialog(f"Go to {what} of this message (500, 0x1F4, -1)")
            self.browser.show(dialog, check=check_at_once(self._go_to_line))
            return
        zone = "local" if self.browser.messages.times == LOCAL_TIME else "UTC"
        places = f"a number (500, -1), a part (50%), a time in {zone} (14:30, 2026-11-22 14:30), an age (15m, 3d)"
        dialog = InputDialog(f"Position on {q_name}: {places}", value=self._gone_to)
        self.browser.show(dialog, self._go_to, check_at_once(self._parse_position))

    def _parse_position(self, words: str) -> Position:
        messages = self.browser.messages
        position = parse_position(words, now_ms() if messages.at is None else messages.at, messages.times)
        self._gone_to = words
        return position

    def _go_to(self, position: Position) -> None:
        self.browser.message_list.follows = False
        self.browser.show_status()
        self.browser.message_list.go_to(position, self.browser.say)
        self.browser.focus_pane("messages")

    def _go_to_line(self, words: str) -> None:
        detail = self.browser.detail.detail
        if detail is not None:
            self.browser.detail.lines.go_to_line(find_line(detail, words, self.browser.session.first_key("more")))

    def go_to_time(self) -> None:
        """Ask for an instant; list the queue as it was then."""
        q_name, past = self.browser.messages.q_name, self.browser.past
        self.browser.show(
            InputDialog(f"{q_name} as it was at a time (10:05, 2026-11-23T10:05:00Z), or an age ago (15m, 3d)"),
            lambda at: past.go_to(q_name, at),
            check_at_once(lambda words: parse_instant(words, now_ms())),
        )

    def choose_columns(self) -> None:
        """Ask for the columns of the list, and save them for the next session."""
        row, chosen = self.browser.current, self.browser.messages.columns
        values = [] if row is None else [id for id in row.values if "," not in id]
        ids = dict.fromkeys([*columns.BY_ID, *columns.select_known(chosen), *values])
        choices = [(id, columns.column_of(id).words) for id in ids]
        title = "Columns of the list, as far as there is room"
        self.browser.show(MultiChoiceDialog(title, choices, chosen, columns.USUAL), self._set_columns)

    def _set_columns(self, chosen: list[str]) -> None:
        self.browser.messages.columns = columns.select_known(chosen)
        self.browser.messages.draw()
        self.browser.session.remember(COLUMNS, ",".join(self.browser.messages.columns))
        if left_out := self.browser.messages.layout_of_columns.left_out:
            self.browser.say(f"no room here for: {', '.join(column.name for column in left_out)}")

    # -- queue managers, errors, themes, help

    def show_queue_managers(self) -> None:
        """Show all queue managers; the chosen one gets a tab."""
        session, tabs = self.browser.session, self.browser.tabs
        sessions = [tab.session for tab in tabs.tabs.values()]
        opened = [one.q_mgr_name if one.elsewhere is None else one.place for one in sessions]
        begin = partial(read_repeatedly, read_glances, session.deliver)
        dialog = GlanceDialog(begin, session.q_mgr_name, opened)
        self.browser.show(dialog, tabs.open_tab)

    def show_errors(self) -> None:
        """Show the error log, and what is added to it meanwhile."""
        reader = self.browser.session.reader
        self.browser.show(
            ErrorLogDialog(
                lambda answer: reader.ask(lambda db: error_log.entries(db, most=_MOST_ERRORS), answer),
                self.browser.messages.times,
            )
        )

    def show_jobs(self) -> None:
        jobs = self.browser.jobs
        if jobs.all:
            self.browser.show(JobsDialog(jobs))
        else:
            self.browser.say("nothing has been done yet")

    def show_log(self, jobs: Jobs) -> None:
        """Show what this session has done, with what the error log says since it began."""
        reader = self.browser.session.reader

        def read(db: Database) -> list[ErrorEntry]:
            try:
                errors = error_log.entries(db, since_ms=jobs.began_at, most=_MOST_ERRORS)
            except MQError as error:
                errors = [ErrorEntry(first_at=now_ms(), last_at=now_ms(), amq=_FAILED, text=str(error))]
            ours = [
                ErrorEntry(first_at=at, last_at=at, amq=_FAILED if has_failed else _DONE, text=text)
                for at, text, has_failed in jobs.log
            ]
            return sorted([*errors, *ours], key=lambda one: one.last_at)

        name = "Log of this session, with the error log"
        self.browser.show(ErrorLogDialog(partial(reader.ask, read), self.browser.messages.times, name))

    def choose_theme(self) -> None:
        """Ask for a theme; each is shown while the cursor is on it."""
        app = self.browser.app
        before = app.theme

        def show(name: str) -> None:
            app.theme = name or before

        names = dict.fromkeys([*themes.CHOICES, before])
        entries = [SearchItem(name, name, "●" if name == before else "") for name in names]
        self.browser.show(SearchDialog("Themes", entries, changed=show, first=before), show)

    def help(self) -> None:
        session = self.browser.session
        entries = list(help_entries(session.keys, SYNONYMS, read_only=session.read_only))
        self.browser.show(HelpDialog(entries, int(self.browser.app.size.width * 0.95)))
