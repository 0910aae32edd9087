"""The controllers, by name. Those that only a key calls are imported with it, or soon after the first rows."""

from __future__ import annotations

from functools import cached_property
from importlib import import_module
from threading import Thread
from typing import TYPE_CHECKING

from mqtools.tui.controllers.layout import PaneLayout
from mqtools.tui.controllers.marks import Marks
from mqtools.tui.controllers.movement import Movement
from mqtools.tui.controllers.queue_list import QueueList
from mqtools.tui.controllers.work import WorkController

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from mqtools.tui.controllers.actions import Actions
    from mqtools.tui.controllers.controller import BrowserScreen
    from mqtools.tui.controllers.dead_letters import DeadLetters
    from mqtools.tui.controllers.export import Export
    from mqtools.tui.controllers.locks import Locks
    from mqtools.tui.controllers.past import PastController
    from mqtools.tui.controllers.prompts import Prompts
    from mqtools.tui.controllers.traces import Traces

#: What nothing before the first key needs: importing it takes longer than all that comes before the first rows.
_LATER = (
    *(f"mqtools.tui.controllers.{name}" for name in ("prompts", "dead_letters", "locks", "export", "traces")),
    *(f"mqtools.tui.background.{name}" for name in ("past_reader", "writer")),
)


class Controllers:
    """The controllers of one screen; ``keymap`` names them."""

    def __init__(self, browser: BrowserScreen, past: PastController) -> None:
        self._browser = browser
        self.work = WorkController(browser)
        self.marks = Marks(browser, self.work)
        self.past = past
        self.movement, self.layout, self.queue_list = Movement(browser), PaneLayout(browser), QueueList(browser)

    def method(self, action: str) -> Callable[..., Any]:
        """Return a method of a controller. action: name of the controller, dot, name of the method."""
        name, _, method = action.partition(".")
        found: Callable[..., Any] = getattr(getattr(self, name), method)
        return found

    @cached_property
    def prompts(self) -> Prompts:
        """Keys that ask for a line or a choice."""
        from mqtools.tui.controllers.prompts import Prompts

        return Prompts(self._browser)

    @cached_property
    def locks(self) -> Locks:
        """Keys for locks."""
        from mqtools.tui.controllers.locks import Locks

        return Locks(self._browser, self.work)

    @cached_property
    def actions(self) -> Actions:
        """Keys that change messages."""
        from mqtools.tui.controllers.actions import Actions

        return Actions(self._browser, self.work, self.marks)

    @cached_property
    def dead_letters(self) -> DeadLetters:
        """Keys for dead letters."""
        from mqtools.tui.controllers.dead_letters import DeadLetters

        return DeadLetters(self._browser, self.work, self.marks, self.actions)

    @cached_property
    def traces(self) -> Traces:
        """Keys that follow a message."""
        from mqtools.tui.controllers.traces import Traces

        return Traces(self._browser, self.past)

    @cached_property
    def export(self) -> Export:
        """Keys that write messages elsewhere."""
        from mqtools.tui.controllers.export import Export

        return Export(self._browser, self.work, self.marks)


def import_the_rest(done: Callable[[], None]) -> None:
    """Import in a thread what the first key of its kind would wait for. done: called there at the end."""

    def run() -> None:
        for name in _LATER:
            import_module(name)
        done()

    Thread(target=run, name="mqx-import", daemon=True).start()
