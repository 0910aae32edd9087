"""Input of the queue that messages are moved or copied to, and whether dead letters keep their MQDLH."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.widgets import Input, Static

from mqtools.tui.dialogs.standard import InputDialog

_CHOICE = "remove the MQDLH; Format, Encoding and CCSID as in it (ctrl+t)"


class TransferDialog(InputDialog):
    """Input of a target; for dead letters with a choice that is made already where the target is their destination.

    destinations: in the MQDLHs, suggested first; empty for other messages.  strips: whether to remove them.
    """

    BINDINGS = [Binding("ctrl+t", "switch", "with or without the MQDLH", priority=True)]

    def __init__(
        self, title: str, names: Sequence[str], destinations: Collection[str], consequence: Callable[[str], str]
    ) -> None:
        suggestions = [*destinations, *(name for name in names if name not in destinations)]
        super().__init__(title, suggestions=suggestions, consequence=consequence)
        self._destinations = destinations
        self._choice = Static("", markup=False)
        self._is_chosen = False  # by hand
        self.strips = False

    def widgets(self) -> ComposeResult:
        yield from super().widgets()
        if self._destinations:
            yield self._choice
            self._show(strips=False)

    def on_input_changed(self, event: Input.Changed) -> None:
        super().on_input_changed(event)
        if not self._is_chosen:
            target = event.value.strip()
            self._show(strips=not {target, target.partition("@")[0]}.isdisjoint(self._destinations))

    def on_click(self, event: events.Click) -> None:
        if event.widget is self._choice:
            self.action_switch()

    def action_switch(self) -> None:
        if self._destinations:
            self._is_chosen = True
            self._show(strips=not self.strips)

    def _show(self, *, strips: bool) -> None:
        self.strips = strips
        self._choice.update(f"[{'x' if strips else ' '}] {_CHOICE}")
