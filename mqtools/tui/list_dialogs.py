"""Dialogs with a list: groups of dead letters, and the jobs of a session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from mqtools.formats.terminal import visible
from mqtools.tui.dialogs import Dialog, make_literal
from mqtools.tui.groups import HEADING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mqtools.tui.groups import Group
    from mqtools.tui.jobs import Job, Jobs


class GroupsDialog(Dialog["Group | None"]):
    """Groups of dead letters, with the meaning of the reason under the cursor."""

    BINDINGS = [Binding("escape,q", "cancel", "back")]

    def __init__(self, q_name: str, groups: Sequence[Group], *, can_mark: bool) -> None:
        super().__init__()
        self._q_name = q_name
        self._groups = groups
        self._can_mark = can_mark

    def compose(self) -> ComposeResult:
        """Yield the widgets."""
        with Vertical(classes="dialog reading"):
            yield make_literal(f"Dead letters on {self._q_name}")
            yield make_literal(f"  {HEADING}")
            yield OptionList(*[Option(Text(visible(group.line), no_wrap=True)) for group in self._groups])
            yield Static("", id="meaning", markup=False)
            yield make_literal(("enter: mark them   " if self._can_mark else "") + "esc: back")

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Show the meaning of the reason."""
        self.query_one("#meaning", Static).update(visible(self._groups[event.option_index].meaning, "\n"))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Answer with the choice under the cursor."""
        self.finish(self._groups[event.option_index])

    def action_cancel(self) -> None:
        """Close the dialog."""
        self.finish(None)


class JobsDialog(Dialog[None]):
    """Jobs of a session, the newest first, with progress or result; running ones can be stopped."""

    BINDINGS = [Binding("escape,q", "finish", "back"), Binding("c,s,delete", "stop", "stop")]

    def __init__(self, jobs: Jobs) -> None:
        super().__init__()
        self._jobs = jobs
        self._shown: list[Job] = []

    def compose(self) -> ComposeResult:
        """Yield the widgets."""
        with Vertical(classes="dialog reading"):
            yield make_literal("Jobs of this session")
            yield OptionList()
            yield make_literal("enter or s: stop   esc: back")

    def on_mount(self) -> None:
        """Show the progress, and refresh it regularly."""
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
        """Stop the job under the cursor."""
        self.action_stop()

    def action_stop(self) -> None:
        """Stop the job under the cursor."""
        place = self.query_one(OptionList).highlighted
        if place is not None and self._shown[place].result is None:
            self._shown[place].cancelled.set()
            self._refresh()
