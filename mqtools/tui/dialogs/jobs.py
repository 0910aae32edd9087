"""The jobs of a session, in a dialog where they can be stopped."""

from __future__ import annotations

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from mqtools.formats.terminal import visible
from mqtools.tui.background.jobs import BackgroundJob, Jobs
from mqtools.tui.dialogs.standard import Dialog


class JobsDialog(Dialog[None]):
    """Jobs of a session, the newest first, with progress or result; running ones can be stopped."""

    BINDINGS = [Binding("escape,q", "finish", "back"), Binding("c,s,delete", "stop", "stop")]

    box = "dialog reading"

    def __init__(self, jobs: Jobs) -> None:
        super().__init__("Jobs of this session", "enter or s: stop   esc: back")
        self._jobs = jobs
        self._shown: list[BackgroundJob] = []

    def widgets(self) -> ComposeResult:
        yield OptionList()

    def on_mount(self) -> None:
        self._refresh()
        self.set_interval(0.3, self._refresh)

    def _refresh(self) -> None:
        options = self.query_one(OptionList)
        jobs = self._jobs.all[::-1]
        if jobs != self._shown:
            self._shown = jobs
            options.clear_options().add_options([Option("") for _ in jobs])
            options.highlighted = 0
        for place, job in enumerate(jobs):
            options.replace_option_prompt_at_index(place, Text(visible(job.line())))

    def on_option_list_option_selected(self) -> None:
        self.action_stop()

    def action_stop(self) -> None:
        place = self.query_one(OptionList).highlighted
        if place is not None and self._shown[place].result is None:
            self._shown[place].cancelled.set()
            self._refresh()
