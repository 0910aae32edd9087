"""Input of the queue that messages are moved or copied to, and whether dead letters keep their MQDLH."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from textual.app import ComposeResult
from textual.binding import Binding
from textual.widgets import Checkbox, Input

from mqtools.tui.dialogs.standard import InputDialog

_CHOICE = "remove the MQDLH; Format, Encoding and CCSID as in it (ctrl+t)"


class TransferDialog(InputDialog):
    """Input of a target; for dead letters with a choice that is made already where the target is their destination.

    destinations: queues in the MQDLHs, suggested first; empty for other messages.  strips: whether to remove them.
    """

    BINDINGS = [Binding("ctrl+t", "switch", "with or without the MQDLH", priority=True)]

    def __init__(
        self, title: str, names: Sequence[str], destinations: Collection[str], consequence: Callable[[str], str]
    ) -> None:
        suggestions = [*destinations, *(name for name in names if name not in destinations)]
        super().__init__(title, suggestions=suggestions, consequence=consequence)
        self._destinations = destinations
        self._is_chosen = False  # by hand

    @property
    def strips(self) -> bool:
        return bool(self._destinations) and self.query_one(Checkbox).value

    def widgets(self) -> ComposeResult:
        yield from super().widgets()
        if self._destinations:
            choice = Checkbox(_CHOICE, compact=True)
            choice.can_focus = False
            yield choice

    def on_input_changed(self, event: Input.Changed) -> None:
        super().on_input_changed(event)
        if self._destinations and not self._is_chosen:
            self.query_one(Checkbox).value = event.value.strip().partition("@")[0] in self._destinations

    def on_click(self) -> None:
        self._is_chosen = True

    def action_switch(self) -> None:
        self._is_chosen = True
        if self._destinations:
            self.query_one(Checkbox).toggle()
